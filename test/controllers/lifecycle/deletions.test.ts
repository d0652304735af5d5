import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incomplete } from '../../../src/controllers/lifecycle/facts.ts';
import { SETTLING_MS } from '../../../src/controllers/lifecycle/gone.ts';
import type { KubeNode } from '../../../src/evidence/kinds.ts';
import { START_MS } from './facts-of-json.ts';
import { UNREAD } from './fleet.ts';
import { EMPTY, follow } from './follow.ts';

test('a deletion waits for an Event, and says when it has waited enough', () => {
  const waiting = follow([
    [0, 'ready'],
    [10, 'ready', EMPTY],
  ]);
  assert.deepEqual(waiting.kinds, []);
  assert.equal(waiting.lookAgainMs, START_MS + 10_000 + SETTLING_MS);
  const told = follow([
    [0, 'ready'],
    [10, 'ready', EMPTY],
    [25, 'ready', EMPTY],
  ]);
  assert.deepEqual(told.only('deleted').time, {
    atMs: START_MS + 10_000,
    from: 'look',
    notBeforeMs: START_MS,
  });
  assert.equal(told.lookAgainMs, null);
});

test('a deletion by the cloud controller is reported at once, at the time of its Event', () => {
  const { only } = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud'],
  ]);
  const { time, noticed } = only('deleted');
  assert.deepEqual(time, { atMs: START_MS + 5000, from: 'event', notBeforeMs: null });
  assert.equal(noticed.how, 'live');
});

test('a deletion by a person has the time of the audit log', () => {
  const { time } = follow([
    [0, 'ready'],
    [10, 'gone-by-person'],
  ]).only('deleted');
  assert.deepEqual([time.atMs, time.from], [START_MS + 5000, 'audit']);
});

test('a deletion is not reported while the Nodes cannot be read, and after that as found after a gap', () => {
  const unread = { nodes: incomplete<KubeNode>(UNREAD) };
  const before = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud', unread],
    [60, 'gone-by-cloud', unread],
  ]);
  assert.deepEqual(before.kinds, []);
  const own = before.gaps.filter(({ list }) => list === 'nodes');
  assert.deepEqual(own, [
    { list: 'nodes', fromMs: START_MS, untilMs: null, why: UNREAD, nodesInDoubt: 1 },
  ]);
  const { only } = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud', unread],
    [60, 'gone-by-cloud'],
  ]);
  assert.deepEqual(only('deleted').noticed, { how: 'after-gap', gapFromMs: START_MS });
});

test('a deletion that happened while a watch was lost is found after a gap', () => {
  const { only, gaps } = follow([
    [0, 'ready'],
    [10, 'gone-by-cloud', { isUnbroken: false }],
  ]);
  assert.deepEqual(only('deleted').noticed, { how: 'after-gap', gapFromMs: START_MS });
  const own = gaps.filter(({ list, untilMs }) => list === 'nodes' && untilMs !== null);
  assert.deepEqual(
    own.map(({ fromMs, untilMs }) => [fromMs, untilMs]),
    [[START_MS, START_MS + 10_000]],
  );
});

test('a deletion that no Event shows is found when the Nodes can be read again', () => {
  const unread = { nodes: incomplete<KubeNode>(UNREAD) };
  const { only } = follow([
    [0, 'ready'],
    [10, 'gone', unread],
    [60, 'gone'],
    [90, 'gone'],
  ]);
  assert.equal(only('deleted').noticed.how, 'after-gap');
});
