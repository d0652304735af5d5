import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { placementOn } from '../../../src/sim/platform/workloads/daemon-placement.ts';
import { nodeView } from '../../../src/sim/platform/objects/node.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import {
  createCluster,
  eventTexts,
  Kubelets,
  must,
  nodeObject,
  type TestCluster,
  template,
  workload,
} from './cluster.ts';

function setUp() {
  const cluster = createCluster();
  startControllerManager(cluster.world);
  startScheduler(cluster.world);
  cluster.pass(1000);
  return { cluster, kubelets: new Kubelets(cluster) };
}

function pods({ admin }: TestCluster, app: string): readonly JsonObject[] {
  return admin.list('Pod', { labelSelector: `app=${app}` });
}

function nodesOf(cluster: TestCluster, app: string): readonly string[] {
  const names = pods(cluster, app).map((pod) => textAt(pod, 'spec.nodeName') ?? '');
  return names.toSorted((one, other) => one.localeCompare(other));
}

const ALL = { tolerations: [{ operator: 'Exists' }] };

it('DaemonSet: has its pod on a new node within a tenth of a second, before that is Ready', () => {
  const { cluster, kubelets } = setUp();
  must(cluster.admin.create(workload('DaemonSet', 'cni', {}, ALL)));
  cluster.pass(1000);
  kubelets.join('n1', { isReady: false });
  const tookMs = cluster.until(() => nodesOf(cluster, 'cni')[0] === 'n1', 1000);
  assert.ok(tookMs < 100, `${tookMs} ms`);
  assert.ok(
    eventTexts(cluster.admin).some((text) => text.startsWith('SuccessfulCreate Created pod: cni-')),
  );
});

it('DaemonSet: without tolerations waits for the node to be Ready', () => {
  const { cluster, kubelets } = setUp();
  must(cluster.admin.create(workload('DaemonSet', 'agent', {})));
  const kubelet = kubelets.join('n1', { isReady: false });
  cluster.pass(10_000);
  assert.deepEqual(pods(cluster, 'agent'), []);
  kubelet.setReady(true);
  cluster.until(() => nodesOf(cluster, 'agent')[0] === 'n1', 8000);
});

it('DaemonSet: runs one pod for each node, replaces a deleted one, and counts them', () => {
  const { cluster, kubelets } = setUp();
  must(cluster.admin.create(workload('DaemonSet', 'cni', {}, ALL)));
  for (const name of ['n1', 'n2', 'n3']) kubelets.join(name);
  cluster.pass(10_000);
  assert.deepEqual(nodesOf(cluster, 'cni'), ['n1', 'n2', 'n3']);
  const [first] = pods(cluster, 'cni');
  must(cluster.admin.delete('Pod', `default/${textAt(first, 'metadata.name')}`));
  cluster.pass(10_000);
  assert.deepEqual(nodesOf(cluster, 'cni'), ['n1', 'n2', 'n3']);
  assert.ok(
    !pods(cluster, 'cni').some(
      (pod) => textAt(pod, 'metadata.name') === textAt(first, 'metadata.name'),
    ),
  );
  const status = at(cluster.admin.get('DaemonSet', 'default/cni') ?? {}, 'status') as JsonObject;
  assert.equal(status['desiredNumberScheduled'], 3);
  assert.equal(status['numberReady'], 3);
});

it('DaemonSet: does not tolerate the taint of an uninitialised node or of a gate', () => {
  const daemonSet = workload('DaemonSet', 'agent', {});
  const on = (key: string, effect: string) =>
    placementOn(daemonSet, nodeView(nodeObject('n1', 0, { taints: [{ key, effect }] })));
  const gate = on('readiness.k8s.io/net', 'NoSchedule');
  assert.deepEqual(gate, { shouldRun: false, mayStay: true });
  assert.equal(on('node.cloudprovider.kubernetes.io/uninitialized', 'NoSchedule').shouldRun, false);
  assert.deepEqual(on('spot', 'NoExecute'), { shouldRun: false, mayStay: false });
  for (const key of ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'])
    assert.equal(on(`node.kubernetes.io/${key}`, 'NoSchedule').shouldRun, true, key);
});

it('DaemonSet: replaces its pods one by one when its template changes', () => {
  const { cluster, kubelets } = setUp();
  must(cluster.admin.create(workload('DaemonSet', 'cni', {}, ALL)));
  for (const name of ['n1', 'n2', 'n3']) kubelets.join(name);
  cluster.pass(10_000);
  const spec = template({ app: 'cni' }, { ...ALL, hostNetwork: true });
  must(cluster.admin.patch('DaemonSet', 'default/cni', 'merge', { spec: { template: spec } }));
  let fewest = 3;
  const isRenewed = (): boolean => {
    const alive = pods(cluster, 'cni').filter(
      (pod) => textAt(pod, 'metadata.deletionTimestamp') === null,
    );
    const ready = alive.filter((pod) => JSON.stringify(at(pod, 'status')).includes('"Ready"'));
    fewest = Math.min(fewest, ready.length);
    return ready.length === 3 && alive.every((pod) => textAt(pod, 'spec.hostNetwork') === 'true');
  };
  cluster.until(isRenewed, 60_000);
  assert.equal(fewest, 2);
});

it('DaemonSet: kills a failed pod after its back-off and says so', () => {
  const { cluster, kubelets } = setUp();
  must(cluster.admin.create(workload('DaemonSet', 'cni', {}, ALL)));
  kubelets.join('n1');
  cluster.pass(10_000);
  const [pod] = pods(cluster, 'cni');
  const name = `default/${textAt(pod, 'metadata.name')}`;
  must(cluster.admin.patch('Pod', name, 'merge', { status: { phase: 'Failed' } }, 'status'));
  cluster.until(() => cluster.admin.get('Pod', name) === null, 10_000);
  cluster.until(() => pods(cluster, 'cni').length === 1, 10_000);
  assert.ok(
    eventTexts(cluster.admin).includes(
      `FailedDaemonPod Found failed daemon pod ${name} on node n1, will try to kill it`,
    ),
  );
});

describe('Deployment and ReplicaSet', () => {
  it('keep as many pods as asked for, no more, and take the least useful away first', () => {
    const { cluster, kubelets } = setUp();
    must(cluster.admin.create(workload('Deployment', 'web', { replicas: 3 })));
    kubelets.join('n1');
    cluster.pass(10_000);
    assert.deepEqual(nodesOf(cluster, 'web'), ['n1', 'n1', 'n1']);
    must(cluster.admin.patch('Deployment', 'default/web', 'merge', { spec: { replicas: 1 } }));
    cluster.pass(10_000);
    assert.equal(pods(cluster, 'web').length, 1);
    const [left] = pods(cluster, 'web');
    must(
      cluster.admin.delete('Pod', `default/${textAt(left, 'metadata.name')}`, {
        gracePeriodSeconds: 0,
      }),
    );
    cluster.pass(10_000);
    assert.equal(pods(cluster, 'web').length, 1);
    const status = at(cluster.admin.get('Deployment', 'default/web') ?? {}, 'status') as JsonObject;
    assert.equal(status['availableReplicas'], 1);
  });

  it('rolls to a new template without being fewer than allowed', () => {
    const { cluster, kubelets } = setUp();
    must(cluster.admin.create(workload('Deployment', 'web', { replicas: 4 })));
    kubelets.join('n1');
    cluster.pass(20_000);
    const spec = template({ app: 'web' }, { priority: 0, hostNetwork: true });
    must(cluster.admin.patch('Deployment', 'default/web', 'merge', { spec: { template: spec } }));
    let fewest = 4;
    const isRolled = (): boolean => {
      const alive = pods(cluster, 'web').filter(
        (pod) => textAt(pod, 'metadata.deletionTimestamp') === null,
      );
      const ready = alive.filter((pod) =>
        listAt(pod, 'status.conditions').some((entry) => textAt(entry, 'type') === 'Ready'),
      );
      fewest = Math.min(fewest, ready.length);
      return ready.length === 4 && alive.every((pod) => textAt(pod, 'spec.hostNetwork') === 'true');
    };
    cluster.until(isRolled, 60_000);
    assert.ok(fewest >= 3, `${fewest}`);
    assert.equal(cluster.admin.list('ReplicaSet').length, 2);
  });

  it('say in conditions how far they have come, and since when', () => {
    const { cluster, kubelets } = setUp();
    const conditions = (): readonly string[] =>
      listAt(cluster.admin.get('Deployment', 'default/web') ?? {}, 'status.conditions').map(
        (one) => `${textAt(one, 'type')} ${textAt(one, 'status')} ${textAt(one, 'reason')}`,
      );
    must(cluster.admin.create(workload('Deployment', 'web', { replicas: 2 })));
    cluster.pass(5_000);
    assert.deepEqual(conditions(), [
      'Progressing True ReplicaSetUpdated',
      'Available False MinimumReplicasUnavailable',
    ]);
    kubelets.join('n1');
    cluster.pass(20_000);
    assert.deepEqual(conditions(), [
      'Progressing True NewReplicaSetAvailable',
      'Available True MinimumReplicasAvailable',
    ]);
    const version = (): string | null =>
      textAt(cluster.admin.get('Deployment', 'default/web'), 'metadata.resourceVersion');
    const settled = version();
    cluster.pass(600_000);
    assert.equal(version(), settled);
  });
});
