import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('a sleep longer than a timer of Node.js can be does not end at once', async () => {
  const stop = new AbortController();
  const ended: string[] = [];
  const long = systemClock.sleep(2 ** 31, stop.signal).then(() => ended.push('long'));
  await systemClock.sleep(5).then(() => ended.push('short'));
  assert.deepEqual(ended, ['short']);
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(long, reason);
});

test('a sleep that is aborted before it begins does not begin', async () => {
  const reason = new Error('enough');
  await assert.rejects(systemClock.sleep(0, AbortSignal.abort(reason)), reason);
});

test('an abort ends a sleep with its own reason', async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(sleeping, reason);
});

test('no time, or less, is over without a timer', async () => {
  await systemClock.sleep(0);
  await systemClock.sleep(-5);
});

test('the wall clock is that of the machine, and the monotonic one is not', () => {
  const before = Date.now();
  const nowMs = systemClock.nowMs();
  assert.ok(before <= nowMs && nowMs <= Date.now());
  const started = performance.now();
  const monotonicMs = systemClock.monotonicMs();
  assert.ok(started <= monotonicMs && monotonicMs <= performance.now());
});
