import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyOf, priceAnswer } from '../../bench/spot/history.ts';
import { type Outcome, replay } from '../../bench/spot/replay.ts';

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function regret(outcomes: readonly Outcome[] | undefined): number {
  return mean(outcomes?.map(({ objective, best }) => objective / best - 1) ?? []);
}

describe('over made histories of prices', () => {
  // Two weeks of history and four that are paid for.
  const replays = [1, 2].map((seed) => replay(seed, 42));
  const of = (name: string) => replays.flatMap((one) => one.get(name) ?? []);

  test('a mix comes closer to the best in hindsight than the usual strategies', () => {
    const own = regret(of('rollcall spot'));
    assert.ok(own < 0.08, String(own));
    assert.ok(own < regret(of('lowest-price, two pools a zone')));
    assert.ok(own < regret(of('cheapest pool')));
  });

  test('no choice beats the best in hindsight', () => {
    for (const outcomes of replays)
      for (const { objective, best } of [...outcomes.values()].flat())
        assert.ok(objective >= best * 0.999, `${objective} is less than ${best}`);
  });

  test('no pool that is taken away takes more than its share with it', () => {
    assert.ok(of('rollcall spot').every(({ lostAtOnce }) => lostAtOnce <= 0.25 + 1e-9));
  });
});

test('a history is the same for the same seed, and another one for another', () => {
  const text = (seed: number) => JSON.stringify(priceAnswer(historyOf(seed, 2), Infinity));
  assert.equal(text(3), text(3));
  assert.notEqual(text(3), text(4));
});
