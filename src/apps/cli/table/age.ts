const SECOND_MS = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Step {
  /** Ages below this many seconds are told in these units. */
  readonly below: number;
  readonly unit: readonly [number, string];
  readonly rest: readonly [number, string] | null;
}

/** How kubectl shortens ages: two units where the second still matters. */
const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, unit: [1, 's'], rest: null },
  { below: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [1, 's'] },
  { below: 3 * HOUR, unit: [MINUTE, 'm'], rest: null },
  { below: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { below: 2 * DAY, unit: [HOUR, 'h'], rest: null },
  { below: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { below: 2 * YEAR, unit: [DAY, 'd'], rest: null },
  { below: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { below: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'], rest: null },
];

/**
 * An age as kubectl prints it: `90s`, `5m30s`, `3d4h`.
 *
 * @param sinceIso a time in ISO 8601, null when nobody knows it
 * @param nowMs ms since the epoch, null when nobody knows it
 */
export function ageText(sinceIso: string | null, nowMs: number | null): string {
  const sinceMs = sinceIso === null ? Number.NaN : Date.parse(sinceIso);
  if (nowMs === null || Number.isNaN(sinceMs)) return '<unknown>';
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / SECOND_MS));
  const step = STEPS.find(({ below }) => seconds < below);
  if (step === undefined) return '<unknown>';
  const [size, letter] = step.unit;
  const whole = `${Math.floor(seconds / size)}${letter}`;
  if (step.rest === null) return whole;
  const rest = Math.floor((seconds % size) / step.rest[0]);
  return rest === 0 ? whole : `${whole}${rest}${step.rest[1]}`;
}
