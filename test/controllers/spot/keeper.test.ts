/** The rules of a Spot watch against an API server and an AWS in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ActRule } from '../../../src/capacity/spot/act-rules.ts';
import { NODE_CLAIMS } from '../../../src/controllers/spot/actions.ts';
import { begunIn, begunNote } from '../../../src/controllers/spot/begun.ts';
import { SpotKeeper } from '../../../src/controllers/spot/keeper.ts';
import { readSpotNode, type SpotNode } from '../../../src/domain/nodes/spot-node.ts';
import { textAt } from '../../../src/evidence/json.ts';
import type { AwsCall } from '../../../src/ports/aws-api.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { PortError } from '../../../src/ports/port-error.ts';
import { NODES, PODS } from '../../../src/collection/resources.ts';
import { perform } from '../../../src/runtime/perform.ts';
import { performAws } from '../../../src/runtime/perform-aws.ts';
import { fakeAws } from '../../ports/fake/aws-api.ts';
import { FakeKubeApi } from '../../ports/fake/kube-api.ts';
import { fault } from '../../ports/fake/kube-fault.ts';
import { FakeKubeWrites } from '../../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../../ports/fake/recorder.ts';
import { instanceOf, nodeObject, NOW_MS, podObject, rule } from './scene.ts';

const STOP = new AbortController().signal;
const MEMBERS = 'autoscaling:DescribeAutoScalingInstances';

/** An Auto Scaling group with one instance, which ends when it is asked to. */
function groupOf(clock: Clock) {
  const aws = fakeAws({ clock, region: 'us-west-2' });
  const calls: AwsCall[] = [];
  const lost: (Error | PortError)[] = [];
  let state = 'InService';
  aws.answer(MEMBERS, () => [
    {
      AutoScalingInstances: [
        { InstanceId: instanceOf(1), AutoScalingGroupName: 'workers', LifecycleState: state },
      ],
    },
  ]);
  const awsWrites = {
    requests: () => new Map(),
    write: async (call: AwsCall) => {
      calls.push(call);
      state = 'Terminating';
      const error = lost.shift();
      if (error !== undefined) throw error;
      return {};
    },
  };
  return { aws, awsWrites, calls, lost };
}

function scene(number = 1) {
  let nowMs = NOW_MS;
  const clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const api = new FakeKubeApi({ clock });
  for (const resource of [NODES, PODS]) api.serve(resource);
  const writes = new FakeKubeWrites(api);
  const { aws, awsWrites, calls, lost } = groupOf(clock);
  const recorder = createFakeRecorder();
  const cluster = 'lab';
  const shared = { recorder, clock, cluster };
  const told: string[] = [];
  const kill = { beforeWrite: Infinity };
  const keeperOf = (rules: readonly ActRule[], isDryRun = false): SpotKeeper =>
    new SpotKeeper({
      kube: api,
      aws,
      rules,
      isDryRun,
      nowMs: () => nowMs,
      perform: async (action) => {
        kill.beforeWrite -= 1;
        if (kill.beforeWrite < 0) throw new Error('killed');
        return perform(action, { api, writes, ...shared }, { isDryRun });
      },
      performAws: async (action, tookEffect) =>
        performAws(action, { writes: awsWrites, ...shared, isDryRun }, tookEffect),
      notes: {
        read: async () => begunIn((await recorder.notes(cluster)).get('spot-acts')),
        write: async (begun) => {
          await recorder.append([], [{ cluster, id: 'spot-acts', body: begunNote(begun) }]);
        },
      },
      onStep: (step, { outcome }) => told.push(`${step.kind} ${outcome}`),
      onKept: () => undefined,
      onBlind: (why) => told.push(why),
    });
  for (let one = 1; one <= number; one += 1)
    api.put(NODES, nodeObject({ number: one, notice: 'RebalanceRecommendation' }));
  const nodes = async () => nodesOf(api);
  return { api, writes, aws, calls, lost, told, kill, recorder, keeperOf, nodes, cluster };
}

type Scene = ReturnType<typeof scene>;

async function nodesOf(api: FakeKubeApi): Promise<readonly SpotNode[]> {
  const found: SpotNode[] = [];
  for await (const { items } of api.list(NODES))
    found.push(...items.map(readSpotNode).filter((node) => node !== null));
  return found;
}

/** Passes over the Nodes as they are by then, while there is something to do. */
async function pass({ api }: Scene, keeper: SpotKeeper): Promise<void> {
  let isBusy = true;
  for (let round = 0; round < 4 && isBusy; round += 1) {
    const now = await nodesOf(api);
    isBusy = await keeper.pass(() => ({ nodes: now, marked: new Set(), prices: new Map() }), STOP);
  }
}

async function noted({ recorder, cluster }: Scene): Promise<readonly string[]> {
  return begunIn((await recorder.notes(cluster)).get('spot-acts')).map(({ node }) => node);
}

async function records({ recorder, cluster }: Scene): Promise<readonly string[]> {
  const rows = await recorder.read({ cluster, limit: 100 });
  return rows.map(
    ({ kind, body }) => `${kind} ${textAt(body, 'write.verb') ?? textAt(body, 'outcome') ?? ''}`,
  );
}

async function left({ api }: Scene): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { items } of api.list(PODS))
    names.push(...items.map((item) => textAt(item, 'metadata.name') ?? ''));
  return names;
}

describe('a rule that drains', () => {
  test('cordons, evicts what may move, and records each write before and after', async () => {
    const here = scene();
    here.api.put(PODS, podObject({ name: 'web', nodeName: 'node-1' }));
    here.api.put(PODS, podObject({ name: 'cni', by: 'DaemonSet', nodeName: 'node-1' }));
    here.api.put(PODS, podObject({ name: 'far', nodeName: 'node-2' }));
    await pass(here, here.keeperOf([rule()]));
    assert.deepEqual(
      (await here.nodes()).map(({ isCordoned }) => isCordoned),
      [true],
    );
    assert.deepEqual(await left(here), ['cni', 'far']);
    assert.deepEqual(await records(here), [
      'action-intended patch',
      'action-ended done',
      'action-intended evict',
      'action-ended done',
    ]);
  });

  test('writes nothing in a dry run, and keeps no notes', async () => {
    const here = scene();
    await pass(here, here.keeperOf([rule()], true));
    assert.deepEqual(here.told, ['cordon would-do']);
    assert.deepEqual(await records(here), []);
    assert.deepEqual(await noted(here), []);
    assert.equal((await here.nodes())[0]?.isCordoned, false);
  });
});

describe('a rule that drains, when something goes wrong,', () => {
  test('that is killed between two writes is finished by the next start, within its budget', async () => {
    const here = scene(3);
    here.api.put(PODS, podObject({ name: 'web', nodeName: 'node-1' }));
    const rules = [rule({ budget: { perHour: 1, share: 1 } })];
    // The first write is the cordon; it dies before the eviction.
    here.kill.beforeWrite = 1;
    await assert.rejects(pass(here, here.keeperOf(rules)), /killed/);
    assert.deepEqual(await noted(here), ['node-1']);
    assert.deepEqual(await left(here), ['web']);
    here.kill.beforeWrite = Infinity;
    await pass(here, here.keeperOf(rules));
    assert.deepEqual(await left(here), []);
    assert.deepEqual(await noted(here), ['node-1']);
    assert.equal((await here.nodes()).filter(({ isCordoned }) => isCordoned).length, 1);
  });

  test('that is killed before its first write has used its budget', async () => {
    const here = scene(2);
    const rules = [rule({ budget: { perHour: 1, share: 1 } })];
    here.kill.beforeWrite = 0;
    await assert.rejects(pass(here, here.keeperOf(rules)), /killed/);
    assert.deepEqual(await noted(here), ['node-1']);
    here.kill.beforeWrite = Infinity;
    await pass(here, here.keeperOf(rules));
    const cordoned = (await here.nodes()).filter(({ isCordoned }) => isCordoned);
    assert.deepEqual(
      cordoned.map(({ name }) => name),
      ['node-1'],
    );
  });

  test('writes nothing while it cannot note', async () => {
    const here = scene();
    const keeper = here.keeperOf([rule()]);
    here.recorder.failWith(fault('unavailable', 'The disk is full.'));
    await pass(here, keeper);
    assert.match(here.told.join(), /The disk is full/);
    assert.equal((await here.nodes())[0]?.isCordoned, false);
    here.recorder.failWith(null);
    await pass(here, keeper);
    assert.equal((await here.nodes())[0]?.isCordoned, true);
  });

  test('meets a Node that somebody else changed, and decides again on what it is', async () => {
    const here = scene();
    const stale = await here.nodes();
    here.api.put(NODES, { ...nodeObject({ number: 1 }), metadata: { name: 'node-1', labels: {} } });
    const watched = () => ({ nodes: stale, marked: new Set<string>(), prices: new Map() });
    assert.equal(await here.keeperOf([rule()]).pass(watched, STOP), true);
    assert.deepEqual(here.told, ['cordon conflict']);
    assert.equal((await here.nodes())[0]?.isCordoned, false);
  });
});

describe('a rule that replaces', () => {
  const replace = [rule({ do: 'replace' })];

  test('ends the instance of an emptied Node once, and reads what a lost answer hides', async () => {
    const here = scene();
    here.lost.push(fault('unclear', 'No answer came.'));
    await pass(here, here.keeperOf(replace));
    assert.deepEqual(
      here.calls.map(({ input }) => input),
      [{ InstanceId: instanceOf(1), ShouldDecrementDesiredCapacity: false }],
    );
    assert.deepEqual(here.told, ['cordon done', 'terminate done']);
    await pass(here, here.keeperOf(replace));
    assert.equal(here.calls.length, 1);
  });

  test('does not end an instance whose Node got a Pod after it was judged', async () => {
    const here = scene();
    here.api.put(
      NODES,
      nodeObject({ number: 1, notice: 'RebalanceRecommendation', isCordoned: true }),
    );
    const list = here.api.list.bind(here.api);
    let lists = 0;
    here.api.list = (resource, options) => {
      if (resource.plural === 'pods' && ++lists === 2)
        here.api.put(PODS, podObject({ name: 'late', nodeName: 'node-1' }));
      return list(resource, options);
    };
    const now = await here.nodes();
    const watched = () => ({ nodes: now, marked: new Set<string>(), prices: new Map() });
    await here.keeperOf(replace).pass(watched, STOP);
    assert.deepEqual(here.told, ['terminate conflict']);
    assert.deepEqual(here.calls, []);
  });

  test('deletes the NodeClaim as it was seen', async () => {
    const here = scene();
    here.api.serve(NODE_CLAIMS);
    here.aws.answer(MEMBERS, () => [{ AutoScalingInstances: [] }]);
    here.api.put(NODE_CLAIMS, { metadata: { name: 'spot-a' }, status: { nodeName: 'node-1' } });
    await pass(here, here.keeperOf(replace));
    assert.equal(here.told[0], 'delete-claim done');
    assert.equal((await here.nodes())[0]?.isCordoned, false);
  });

  test('begins nothing where the groups may not be read', async () => {
    const here = scene();
    here.aws.refuse(MEMBERS, 'denied');
    await pass(here, here.keeperOf(replace));
    assert.equal(here.told.filter((line) => line.startsWith('cordon')).length, 0);
    assert.deepEqual(await noted(here), []);
  });
});
