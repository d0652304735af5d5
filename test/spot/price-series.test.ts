import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { statisticsOf, stepsOf } from '../../src/capacity/spot/price-series.ts';
import type { ToldPrices } from '../../src/capacity/spot/told.ts';

const DAY_MS = 24 * 3_600_000;

/** Points as `day: dollars`, and the day until which the answer holds. */
function told(points: Readonly<Record<number, number>>, untilDay: number): ToldPrices {
  return {
    type: 'm5.large',
    zone: 'eu-west-1a',
    points: Object.entries(points).map(([day, dollars]) => ({
      atMs: Number(day) * DAY_MS,
      dollars,
    })),
    untilMs: untilDay * DAY_MS,
  };
}

function inDays(steps: ReturnType<typeof stepsOf>): readonly (readonly number[])[] {
  return steps.map(({ fromMs, toMs, dollars }) => [fromMs / DAY_MS, toMs / DAY_MS, dollars]);
}

describe('the steps of a price', () => {
  test('hold until the next change and until the answer ends', () => {
    assert.deepEqual(inDays(stepsOf([told({ 1: 2, 3: 4 }, 7)])), [
      [1, 3, 2],
      [3, 7, 4],
    ]);
  });

  test('leave a gap between two answers open', () => {
    assert.deepEqual(inDays(stepsOf([told({ 20: 5 }, 22), told({ 1: 2, 3: 4 }, 7)])), [
      [1, 3, 2],
      [3, 7, 4],
      [20, 22, 5],
    ]);
  });

  test('join answers that overlap', () => {
    assert.deepEqual(inDays(stepsOf([told({ 1: 2, 3: 4 }, 7), told({ 3: 4, 8: 1 }, 9)])), [
      [1, 3, 2],
      [3, 8, 4],
      [8, 9, 1],
    ]);
  });

  test('take the higher of two prices at one moment', () => {
    assert.deepEqual(inDays(stepsOf([told({ 1: 2 }, 2), told({ 1: 3 }, 2)])), [[1, 2, 3]]);
  });

  test('never overlap and never leave what the answers cover', () => {
    const point = fc.record({
      atMs: fc.integer({ min: 0, max: 40 }),
      dollars: fc.integer({ min: 1, max: 9 }),
    });
    const answer = fc
      .tuple(fc.array(point, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 10 }))
      .map(([points, more]): ToldPrices => {
        const sorted = points.toSorted((a, b) => a.atMs - b.atMs);
        const untilMs = (sorted.at(-1)?.atMs ?? 0) + more;
        return { type: 'm5.large', zone: 'eu-west-1a', points: sorted, untilMs };
      });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 4 }), (answers) => {
        const covered = new Set<number>();
        for (const { points, untilMs } of answers)
          for (let ms = points[0]?.atMs ?? 0; ms < untilMs; ms++) covered.add(ms);
        const known: number[] = [];
        for (const { fromMs, toMs } of stepsOf(answers))
          for (let ms = fromMs; ms < toMs; ms++) known.push(ms);
        assert.deepEqual(
          known,
          [...covered].toSorted((a, b) => a - b),
        );
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});

describe('what is known of a price', () => {
  test('weighs each price by how long it held', () => {
    const found = statisticsOf(stepsOf([told({ 0: 1, 9: 2 }, 10)]), 0, 10 * DAY_MS);
    assert.ok(found !== null);
    assert.equal(Number(found.mean.toFixed(9)), 1.1);
    assert.equal(Number(found.volatility.toFixed(6)), Number((0.3 / 1.1).toFixed(6)));
    assert.deepEqual([found.least, found.most, found.changes, found.current], [1, 2, 1, 2]);
  });

  test('counts what lies in a gap neither as old price nor as known', () => {
    const steps = stepsOf([told({ 0: 1 }, 2), told({ 8: 3 }, 10)]);
    const found = statisticsOf(steps, 0, 10 * DAY_MS);
    assert.equal(found?.mean, 2);
    assert.equal(found.known, 0.4);
  });

  test('has a trend of a line that rises by a tenth of its mean in a week', () => {
    const line = Object.fromEntries(
      Array.from({ length: 280 }, (_, at) => [at / 20, 1 + (0.1 * (at / 20 - 7)) / 7]),
    );
    const found = statisticsOf(stepsOf([told(line, 14)]), 0, 14 * DAY_MS);
    assert.ok(Math.abs((found?.trendPerWeek ?? 0) - 0.1) < 0.001, String(found?.trendPerWeek));
  });

  test('tells no trend of less than two days', () => {
    const found = statisticsOf(stepsOf([told({ 9: 1, 10: 2 }, 10.5)]), 0, 10.5 * DAY_MS);
    assert.equal(found?.trendPerWeek, null);
  });

  test('has no price of now when nothing confirmed one for more than three days', () => {
    const steps = stepsOf([told({ 1: 2 }, 5)]);
    assert.equal(statisticsOf(steps, 0, 8 * DAY_MS)?.current, 2);
    assert.equal(statisticsOf(steps, 0, 8.1 * DAY_MS)?.current, null);
  });

  test('is nothing where no answer covers the time', () => {
    assert.equal(statisticsOf(stepsOf([told({ 1: 2 }, 5)]), 6 * DAY_MS, 9 * DAY_MS), null);
    assert.equal(statisticsOf([], 0, DAY_MS), null);
  });
});
