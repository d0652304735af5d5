/** Words for sentences and commands; what comes from outside is never trusted in either. */

const PLAIN = /^[A-Za-z0-9._:/@=+-]+$/;
const WORD_LENGTH_MAX = 253;

/** A value as one word of a shell command: plain as it is, anything else quoted. */
export function shellWord(value: string): string {
  return quotedWord(shown(value));
}

/** The same for a text that may be longer than a name, such as a JSON document. */
export function shellText(value: string): string {
  return quotedWord(printableOf(value));
}

function quotedWord(printable: string): string {
  if (PLAIN.test(printable) && !printable.startsWith('-')) return printable;
  return `'${printable.replaceAll("'", `'\\''`)}'`;
}

function printableOf(value: string): string {
  return value.replaceAll(/\p{C}/gu, '');
}

/** A value as a person may see it: no control characters, and no longer than a name can be. */
export function shown(value: string): string {
  const printable = printableOf(value);
  return printable.length > WORD_LENGTH_MAX ? `${printable.slice(0, WORD_LENGTH_MAX)}…` : printable;
}

/** `1 interface`, `3 interfaces`, `2 addresses`, `4 prefixes`. */
export function counted(count: number, one: string): string {
  if (count === 1) return `1 ${one}`;
  return `${grouped(count)} ${one}${/[sx]$/.test(one) ? 'es' : 's'}`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A length of time to the nearest minute, hour or day: `12 minutes`, `30 hours`, `9 days`. */
export function lengthText(ms: number): string {
  if (ms >= 2 * DAY_MS) return counted(Math.round(ms / DAY_MS), 'day');
  if (ms >= 2 * HOUR_MS) return counted(Math.round(ms / HOUR_MS), 'hour');
  return counted(Math.max(1, Math.round(ms / 60_000)), 'minute');
}

/** A whole number with its thousands apart: `11,762`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A share as a percentage, at most so many digits behind the point: `25 %`, `12.5 %`. */
export function percentText(share: number, digits = 1): string {
  return `${Number((share * 100).toFixed(digits))} %`;
}
