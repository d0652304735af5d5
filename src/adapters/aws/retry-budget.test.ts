import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetryBudget } from './retry-budget.ts';
import { testClock } from './testing.ts';

const LIMITS = { retriesMax: 3, refillMs: 20_000, gapMs: 200, gapMaxMs: 2000 };
const { signal } = new AbortController();

/** How many retries are there now. */
function taken(budget: RetryBudget): number {
  let count = 0;
  while (count < 100 && budget.take()) count++;
  return count;
}

test('without throttling requests follow one another without a gap', async () => {
  const clock = testClock();
  const budget = new RetryBudget(clock, LIMITS);
  for (let count = 0; count < 3; count++) await budget.pace(signal);
  assert.deepEqual(clock.pauses, []);
});

test('every throttled request doubles the gap to the next, up to its limit', async () => {
  const clock = testClock();
  const budget = new RetryBudget(clock, LIMITS);
  for (let count = 0; count < 6; count++) {
    budget.throttled();
    await budget.pace(signal);
  }
  assert.deepEqual(clock.pauses, [200, 400, 800, 1600, 2000, 2000]);
});

test('every answered request halves the gap down to none', async () => {
  const clock = testClock();
  const budget = new RetryBudget(clock, LIMITS);
  for (let count = 0; count < 3; count++) budget.throttled();
  for (let count = 0; count < 5; count++) {
    await budget.pace(signal);
    budget.succeeded();
  }
  assert.deepEqual(clock.pauses, [800, 400, 200, 100]);
});

test('callers that wait together get one place each in the row of requests', async () => {
  const clock = testClock();
  const budget = new RetryBudget({ ...clock, monotonicMs: () => 0 }, LIMITS);
  budget.throttled();
  await Promise.all([budget.pace(signal), budget.pace(signal), budget.pace(signal)]);
  assert.deepEqual(clock.pauses, [200, 400, 600]);
});

test('gives a retry back after each interval, even if it ended between two looks', async () => {
  const clock = testClock();
  const budget = new RetryBudget(clock, LIMITS);
  assert.equal(taken(budget), 3);
  await clock.sleep(19_999);
  assert.equal(taken(budget), 0);
  await clock.sleep(10_001);
  assert.equal(taken(budget), 1);
  await clock.sleep(9_999);
  assert.equal(taken(budget), 0);
  await clock.sleep(1);
  assert.equal(taken(budget), 1);
});

test('a long rest gives back no more retries than there were at first', async () => {
  const clock = testClock();
  const budget = new RetryBudget(clock, LIMITS);
  assert.ok(budget.take());
  for (let count = 0; count < 10; count++) await clock.sleep(20_000);
  assert.equal(taken(budget), 3);
});
