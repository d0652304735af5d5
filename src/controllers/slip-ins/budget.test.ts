import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EvictionBudget, type Spending, type Spent } from './budget.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LIMITS = { mode: 'evict', perHour: 4, perWorkload: 2 } as const;

function spending(minutes: number, workload = 'cart', gate = 'workers', pod = 'one'): Spending {
  return { gate, workload, pod, limits: LIMITS, nowMs: minutes * MINUTE_MS };
}

let pods = 0;
function spend(budget: EvictionBudget, one: Spending): Spent {
  pods++;
  return budget.spend({ ...one, pod: `pod-${pods}` });
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
      budget.end(spend(budget, one), one.nowMs);
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
    spend(budget, spending(180));
    assert.equal(budget.isWithinHour(spending(180)), false);
  });

  test('counts an eviction from its end, and one that did not happen not at all', () => {
    const budget = new EvictionBudget();
    const first = spend(budget, spending(0));
    assert.equal(budget.isWithinHour(spending(0)), false);
    budget.end(first, null);
    assert.equal(budget.isWithinHour(spending(0)), true);
    for (const minute of [100, 100, 100])
      budget.end(spend(budget, spending(minute)), minute * MINUTE_MS);
    budget.end(spend(budget, spending(100)), 102 * MINUTE_MS);
    budget.end(spend(budget, spending(160)), 160 * MINUTE_MS);
    budget.end(spend(budget, spending(160)), 160 * MINUTE_MS);
    budget.end(spend(budget, spending(160)), 160 * MINUTE_MS);
    assert.equal(budget.isWithinHour(spending(161)), false);
    assert.equal(budget.isWithinHour(spending(162)), true);
  });

  test('is one for each gate', () => {
    const budget = new EvictionBudget();
    spend(budget, spending(0));
    assert.equal(budget.isWithinHour(spending(0, 'cart', 'others')), true);
    assert.equal(budget.isWithinWorkload(spending(0, 'cart', 'others')), true);
  });
});

const WALL_MS = Date.UTC(2026, 0, 1, 12);
const at = (minutes: number): { wallMs: number; monotonicMs: number } => ({
  wallMs: WALL_MS + minutes * MINUTE_MS,
  monotonicMs: minutes * MINUTE_MS,
});
/** One that leads for so long that only what was evicted counts. */
const others = (minutes: number, ...agos: readonly number[]): EvictionBudget => {
  const budget = new EvictionBudget();
  const noted = agos.map((ago, index) => ({
    pod: `other-${index}`,
    workload: 'cart',
    atMs: at(minutes - ago).wallMs,
  }));
  budget.learn('workers', noted, at(minutes));
  return budget;
};

describe('evictions of another leader', () => {
  test('count for an hour, and for the minutes by which clocks differ', () => {
    const budget = others(600, 10, 20, 30, 40);
    assert.equal(budget.isWithinHour(spending(600, 'web')), false);
    assert.equal(budget.isWithinHour(spending(624, 'web')), false);
    assert.equal(budget.isWithinHour(spending(625, 'web')), true);
  });

  test('count for their workload and their gate', () => {
    const budget = others(600, 1, 2);
    assert.equal(budget.isWithinWorkload(spending(600, 'cart')), false);
    assert.equal(budget.isWithinWorkload(spending(600, 'web')), true);
    assert.equal(budget.isWithinWorkload(spending(600, 'cart', 'others')), true);
  });

  test('that seem to be of a later time are of now', () => {
    const budget = others(600, -90, -90, -90, -90);
    assert.equal(budget.isWithinHour(spending(659)), false);
    assert.equal(budget.isWithinHour(spending(660, 'web')), true);
  });

  test('I-40: are no older when the clock of the wall jumps later on', () => {
    const budget = others(600, 1, 2, 3, 4);
    const noted = budget.toNote('workers', at(600));
    budget.learn('workers', noted, { ...at(601), wallMs: at(900).wallMs });
    assert.equal(budget.isWithinHour(spending(601, 'web')), false);
  });

  test('are noted together with its own, each once, until they count no more', () => {
    const budget = others(600, 1, 2);
    budget.end(budget.spend({ ...spending(600, 'web'), pod: 'own' }), 600 * MINUTE_MS);
    const uids = (minute: number): readonly string[] =>
      budget.toNote('workers', at(minute)).map(({ pod }) => pod);
    assert.deepEqual(uids(600), ['other-0', 'other-1', 'own']);
    budget.learn('workers', budget.toNote('workers', at(601)), at(601));
    assert.deepEqual(uids(601), ['other-0', 'other-1', 'own']);
    assert.deepEqual(uids(670), []);
  });

  test('that were noted here and did not happen count no more', () => {
    const budget = new EvictionBudget();
    const one = budget.spend({ ...spending(600), pod: 'refused' });
    const noted = budget.toNote('workers', at(600));
    budget.end(one, null);
    budget.learn('workers', noted, at(601));
    assert.deepEqual(budget.toNote('workers', at(601)), []);
  });
});

describe('an eviction that another leader noted and did not send', () => {
  test('counts once: of its own Pod it may be sent', () => {
    const budget = others(600, 1, 2, 3, 4);
    assert.equal(budget.isWithinHour(spending(600, 'web')), false);
    assert.equal(budget.isWithinHour(spending(600, 'web', 'workers', 'other-3')), true);
    assert.equal(budget.isWithinHour(spending(600, 'web', 'workers', 'other-9')), false);
    const cart = others(600, 1, 2);
    assert.equal(cart.isWithinWorkload(spending(600, 'cart', 'workers', 'other-0')), true);
  });
});
