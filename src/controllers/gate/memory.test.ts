import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../ports/clock.ts';
import { dwellAfter, type Held, holdsBefore, type NodeMemory, rememberNode } from './memory.ts';
import { Memories } from './memories.ts';
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

function proven(memory: NodeMemory, hold: string): NodeMemory {
  const times = { provenSinceMs: 0, lostSinceMs: null, losses: 0, lastLossMs: 0 };
  const held: Held = { holds: [hold, null], ...times };
  return { ...memory, held: new Map([['g', held]]) };
}

test('what was proven before a boot is known to be from before, also of another Node', () => {
  const first = proven(rememberNode(undefined, nodeOf('a', 'boot-1', AT_MS), false), 'pod 1');
  assert.deepEqual([...holdsBefore(first)], []);
  const second = rememberNode(first, nodeOf('a', 'boot-2', AT_MS), false);
  assert.deepEqual([...holdsBefore(second)], ['pod 1']);
  const third = rememberNode(proven(second, 'pod 2'), nodeOf('b', 'boot-3', AT_MS), false);
  assert.deepEqual([...holdsBefore(third)], ['pod 1', 'pod 2']);
});

test('a Node that is made again in the same boot may be proven by what proved it before', () => {
  const before = proven(rememberNode(undefined, nodeOf('a', 'boot-1', AT_MS), false), 'pod 1');
  const after = rememberNode(before, nodeOf('b', 'boot-1', AT_MS), false);
  assert.deepEqual([...holdsBefore(after), after.held.size], [0]);
});

test('what was proven in hundreds of boots is no more than a bound', () => {
  let memory = rememberNode(undefined, nodeOf('a', 'boot-0', AT_MS), false);
  for (let boot = 1; boot <= 300; boot++)
    memory = rememberNode(proven(memory, `pod ${boot}`), nodeOf('a', `boot-${boot}`, AT_MS), false);
  const holds = [...holdsBefore(memory)];
  assert.deepEqual([holds.length, holds.at(-1)], [64, 'pod 300']);
});

test('a Node that is gone is remembered for five minutes', () => {
  let nowMs = 0;
  const clock: Pick<Clock, 'monotonicMs'> = { monotonicMs: () => nowMs };
  const memories = new Memories(clock);
  const memory = rememberNode(undefined, nodeOf('a', 'boot-1', AT_MS), false);
  memories.set('n', memory);
  assert.deepEqual([memories.leave('n'), memories.leave('n')], [true, false]);
  nowMs = 299_999;
  assert.equal(memories.get('n'), memory);
  nowMs = 300_000;
  assert.equal(memories.get('n'), undefined);
});

test('each loss of late doubles the dwell, up to ten minutes', () => {
  const held = { holds: [], provenSinceMs: null, lostSinceMs: null, lastLossMs: 0 };
  const dwells = [0, 1, 2, 3, 6, 60].map((losses) => dwellAfter({ ...held, losses }, 5_000));
  assert.deepEqual(dwells, [5_000, 5_000, 10_000, 20_000, 160_000, 160_000]);
  assert.equal(dwellAfter({ ...held, losses: 6 }, 60_000), 600_000);
  assert.equal(dwellAfter({ ...held, losses: 6 }, 900_000), 900_000);
});
