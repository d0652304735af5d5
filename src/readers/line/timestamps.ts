import { utcMs, type When } from '../../evidence/time.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const ISO =
  /(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:\s?(Z|UTC|[+-]\d{2}:?\d{2}))?/;
const JOURNAL =
  /^(?:<\d+>)?([A-Z][a-z]{2}) +(\d{1,2}) (?:(\d{4}) )?(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?/;
const KLOG = /(?:^|[\s"])[IWEFD](\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})\.(\d{1,9})/;
const RFC1123 =
  /[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2})(?: ([+-]\d{4}))?/;
const EPOCH = /"(?:ts|time|timestamp)":\s*"?(1\d{9}(?:\.\d+)?)"?[,}]/;
const EPOCH_MICROSECONDS = /"__REALTIME_TIMESTAMP"\s*:\s*"(\d{16})"/;

/** Year given to stamps without one; a leap year, so that 29 February exists. */
const YEARLESS = 2000;

function msOfDay(hours: string, minutes: string, seconds: string, fraction = ''): number {
  const ms = fraction === '' ? 0 : Number(`0.${fraction}`) * 1000;
  return (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 + ms;
}

function utc(ms: number, yearless = false): When {
  return { ms, yearless, clock: 'utc' };
}

/** A stamp without a zone. */
function local(ms: number, yearless: boolean): When {
  return { ms, yearless, clock: 'utc', isLocal: true };
}

function zoneMs(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  if (match === null) return 0;
  const ms = (Number(match[2]) * 60 + Number(match[3])) * 60_000;
  return match[1] === '-' ? -ms : ms;
}

function parseIso(text: string): When | null {
  const m = ISO.exec(text);
  if (m === null) return null;
  const day = msOfDay(m[4] ?? '', m[5] ?? '', m[6] ?? '', m[7]);
  const ms = utcMs(Number(m[1]), Number(m[2]), Number(m[3]), day);
  return m[8] === undefined ? local(ms, false) : utc(ms - zoneMs(m[8]));
}

function parseKlog(text: string): When | null {
  const m = KLOG.exec(text);
  if (m === null) return null;
  const day = msOfDay(m[3] ?? '', m[4] ?? '', m[5] ?? '', m[6]);
  return local(utcMs(YEARLESS, Number(m[1]), Number(m[2]), day), true);
}

function parseJournal(text: string): When | null {
  const m = JOURNAL.exec(text);
  const month = MONTHS.indexOf(m?.[1] ?? '') + 1;
  if (m === null || month === 0) return null;
  const year = m[3] === undefined ? YEARLESS : Number(m[3]);
  const day = msOfDay(m[4] ?? '', m[5] ?? '', m[6] ?? '', m[7]);
  return local(utcMs(year, month, Number(m[2]), day), m[3] === undefined);
}

function parseRfc1123(text: string): When | null {
  const m = RFC1123.exec(text);
  const month = MONTHS.indexOf(m?.[2] ?? '') + 1;
  if (m === null || month === 0) return null;
  const day = msOfDay(m[4] ?? '', m[5] ?? '', m[6] ?? '');
  return utc(utcMs(Number(m[3]), month, Number(m[1]), day) - zoneMs(m[7]));
}

function parseEpoch(text: string): When | null {
  const microseconds = EPOCH_MICROSECONDS.exec(text)?.[1];
  if (microseconds !== undefined) return utc(Number(microseconds) / 1000);
  const seconds = EPOCH.exec(text)?.[1];
  return seconds === undefined ? null : utc(Number(seconds) * 1000);
}

/**
 * The moment a log line carries, null without one.
 * Full stamps win over klog's and journald's, which have no year; zones are applied. A stamp without
 * a zone is marked: it counts as UTC, which EKS machine images and containers use, unless its
 * document shows another zone (`zoneOffsetMs`).
 */
export function parseWhen(line: string): When | null {
  const head = line.slice(0, 400);
  return (
    parseIso(head.slice(0, 120)) ??
    parseJournal(head) ??
    parseKlog(head) ??
    parseEpoch(line.slice(0, 2000)) ??
    parseIso(head) ??
    parseRfc1123(head)
  );
}

const AGE_PART = /(?<!\d)(\d+)(d|h|m|s)/g;
const PART_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
};

/** Milliseconds of a kubectl age such as `2d4h`, `5m3s` or `<1s`; null when it is none. */
export function parseAgeMs(text: string): number | null {
  if (text === '<1s' || text === '0s') return 0;
  if (!/^(?:\d+[dhms])+$/.test(text)) return /^\d+y(?:\d+d)?$/.test(text) ? 365 * 86_400_000 : null;
  let total = 0;
  for (const part of text.matchAll(AGE_PART))
    total += Number(part[1]) * (PART_MS[part[2] ?? ''] ?? 0);
  return total;
}

/** A moment counted backwards from when the dump `document` was made. */
export function agoIn(document: number, ageMs: number): When {
  return { ms: -ageMs, yearless: false, clock: `dump ${document}` };
}
