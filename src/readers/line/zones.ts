import { parseWhen } from './timestamps.ts';

/** The stamp that a program printed itself, behind the journal's own. */
const INNER =
  /(?:\btime="|"(?:ts|time)":\s*")(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2}))"/;
/** As `timedatectl` prints it: `Time zone: Europe/Berlin (CET, +0100)`. */
const NAMED_ZONE = /\bTime zone: \S+ \([A-Z0-9+-]+, ([+-])(\d{2})(\d{2})\)/;
const PREFIX = /^(?:<\d+>)?([A-Z][a-z]{2} +\d{1,2}) (\d{2}:\d{2}:\d{2})/;

const QUARTER_MS = 15 * 60_000;
/** From UTC-12 to UTC+14. */
const OFFSET_MAX_MS = 14 * 3_600_000;
/** A line reaches the journal soon after it was printed. */
const DELAY_MAX_MS = 120_000;

function namedZoneMs(line: string): number | null {
  const match = NAMED_ZONE.exec(line);
  if (match === null) return null;
  const ms = (Number(match[2]) * 60 + Number(match[3])) * 60_000;
  return match[1] === '-' ? -ms : ms;
}

/** The difference between two stamps of one line of which the first has neither year nor zone. */
function pairedMs(line: string): number | null {
  const inner = INNER.exec(line)?.[1];
  const prefix = PREFIX.exec(line);
  const innerMs = parseWhen(inner ?? '')?.ms;
  if (inner === undefined || prefix === null || innerMs === undefined) return null;
  const year = Number(inner.slice(0, 4));
  // At the turn of the year the two stamps may stand in different years.
  for (const candidate of [year, year - 1, year + 1]) {
    const outerMs = parseWhen(`${prefix[1] ?? ''} ${candidate} ${prefix[2] ?? ''}`)?.ms;
    const offset = outerMs === undefined ? null : nearQuarter(outerMs - innerMs);
    if (offset !== null) return offset;
  }
  return null;
}

function nearQuarter(gapMs: number): number | null {
  const quarterMs = Math.round(gapMs / QUARTER_MS) * QUARTER_MS;
  const isZone = Math.abs(quarterMs) <= OFFSET_MAX_MS;
  return isZone && Math.abs(gapMs - quarterMs) <= DELAY_MAX_MS ? quarterMs : null;
}

/**
 * How far the stamps without a zone of these lines are ahead of UTC, ms: by `timedatectl`, or by
 * lines that carry a second stamp with its zone, which must agree. null when nothing shows it.
 */
export function zoneOffsetMs(lines: readonly string[]): number | null {
  const paired = new Set<number>();
  for (const line of lines) {
    const named = namedZoneMs(line);
    if (named !== null) return named;
    const offset = pairedMs(line);
    if (offset !== null) paired.add(offset);
  }
  const [only] = paired;
  return paired.size === 1 ? (only ?? null) : null;
}
