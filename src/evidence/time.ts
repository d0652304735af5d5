/**
 * A moment as its source told it.
 * `ms` is milliseconds since the Unix epoch; when `yearless` it was computed for the year 2000,
 * because klog and journald's short format print no year.
 * `clock` is `utc` for wall-clock stamps, or the name of one dump whose ages (`5m3s`) count
 * backwards from a moment nobody wrote down, or of one machine whose clock is wrong by an unknown
 * amount; moments of different clocks cannot be compared.
 * `isLocal` marks a stamp without a zone, which counts as UTC until its document shows its zone.
 */
export interface When {
  readonly ms: number;
  readonly yearless: boolean;
  readonly clock: string;
  readonly isLocal?: true;
}

/** Where a line stands: documents in reading order, lines from 1. */
export interface Position {
  readonly document: number;
  readonly line: number;
}

/** Who tells the moment; asked only where an answer depends on it. */
export interface Timed {
  /** ms since the epoch; null where nobody knows the present. */
  readonly nowMs: number | null;
}

/** A sighting's place in time and text, enough to say which of two came later. */
export interface Moment {
  readonly when: When | null;
  readonly at: Position;
  /** A dump of present state, which is later than every line unless a stamp says otherwise. */
  readonly isState: boolean;
  /**
   * Since when a state holds, ms since the epoch, where its object says so. It is shown and orders
   * what is told; which of two came later is decided without it, as a state may be as old as it will.
   */
  readonly sinceMs?: number;
}

/** The moment by its stamp, else by that of the state which it shows. */
export function dated(moment: Moment): Moment {
  const { when, sinceMs } = moment;
  if (when !== null || sinceMs === undefined) return moment;
  return { ...moment, when: { ms: sinceMs, yearless: false, clock: 'utc' } };
}

/** ISO text of a stamp or of the state's own time, null when neither is known. */
export function isoMoment(moment: Moment): string | null {
  return isoTime(dated(moment).when);
}

function comparable(a: When | null, b: When | null): boolean {
  return a !== null && b !== null && a.clock === b.clock && a.yearless === b.yearless;
}

const SECOND_MS = 1000;

/** How much later `b` is, ms; 0 within one second where one of the two stamps has no fraction. */
function laterBy(b: When, a: When): number {
  const isWhole = a.ms % SECOND_MS === 0 || b.ms % SECOND_MS === 0;
  const isSameSecond = Math.floor(a.ms / SECOND_MS) === Math.floor(b.ms / SECOND_MS);
  return isWhole && isSameSecond ? 0 : b.ms - a.ms;
}

/** True when `b` is known to come after `a`; false also when nobody can tell. */
export function isAfter(b: Moment, a: Moment): boolean {
  if (a.when !== null && b.when !== null && comparable(a.when, b.when)) {
    const difference = laterBy(b.when, a.when);
    if (difference !== 0) return difference > 0;
  }
  if (a.at.document === b.at.document) return b.at.line > a.at.line;
  return b.isState && !a.isState;
}

/**
 * True when a success is known to come after a failure. A state that stands in the same text is as
 * old as it says: which of the two lines is further down tells nothing.
 */
export function isOvertaken(failed: Moment, success: Moment): boolean {
  const isListed = failed.isState && failed.at.document === success.at.document;
  return isAfter(success, isListed ? dated(failed) : failed);
}

/** ISO text of a moment, null when its year or zone of counting is unknown. */
export function isoTime(when: When | null): string | null {
  if (when === null || when.yearless || when.clock !== 'utc') return null;
  const days = Math.floor(when.ms / 86_400_000);
  return `${isoDate(days)}T${isoClock(when.ms - days * 86_400_000)}Z`;
}

/** The stamps that were read lately: those of objects are often of the same seconds. */
const STAMPS = new Map<string, number | null>();
const STAMPS_MAX = 256;
const STAMP_CHARS_MAX = 40;

/** Milliseconds since the epoch of an ISO stamp in UTC or with an offset, null for anything else. */
export function isoMs(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const known = STAMPS.get(text);
  if (known !== undefined) return known;
  const ms = readStamp(text);
  if (STAMPS.size >= STAMPS_MAX) STAMPS.clear();
  if (text.length <= STAMP_CHARS_MAX) STAMPS.set(text, ms);
  return ms;
}

function readStamp(text: string): number | null {
  const m =
    /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):?(\d{2}))$/.exec(
      text,
    );
  if (m === null) return null;
  const part = (index: number): number => Number(m[index] ?? 0);
  const seconds = (part(4) * 60 + part(5)) * 60 + part(6) + Number(`0.${m[7] ?? 0}`);
  const offsetMs = (part(9) * 60 + part(10)) * 60_000 * (m[8] === '-' ? -1 : 1);
  return utcMs(part(1), part(2), part(3), seconds * 1000) - offsetMs;
}

function isoClock(msOfDay: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(msOfDay / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const ms = Math.floor(msOfDay % 1000);
  return `${clock.map(two).join(':')}${ms === 0 ? '' : `.${String(ms).padStart(3, '0')}`}`;
}

/** Civil date of a day number, by the era arithmetic of the proleptic Gregorian calendar. */
function isoDate(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return [
    String(year).padStart(4, '0'),
    String(month).padStart(2, '0'),
    String(day).padStart(2, '0'),
  ].join('-');
}

/** Milliseconds since the epoch of a UTC civil time; months count from 1. */
export function utcMs(year: number, month: number, day: number, msOfDay: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return (era * 146_097 + dayOfEra - 719_468) * 86_400_000 + msOfDay;
}
