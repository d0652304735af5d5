import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';

const LIMITS = { leastMs: 100, mostMs: 1000 };

/** The waits one after another, where chance always draws the same. */
function waits(backoff: Backoff, count: number): readonly number[] {
  return Array.from({ length: count }, () => backoff.nextMs());
}

test('a wait is drawn between the least and three times the last one, up to the most', () => {
  assert.deepEqual(waits(new Backoff({ next: () => 1 }, LIMITS), 5), [300, 900, 1000, 1000, 1000]);
  assert.deepEqual(waits(new Backoff({ next: () => 0.5 }, LIMITS), 4), [200, 350, 575, 913]);
  assert.deepEqual(waits(new Backoff({ next: () => 0 }, LIMITS), 3), [100, 100, 100]);
});

test('after a success waits begin with the least again', () => {
  const backoff = new Backoff({ next: () => 1 }, LIMITS);
  waits(backoff, 5);
  backoff.reset();
  assert.deepEqual(waits(backoff, 2), [300, 900]);
});
