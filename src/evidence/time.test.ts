import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  dated,
  isAfter,
  isoMoment,
  isoMs,
  isOvertaken,
  isoTime,
  type Moment,
  utcMs,
  type When,
} from './time.ts';

function moment(document: number, line: number, when: When | null = null, isState = false): Moment {
  return { when, at: { document, line }, isState };
}

const utc = (ms: number, yearless = false): When => ({ ms, yearless, clock: 'utc' });

describe('isAfter', () => {
  test('stamps decide before lines do', () => {
    assert.equal(isAfter(moment(0, 1, utc(20)), moment(0, 9, utc(10))), true);
    assert.equal(isAfter(moment(0, 9, utc(10)), moment(0, 1, utc(20))), false);
  });

  test('equal stamps leave it to the lines', () => {
    assert.equal(isAfter(moment(0, 2, utc(10)), moment(0, 1, utc(10))), true);
  });

  test('a stamp of whole seconds is of no moment within its second', () => {
    const [whole, fraction] = [utc(40_000), utc(40_600)];
    assert.equal(isAfter(moment(1, 1, fraction), moment(0, 1, whole)), false);
    assert.equal(isAfter(moment(0, 2, whole), moment(0, 1, fraction)), true);
    assert.equal(isAfter(moment(1, 1, utc(41_000)), moment(0, 1, fraction)), true);
    assert.equal(isAfter(moment(1, 1, utc(40_700)), moment(0, 1, fraction)), true);
  });

  test('without stamps the order of lines counts, within one document only', () => {
    assert.equal(isAfter(moment(0, 2), moment(0, 1)), true);
    assert.equal(isAfter(moment(1, 2), moment(0, 1)), false);
  });

  test('ages of one dump are not compared with the wall clock', () => {
    const age: When = { ms: -5000, yearless: false, clock: 'dump 1' };
    assert.equal(isAfter(moment(1, 1, age), moment(0, 1, utc(-9000))), false);
  });

  test('stamps without a year are not compared with full ones', () => {
    assert.equal(isAfter(moment(1, 1, utc(20)), moment(0, 1, utc(10, true))), false);
  });

  test('a dump of present state is later than lines of other documents', () => {
    assert.equal(isAfter(moment(1, 1, null, true), moment(0, 1)), true);
    assert.equal(isAfter(moment(0, 1), moment(1, 1, null, true)), false);
  });
});

describe('isOvertaken', () => {
  const state = { ...moment(0, 1, null, true), sinceMs: 20 };

  test('a state in the same text is as old as it says', () => {
    assert.equal(isOvertaken(state, moment(0, 9, utc(10))), false);
    assert.equal(isOvertaken(state, moment(0, 9, utc(30_000))), true);
  });

  test('a state of another text is of now', () => {
    assert.equal(isOvertaken(state, moment(1, 9, utc(30_000))), false);
  });

  test('a line is as old as its place', () => {
    assert.equal(isOvertaken(moment(0, 1), moment(0, 9, utc(10))), true);
  });
});

describe('civil time', () => {
  test('agrees with the platform for any moment of four centuries', () => {
    const range = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2300, 0, 1) });
    fc.assert(
      fc.property(range, (ms) => {
        const date = new Date(ms);
        const day = ms - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
        assert.equal(
          utcMs(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), day),
          ms,
        );
        assert.equal(isoTime(utc(ms)), date.toISOString().replace('.000Z', 'Z'));
      }),
    );
  });

  test('a time without a year has no ISO text', () => {
    assert.equal(isoTime(utc(0, true)), null);
    assert.equal(isoTime(null), null);
  });
});

describe('moments of states and of both clocks', () => {
  const state = { ...moment(0, 1, null, true), sinceMs: 20 };

  test('dates a state by its start time only without a timestamp', () => {
    assert.deepEqual(dated(state).when, utc(20));
    const stamped = { ...state, when: utc(5) };
    assert.equal(dated(stamped), stamped);
    assert.equal(dated(moment(0, 1)).when, null);
    assert.equal(isoMoment(state), '1970-01-01T00:00:00.020Z');
    assert.equal(isoMoment(moment(0, 1)), null);
  });

  test('a stamp on one side only leaves it to the lines', () => {
    assert.equal(isAfter(moment(0, 2, utc(10)), moment(0, 1)), true);
    assert.equal(isAfter(moment(0, 2), moment(0, 1, utc(10))), true);
    assert.equal(isAfter(moment(0, 1, utc(10)), moment(0, 2)), false);
  });

  test('no line is after itself', () => {
    assert.equal(isAfter(moment(0, 1), moment(0, 1)), false);
    assert.equal(isAfter(moment(0, 1, utc(10)), moment(0, 1, utc(10))), false);
  });

  test('a time of an unknown clock has no ISO text', () => {
    assert.equal(isoTime({ ms: 0, yearless: false, clock: 'dump 1' }), null);
  });
});

describe('ISO stamps', () => {
  for (const [text, expected] of [
    ['2026-05-01T11:22:33Z', '2026-05-01T11:22:33Z'],
    ['2026-05-01T11:22:33.125Z', '2026-05-01T11:22:33.125Z'],
    ['2026-05-01T11:22:33.123456789Z', '2026-05-01T11:22:33.123Z'],
    ['2026-05-01T11:22:33+02:30', '2026-05-01T08:52:33Z'],
    ['2026-05-01T11:22:33-0230', '2026-05-01T13:52:33Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z'],
  ] as const)
    test(`${text} is ${expected}`, () => {
      assert.equal(isoTime(utc(Math.floor(isoMs(text) ?? Number.NaN))), expected);
    });

  for (const text of [
    '',
    'at 2026-05-01T11:22:33Z',
    '2026-05-01T11:22:33Z.',
    '2026-05-01T11:22:33',
    '2026-05-01 11:22:33Z',
    '2026-05-01T11:22:33.Z',
    '2026-05-01T11:22:33.1234567890Z',
    '2026-05-01T11:22:33+2',
    '26-05-01T11:22:33Z',
    '2026-5-01T11:22:33Z',
    '2026-05-1T11:22:33Z',
    '2026-05-01T1:22:33Z',
    '2026-05-01T11:2:33Z',
    '2026-05-01T11:22:3Z',
  ])
    test(`${JSON.stringify(text)} is no stamp`, () => {
      assert.equal(isoMs(text), null);
    });
});
