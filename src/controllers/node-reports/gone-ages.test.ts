import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoneAges } from './gone-ages.ts';

const HOUR_MS = 3_600_000;

/** A clock whose two hands are set by the test. */
function handSet(): {
  readonly hands: { wallMs: number; steadyMs: number };
  readonly ages: GoneAges;
} {
  const hands = { wallMs: 10 * HOUR_MS, steadyMs: 0 };
  const clock = {
    nowMs: () => hands.wallMs,
    monotonicMs: () => hands.steadyMs,
    sleep: async () => undefined,
  };
  return { hands, ages: new GoneAges(clock) };
}

test('goes by the stamp when a report is first seen', () => {
  const { ages } = handSet();
  assert.equal(ages.ageMs('a', 9 * HOUR_MS), HOUR_MS);
});

test('does not jump with the wall clock after that', () => {
  const { hands, ages } = handSet();
  ages.ageMs('a', 10 * HOUR_MS);
  hands.wallMs += HOUR_MS;
  hands.steadyMs += 1_000;
  assert.equal(ages.ageMs('a', 10 * HOUR_MS), 1_000);
});

test('begins again for a machine that was back in between, and for one whose report went', () => {
  const { hands, ages } = handSet();
  ages.ageMs('a', 9 * HOUR_MS);
  hands.wallMs += HOUR_MS;
  assert.equal(ages.ageMs('a', 10 * HOUR_MS), HOUR_MS);
  hands.wallMs += HOUR_MS;
  ages.keep(() => false);
  assert.equal(ages.ageMs('a', 10 * HOUR_MS), 2 * HOUR_MS);
});

test('goes by its own stamp from when it is written, though the clock steps before it is seen', () => {
  const { hands, ages } = handSet();
  ages.stamped('a', 10 * HOUR_MS);
  hands.wallMs += 2 * HOUR_MS;
  hands.steadyMs += 8_000;
  assert.equal(ages.ageMs('a', 10 * HOUR_MS), 8_000);
  assert.equal(ages.ageMs('b', 10 * HOUR_MS), 2 * HOUR_MS);
});
