import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { settle } from '../../src/adapters/system/settle.ts';
import { createKernel, runUntil } from '../../src/sim/kernel/kernel.ts';
import { clockContract } from './clock.contract.ts';
import { virtualClock } from './fake/clock.ts';

clockContract('the system clock', () => ({
  clock: systemClock,
  during: (waited) => waited,
}));

clockContract('the virtual clock', () => {
  const clock = virtualClock();
  return {
    clock,
    during: async (waited) => {
      const [result] = await Promise.all([waited, clock.advance(100)]);
      return result;
    },
  };
});

clockContract('the clock of a simulated world', () => {
  const kernel = createKernel({ seed: 1, startMs: Date.UTC(2026, 0, 1) });
  return {
    clock: kernel.clock(),
    during: async (waited) => {
      const untilMs = kernel.nowMs() + 100;
      const [result] = await Promise.all([waited, runUntil(kernel, untilMs, settle)]);
      return result;
    },
  };
});

test('the virtual clock runs what a sleep wakes before the next sleep ends', async () => {
  const clock = virtualClock();
  const seenMs: number[] = [];
  const walk = async (): Promise<void> => {
    for (let step = 0; step < 3; step++) {
      await clock.sleep(10);
      seenMs.push(clock.monotonicMs());
    }
  };
  const walking = walk();
  await clock.advance(25);
  assert.deepEqual(seenMs, [10, 20]);
  assert.equal(clock.sleeping(), 1);
  await clock.advance(5);
  await walking;
});

test('the wall clock of the virtual clock steps alone', () => {
  const clock = virtualClock(1_000);
  clock.stepWall(-500);
  assert.equal(clock.nowMs(), 500);
  assert.equal(clock.monotonicMs(), 0);
});
