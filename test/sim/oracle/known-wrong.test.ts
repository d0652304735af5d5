/**
 * A few seeds as they come, every fault in them. That nothing wrong is said there is not so, and no
 * seed is chosen because it is: the classes of wrong answers are written down with their numbers, and
 * the test fails when one is added and when one is gone, so that the file tells what is left to do.
 * Invariants that are not about names hold.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { countWrong, KNOWN_WRONG, type KnownWrong, SEEDS } from '../../../tools/known-wrong.ts';
import { shareOf, tellShare, TURN } from '../../share.ts';

const SEEDS_OF = 6;

describe('seeds as they come', { timeout: 600_000 }, () => {
  let counted: KnownWrong;
  const seeds = shareOf(SEEDS, SEEDS_OF);
  tellShare('seeds as they come', seeds.length, SEEDS.length);

  before(
    async () => {
      counted = await countWrong(seeds);
    },
    { timeout: 600_000 },
  );

  test('give the wrong answers that are written down (node tools/known-wrong.ts), and no others', () => {
    const known = JSON.parse(readFileSync(KNOWN_WRONG, 'utf8')) as KnownWrong['seeds'];
    assert.deepEqual(Object.keys(known), SEEDS.map(String));
    assert.deepEqual(
      counted.seeds,
      Object.fromEntries(seeds.map((seed) => [seed, known[seed] ?? {}])),
    );
  });

  test('hold every invariant that is not about names', () => {
    assert.deepEqual(counted.others, []);
  });

  // A share of the seeds is too small for a statistic.
  if (TURN !== null) return;

  test('are judged by few accepted causes, and answers of another seed are mostly refused', () => {
    const { machines, width, shuffled, rightOfNamed } = counted.tally.whole();
    assert.ok(machines > 20, `${machines} machines`);
    assert.ok(width.median <= 2 && width.p90 <= 3, JSON.stringify(width));
    assert.ok(shuffled < rightOfNamed / 2, `${shuffled} beside ${rightOfNamed}`);
  });
});
