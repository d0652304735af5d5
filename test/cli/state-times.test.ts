/** States are told with the times that their objects carry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { Stage } from '../../src/evidence/stage.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';
import { listed } from './evidence.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';
const NAME = 'ip-10-0-1-1.ec2.internal';
const LAUNCHED = '2026-11-22T06:00:00Z';
const CREATED = '2026-11-22T06:02:00Z';
const CHANGED = '2026-11-22T06:03:00Z';
const RUNNING = '2026-11-22T06:04:00Z';
const READY = '2026-11-22T06:05:00Z';

interface Given {
  readonly status?: 'True' | 'False';
  readonly taints?: readonly object[];
  readonly pods?: readonly object[];
}

const WORKLOAD = {
  metadata: { name: 'web-1', namespace: 'shop', creationTimestamp: CHANGED },
  spec: { nodeName: NAME, containers: [{ name: 'web' }] },
  status: {
    phase: 'Running',
    podIP: '10.0.1.77',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: READY }],
    containerStatuses: [{ name: 'web', ready: true, state: { running: { startedAt: RUNNING } } }],
  },
};

function nodeOf({ status = 'True', taints = [] }: Given): object {
  const ready = { type: 'Ready', status, reason: 'KubeletReady', message: 'm' };
  return {
    metadata: { name: NAME, creationTimestamp: CREATED },
    spec: { providerID: `aws:///us-east-1a/${ID}`, taints },
    status: {
      conditions: [{ ...ready, lastTransitionTime: CHANGED, lastHeartbeatTime: READY }],
      addresses: [{ type: 'InternalIP', address: '10.0.1.1' }],
      nodeInfo: { kubeletVersion: 'v1.34.2' },
    },
  };
}

const INSTANCE = {
  InstanceId: ID,
  PrivateDnsName: NAME,
  PrivateIpAddress: '10.0.1.1',
  State: { Name: 'running' },
  LaunchTime: LAUNCHED,
  Tags: [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }],
};

function answerOf(answer: object): object {
  const head = { apiVersion: EVIDENCE_VERSION, kind: 'AwsAnswer', call: 'ec2:DescribeInstances' };
  return { ...head, input: {}, answer };
}

const COLLECTION = {
  apiVersion: EVIDENCE_VERSION,
  kind: 'Collection',
  at: '2026-11-22T09:00:00Z',
  cluster: 'shop',
  asked: [],
  refusals: [],
};

async function machineIn(nodes: readonly object[], pods: readonly object[]) {
  const documents = {
    nodes: listed('Node', nodes),
    pods: listed('Pod', pods),
    instances: answerOf({ Reservations: [{ Instances: [INSTANCE] }] }),
    collection: COLLECTION,
  };
  const texts = Object.entries(documents).map(([name, value]) => ({
    name: `${name}.json`,
    text: JSON.stringify(value),
  }));
  const { subjects } = await diagnoseTexts(texts);
  const machine = subjects.find(({ kind }) => kind === 'Machine');
  assert.ok(machine);
  return machine;
}

function sinceOf({ ladder }: SubjectReport, stage: Stage): string | null {
  return ladder.find((rung) => rung.stage === stage)?.since ?? null;
}

function timesOf({ timeline }: SubjectReport): readonly (readonly [string | null, string])[] {
  return timeline.map(({ time, what }) => [time, what]);
}

test('a usable machine passed each stage when its objects say', async () => {
  const machine = await machineIn([nodeOf({})], [WORKLOAD]);
  assert.equal(machine.verdict, 'usable');
  assert.deepEqual(
    machine.ladder.map(({ stage, since }) => [stage, since]),
    [
      ['launched', LAUNCHED],
      ['bootstrapped', CREATED],
      ['reachable', CREATED],
      ['authenticated', CREATED],
      ['identified', CREATED],
      ['registered', CREATED],
      ['retained', CREATED],
      ['networked', RUNNING],
      // That no pod asks for an identity has no beginning.
      ['credentialed', null],
      ['gated', READY],
      ['usable', READY],
    ],
  );
});

test('a stage fails since its condition changed, and the story is in that order', async () => {
  const machine = await machineIn([nodeOf({ status: 'False' })], []);
  assert.equal(sinceOf(machine, 'networked'), CHANGED);
  const failed = machine.ladder.find(({ stage }) => stage === 'networked');
  assert.deepEqual([failed?.state, failed?.evidence[0]?.time], ['failed', CHANGED]);
  assert.deepEqual(timesOf(machine), [
    [CREATED, 'a kubelet updated the status of the Node'],
    [CHANGED, 'a Node that is not Ready'],
  ]);
});

test('a taint is as old as it says, and that of registration as old as the Node', async () => {
  const key = 'node.cloudprovider.kubernetes.io/uninitialized';
  for (const [timeAdded, time] of [
    [undefined, CREATED],
    [READY, READY],
  ] as const) {
    const taints = [{ key, value: 'true', effect: 'NoSchedule', timeAdded }];
    const machine = await machineIn([nodeOf({ taints })], []);
    assert.equal(sinceOf(machine, 'registered'), time);
  }
});

test('a cordoned Node is closed since its taint was added', async () => {
  const key = 'node.kubernetes.io/unschedulable';
  const taints = [{ key, effect: 'NoSchedule', timeAdded: READY }];
  const node = nodeOf({ taints }) as { spec: object };
  node.spec = { ...node.spec, unschedulable: true };
  const machine = await machineIn([node], []);
  assert.deepEqual([machine.verdict, sinceOf(machine, 'usable')], ['not-usable', READY]);
});

test('a machine without a Node lacks it since it was launched', async () => {
  const machine = await machineIn([], []);
  assert.equal(sinceOf(machine, 'registered'), LAUNCHED);
  assert.deepEqual(timesOf(machine), [
    [LAUNCHED, 'a running instance of the cluster that has no Node'],
  ]);
});

test('reports an object without a time without one', async () => {
  const bare = nodeOf({ status: 'False' }) as {
    metadata: object;
    status: { conditions: readonly object[] };
  };
  bare.metadata = { name: NAME };
  bare.status = { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }] };
  const machine = await machineIn([bare], []);
  assert.equal(sinceOf(machine, 'networked'), null);
});
