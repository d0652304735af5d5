import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, incomplete } from '../../../src/controllers/lifecycle/facts.ts';
import { START_MS } from './facts-of-json.ts';
import { idOf, instanceOf, UNREAD } from './fleet.ts';
import { follow, NODE } from './follow.ts';

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
