import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EvictionBudget, type Spending } from './budget.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LIMITS = { mode: 'evict', perHour: 4, perWorkload: 2 } as const;

function spending(minutes: number, workload = 'cart', gate = 'workers'): Spending {
  return { gate, workload, limits: LIMITS, nowMs: minutes * MINUTE_MS };
}

/** Evicts whenever it may, and at each time as often as it may. @returns when it evicted */
function allOf(
  budget: EvictionBudget,
  minutes: readonly number[],
  workloadOf: (minute: number, count: number) => string,
): readonly number[] {
  const sent: number[] = [];
  for (const minute of minutes)
    for (let count = 0; count < 10; count++) {
      const one = spending(minute, workloadOf(minute, count));
      if (!budget.isWithinHour(one) || !budget.isWithinWorkload(one)) break;
      budget.end(budget.spend(one), one.nowMs);
      sent.push(one.nowMs);
    }
  return sent;
}

function mostInAnHour(sent: readonly number[]): number {
  const counts = sent.map(
    (start) => sent.filter((at) => at >= start && at < start + HOUR_MS).length,
  );
  return Math.max(...counts);
}

function minutesBut(from: number, to: number): readonly number[] {
  return Array.from({ length: 9 * 60 }, (_, minute) => minute).filter(
    (minute) => minute < from || minute >= to,
  );
}

describe('the budget of evictions', () => {
  test('after quiet hours no 60 min see more than perHour', () => {
    const sent = allOf(new EvictionBudget(), minutesBut(60, 300), (minute, count) =>
      [minute, count].join(),
    );
    assert.equal(mostInAnHour(sent), 4);
    assert.equal(sent.filter((at) => at === 300 * MINUTE_MS).length, 4);
  });

  test('after quiet hours no 60 min see more than perWorkload of one workload', () => {
    assert.equal(mostInAnHour(allOf(new EvictionBudget(), minutesBut(60, 300), () => 'cart')), 2);
  });

  test('begins with one and grows by its rate', () => {
    const sent = allOf(new EvictionBudget(), minutesBut(61, 999), (minute) => `${minute}`);
    const minutes = sent.map((at) => at / MINUTE_MS);
    assert.deepEqual(minutes, [0, 15, 30, 45, 60]);
  });

  test('begins with one again when its controller leads again, and keeps what it spent', () => {
    const budget = new EvictionBudget();
    allOf(budget, [120], (_, count) => `${count}`);
    budget.begin(179 * MINUTE_MS);
    assert.equal(budget.isWithinHour(spending(179)), false);
    assert.equal(budget.isWithinHour(spending(180)), true);
    budget.spend(spending(180));
    assert.equal(budget.isWithinHour(spending(180)), false);
  });

  test('counts an eviction from its end, and one that did not happen not at all', () => {
    const budget = new EvictionBudget();
    const first = budget.spend(spending(0));
    assert.equal(budget.isWithinHour(spending(0)), false);
    budget.end(first, null);
    assert.equal(budget.isWithinHour(spending(0)), true);
    for (const minute of [100, 100, 100])
      budget.end(budget.spend(spending(minute)), minute * MINUTE_MS);
    budget.end(budget.spend(spending(100)), 102 * MINUTE_MS);
    budget.end(budget.spend(spending(160)), 160 * MINUTE_MS);
    budget.end(budget.spend(spending(160)), 160 * MINUTE_MS);
    budget.end(budget.spend(spending(160)), 160 * MINUTE_MS);
    assert.equal(budget.isWithinHour(spending(161)), false);
    assert.equal(budget.isWithinHour(spending(162)), true);
  });

  test('is one for each gate', () => {
    const budget = new EvictionBudget();
    budget.spend(spending(0));
    assert.equal(budget.isWithinHour(spending(0, 'cart', 'others')), true);
    assert.equal(budget.isWithinWorkload(spending(0, 'cart', 'others')), true);
  });
});
