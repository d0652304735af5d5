import type { Seen } from '../evidence/fact.ts';
import type { HostClock } from '../evidence/kinds.ts';

/** Who measures a clock, the most exact first: a time service before the date of a server. */
const MEASURED_BY: readonly string[] = [
  'chronyc tracking',
  'ntpq -p',
  'timedatectl timesync-status',
  'rollcall probe',
];

interface ClockSeen {
  readonly value: HostClock;
  readonly by: string;
}

/** Those of several readings that measured a clock, the most exact first. */
export function measuredClocks<T extends ClockSeen>(clocks: readonly T[]): readonly T[] {
  return clocks
    .filter(({ value }) => value.aheadMs !== null)
    .toSorted((a, b) => MEASURED_BY.indexOf(a.by) - MEASURED_BY.indexOf(b.by));
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A clock's error in its two largest units: `5 min 12 s behind`. */
export function errorWords(aheadMs: number): string {
  let left = Math.round(Math.abs(aheadMs) / 1000);
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  const size = parts.length === 0 ? 'less than 1 s' : parts.slice(0, 2).join(' ');
  return `${size} ${aheadMs < 0 ? 'behind' : 'ahead'}`;
}

/** A reading of a clock as it is quoted. */
export function clockWords({ value, by }: Seen<HostClock>): string {
  const error = value.aheadMs === null ? 'not measured' : errorWords(value.aheadMs);
  const kept = value.isSynchronised === false ? ', not synchronised' : '';
  return `${by}: the clock is ${error}${kept}`;
}
