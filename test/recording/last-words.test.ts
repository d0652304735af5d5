import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LastWords } from '../../src/collection/recording/last-words.ts';
import { leavingMachines } from '../../src/collection/recording/leaving.ts';
import type { Happening } from '../../src/collection/recording/change.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { fakeAws, type FakeAws } from '../ports/fake/aws-api.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { dnsName, instance, instanceId, node, NOW_MS, textsOf } from '../roll-call/fixtures.ts';
import { lookAt, recordingInto, rowsIn } from './looks.ts';

type Sources = Parameters<typeof textsOf>[0];

function before(minutes: number): string {
  return new Date(NOW_MS - minutes * 60_000).toISOString().replace('.000', '');
}

/** Node 1 with other parts of its metadata, spec or status. */
function nodeWith(part: 'metadata' | 'spec' | 'status', change: JsonObject): JsonObject {
  const plain = node(1) as JsonObject;
  return { ...plain, [part]: { ...(plain[part] as JsonObject), ...change } };
}

function notReadySince(minutes: number, status = 'Unknown'): JsonObject {
  const lastTransitionTime = before(minutes);
  return nodeWith('status', { conditions: [{ type: 'Ready', status, lastTransitionTime }] });
}

async function whyLeaving(sources: Sources): Promise<readonly string[]> {
  const observations = await readTexts(textsOf({ instances: [instance(1)], ...sources }));
  return leavingMachines(observations, NOW_MS).map(
    ({ instanceId: id, node: name, why }) => `${id} ${name}: ${why}`,
  );
}

const OF_NODE = `${instanceId(1)} ${dnsName(1)}`;
const CLAIM = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'default-x', uid: 'c1', deletionTimestamp: before(1) },
  status: { providerID: `aws:///eu-west-1a/${instanceId(1)}` },
};

/** By what it is known, with the words for it. */
const SIGNS: readonly (readonly [string, Sources, string])[] = [
  [
    'when its Node is being deleted',
    { nodes: [nodeWith('metadata', { deletionTimestamp: before(1) })] },
    'its Node is being deleted',
  ],
  [
    'when the Cluster Autoscaler marked it',
    {
      nodes: [
        nodeWith('spec', {
          taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }],
        }),
      ],
    },
    'the Cluster Autoscaler scales it down',
  ],
  [
    'when its Spot Instance is interrupted',
    {
      nodes: [
        nodeWith('spec', {
          taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }],
        }),
      ],
    },
    'EC2 takes its Spot Instance back',
  ],
  [
    'when it is silent for more than a minute',
    { nodes: [notReadySince(2)] },
    'its Node is not ready for more than a minute',
  ],
  [
    'when its NodeClaim is being deleted',
    { nodes: [node(1)], objects: [CLAIM] },
    'its NodeClaim is being deleted',
  ],
  [
    'when a lifecycle hook of its group holds it',
    {
      nodes: [node(1)],
      scaling: [
        {
          AutoScalingGroupName: 'workers',
          Instances: [{ InstanceId: instanceId(1), LifecycleState: 'Terminating:Wait' }],
        },
      ],
    },
    'its Auto Scaling group ends it (Terminating:Wait)',
  ],
  [
    'when its instance ends',
    { nodes: [node(1)], instances: [instance(1, { State: { Name: 'shutting-down' } })] },
    'its instance is shutting-down',
  ],
];

describe('a machine is about to go', () => {
  for (const [name, sources, why] of SIGNS)
    test(name, async () => {
      const [found = '', ...others] = await whyLeaving(sources);
      assert.ok(found.startsWith(`${instanceId(1)} `), found);
      assert.ok(found.endsWith(`: ${why}`), found);
      assert.deepEqual(others, []);
    });

  test('not while it is well, or silent for less', async () => {
    assert.deepEqual(await whyLeaving({ nodes: [node(1)] }), []);
    assert.deepEqual(await whyLeaving({ nodes: [notReadySince(0.5)] }), []);
    assert.deepEqual(await whyLeaving({ nodes: [notReadySince(30, 'True')] }), []);
  });

  test('is reported once, by the first sign', async () => {
    const nodes = [nodeWith('metadata', { deletionTimestamp: before(1) })];
    const told = await whyLeaving({ nodes, objects: [CLAIM] });
    assert.deepEqual(told, [`${OF_NODE}: its Node is being deleted`]);
  });
});

interface Scene {
  readonly clock: VirtualClock;
  readonly aws: FakeAws;
  readonly words: LastWords;
  readonly end: AbortController;
  /** Instances that were asked for their console. */
  readonly consoles: string[];
}

function scene(readsNodeLogs = false): Scene {
  const clock = virtualClock(NOW_MS);
  const kube = new FakeKubeApi({ clock });
  kube.setLog({ namespace: 'kube-system', name: 'aws-node-x' }, 'no free address');
  kube.setNodeLog(dnsName(1), 'aws-routed-eni/ipamd.log', 'pool is empty');
  const aws = fakeAws({ clock, region: 'eu-west-1' });
  const consoles: string[] = [];
  aws.answer('ec2:GetConsoleOutput', (input) => {
    const id = textAt(input, 'InstanceId') ?? '';
    consoles.push(id);
    return [{ InstanceId: id, Output: `${'x'.repeat(20_000)}kernel panic` }];
  });
  aws.answer('ec2:DescribeInstanceAttribute', () => [{ UserData: { Value: 'c2VjcmV0' } }]);
  const end = new AbortController();
  const words = new LastWords({ clients: { kube, aws, clock }, readsNodeLogs, end: end.signal });
  return { clock, aws, words, end, consoles };
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'aws-node-x', namespace: 'kube-system', uid: 'p1' },
  spec: { nodeName: dnsName(1), containers: [{ name: 'aws-node', image: 'cni' }] },
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'aws-node', state: { running: { startedAt: before(60) } } }],
  },
};

async function leaving(count = 1): Promise<Observations> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const nodes = numbers.map((n) => {
    const plain = node(n) as JsonObject;
    return {
      ...plain,
      metadata: { ...(plain['metadata'] as JsonObject), deletionTimestamp: before(1) },
    };
  });
  const instances = numbers.map((n) => instance(n));
  return readTexts(textsOf({ nodes, instances, objects: [POD] }));
}

function partsOf(happenings: readonly Happening[]): readonly string[] {
  return happenings
    .filter(({ kind }) => kind === 'evidence')
    .map(
      ({ more }) => `${textAt(more ?? {}, 'part')}: ${textAt(more ?? {}, 'content')?.slice(-15)}`,
    )
    .toSorted();
}

test('the console and the logs of its programs are kept, each once', async () => {
  const { clock, words } = scene();
  const observations = await leaving();
  words.ask(observations, NOW_MS);
  words.ask(observations, NOW_MS + 1000);
  await clock.advance(1000);
  const came = words.take();
  const [first] = came;
  assert.equal(first?.what, 'about to go: its Node is being deleted');
  assert.deepEqual(partsOf(came), [
    `aws ec2 get-console-output --instance-id ${instanceId(1)}: xxxkernel panic`,
    'kubectl -n kube-system logs aws-node-x -c aws-node: no free address',
  ]);
  for (const { more } of came) assert.ok((textAt(more ?? {}, 'content') ?? '').length <= 16_384);
  assert.deepEqual(words.take(), []);
});

test('the log of the VPC CNI is read where that is allowed', async () => {
  const { clock, words } = scene(true);
  words.ask(await leaving(), NOW_MS);
  await clock.advance(1000);
  assert.ok(partsOf(words.take()).includes('aws-routed-eni/ipamd.log: pool is empty'));
});

test('a source that refuses costs nothing but its words', async () => {
  const { clock, words, aws } = scene();
  aws.refuse('ec2:GetConsoleOutput', 'denied');
  words.ask(await leaving(), NOW_MS);
  await clock.advance(1000);
  assert.equal(partsOf(words.take()).length, 1);
});

test('so many are asked at once and an hour, and one that stayed again', async () => {
  const { clock, words, consoles } = scene();
  const many = await leaving(100);
  words.ask(many, NOW_MS);
  assert.ok(consoles.length <= 5);
  for (let round = 1; round <= 30; round++) {
    await clock.advance(1000);
    words.ask(many, NOW_MS + round * 1000);
  }
  await clock.advance(1000);
  assert.equal(consoles.length, 60);
  const hourLater = NOW_MS + 3_700_000;
  words.ask(await readTexts(textsOf({ nodes: [node(1)] })), hourLater);
  words.ask(await leaving(), hourLater);
  await clock.advance(1000);
  assert.equal(consoles.filter((id) => id === instanceId(1)).length, 2);
});

test('a recording has them beside what it sees of the machine', async () => {
  const { clock, words } = scene();
  words.ask(await leaving(), NOW_MS);
  await clock.advance(1000);
  const recorder = createFakeRecorder();
  const { recording } = recordingInto(recorder);
  await recording.take({ ...lookAt({ minute: 2 }), lastWords: words.take() });
  const rows = await rowsIn(recorder);
  const kept = rows.filter(({ subject }) => subject === instanceId(1)).map(({ kind }) => kind);
  assert.deepEqual(kept.toSorted(), ['evidence', 'evidence', 'leaving']);
});

test('the end of the program ends what is under way, and nothing is asked after it', async () => {
  const { clock, words, end, aws, consoles } = scene();
  aws.delay('ec2:GetConsoleOutput', 5_000);
  words.ask(await leaving(), NOW_MS);
  end.abort(new Error('the end'));
  await clock.advance(30_000);
  assert.ok(partsOf(words.take()).every((part) => !part.includes('kernel panic')));
  words.ask(await leaving(3), NOW_MS + 1000);
  await clock.advance(30_000);
  assert.deepEqual([words.take(), consoles.length <= 1], [[], true]);
});
