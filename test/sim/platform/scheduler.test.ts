import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { podView } from '../../../src/sim/platform/objects/pod.ts';
import { feasibleWanted } from '../../../src/sim/platform/scheduler/choice.ts';
import { Misfits } from '../../../src/sim/platform/scheduler/misfits.ts';
import { backOffMs } from '../../../src/sim/platform/scheduler/pod-queue.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import { startServiceAccounts } from '../../../src/sim/platform/cleanup/service-accounts.ts';
import { createCluster, must, nodeObject, podObject, type TestCluster } from './cluster.ts';

function setUp(watchDelayMs = 2, minor = 33): TestCluster {
  const cluster = createCluster();
  startServiceAccounts(cluster.world);
  cluster.pass(1000);
  startScheduler(cluster.world, { minor, watchDelayMs: () => watchDelayMs });
  return cluster;
}

function nodeOf({ admin }: TestCluster, pod: string): string | null {
  return textAt(admin.get('Pod', `default/${pod}`) ?? {}, 'spec.nodeName');
}

function addNode(
  cluster: TestCluster,
  name: string,
  options: Parameters<typeof nodeObject>[2] = {},
): void {
  must(cluster.admin.create(nodeObject(name, cluster.kernel.nowMs(), options)));
  // Nobody takes away here what admission sets on each new Node.
  const taints = options.taints ?? null;
  must(cluster.admin.patch('Node', name, 'merge', { spec: { taints } }));
}

function messages({ admin }: TestCluster, reason: string): readonly string[] {
  return admin
    .list('Event')
    .filter((event) => textAt(event, 'reason') === reason)
    .map((event) => textAt(event, 'message') ?? '');
}

const GATE: JsonObject = { key: 'readiness.k8s.io/net', effect: 'NoSchedule' };

function taint(cluster: TestCluster, name: string, taints: readonly JsonObject[] | null): void {
  must(cluster.admin.patch('Node', name, 'merge', { spec: { taints } }));
}

it('scheduler: binds a waiting pod to a node whose taint comes a moment too late', () => {
  const cluster = setUp(5);
  must(cluster.admin.create(podObject('app')));
  cluster.pass(3000);
  addNode(cluster, 'n1');
  cluster.kernel.after(8, () => taint(cluster, 'n1', [GATE]));
  cluster.pass(5000);
  assert.equal(nodeOf(cluster, 'app'), 'n1');
  assert.equal(listAt(cluster.admin.get('Node', 'n1') ?? {}, 'spec.taints').length, 1);
});

it('scheduler: does not when the taint is there from birth', () => {
  const cluster = setUp(5);
  must(cluster.admin.create(podObject('app')));
  addNode(cluster, 'n1', { taints: [GATE] });
  cluster.pass(60_000);
  assert.equal(nodeOf(cluster, 'app'), null);
  assert.deepEqual(
    messages(cluster, 'FailedScheduling').at(-1),
    '0/1 nodes are available: 1 node(s) had untolerated taint {readiness.k8s.io/net: }. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  );
});

it('scheduler: reports the obstacle on each kind of node and retries when it changes', () => {
  const cluster = setUp();
  addNode(cluster, 'small', { cpu: '1' });
  addNode(cluster, 'gated', { taints: [GATE] });
  addNode(cluster, 'other', { labels: { disk: 'hdd' } });
  must(cluster.admin.patch('Node', 'other', 'merge', { spec: { unschedulable: true } }));
  const resources = { requests: { cpu: '2' } };
  must(
    cluster.admin.create(
      podObject('app', { containers: [{ name: 'main', image: 'app', resources }] }),
    ),
  );
  cluster.pass(1000);
  assert.deepEqual(messages(cluster, 'FailedScheduling'), [
    '0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {readiness.k8s.io/net: }, 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  ]);
  const pod = cluster.admin.get('Pod', 'default/app') ?? {};
  const [condition] = listAt(pod, 'status.conditions');
  assert.equal(textAt(condition, 'reason'), 'Unschedulable');
  taint(cluster, 'gated', null);
  cluster.pass(1500);
  assert.equal(nodeOf(cluster, 'app'), 'gated');
  assert.deepEqual(messages(cluster, 'Scheduled'), ['Successfully assigned default/app to gated']);
});

it('scheduler: gives no node more pods or cores than it has, and continues when some leave', () => {
  const cluster = setUp();
  addNode(cluster, 'n1', { pods: '2' });
  for (const name of ['a', 'b', 'c']) must(cluster.admin.create(podObject(name)));
  cluster.pass(2000);
  const waiting = ['a', 'b', 'c'].filter((name) => nodeOf(cluster, name) === null);
  assert.equal(waiting.length, 1);
  assert.match(messages(cluster, 'FailedScheduling').join(), /1 Too many pods/);
  const gone = ['a', 'b', 'c'].find((name) => nodeOf(cluster, name) !== null);
  must(cluster.admin.delete('Pod', `default/${gone}`, { gracePeriodSeconds: 0 }));
  cluster.pass(11_000);
  assert.equal(nodeOf(cluster, waiting[0] ?? ''), 'n1');
});

it('scheduler: keeps a pod in the zone of its volume', () => {
  const cluster = setUp();
  const zone = (name: string): JsonObject => ({ 'topology.kubernetes.io/zone': name });
  addNode(cluster, 'a', { labels: zone('us-west-2a') as Record<string, string> });
  const term = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2b'] };
  must(
    cluster.admin.create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'disk' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [term] }] } },
      },
    }),
  );
  must(
    cluster.admin.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'claim', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeName: 'disk',
        resources: { requests: { storage: '1Gi' } },
      },
    }),
  );
  const volumes = [{ name: 'disk', persistentVolumeClaim: { claimName: 'claim' } }];
  must(cluster.admin.create(podObject('db', { volumes })));
  cluster.pass(2000);
  assert.match(
    messages(cluster, 'FailedScheduling').join(),
    /1 node\(s\) didn't match PersistentVolume's node affinity/,
  );
  addNode(cluster, 'b', { labels: zone('us-west-2b') as Record<string, string> });
  cluster.pass(5000);
  assert.equal(nodeOf(cluster, 'db'), 'b');
});

it('scheduler: counts repeated failures in one series instead of writing an event each time', () => {
  const cluster = setUp();
  must(cluster.admin.create(podObject('app')));
  for (let index = 0; index < 6; index++) {
    cluster.pass(20_000);
    addNode(cluster, `n${index}`, { taints: [GATE] });
  }
  cluster.pass(20_000);
  const failed = cluster.admin
    .list('Event')
    .filter((event) => textAt(event, 'reason') === 'FailedScheduling');
  assert.equal(failed.length, 1);
  assert.equal(textAt(failed[0], 'series.count'), '2');
});

it('scheduler: waits 1 to 10 s between tries, and samples large clusters', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 9].map(backOffMs), [1000, 2000, 4000, 8000, 10_000, 10_000]);
  assert.deepEqual([50, 100, 200, 1000, 5000].map(feasibleWanted), [50, 100, 100, 420, 500]);
});

it('scheduler: from 1.34 on it reports claims instead of taints', () => {
  const cluster = setUp(2, 34);
  addNode(cluster, 'n1', { taints: [GATE] });
  must(cluster.admin.create(podObject('app')));
  cluster.pass(1000);
  assert.deepEqual(messages(cluster, 'FailedScheduling'), [
    '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  ]);
});

it('scheduler: tries a pod again when it comes to tolerate the taint', () => {
  const cluster = setUp();
  addNode(cluster, 'n1', { taints: [GATE] });
  must(cluster.admin.create(podObject('app')));
  cluster.pass(60_000);
  assert.equal(nodeOf(cluster, 'app'), null);
  const pod = cluster.admin.get('Pod', 'default/app') ?? {};
  const tolerations = [
    ...listAt(pod, 'spec.tolerations'),
    { key: GATE['key'] ?? '', operator: 'Exists' },
  ];
  must(cluster.admin.patch('Pod', 'default/app', 'merge', { spec: { tolerations } }));
  cluster.pass(1000);
  assert.equal(nodeOf(cluster, 'app'), 'n1');
});

it('scheduler: places critical pods before the others that wait', () => {
  const cluster = setUp();
  for (const name of ['a', 'b']) must(cluster.admin.create(podObject(name)));
  must(cluster.admin.create(podObject('critical', { priorityClassName: 'system-node-critical' })));
  cluster.pass(3000);
  addNode(cluster, 'n1', { pods: '1' });
  cluster.pass(20_000);
  assert.deepEqual(
    ['a', 'b', 'critical'].map((name) => nodeOf(cluster, name)),
    [null, null, 'n1'],
  );
});

it('scheduler: gives a pod with the same wishes the same answer until something changes', () => {
  const misfits = new Misfits();
  const toleration = { key: 'a', operator: 'Exists' };
  const view = (spec: JsonObject): ReturnType<typeof podView> => podView(podObject('p', spec));
  misfits.add(view({ tolerations: [toleration] }), 7, 'taints');
  assert.equal(misfits.messageFor(view({ tolerations: [{ ...toleration }] }), 7), 'taints');
  assert.equal(misfits.messageFor(view({ tolerations: [toleration] }), 8), null);
  for (const other of [{}, { nodeSelector: { zone: 'a' } }, { tolerations: [] }])
    assert.equal(misfits.messageFor(view(other), 7), null);
  misfits.add(view({}), 8, 'none is large enough');
  assert.equal(misfits.messageFor(view({}), 8), 'none is large enough');
  assert.equal(misfits.messageFor(view({ tolerations: [toleration] }), 8), null);
  const volume = { name: 'v', persistentVolumeClaim: { claimName: 'c' } };
  misfits.add(view({ volumes: [volume] }), 8, 'volume');
  assert.equal(misfits.messageFor(view({ volumes: [volume] }), 8), null);
});

it('scheduler: tries all pods of a kind again when a node that takes them comes', () => {
  const cluster = setUp();
  addNode(cluster, 'tainted', { taints: [GATE] });
  const names = ['one', 'two', 'three'];
  for (const name of names) must(cluster.admin.create(podObject(name)));
  cluster.pass(30_000);
  assert.deepEqual(
    names.map((name) => nodeOf(cluster, name)),
    [null, null, null],
  );
  assert.equal(messages(cluster, 'FailedScheduling').length, names.length);
  addNode(cluster, 'open');
  cluster.pass(30_000);
  assert.deepEqual(
    names.map((name) => nodeOf(cluster, name)),
    ['open', 'open', 'open'],
  );
});
