import type { JournalFilter, JournalLine } from '../contract.ts';
import { isoStamp, preciseStamp, syslogStamp } from './stamps.ts';
import type { ZoneMinutes } from './zone.ts';

/** A journal of one machine keeps its beginning, where joins are decided, and its latest lines. */
const FIRST_LINES = 2000;
const LATEST_LINES = 3000;

/** Lines that keep their beginning and their end when there are too many. */
export class BoundedLines<T> {
  readonly #first: T[] = [];
  #latest: T[] = [];

  push(line: T): void {
    if (this.#first.length < FIRST_LINES) {
      this.#first.push(line);
      return;
    }
    this.#latest.push(line);
    if (this.#latest.length >= 2 * LATEST_LINES) this.#latest = this.#latest.slice(-LATEST_LINES);
  }

  all(): readonly T[] {
    return this.#latest.length === 0 ? this.#first : [...this.#first, ...this.#latest];
  }
}

const STAMPS = {
  short: syslogStamp,
  'short-iso': isoStamp,
  'short-precise': preciseStamp,
} as const;

/** What `journalctl` prints of these lines. */
export function journalctl(
  lines: readonly JournalLine[],
  { units, sinceMs = 0, format = 'short-iso' }: JournalFilter = {},
  zoneMinutes: ZoneMinutes = () => 0,
): string {
  const stamp = STAMPS[format];
  const wanted = units === undefined ? null : new Set(units);
  const texts = lines
    .filter((line) => line.atMs >= sinceMs && (wanted === null || wanted.has(line.unit)))
    .map(({ atMs, hostname, unit, pid, message }) => {
      const program = pid === 0 ? unit : `${unit}[${pid}]`;
      return `${stamp(atMs, zoneMinutes(atMs))} ${hostname} ${program}: ${message}\n`;
    });
  return texts.join('');
}
