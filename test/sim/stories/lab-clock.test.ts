/** The clock of a lab's world beside that of whoever looks at it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOf } from '../../../src/apps/lab/as-of.ts';
import { createPace } from '../../../src/apps/lab/drive.ts';
import { loadScenario } from '../../../src/apps/lab/load.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createKernel } from '../../../src/sim/kernel/kernel.ts';

const NOW_MS = Date.parse('2026-03-02T09:00:00Z');

/** Real time that passes only as somebody sleeps. */
function sleepingClock(): Clock {
  let passedMs = 0;
  return {
    nowMs: () => NOW_MS + passedMs,
    monotonicMs: () => passedMs,
    sleep: (durationMs) => {
      passedMs += durationMs;
      return Promise.resolve();
    },
  };
}

const FOLLOWER = { rest: () => Promise.resolve() };

for (const speed of [1, 2.5, 10, 1000])
  test(`at ${speed} x real time nothing happens in the future, and the story ends now`, async () => {
    const clock = sleepingClock();
    const scenario = asOf(loadScenario(null), clock.nowMs(), speed);
    const { startMs } = scenario.world;
    const kernel = createKernel({ seed: 1, startMs });
    const aheadMs: number[] = [];
    kernel.every(1000, () => aheadMs.push(kernel.nowMs() - clock.nowMs()));
    const pace = createPace({ kernel, speed, clock, follower: FOLLOWER });
    await pace.run(startMs + scenario.untilMs, new AbortController().signal);
    assert.ok(aheadMs.length >= scenario.untilMs / 1000);
    assert.ok(Math.max(...aheadMs) <= 0, String(Math.max(...aheadMs)));
    // The last tick may have slept on after the end.
    const behindMs = clock.nowMs() - kernel.nowMs();
    assert.ok(behindMs >= 0 && behindMs <= 40, String(behindMs));
  });

test('a slow lab begins now', () => {
  assert.equal(asOf(loadScenario(null), NOW_MS, 0.5).world.startMs, NOW_MS);
});

test('after its story a world continues at the requested speed', async () => {
  const clock = sleepingClock();
  const kernel = createKernel({ seed: 1, startMs: NOW_MS });
  const pace = createPace({ kernel, speed: 10, clock, follower: FOLLOWER });
  const { signal } = new AbortController();
  await pace.run(NOW_MS + 10_000, signal);
  const atMs = clock.monotonicMs();
  pace.setSpeed(1);
  await pace.run(NOW_MS + 12_000, signal);
  const tookMs = clock.monotonicMs() - atMs;
  assert.ok(tookMs >= 2000 && tookMs <= 2040, String(tookMs));
});

test('a bug that a door met ends the run with itself', async () => {
  const clock = sleepingClock();
  const kernel = createKernel({ seed: 1, startMs: NOW_MS });
  const pace = createPace({ kernel, speed: 1, clock, follower: FOLLOWER });
  const bug = new RangeError('of the world');
  kernel.after(1000, () => pace.fail(bug));
  await assert.rejects(pace.run(NOW_MS + 60_000, new AbortController().signal), bug);
  assert.ok(kernel.nowMs() < NOW_MS + 2000);
});
