import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLOUD_LAG_MAX_MS } from '../../domain/nodes/ready-node.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { awsOf, NOW_MS } from '../../evidence/testing.ts';
import { contextOf } from './context.ts';
import { complete, incomplete, type LifecycleFacts } from './facts.ts';
import { instancesSeen } from './instances.ts';
import { type InstanceMemory, type NodeMemory, NOTHING_KNOWN } from './memory.ts';
import { listed, lookOf, rememberedNode } from './testing.ts';

const ID = 'i-0123456789abcdef0';
const RUNS: InstanceMemory = { id: ID, isEnded: false, missingSinceMs: null };
const DENIED = { reason: 'denied', detail: 'x', collect: null } as const;

function ec2(...bodies: readonly JsonObject[]): Partial<LifecycleFacts> {
  const items = bodies.map((body) => listed(awsOf('aws/instance', { InstanceId: ID, ...body })));
  return { instances: complete(items) };
}

function look(
  lists: Partial<LifecycleFacts>,
  known: readonly InstanceMemory[] = [RUNS],
  nodes: readonly NodeMemory[] = [],
) {
  const memory = {
    ...NOTHING_KNOWN,
    lookedMs: NOW_MS - 10_000,
    instances: new Map(known.map((one) => [one.id, one])),
  };
  const remembered = new Map(nodes.map((node) => [node.uid, node]));
  const seen = instancesSeen(contextOf(memory, lookOf(lists)), remembered);
  return { ...seen, remembered: [...seen.instances.values()] };
}

const OF_NODE = rememberedNode({ instanceId: ID });

describe('an instance has ended', () => {
  for (const Name of ['shutting-down', 'terminated', 'stopping', 'stopped'])
    test(`when it is ${Name}`, () => {
      const { happenings, remembered } = look(ec2({ State: { Name } }));
      assert.deepEqual(
        happenings.map(({ kind, instanceId, detail }) => [kind, instanceId, detail]),
        [['instance-ended', ID, Name]],
      );
      assert.deepEqual(remembered, [{ ...RUNS, isEnded: true }]);
    });

  test('with the code, the words and the time of EC2', () => {
    const { happenings } = look(
      ec2({
        State: { Name: 'terminated' },
        StateReason: { Code: 'Client.UserInitiatedShutdown', Message: 'by a user' },
        StateTransitionReason: 'User initiated (2026-05-01 11:59:30 GMT)',
      }),
    );
    const [ended] = happenings;
    assert.equal(ended?.detail, 'terminated Client.UserInitiatedShutdown');
    assert.deepEqual([ended.time.atMs, ended.time.from], [NOW_MS - 30_000, 'object']);
    assert.deepEqual(
      ended.proof.map(({ excerpt, atMs }) => [excerpt, atMs]),
      [[`${ID} terminated by a user User initiated (2026-05-01 11:59:30 GMT)`, NOW_MS - 30_000]],
    );
  });

  test('at the look where EC2 shows no time', () => {
    const at = (StateTransitionReason: string | null) =>
      look(ec2({ State: { Name: 'stopped' }, StateTransitionReason })).happenings[0]?.time.from;
    assert.equal(at('User initiated'), 'look');
    assert.equal(at('(2026-05-01 11:59:30 GMT) later'), 'look');
    assert.equal(at(null), 'look');
  });

  test('once, and not where it had ended before or was never seen running', () => {
    const stopped = ec2({ State: { Name: 'stopped' } });
    assert.deepEqual(look(stopped, [{ ...RUNS, isEnded: true }]).happenings, []);
    assert.deepEqual(look(stopped, [], [OF_NODE]).happenings, []);
    assert.deepEqual(look(ec2({ State: { Name: 'running' } })).happenings, []);
  });
});

describe('an instance that EC2 does not list', () => {
  const since = (agoMs: number) => ({ ...RUNS, missingSinceMs: NOW_MS - agoMs });

  test('is waited for, as an answer may lack one that runs', () => {
    assert.deepEqual(look(ec2()).remembered, [since(0)]);
    const { remembered, happenings } = look(ec2(), [since(CLOUD_LAG_MAX_MS)]);
    assert.deepEqual([remembered, happenings], [[since(CLOUD_LAG_MAX_MS)], []]);
  });

  test('has ended when it stays away', () => {
    const { remembered, happenings } = look(ec2(), [since(CLOUD_LAG_MAX_MS + 1)]);
    assert.deepEqual(remembered, []);
    assert.deepEqual(
      happenings.map(({ kind, detail, instanceId }) => [kind, detail, instanceId]),
      [['instance-ended', 'not listed by EC2', ID]],
    );
  });

  test('is back when it is listed again', () => {
    assert.deepEqual(look(ec2({ State: { Name: 'running' } }), [since(9)]).remembered, [RUNS]);
  });

  test('is forgotten when it had ended, and kept while the list is not complete', () => {
    const ended = { ...RUNS, isEnded: true };
    assert.deepEqual(look(ec2(), [ended]).remembered, []);
    assert.deepEqual(look({ instances: incomplete(DENIED) }).remembered, [RUNS]);
  });
});

describe('an instance is remembered', () => {
  const running = ec2({ State: { Name: 'running' } });

  test('when it has a Node or the tag of the cluster', () => {
    assert.deepEqual(look(running, []).remembered, []);
    assert.deepEqual(look(running, [], [OF_NODE]).remembered, [RUNS]);
    const Tags = [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }];
    const clusters = complete([listed(awsOf('aws/cluster', { name: 'shop' }))]);
    const tagged = ec2({ State: { Name: 'running' }, Tags });
    assert.deepEqual(look({ ...tagged, clusters }, []).remembered, [RUNS]);
  });

  test('with the first of its Nodes by name', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ ...OF_NODE, name, uid: `uid-${name}` }));
    assert.ok(a !== undefined && b !== undefined);
    for (const nodes of [
      [a, b],
      [b, a],
    ]) {
      const [ended] = look(ec2({ State: { Name: 'stopped' } }), [RUNS], nodes).happenings;
      assert.deepEqual([ended?.node, ended?.uid], ['a', 'uid-a']);
    }
    const [alone] = look(ec2({ State: { Name: 'stopped' } })).happenings;
    assert.deepEqual([alone?.node, alone?.uid], [null, null]);
  });
});
