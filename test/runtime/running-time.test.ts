import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/ports/clock.ts';
import { runningTime } from '../../src/runtime/running-time.ts';

/** A clock by which each sleep ends so much later than asked, as when the program works meanwhile. */
function standingStill(...lateMs: readonly number[]): Clock & { readonly slept: number[] } {
  let nowMs = 0;
  const slept: number[] = [];
  return {
    slept,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (durationMs) => {
      nowMs += durationMs + (lateMs[slept.length] ?? 0);
      slept.push(durationMs);
    },
  };
}

test('a program that ran all the time sleeps once', async () => {
  const clock = standingStill(99);
  await runningTime(clock).sleep(2000);
  assert.deepEqual(clock.slept, [2000]);
});

test('a program that stood still sleeps as long again, but no longer than half of what it slept', async () => {
  const clock = standingStill(700, 5000);
  await runningTime(clock).sleep(2000);
  assert.deepEqual(clock.slept, [2000, 700, 350]);
});

test('a program that always stands still stops sleeping', async () => {
  const clock = standingStill(...Array.from({ length: 30 }, () => 5000));
  await runningTime(clock).sleep(2000);
  assert.deepEqual(clock.slept.slice(0, 4), [2000, 1000, 500, 250]);
  assert.ok(clock.slept.length < 20);
});
