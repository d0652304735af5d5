import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seen } from '../evidence/fact.ts';
import type { HostClock } from '../evidence/kinds.ts';
import { clockWords, errorWords, measuredClocks } from './measured-clock.ts';

function clock(aheadMs: number | null, isSynchronised: boolean | null = true): HostClock {
  return { aheadMs, isSynchronised };
}

test('the most exact reading comes first, and a reading without a measurement does not count', () => {
  const readings = [
    'rollcall probe',
    'timedatectl timesync-status',
    'chronyc tracking',
    'ntpq -p',
  ].map((by) => ({ by, value: clock(1) }));
  const idle = { by: 'chronyc tracking', value: clock(null) };
  assert.deepEqual(
    measuredClocks([idle, ...readings]).map(({ by }) => by),
    ['chronyc tracking', 'ntpq -p', 'timedatectl timesync-status', 'rollcall probe'],
  );
});

describe('the error of a clock in words', () => {
  for (const [seconds, words] of [
    [0, 'less than 1 s ahead'],
    [0.4, 'less than 1 s ahead'],
    [-0.4, 'less than 1 s behind'],
    [0.5, '1 s ahead'],
    [59, '59 s ahead'],
    [60, '1 min ahead'],
    [-312, '5 min 12 s behind'],
    [3600, '1 h ahead'],
    [3661, '1 h 1 min ahead'],
    [86_399, '23 h 59 min ahead'],
    [86_400 + 5, '1 d 5 s ahead'],
    [-(2 * 86_400 + 3 * 3600 + 61), '2 d 3 h behind'],
  ] as const)
    test(`${seconds} s: ${words}`, () => assert.equal(errorWords(seconds * 1000), words));

  test('names who measured it, and whether the clock is kept', () => {
    const said = (value: HostClock): string => clockWords(seen(value, 'ntpq -p', 'a'));
    assert.equal(said(clock(2000)), 'ntpq -p: the clock is 2 s ahead');
    assert.equal(said(clock(null, null)), 'ntpq -p: the clock is not measured');
    assert.equal(said(clock(-2000, false)), 'ntpq -p: the clock is 2 s behind, not synchronised');
  });
});
