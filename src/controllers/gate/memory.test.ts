import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dwellAfter, type NodeMemory, rememberNode } from './memory.ts';
import { type NodeFacts, readNode } from './node-facts.ts';

const AT_MS = Date.parse('2026-01-01T00:00:00Z');

function nodeOf(uid: string, bootID: string, atMs: number): NodeFacts {
  const lastHeartbeatTime = new Date(atMs).toISOString();
  const node = readNode({
    metadata: { name: 'n', uid, resourceVersion: '1' },
    status: {
      nodeInfo: { bootID },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }],
    },
  });
  return node ?? assert.fail('no node');
}

function opened(memory: NodeMemory): NodeMemory {
  return { ...memory, opened: new Set(['g']), seenShut: new Set(['g']) };
}

test('a Node of another UID is another Node', () => {
  const before = opened(rememberNode(undefined, nodeOf('a', 'boot-1', AT_MS), false));
  const after = rememberNode(before, nodeOf('b', 'boot-1', AT_MS), false);
  assert.deepEqual([after.uid, after.opened.size, after.seenShut.size], ['b', 0, 0]);
});

test('another boot begins with nothing, and knows when the last one was still running', () => {
  const before = opened(rememberNode(undefined, nodeOf('a', 'boot-1', AT_MS), false));
  const after = rememberNode(before, nodeOf('a', 'boot-2', AT_MS + 60_000), false);
  assert.deepEqual([after.opened.size, after.bootFloorMs], [0, AT_MS]);
  const later = rememberNode(after, nodeOf('a', 'boot-2', AT_MS + 90_000), false);
  assert.equal(later.bootFloorMs, AT_MS);
});

test('the same boot keeps what is known', () => {
  const before = opened(rememberNode(undefined, nodeOf('a', 'boot-1', AT_MS), false));
  const after = rememberNode(before, nodeOf('a', 'boot-1', AT_MS + 10_000), false);
  assert.deepEqual([after.opened.size, after.bootFloorMs], [1, null]);
});

test('each loss of late doubles the dwell, up to ten minutes', () => {
  const held = { holds: [], provenSinceMs: null, lostSinceMs: null, lastLossMs: 0 };
  const dwells = [0, 1, 2, 3, 6, 60].map((losses) => dwellAfter({ ...held, losses }, 5_000));
  assert.deepEqual(dwells, [5_000, 5_000, 10_000, 20_000, 160_000, 160_000]);
  assert.equal(dwellAfter({ ...held, losses: 6 }, 60_000), 600_000);
  assert.equal(dwellAfter({ ...held, losses: 6 }, 900_000), 900_000);
});
