import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnWrites } from './own-writes.ts';
import type { KnownReport } from './report.ts';

const OLD: KnownReport = { name: 'a', uid: 'u', resourceVersion: '1', status: null };
const NEW: KnownReport = { ...OLD, resourceVersion: '2' };

interface Scene {
  readonly own: OwnWrites;
  readonly reads: string[];
  readonly time: { ms: number };
}

function scene(live: KnownReport | null | undefined): Scene {
  const reads: string[] = [];
  const time = { ms: 0 };
  const clock = { nowMs: () => 0, monotonicMs: () => time.ms, sleep: async () => undefined };
  const own = new OwnWrites(clock, async (name) => {
    reads.push(name);
    return live;
  });
  return { own, reads, time };
}

test('holds a report back until the watch shows it', () => {
  const { own } = scene(NEW);
  own.wrote('a', 1);
  assert.ok(own.isUnseen('a') && own.isWaiting());
  own.shown('a');
  assert.ok(!own.isUnseen('a') && !own.isWaiting());
});

test('takes a later listing for it', async () => {
  const { own, reads } = scene(NEW);
  own.wrote('a', 1);
  await own.refresh(2);
  assert.ok(!own.isUnseen('a'));
  assert.deepEqual(reads, []);
});

test('reads what nothing has shown for ten seconds, and goes by that', async () => {
  const { own, reads, time } = scene(NEW);
  own.wrote('a', 1);
  await own.refresh(1);
  assert.deepEqual(reads, []);
  time.ms = 10_000;
  await own.refresh(1);
  assert.deepEqual(reads, ['a']);
  assert.ok(!own.isUnseen('a'));
  assert.equal(own.newest('a', OLD), NEW);
  assert.equal(own.over(new Map([['a', OLD]])).get('a'), NEW);
  own.shown('a');
  assert.equal(own.newest('a', OLD), OLD);
});

test('knows of a report that was read and is not there', async () => {
  const { own, time } = scene(null);
  own.wrote('a', 1);
  time.ms = 10_000;
  await own.refresh(1);
  assert.equal(own.newest('a', OLD), null);
  assert.equal(own.over(new Map([['a', OLD]])).size, 0);
});

test('still waits where it could not be read', async () => {
  const { own, time } = scene(undefined);
  own.wrote('a', 1);
  time.ms = 10_000;
  await own.refresh(1);
  assert.ok(own.isUnseen('a'));
});
