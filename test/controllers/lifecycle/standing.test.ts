import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, incomplete } from '../../../src/controllers/lifecycle/facts.ts';
import { START_MS } from './facts-of-json.ts';
import { idOf, instanceOf, UNREAD } from './fleet.ts';
import type { KubeNode } from '../../../src/evidence/kinds.ts';
import { follow, NODE, nodes } from './follow.ts';

test('a machine without a Node is reported once it has lasted', () => {
  const { kinds, only } = follow([
    [0, 'ready'],
    [10, 'gone'],
    [30, 'gone'],
    [50, 'gone'],
    [90, 'gone'],
  ]);
  assert.equal(kinds.filter((kind) => kind === 'machine-without-node').length, 1);
  const { instanceId, time } = only('machine-without-node');
  assert.deepEqual([instanceId, time.atMs], [idOf(1), START_MS + 10_000]);
});

test('it is reported again when it was over in between', () => {
  const { kinds } = follow([
    [0, 'gone'],
    [40, 'gone'],
    [50, 'ready'],
    [60, 'gone'],
    [100, 'gone'],
  ]);
  assert.equal(kinds.filter((kind) => kind === 'machine-without-node').length, 2);
});

test('it is not over because the instances could not be read', () => {
  const unread = { instances: incomplete<never>(UNREAD) };
  const { kinds } = follow([
    [0, 'gone'],
    [40, 'gone'],
    [50, 'gone', unread],
    [60, 'gone'],
    [100, 'gone'],
  ]);
  assert.equal(kinds.filter((kind) => kind === 'machine-without-node').length, 1);
});

test('a Node outlives its terminated instance', () => {
  const { only } = follow([
    [0, 'ready'],
    [10, 'terminated'],
    [50, 'terminated'],
  ]);
  const { node, instanceId, detail } = only('node-without-machine');
  assert.deepEqual([node, instanceId, detail], [NODE, idOf(1), 'terminated']);
});

test('a Node whose instance EC2 does not list is reported when it has been silent for 15 minutes', () => {
  const early = follow([
    [0, 'unlisted'],
    [600, 'unlisted'],
    [660, 'unlisted'],
  ]);
  assert.ok(!early.kinds.includes('node-without-machine'));
  const late = follow([
    [0, 'unlisted'],
    [960, 'unlisted'],
    [1000, 'unlisted'],
  ]);
  assert.equal(late.only('node-without-machine').detail, 'not listed by EC2');
});

test('a Lease that is renewed without a Node is reported once it has lasted', () => {
  const { only } = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud'],
    [50, 'gone-by-cloud'],
  ]);
  assert.equal(only('lease-without-node').node, NODE);
  const short = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud'],
    [30, 'gone-by-cloud'],
  ]);
  assert.ok(!short.kinds.includes('lease-without-node'));
});

test('two Nodes of one machine are reported together', () => {
  const { only } = follow([
    [0, 'ready'],
    [10, 'twice'],
    [50, 'twice'],
  ]);
  const { instanceId, detail } = only('two-nodes-for-one-machine');
  assert.deepEqual([instanceId, detail], [idOf(1), `${NODE}, worker-1`]);
});

test('an instance that has ended is reported with the reason of EC2 and its Node', () => {
  const { only } = follow([
    [0, 'ready'],
    [10, 'terminated'],
    [20, 'terminated'],
  ]);
  const { node, uid, instanceId, detail } = only('instance-ended');
  assert.deepEqual([node, uid, instanceId], [NODE, 'uid-1-0', idOf(1)]);
  assert.equal(detail, 'terminated Client.UserInitiatedShutdown');
});

test('an instance that was ended at the first look is not reported', () => {
  assert.ok(
    !follow([
      [0, 'terminated'],
      [10, 'terminated'],
    ]).kinds.includes('instance-ended'),
  );
});

test('an instance that EC2 does not list for a while has not ended', () => {
  const early = follow([
    [0, 'ready'],
    [10, 'unlisted'],
    [300, 'unlisted'],
    [310, 'ready'],
  ]);
  assert.ok(!early.kinds.includes('instance-ended'));
  const late = follow([
    [0, 'ready'],
    [10, 'unlisted'],
    [950, 'unlisted'],
    [960, 'unlisted'],
  ]);
  assert.equal(late.only('instance-ended').detail, 'not listed by EC2');
});

test('an instance of another cluster is not reported', () => {
  const foreign = instanceOf(idOf(7), 7, 'running');
  const ended = instanceOf(idOf(7), 7, 'terminated');
  const without = (one: typeof foreign) => ({ ...one, value: { ...one.value, Tags: [] } });
  const { kinds } = follow([
    [0, 'ready', { instances: complete([without(foreign)]) }],
    [10, 'ready', { instances: complete([without(ended)]) }],
  ]);
  assert.deepEqual(kinds, []);
});

test('an instance has not ended because EC2 could not be asked', () => {
  const unread = { instances: incomplete<never>(UNREAD) };
  const { kinds } = follow([
    [0, 'ready'],
    [10, 'ready', unread],
    [1200, 'ready', unread],
    [1210, 'ready'],
  ]);
  assert.ok(!kinds.includes('instance-ended'));
});

test('it is reported again when it was over while another list could not be read', () => {
  const unread = { instances: incomplete<never>(UNREAD) };
  const { kinds } = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud'],
    [50, 'gone-by-cloud'],
    [60, 'ready', unread],
    [70, 'gone-by-cloud'],
    [110, 'gone-by-cloud'],
  ]);
  assert.equal(kinds.filter((kind) => kind === 'lease-without-node').length, 2);
});

test('what is so is proved by the objects that show it', () => {
  const excerptsOf = (
    looks: Parameters<typeof follow>[0],
    kind: 'machine-without-node' | 'node-without-machine',
  ): readonly string[] =>
    follow(looks)
      .only(kind)
      .proof.map(({ excerpt }) => excerpt);
  const [alone = ''] = excerptsOf(
    [
      [0, 'gone'],
      [40, 'gone'],
    ],
    'machine-without-node',
  );
  assert.match(alone, /^i-\w+ running since 20.*, and no Node is its$/);
  const ended = excerptsOf(
    [
      [0, 'ready'],
      [10, 'terminated'],
      [50, 'terminated'],
    ],
    'node-without-machine',
  );
  assert.equal(ended.length, 2);
  assert.match(ended[0] ?? '', new RegExp(`^Node ${NODE} providerID aws:///.*/${idOf(1)}$`));
  assert.equal(ended[1], `${idOf(1)} terminated`);
});

const SAME = { providerId: null, machineId: 'm', internalIp: '10.0.0.1' };

function twins(...changes: readonly Partial<KubeNode>[]): ReturnType<typeof follow> {
  const told = nodes(...changes);
  return follow([
    [0, 'ready', told],
    [40, 'ready', told],
  ]);
}

test('two Nodes of one system without a providerID are of one machine, the newest first', () => {
  const { node, uid, instanceId, detail, proof } = twins(
    { ...SAME, name: 'b', uid: 'u-b', createdMs: START_MS - 1000 },
    { ...SAME, name: 'a', uid: 'u-a', createdMs: START_MS - 2000 },
  ).only('two-nodes-for-one-machine');
  assert.deepEqual([node, uid, instanceId, detail], ['b', 'u-b', null, 'a, b']);
  assert.deepEqual(
    proof.map(({ excerpt }) => excerpt),
    ['Node a providerID none', 'Node b providerID none'],
  );
});

test('two Nodes are not of one machine by a part of what tells it, or by nothing', () => {
  for (const [one, other] of [
    [{}, { internalIp: '10.0.0.2' }],
    [{}, { machineId: 'other' }],
    [{ machineId: null }, { machineId: null }],
    [{ machineId: '' }, { machineId: '' }],
    [{ internalIp: null }, { internalIp: null }],
  ] as const) {
    const { kinds } = twins(
      { ...SAME, ...one, name: 'a', uid: 'u-a' },
      { ...SAME, ...other, name: 'b', uid: 'u-b' },
    );
    assert.ok(!kinds.includes('two-nodes-for-one-machine'), JSON.stringify([one, other]));
  }
});

test('of a machine with ever new names eight are named', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const { detail, proof } = twins(
    ...names.map((name) => ({ ...SAME, name, uid: `u-${name}` })),
  ).only('two-nodes-for-one-machine');
  assert.equal(detail, 'a, b, c, d, e, f, g, h');
  assert.equal(proof.length, 8);
});

test('a Node without a UID or a providerID outlives nothing that is known', () => {
  for (const change of [{ uid: null }, { providerId: null }]) {
    const told = nodes(change);
    const { kinds } = follow([
      [0, 'terminated', told],
      [40, 'terminated', told],
    ]);
    assert.ok(!kinds.includes('node-without-machine'), JSON.stringify(change));
  }
});
