import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { networkTrouble, type TroubleView } from '../nodes/network-trouble.ts';
import {
  isReadyPod,
  placeOf,
  podsOfSet,
  podsThat,
  podWords,
  stateWords,
  unreadyPods,
  waitingPods,
  waitingWords,
} from './pods-seen.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import {
  ago,
  conditionOf,
  fact,
  nodeOf,
  NOW_MS,
  podOf,
  readyIs,
  waitingPod,
} from '../../evidence/testing.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

const LATE = fact(waitingPod(121));
/** What `LATE` is made of. */
const LATE_PARTS = {
  status: {
    phase: 'Pending',
    startTime: ago(121),
    conditions: [readyIs('False')],
    containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
  },
};
const FRESH = fact(waitingPod(120));
const READY = fact(podOf());

function ofSet(name: string, owner: string): Seen<Pod> {
  const metadata = { ownerReferences: [{ kind: 'DaemonSet', name: owner }] };
  return fact(podOf({ metadata }, { name }));
}

test('pods of a Node that wait for more than two minutes', () => {
  const pods = [LATE, FRESH, READY];
  assert.deepEqual(waitingPods(pods, 'node00', { nowMs: NOW_MS }), [LATE]);
  assert.deepEqual(waitingPods(pods, 'node01', { nowMs: NOW_MS }), []);
  assert.deepEqual(waitingPods(pods, null, { nowMs: NOW_MS }), []);
  assert.deepEqual(waitingPods(pods, 'node00', { nowMs: null }), []);
});

test('pods that are not Ready for more than two minutes, and stay', () => {
  const leaving = fact(podOf({ ...LATE_PARTS, metadata: { deletionTimestamp: ago(1) } }));
  assert.deepEqual(unreadyPods([LATE, FRESH, READY, leaving], { nowMs: NOW_MS }), [LATE]);
  assert.deepEqual(unreadyPods([LATE], { nowMs: null }), []);
  assert.deepEqual([isReadyPod(READY), isReadyPod(LATE)], [true, false]);
});

test('a pod is of the DaemonSet that owns it; where no owner is shown, its name tells', () => {
  const own = ofSet('aws-node-abcde', 'aws-node');
  const named = fact(podOf({}, { name: 'aws-node-x7k2p' }));
  const others = [
    ofSet('aws-node-fghij', 'other'),
    fact(podOf({ metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'aws-node' }] } })),
    fact(podOf({}, { name: 'aws-node-x7k2p0' })),
    fact(podOf({}, { name: 'my-aws-node-x7k2p' })),
  ];
  assert.deepEqual(podsOfSet([...others, own, named], 'aws-node'), [own, named]);
});

test('the state of a pod is that of the container which is not ready', () => {
  const words = (entry: Json): string =>
    stateWords(fact(podOf({ status: { containerStatuses: [{ ready: true }, entry] } })));
  const loop = { restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff' } } };
  assert.equal(words(loop), 'waiting CrashLoopBackOff, 7 restarts');
  assert.equal(words({ state: { terminated: { reason: 'Error' } } }), 'ended Error, 0 restarts');
  assert.equal(words({ ready: false }), 'not Ready, 0 restarts');
});

test('a pod is named with its Node and since when it waits', () => {
  assert.equal(placeOf(READY), 'node00');
  assert.equal(podWords(READY), 'pod shop/web-x7k2p on node00');
  assert.equal(podWords(fact(podOf({ spec: {} }))), 'pod shop/web-x7k2p on no Node');
  const place = 'pod shop/web-x7k2p on node00 has been in ContainerCreating since';
  assert.equal(waitingWords(LATE), `${place} ${ago(121)}`);
  assert.equal(waitingWords(fact(podOf({ status: {} }))), `${place} an unknown time`);
});

function viewOf(
  node: KubeNode | null,
  pods: readonly Seen<Pod>[],
  nowMs: number | null = NOW_MS,
): TroubleView {
  const read = node === null ? { state: 'absent', by: 'test' } : fact(node);
  return { nowMs, read: () => read, list: () => pods } as unknown as TroubleView;
}

const NO_CNI = 'container runtime network not ready: NetworkPluginNotReady message:';

function waitingNode(changedSeconds: number | null, createdSeconds: number | null): KubeNode {
  const msOf = (seconds: number | null): number | null =>
    seconds === null ? null : NOW_MS - seconds * 1000;
  const ready = { status: 'False', message: NO_CNI, changedMs: msOf(changedSeconds) };
  return nodeOf('node00', {
    createdMs: msOf(createdSeconds),
    conditions: [conditionOf('DiskPressure'), conditionOf('Ready', ready)],
  });
}

test('reports the broken pod of the network DaemonSet on the Node first', () => {
  const broken = fact(podOf({ ...LATE_PARTS }, { name: 'aws-node-x7k2p' }));
  const elsewhere = fact(
    podOf({ ...LATE_PARTS, spec: { nodeName: 'node01' } }, { name: 'aws-node-abcde' }),
  );
  const trouble = networkTrouble(viewOf(waitingNode(600, 600), [elsewhere, broken]), 'aws-node');
  assert.equal(trouble?.fact, broken);
  assert.equal(
    trouble.words,
    'pod shop/aws-node-x7k2p on node00 waiting ContainerCreating, 0 restarts',
  );
});

test('a Node that waits for its network says so, unless it has only begun', () => {
  const said = (node: KubeNode, nowMs: number | null = NOW_MS): string | null =>
    networkTrouble(viewOf(node, [], nowMs), 'aws-node')?.words ?? null;
  const words = `Node node00 Ready=False: ${NO_CNI}`;
  assert.equal(said(waitingNode(121, 121)), words);
  assert.equal(said(waitingNode(120, 120)), null);
  assert.equal(said(waitingNode(120, 121)), words);
  assert.equal(said(waitingNode(121, 120)), words);
  assert.equal(said(waitingNode(60, 60), null), words);
  assert.equal(said(waitingNode(null, null)), words);
});

test('a Node that is not Ready for another reason, or is Ready, has no trouble by itself', () => {
  const [one] = waitingNode(600, 600).conditions.slice(1);
  for (const change of [{ message: 'PLEG is not healthy' }, { status: 'Unknown' }]) {
    const node = nodeOf('node00', { conditions: [{ ...conditionOf('Ready'), ...one, ...change }] });
    assert.equal(networkTrouble(viewOf(node, []), 'aws-node'), null);
  }
  assert.equal(networkTrouble(viewOf(nodeOf('node00'), []), 'aws-node'), null);
  assert.equal(networkTrouble(viewOf(null, [LATE]), 'aws-node'), null);
});

test('else a pod that waits for its sandbox shows it', () => {
  const trouble = networkTrouble(viewOf(nodeOf('node00'), [READY, LATE]), 'aws-node');
  assert.deepEqual(trouble, { fact: LATE, words: waitingWords(LATE) });
  const ready = fact(
    podOf({ status: { conditions: [readyIs('True')] } }, { name: 'aws-node-x7k2p' }),
  );
  assert.equal(networkTrouble(viewOf(nodeOf('node00'), [ready]), 'aws-node'), null);
});

test('pods that pass are looked for once of each list', () => {
  const looked: string[] = [];
  const passes = ({ name }: Pod): boolean => looked.push(name) > 0;
  const pods = [LATE];
  assert.deepEqual(podsThat(pods, passes), [LATE]);
  assert.equal(podsThat(pods, passes), podsThat(pods, passes));
  assert.equal(looked.length, 1);
  assert.deepEqual(
    podsThat(pods, () => false),
    [],
  );
  assert.deepEqual(podsThat([...pods, LATE], passes), [LATE, LATE]);
  assert.equal(looked.length, 3);
});
