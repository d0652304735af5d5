import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../../evidence/json.ts';
import { judge } from '../judge.ts';
import { type NodeFacts, readNode } from '../node-facts.ts';
import type { Proof } from '../policy.ts';
import { readNodeGate } from '../policies/node-gate.ts';
import { readCsiNode, readDaemonPod, readDaemonSet } from '../workloads.ts';
import { say } from './say.ts';
import type { Looked, Scene, Surroundings } from './saying.ts';

const BEAT = '2026-01-01T00:10:00Z';
const BEAT_MS = Date.parse(BEAT);

function nodeOf(change: JsonObject = {}): NodeFacts {
  const node = readNode({
    metadata: { name: 'n', uid: 'node-uid', resourceVersion: '1', labels: { role: 'worker' } },
    status: {
      allocatable: { cpu: '4', 'nvidia.com/gpu': '0', 'example.com/half': '0.5' },
      conditions: [
        { type: 'Ok', status: 'True', lastHeartbeatTime: BEAT, lastTransitionTime: BEAT },
        { type: 'Bad', status: 'False', reason: 'Timeout', message: 'no answer' },
      ],
    },
    ...change,
  });
  return node ?? assert.fail('no node');
}

const SET: JsonObject = {
  metadata: { namespace: 'kube-system', name: 'cni', uid: 'set-uid' },
  spec: { selector: { matchLabels: { app: 'cni' } }, template: { spec: {} } },
};

function setOf(podSpec: JsonObject = {}): Surroundings['daemonSet'] {
  const value = readDaemonSet({
    ...SET,
    spec: { selector: { matchLabels: { app: 'cni' } }, template: { spec: podSpec } },
  });
  return () => ({ state: 'seen', value: value ?? assert.fail('no set') });
}

interface PodChange {
  readonly status?: JsonObject;
  readonly metadata?: JsonObject;
}

function podOf({ status = {}, metadata = {} }: PodChange = {}): JsonObject {
  const owner = { kind: 'DaemonSet', uid: 'set-uid', controller: true };
  return {
    metadata: {
      name: 'cni-1',
      namespace: 'kube-system',
      uid: 'pod-uid',
      ownerReferences: [owner],
      ...metadata,
    },
    spec: { nodeName: 'n' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: BEAT }],
      ...status,
    },
  };
}

function csiOf(nodeUid: string): Looked<NonNullable<ReturnType<typeof readCsiNode>>> {
  const value = readCsiNode({
    metadata: { name: 'n', uid: 'csi-uid', ownerReferences: [{ kind: 'Node', uid: nodeUid }] },
    spec: { drivers: [{ name: 'ebs.csi.aws.com', nodeID: 'i-1' }] },
  });
  return { state: 'seen', value: value ?? assert.fail('no CSINode') };
}

function scene(
  change: Partial<Scene> & Partial<Surroundings> = {},
  pods: readonly JsonObject[] = [],
): Scene {
  const { daemonSet, csiNode, ...rest } = change;
  const value = pods.map(readDaemonPod).filter((pod) => pod !== null);
  return {
    node: nodeOf(),
    around: {
      daemonSet: daemonSet ?? setOf(),
      daemonPods: () => ({ state: 'seen', value }),
      daemonSets: () => ({ state: 'unknown', why: 'not asked for' }),
      csiNode: csiNode ?? ((): Looked<never> => ({ state: 'absent' })),
    },
    nowMs: BEAT_MS + 60_000,
    bootFloorMs: null,
    formerHolds: new Set(),
    freshnessMs: null,
    ...rest,
  };
}

const CNI: Proof = { kind: 'daemonset', namespace: 'kube-system', name: 'cni' };
const CSI: Proof = { kind: 'csi-driver', name: 'ebs.csi.aws.com' };

function conditionProof(
  type: string,
  more: Partial<Extract<Proof, { kind: 'condition' }>> = {},
): Proof {
  return { kind: 'condition', type, status: 'True', whenMissing: null, ...more };
}

function running(startedAt: string): JsonObject {
  return { containerStatuses: [{ name: 'c', state: { running: { startedAt } } }] };
}

const NOT_READY = { conditions: [{ type: 'Ready', status: 'False', message: 'not yet' }] };
const WAITING = {
  ...NOT_READY,
  containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ImagePullBackOff' } } }],
};
const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }],
    },
  },
};
const TAINTED = nodeOf({ spec: { taints: [{ key: 'a.example/x', effect: 'NoSchedule' }] } });

/** The proof, what it looks at, and the beginning of what it says. */
const SAYINGS: readonly (readonly [string, Proof, Scene, RegExp])[] = [
  ['a ready Pod', CNI, scene({}, [podOf()]), /^proven: Pod kube-system\/cni-1 is ready$/],
  ['no Pod yet', CNI, scene(), /^unproven: .* has no Pod on this node yet$/],
  [
    'a Pod that is not ready',
    CNI,
    scene({}, [podOf({ status: NOT_READY })]),
    /^unproven: .*not ready \(Running\): not yet$/,
  ],
  [
    'a Pod whose container waits',
    CNI,
    scene({}, [podOf({ status: WAITING })]),
    /container c waits: ImagePullBackOff$/,
  ],
  [
    'a ready Pod that failed',
    CNI,
    scene({}, [podOf({ status: { phase: 'Failed' } })]),
    /^unproven: .*\(Failed\)/,
  ],
  [
    'a Pod that is being deleted',
    CNI,
    scene({}, [podOf({ metadata: { deletionTimestamp: BEAT } })]),
    /^unproven: .* is being deleted$/,
  ],
  [
    'a new Pod beside one that is being deleted',
    CNI,
    scene({}, [podOf({ metadata: { deletionTimestamp: BEAT } }), podOf()]),
    /^proven/,
  ],
  [
    'a Pod of an older boot',
    CNI,
    scene({ bootFloorMs: BEAT_MS }, [podOf({ status: running(BEAT) })]),
    /^unproven: .* has not started since the node booted/,
  ],
  [
    'a Pod that says what it said before the boot',
    CNI,
    scene({ formerHolds: new Set([`pod-uid ${BEAT_MS} 0 null`]) }, [podOf()]),
    /^unproven: .* has not started since the node booted/,
  ],
  [
    'a Pod that was ready before the boot and is ready again',
    CNI,
    scene({ formerHolds: new Set([`pod-uid ${BEAT_MS - 1000} 0 null`]) }, [podOf()]),
    /^proven/,
  ],
  [
    'a Pod of this boot',
    CNI,
    scene({ bootFloorMs: BEAT_MS - 1 }, [podOf({ status: running(BEAT) })]),
    /^proven/,
  ],
  [
    'a DaemonSet that does not exist',
    CNI,
    scene({ daemonSet: () => ({ state: 'absent' }) }),
    /^unknown: DaemonSet kube-system\/cni does not exist$/,
  ],
  [
    'a DaemonSet that cannot be read',
    CNI,
    scene({ daemonSet: () => ({ state: 'unknown', why: 'w' }) }),
    /^unknown: .*: w$/,
  ],
  [
    'a DaemonSet for other nodes',
    CNI,
    scene({ daemonSet: setOf({ nodeSelector: { role: 'gpu' } }) }),
    /its nodeSelector asks for role=gpu$/,
  ],
  [
    'a DaemonSet whose affinity excludes the node',
    CNI,
    scene({ daemonSet: setOf({ affinity: AFFINITY }) }),
    /its node affinity excludes this node$/,
  ],
  [
    'a DaemonSet that does not tolerate a taint',
    CNI,
    scene({ node: TAINTED }),
    /it does not tolerate the taint a\.example\/x:NoSchedule$/,
  ],
  ['a condition', conditionProof('Ok'), scene(), /^proven: condition Ok is True$/],
  [
    'a condition with another status',
    conditionProof('Bad'),
    scene(),
    /^unproven: condition Bad is False \(Timeout: no answer\)$/,
  ],
  [
    'a condition that is missing',
    conditionProof('None'),
    scene(),
    /^unknown: condition None does not exist$/,
  ],
  [
    'a missing condition that counts',
    conditionProof('None', { whenMissing: 'True' }),
    scene(),
    /^proven: .* counts as True$/,
  ],
  [
    'a missing condition that counts as another',
    conditionProof('None', { whenMissing: 'Unknown' }),
    scene(),
    /^unproven: .* counts as Unknown$/,
  ],
  ['a fresh condition', conditionProof('Ok'), scene({ freshnessMs: 60_000 }), /^proven/],
  [
    'a stale condition',
    conditionProof('Ok'),
    scene({ freshnessMs: 59_999 }),
    /^unknown: condition Ok was last confirmed 60 s ago$/,
  ],
  [
    'a condition without a heartbeat',
    conditionProof('Bad'),
    scene({ freshnessMs: 1 }),
    /^unknown: .*does not say when/,
  ],
  [
    'a condition from before the boot',
    conditionProof('Ok'),
    scene({ bootFloorMs: BEAT_MS }),
    /^unknown: condition Ok was not confirmed since the node booted$/,
  ],
  [
    'a CSI driver',
    CSI,
    scene({ csiNode: () => csiOf('node-uid') }),
    /^proven: CSINode n lists ebs/,
  ],
  [
    'a CSINode of a former Node',
    CSI,
    scene({ csiNode: () => csiOf('other') }),
    /^unproven: .*former Node/,
  ],
  ['no CSINode', CSI, scene(), /^unproven: CSINode n does not exist yet$/],
  [
    'a driver that is not registered',
    { kind: 'csi-driver', name: 'efs' },
    scene({ csiNode: () => csiOf('node-uid') }),
    /^unproven: CSI driver efs is not in/,
  ],
  ['a label', { kind: 'label', key: 'role', value: 'worker' }, scene(), /^proven/],
  ['a label of any value', { kind: 'label', key: 'role', value: null }, scene(), /^proven/],
  [
    'a label of another value',
    { kind: 'label', key: 'role', value: 'gpu' },
    scene(),
    /^unproven: label role is "worker", not "gpu"$/,
  ],
  [
    'an annotation that is missing',
    { kind: 'annotation', key: 'role', value: null },
    scene(),
    /^unproven: the node has no annotation role$/,
  ],
  [
    'an annotation of another value, which is not shown',
    { kind: 'annotation', key: 'note', value: 'done' },
    scene({ node: { ...nodeOf(), annotations: { note: 'hunter2hunter2' } } }),
    /^unproven: annotation note is there with another value$/,
  ],
  ['a resource', { kind: 'resource', name: 'example.com/half' }, scene(), /^proven/],
  [
    'a resource of which there is none',
    { kind: 'resource', name: 'nvidia.com/gpu' },
    scene(),
    /^unproven: the node offers no nvidia\.com\/gpu$/,
  ],
];

describe('a proof says of', () => {
  for (const [what, proof, seen, expected] of SAYINGS)
    test(what, () => {
      const saying = say(proof, seen);
      assert.match(
        `${saying.state}: ${saying.state === 'proven' ? saying.by : saying.why}`,
        expected,
      );
    });
});

test('proofs together are as good as the worst, or the best where any is enough', () => {
  const gate = (proofs: readonly JsonObject[], proofPolicy: string): string => {
    const spec = {
      nodeSelector: {},
      taint: { key: 'a.example/b', effect: 'NoSchedule' },
      proofs,
      proofPolicy,
    };
    const [policy] = readNodeGate({ metadata: { name: 'g', uid: 'u' }, spec }).policies;
    return judge(policy ?? assert.fail('no policy'), scene()).verdict;
  };
  const [good, bad, missing] = ['Ok', 'Bad', 'None'].map((type) => ({ condition: { type } }));
  assert.ok(good !== undefined && bad !== undefined && missing !== undefined);
  assert.deepEqual(
    [[good], [good, missing], [good, missing, bad]].map((proofs) => gate(proofs, 'All')),
    ['proven', 'unknown', 'unproven'],
  );
  assert.deepEqual(
    [[bad, missing, good], [bad, missing], [bad]].map((proofs) => gate(proofs, 'Any')),
    ['proven', 'unknown', 'unproven'],
  );
});

test('no proof at all proves nothing', () => {
  const [policy] = readNodeGate({
    metadata: { name: 'g', uid: 'u' },
    spec: { nodeSelector: {}, taint: { key: 'a.example/b', effect: 'NoSchedule' }, proofs: [] },
  }).policies;
  assert.ok(policy !== undefined);
  assert.equal(judge({ ...policy, needs: { all: [] } }, scene()).verdict, 'unproven');
});
