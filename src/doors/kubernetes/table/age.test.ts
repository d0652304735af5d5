import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageOf, humanDuration } from './age.ts';
import { NOW_MS } from './testing.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Around each change of units, as `duration.HumanDuration` of k8s.io/apimachinery prints. */
const PRINTED: readonly (readonly [number, string])[] = [
  [-2, '<invalid>'],
  [-1, '0s'],
  [1, '1s'],
  [2 * MINUTE - 1, '119s'],
  [2 * MINUTE, '2m'],
  [2 * MINUTE + 1, '2m1s'],
  [10 * MINUTE - 1, '9m59s'],
  [10 * MINUTE + 1, '10m'],
  [3 * HOUR - 1, '179m'],
  [3 * HOUR, '3h'],
  [3 * HOUR + MINUTE, '3h1m'],
  [8 * HOUR - 1, '7h59m'],
  [8 * HOUR + MINUTE, '8h'],
  [2 * DAY - 1, '47h'],
  [2 * DAY, '2d'],
  [2 * DAY + HOUR, '2d1h'],
  [8 * DAY - 1, '7d23h'],
  [8 * DAY + HOUR, '8d'],
  [2 * YEAR - 1, '729d'],
  [2 * YEAR, '2y'],
  [2 * YEAR + DAY, '2y1d'],
  [8 * YEAR - 1, '7y364d'],
  [8 * YEAR + DAY, '8y'],
];

for (const [seconds, printed] of PRINTED)
  test(`${seconds} s are printed as ${printed}`, () => {
    assert.equal(humanDuration(seconds * 1000), printed);
  });

test('a part of a second is left out, also before a moment', () => {
  assert.equal(humanDuration(1999), '1s');
  assert.equal(humanDuration(-1999), '0s');
  assert.equal(humanDuration(-500), '0s');
});

test('an age is the time since a stamp, unknown without one', () => {
  assert.equal(ageOf('2026-01-01T23:59:00Z', NOW_MS), '60s');
  for (const none of [null, '', 'never']) assert.equal(ageOf(none, NOW_MS), '<unknown>');
});
