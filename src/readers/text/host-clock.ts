import type { HostClock } from '../../evidence/kinds.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import { readPrefix } from '../line/origin.ts';

/** What one program on a machine said of its clock, and on which line. */
export interface ClockSaid {
  readonly value: HostClock;
  readonly by: string;
  /** From 1. */
  readonly line: number;
  /** The machine that the line itself names. */
  readonly about: MachineName | null;
}

/** Words of which every text that speaks of a clock has one; their first letters are rare. */
const MARKS: readonly string[] = [
  'NTP time',
  'System clock synchronized: ',
  'NTP synchronized: ',
  'NTPSynchronized=',
  'Root distance:',
  '\n   polling server every ',
  ' st t when poll reach ',
  "'s is ",
];

const CHRONY = /^\s*System time\s*: (\d{1,12}(?:\.\d{1,9})?) seconds (slow|fast) of NTP time\s*$/;
const CHRONY_LEAP = /^\s*Leap status\s*: (.+)$/;
/** `Leap status` stands so many lines below `System time`. */
const CHRONY_LINES = 12;
const TIMEDATECTL =
  /^\s*(?:System clock synchronized: |NTP synchronized: |NTPSynchronized=)(yes|no)\s*$/;
const TIMESYNC = /^\s*Offset: ([+-])((?:\d+(?:\.\d+)?(?:us|ms|s|min|h|d) ?){1,5})\s*$/;
const NTPQ = /^\s*remote\s+refid\s+st t when poll reach\s+delay\s+offset\s+(?:jitter|disp)/;
const NTPSTAT = /^(un)?synchronised\b/;
const PROBE =
  /\brollcall(?:\[\d+\])?: \S+: its clock minus this machine's is (-?\d{1,12}\.\d) s\s*$/;

/** systemd-timesyncd slews less and steps at once from here on, so that a larger offset is history. */
const STEPPED_MS = 400;
/** An HTTP date has whole seconds, and takes its time on the way. */
const DATE_ERROR_MS = 2000;

const UNIT_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

type Said = Pick<ClockSaid, 'value' | 'by'> & Partial<Pick<ClockSaid, 'about'>>;

function clock(aheadMs: number | null, isSynchronised: boolean | null): HostClock {
  return { aheadMs, isSynchronised };
}

/** `chronyc tracking`: what chronyd has still to correct; `Last offset` is a past measurement. */
function ofChrony(lines: readonly string[], index: number): Said | null {
  const match = CHRONY.exec(lines[index] ?? '');
  if (match === null) return null;
  const ms = Number(match[1]) * 1000 * (match[2] === 'slow' ? -1 : 1);
  const leap = lines
    .slice(index + 1, index + CHRONY_LINES)
    .map((line) => CHRONY_LEAP.exec(line.trimEnd())?.[1])
    .find((text) => text !== undefined);
  const isSynchronised = leap === undefined ? null : leap !== 'Not synchronised';
  // Before the first measurement it prints zero.
  const aheadMs = isSynchronised === false && ms === 0 ? null : ms === 0 ? 0 : ms;
  return { value: clock(aheadMs, isSynchronised), by: 'chronyc tracking' };
}

function ofTimedatectl(lines: readonly string[], index: number): Said | null {
  const said = TIMEDATECTL.exec(lines[index] ?? '')?.[1];
  return said === undefined ? null : { value: clock(null, said === 'yes'), by: 'timedatectl' };
}

/** `timedatectl timesync-status`: the server's time minus the machine's, at the last answer. */
function ofTimesyncd(lines: readonly string[], index: number): Said | null {
  const match = TIMESYNC.exec(lines[index] ?? '');
  if (match === null) return null;
  const near = lines.slice(Math.max(0, index - 3), index);
  if (!near.some((line) => /^\s*Root distance: /.test(line))) return null;
  const parts = [...(match[2] ?? '').matchAll(/(?<![\d.])(\d+(?:\.\d+)?)([a-z]+)/g)];
  const ms = parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0), 0);
  const aheadMs = ms >= STEPPED_MS ? null : match[1] === '+' ? -ms : ms;
  return { value: clock(aheadMs, true), by: 'timedatectl timesync-status' };
}

/** `ntpq -p`: the offset of the server that is followed, ms, positive when the machine is behind. */
function ofNtpq(lines: readonly string[], index: number): Said | null {
  if (!NTPQ.test(lines[index] ?? '')) return null;
  const rows = lines.slice(index + 1, index + 40);
  const end = rows.findIndex((row) => row.trim() === '');
  const followed = (end < 0 ? rows : rows.slice(0, end)).find((row) => /^[*o]\S/.test(row));
  if (followed === undefined) return { value: clock(null, false), by: 'ntpq -p' };
  const offset = followed.trim().split(/\s+/)[8] ?? '';
  if (!/^[+-]?\d{1,12}(?:\.\d{1,9})?$/.test(offset)) return null;
  return { value: clock(0 - Number(offset), true), by: 'ntpq -p' };
}

function ofNtpstat(lines: readonly string[], index: number): Said | null {
  const match = NTPSTAT.exec(lines[index] ?? '');
  const below = lines.slice(index + 1, index + 4);
  if (match === null || !below.some((line) => /^\s*polling server every /.test(line))) return null;
  return { value: clock(null, match[1] === undefined), by: 'ntpstat' };
}

/** Our own probe: the server's time minus the machine's. */
function ofProbe(lines: readonly string[], index: number): Said | null {
  const line = lines[index] ?? '';
  const seconds = PROBE.exec(line)?.[1];
  if (seconds === undefined) return null;
  const ms = 0 - Number(seconds) * 1000;
  const { host } = readPrefix(line);
  const about = host === null ? null : classifyName(host, 'host');
  const aheadMs = Math.abs(ms) < DATE_ERROR_MS ? 0 : ms;
  return { value: clock(aheadMs, null), by: 'rollcall probe', about };
}

const FORMS = [ofChrony, ofTimedatectl, ofTimesyncd, ofNtpq, ofNtpstat, ofProbe];

/** True when a text may hold what `clocksSaid` reads. */
export function speaksOfClock(text: string): boolean {
  return MARKS.some((mark) => text.includes(mark));
}

/**
 * What chronyc, timedatectl, ntpq, ntpstat and Rollcall's own probe said of a machine's clock,
 * known by the form of their lines.
 */
export function* clocksSaid(lines: readonly string[]): Generator<ClockSaid> {
  for (const index of lines.keys()) {
    for (const form of FORMS) {
      const said = form(lines, index);
      if (said !== null) yield { about: null, ...said, line: index + 1 };
    }
  }
}
