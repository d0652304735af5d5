import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { evictionRate, zoneState } from '../../../src/sim/platform/nodes/disruption.ts';
import { stayMs } from '../../../src/sim/platform/nodes/taint-eviction.ts';
import {
  createCluster,
  eventTexts,
  Kubelets,
  must,
  podObject,
  type TestCluster,
} from './cluster.ts';

function setUp(minor = 34) {
  const cluster = createCluster();
  startControllerManager(cluster.world, { minor });
  cluster.pass(1000);
  return { cluster, kubelets: new Kubelets(cluster) };
}

function ready({ admin }: TestCluster, name: string): JsonObject | undefined {
  return listAt(admin.get('Node', name) ?? {}, 'status.conditions').find(
    (condition) => textAt(condition, 'type') === 'Ready',
  ) as JsonObject | undefined;
}

function taints({ admin }: TestCluster, name: string): readonly string[] {
  return listAt(admin.get('Node', name) ?? {}, 'spec.taints').map(
    (taint) => `${textAt(taint, 'key')}:${textAt(taint, 'effect')}`,
  );
}

function isGone({ admin }: TestCluster, pod: string): boolean {
  return admin.get('Pod', `default/${pod}`) === null;
}

for (const [minor, graceMs] of [
  [31, 40_000],
  [34, 50_000],
] as const)
  it(`node lifecycle: 1.${minor} gives a silent kubelet up ${graceMs / 1000} s after its last sign, at a look`, () => {
    const { cluster, kubelets } = setUp(minor);
    kubelets.join('other');
    const kubelet = kubelets.join('n1');
    cluster.pass(20_500);
    kubelet.stop();
    const tookMs = cluster.until(
      () => textAt(ready(cluster, 'n1'), 'status') === 'Unknown',
      90_000,
    );
    assert.ok(tookMs > graceMs - 10_000 && tookMs <= graceMs + 10_000, `${tookMs} ms`);
    assert.equal(textAt(ready(cluster, 'n1'), 'reason'), 'NodeStatusUnknown');
    assert.equal(textAt(ready(cluster, 'n1'), 'message'), 'Kubelet stopped posting node status.');
    cluster.pass(6000);
    assert.deepEqual(taints(cluster, 'n1').toSorted(), [
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/unreachable:NoSchedule',
    ]);
    assert.ok(
      eventTexts(cluster.admin).includes('NodeNotReady Node n1 status is now: NodeNotReady'),
    );
  });

it('node lifecycle: a Lease alone keeps a node alive', () => {
  const { cluster, kubelets } = setUp();
  kubelets.join('n1');
  cluster.pass(10 * 60_000);
  assert.equal(textAt(ready(cluster, 'n1'), 'status'), 'True');
  assert.deepEqual(taints(cluster, 'n1'), []);
});

it('node lifecycle: tells of nodes that come and go, but not of one that lived for a second', () => {
  const { cluster, kubelets } = setUp();
  kubelets.join('n1');
  cluster.pass(6000);
  assert.ok(
    eventTexts(cluster.admin).includes(
      'RegisteredNode Node n1 event: Registered Node n1 in Controller',
    ),
  );
  cluster.admin.delete('Node', 'n1');
  cluster.pass(6000);
  assert.ok(
    eventTexts(cluster.admin).includes(
      'RemovingNode Node n1 event: Removing Node n1 from Controller',
    ),
  );
  const told = (): boolean => eventTexts(cluster.admin).some((text) => text.includes('short'));
  kubelets.join('n2');
  cluster.until(
    () => eventTexts(cluster.admin).some((text) => text.includes('Registered Node n2')),
    6000,
  );
  // A look is just over: a node that comes and goes before the next one is not seen.
  kubelets.join('short').stop();
  cluster.pass(1000);
  cluster.admin.delete('Node', 'short');
  cluster.pass(20_000);
  assert.equal(told(), false);
});

it('node lifecycle: takes the taints away when the kubelet is back', () => {
  const { cluster, kubelets } = setUp();
  kubelets.join('other');
  const kubelet = kubelets.join('n1', { isReady: false });
  cluster.pass(8000);
  assert.deepEqual(taints(cluster, 'n1').toSorted(), [
    'node.kubernetes.io/not-ready:NoExecute',
    'node.kubernetes.io/not-ready:NoSchedule',
  ]);
  kubelet.setReady(true);
  cluster.pass(100);
  assert.ok(!taints(cluster, 'n1').includes('node.kubernetes.io/not-ready:NoSchedule'));
  cluster.pass(6000);
  assert.deepEqual(taints(cluster, 'n1'), []);
});

it('node lifecycle: evicts one node of a zone each 10 s, and none while every node is down', () => {
  const { cluster, kubelets } = setUp();
  for (const name of ['ok1', 'ok2', 'ok3', 'ok4']) kubelets.join(name);
  const lost = ['a', 'b', 'c'].map((name) => kubelets.join(name));
  cluster.pass(20_000);
  for (const kubelet of lost) kubelet.stop();
  const tainted = (): number =>
    ['a', 'b', 'c'].filter((name) =>
      taints(cluster, name).some((taint) => taint.endsWith('NoExecute')),
    ).length;
  cluster.until(() => tainted() === 1, 90_000);
  const secondMs = cluster.until(() => tainted() === 2, 30_000);
  assert.ok(secondMs >= 9000 && secondMs <= 16_000, `${secondMs} ms`);
  assert.equal(evictionRate(zoneState(0, 9), 9), 0.1);
  assert.equal(zoneState(4, 5), 'partial');
  assert.equal(zoneState(2, 2), 'normal');
  assert.equal(evictionRate('partial', 20), 0);
  assert.equal(evictionRate('partial', 51), 0.01);
});

it('node lifecycle: leaves all pods where they are when every node is lost at once', () => {
  const { cluster, kubelets } = setUp();
  const all = ['a', 'b', 'c'].map((name) => kubelets.join(name));
  cluster.pass(20_000);
  for (const kubelet of all) kubelet.stop();
  const isEvicting = (): boolean =>
    ['a', 'b', 'c'].some((name) =>
      taints(cluster, name).some((taint) => taint.endsWith('NoExecute')),
    );
  const watch = cluster.kernel.every(100, () => assert.equal(isEvicting(), false));
  cluster.pass(10 * 60_000);
  watch.cancel();
  assert.equal(textAt(ready(cluster, 'a'), 'status'), 'Unknown');
  assert.ok(!taints(cluster, 'a').some((taint) => taint.endsWith('NoExecute')));
});

it('taint eviction: lets a pod that comes to a node which is lost for long stay as long as any other', () => {
  const { cluster, kubelets } = setUp();
  kubelets.join('other');
  const kubelet = kubelets.join('n1');
  cluster.pass(30_000);
  kubelet.stop();
  cluster.until(() => taints(cluster, 'n1').some((taint) => taint.endsWith('NoExecute')), 90_000);
  cluster.pass(20 * 60_000);
  must(cluster.admin.create(podObject('late', { nodeName: 'n1' })));
  const leaving = (): boolean =>
    textAt(cluster.admin.get('Pod', 'default/late') ?? {}, 'metadata.deletionTimestamp') !== null;
  const stayedMs = cluster.until(leaving, 320_000);
  assert.ok(stayedMs > 298_000 && stayedMs <= 301_000, `${stayedMs} ms`);
});

describe('taint eviction', () => {
  it('lets a pod stay for its tolerationSeconds, a DaemonSet pod for ever', () => {
    const { cluster, kubelets } = setUp();
    kubelets.join('other');
    const kubelet = kubelets.join('n1');
    must(cluster.admin.create(podObject('app', { nodeName: 'n1' })));
    const forever = [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
    ];
    must(cluster.admin.create(podObject('agent', { nodeName: 'n1', tolerations: forever })));
    cluster.pass(30_000);
    kubelet.stop();
    cluster.until(() => taints(cluster, 'n1').some((taint) => taint.endsWith('NoExecute')), 90_000);
    const leaving = (): boolean =>
      textAt(cluster.admin.get('Pod', 'default/app') ?? {}, 'metadata.deletionTimestamp') !== null;
    const stayedMs = cluster.until(leaving, 320_000);
    assert.ok(stayedMs > 298_000 && stayedMs <= 301_000, `${stayedMs} ms`);
    const condition = listAt(
      cluster.admin.get('Pod', 'default/app') ?? {},
      'status.conditions',
    ).find((entry) => textAt(entry, 'type') === 'DisruptionTarget');
    assert.equal(textAt(condition, 'reason'), 'DeletionByTaintManager');
    assert.ok(
      eventTexts(cluster.admin).includes(
        'TaintManagerEviction Marking for deletion Pod default/app',
      ),
    );
    cluster.pass(10 * 60_000);
    assert.equal(isGone(cluster, 'agent'), false);
  });

  it('removes at once what tolerates nothing, and forgives in time', () => {
    const { cluster, kubelets } = setUp();
    kubelets.join('n1');
    cluster.pass(5000);
    must(cluster.admin.create(podObject('app', { nodeName: 'n1' })));
    const brief = [{ key: 'spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
    must(cluster.admin.create(podObject('brief', { nodeName: 'n1', tolerations: brief })));
    const spot = [{ key: 'spot', effect: 'NoExecute' }];
    must(cluster.admin.patch('Node', 'n1', 'merge', { spec: { taints: spot } }));
    cluster.until(() => isGone(cluster, 'app'), 5000);
    cluster.pass(30_000);
    must(cluster.admin.patch('Node', 'n1', 'merge', { spec: { taints: null } }));
    cluster.pass(120_000);
    assert.equal(isGone(cluster, 'brief'), false);
    assert.ok(
      eventTexts(cluster.admin).includes(
        'TaintManagerEviction Cancelling deletion of Pod default/brief',
      ),
    );
  });

  it('goes by the shortest toleration of all taints', () => {
    const taint = (key: string) => ({ key, value: '', effect: 'NoExecute', timeAdded: null });
    const toleration = (key: string, seconds: number | null) => ({
      key,
      operator: 'Exists',
      value: '',
      effect: '',
      seconds,
    });
    assert.equal(stayMs([taint('a')], [toleration('a', null)]), null);
    assert.equal(
      stayMs([taint('a'), taint('b')], [toleration('a', 300), toleration('b', 20)]),
      20_000,
    );
    assert.equal(stayMs([taint('a'), taint('b')], [toleration('a', 300)]), 0);
  });
});
