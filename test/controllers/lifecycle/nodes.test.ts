import assert from 'node:assert/strict';
import { test } from 'node:test';
import { START_MS } from './facts-of-json.ts';
import { idOf } from './fleet.ts';
import { conditionOf } from '../../../src/evidence/testing.ts';
import { EMPTY, follow, NODE, nodes } from './follow.ts';

function uninitialized() {
  const key = 'node.cloudprovider.kubernetes.io/uninitialized';
  return { key, value: 'true', effect: 'NoSchedule', addedMs: null };
}

test('a Node that was there at the first look is remembered and not reported', () => {
  assert.deepEqual(
    follow([
      [0, 'ready'],
      [10, 'ready'],
    ]).happenings,
    [],
  );
});

test('a Node registers, is initialized and becomes Ready', () => {
  const { kinds, only } = follow([
    [0, 'gone'],
    [
      10,
      'uninitialized',
      nodes({
        ready: false,
        conditions: [],
        taints: [uninitialized()],
        createdMs: START_MS + 7000,
      }),
    ],
    [20, 'ready'],
  ]);
  assert.deepEqual(kinds.toSorted(), ['initialized', 'ready', 'registered']);
  const { time, noticed, node, uid, instanceId } = only('registered');
  assert.deepEqual(time, { atMs: START_MS + 7000, from: 'object', notBeforeMs: null });
  assert.deepEqual(noticed, { how: 'live', gapFromMs: null });
  assert.deepEqual([node, uid, instanceId], [NODE, 'uid-1-0', idOf(1)]);
  const { time: when } = only('initialized');
  assert.deepEqual(when, {
    atMs: START_MS + 20_000,
    from: 'look',
    notBeforeMs: START_MS + 10_000,
  });
});

test('a Node becomes NotReady, by the reason of its condition', () => {
  const silent = conditionOf('Ready', {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    changedMs: START_MS + 6000,
  });
  const { only } = follow([
    [0, 'ready'],
    [10, 'ready', nodes({ ready: null, conditions: [silent] })],
  ]);
  const { detail, time } = only('not-ready');
  assert.deepEqual(
    [detail, time.atMs, time.from],
    ['NodeStatusUnknown', START_MS + 6000, 'object'],
  );
});

test('a Node is cordoned and uncordoned, by whom managedFields say', () => {
  const cordonWriters = [{ manager: 'kubectl-cordon', atMs: START_MS + 8000 }];
  const { kinds, only } = follow([
    [0, 'ready'],
    [10, 'ready', nodes({ unschedulable: true, cordonWriters })],
    [20, 'ready'],
  ]);
  assert.deepEqual(kinds, ['cordoned', 'uncordoned']);
  assert.deepEqual(
    [only('cordoned').detail, only('cordoned').time.atMs],
    ['kubectl-cordon', START_MS + 8000],
  );
});

test('a Node is asked to go while a finalizer holds it', () => {
  const { kinds, only } = follow([
    [0, 'ready'],
    [10, 'asked-to-go'],
    [20, 'asked-to-go'],
  ]);
  assert.deepEqual(kinds, ['deletion-asked']);
  assert.equal(only('deletion-asked').time.atMs, START_MS);
});

test('a Node that is made again by the same machine has another UID', () => {
  const { only, kinds } = follow([
    [0, 'ready'],
    [10, 'made-again'],
    [40, 'made-again'],
  ]);
  assert.ok(kinds.includes('deleted') && kinds.includes('registered'));
  assert.ok(!kinds.includes('name-reused'));
  const { machine, detail, uid } = only('re-created');
  assert.deepEqual([machine, detail, uid], ['same', 'uid before: uid-1-0', 'uid-1-0-made-again']);
});

test('a Node whose name another machine takes is reported as name-reused', () => {
  const { only } = follow([
    [0, 'ready'],
    [10, 'made-by-other-machine'],
    [40, 'made-by-other-machine'],
  ]);
  assert.equal(only('re-created').machine, 'other');
  const { instanceId, detail } = only('name-reused');
  assert.deepEqual([instanceId, detail], [idOf(1, 9), `instance before: ${idOf(1)}`]);
});

test('a Node whose object another system takes over keeps its UID', () => {
  const { kinds, only } = follow([
    [0, 'ready', nodes({ machineId: 'ec2aaa' })],
    [10, 'ready', nodes({ machineId: 'ec2bbb' })],
    [20, 'ready', nodes({ machineId: 'ec2bbb' })],
  ]);
  assert.deepEqual(kinds, ['name-reused']);
  assert.equal(only('name-reused').detail, 'machine-id before: ec2aaa');
});

test('a Node that a stale list lacked for a moment was never gone', () => {
  const { kinds, memory } = follow([
    [0, 'ready'],
    [5, 'ready', EMPTY],
    [10, 'ready'],
    [60, 'ready'],
  ]);
  assert.deepEqual([kinds, memory.tombstones.size], [[], 0]);
});

test('a Node that is listed again after its deletion was reported is reported as back, and may go again', () => {
  const { kinds, memory } = follow([
    [0, 'ready'],
    [5, 'ready', EMPTY],
    [30, 'ready', EMPTY],
    [40, 'ready'],
    [50, 'ready', EMPTY],
    [80, 'ready', EMPTY],
  ]);
  const own = kinds.filter((kind) => kind === 'deleted' || kind === 're-created');
  assert.deepEqual(own, ['deleted', 're-created', 'deleted']);
  assert.equal(memory.tombstones.size, 1);
});
