import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit, Observations } from '../evidence/observations.ts';
import type { When } from '../evidence/time.ts';
import { alignClocks } from './clocks.ts';

function hit(document: number, when: When): Hit {
  const moment = { when, at: { document, line: 1 }, isState: false };
  const quote = { source: 'kubelet', locator: 'x:1', excerpt: '', moment, captures: {} } as const;
  return {
    owner: 'a',
    sign: 's',
    object: '',
    about: null,
    document,
    onMachine: true,
    count: 1,
    first: quote,
    last: quote,
    quotes: [quote],
  };
}

function aligned(...hits: readonly Hit[]): readonly (When | null)[] {
  const observations: Observations = {
    documents: [],
    hits,
    facts: [],
    links: [],
    listings: [],
    losses: [],
    troubled: [],
    collection: null,
  };
  return alignClocks(observations).hits.map((entry) => entry.first.moment.when);
}

const full = (iso: string): When => ({ ms: Date.parse(iso), yearless: false, clock: 'utc' });
const yearless = (monthDay: string): When => ({
  ms: Date.parse(`2000-${monthDay}Z`),
  yearless: true,
  clock: 'utc',
});

describe('alignClocks', () => {
  for (const [monthDay, newest, iso] of [
    ['06-06T19:42:03', '2024-06-06T20:00:00Z', '2024-06-06T19:42:03Z'],
    ['12-31T23:59:00', '2025-01-01T00:10:00Z', '2024-12-31T23:59:00Z'],
    ['03-01T00:00:00', '2023-03-05T00:00:00Z', '2023-03-01T00:00:00Z'],
    ['02-28T00:00:00', '2023-03-05T00:00:00Z', '2023-02-28T00:00:00Z'],
    ['03-01T00:00:00', '2024-03-05T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['01-01T00:05:00', '2024-12-31T23:59:00Z', '2025-01-01T00:05:00Z'],
  ] as const) {
    test(`${monthDay} beside ${newest} is ${iso}`, () => {
      assert.deepEqual(aligned(hit(0, yearless(monthDay)), hit(1, full(newest)))[0], full(iso));
    });
  }

  test('without any full stamp nothing is invented', () => {
    assert.deepEqual(aligned(hit(0, yearless('06-06T19:42:03'))), [yearless('06-06T19:42:03')]);
  });

  test('ages count back from the newest timestamp of their dump', () => {
    const age: When = { ms: -60_000, yearless: false, clock: 'dump 0' };
    assert.deepEqual(
      aligned(hit(0, age), hit(0, full('2024-01-01T00:10:00Z')))[0],
      full('2024-01-01T00:09:00Z'),
    );
    assert.deepEqual(aligned(hit(0, age), hit(1, full('2024-01-01T00:10:00Z')))[0], age);
  });
});
