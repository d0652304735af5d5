import { counted, lengthText } from './words.ts';

/** Free addresses of the subnets at one time. */
export interface FreeSample {
  /** ms since the epoch. */
  readonly timeMs: number;
  readonly free: number;
}

export interface Exhaustion {
  /** ms from the last sample until no address is free; null when they do not get fewer. */
  readonly inMs: number | null;
  /** Addresses that go per day; negative when they come back. */
  readonly perDay: number;
  readonly sentence: string;
}

const DAY_MS = 86_400_000;
const SAMPLES_MIN = 3;
/** A trend tells nothing beyond a few times the span over which it was seen. */
const SPANS_AHEAD_MAX = 4;

/** Slope of the line with the least squares, addresses per ms. */
function slopeOf(samples: readonly FreeSample[]): number {
  const meanTime = samples.reduce((sum, one) => sum + one.timeMs, 0) / samples.length;
  const meanFree = samples.reduce((sum, one) => sum + one.free, 0) / samples.length;
  const both = samples.reduce(
    (sum, one) => sum + (one.timeMs - meanTime) * (one.free - meanFree),
    0,
  );
  const square = samples.reduce((sum, one) => sum + (one.timeMs - meanTime) ** 2, 0);
  return square === 0 ? 0 : both / square;
}

/**
 * When the addresses run out if they go on going as they went, by a straight line; null with
 * fewer than three samples at different times, or when that lies far beyond what was watched.
 */
export function exhaustionOf(samples: readonly FreeSample[]): Exhaustion | null {
  const sorted = samples.toSorted((a, b) => a.timeMs - b.timeMs);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || sorted.length < SAMPLES_MIN) return null;
  const spanMs = last.timeMs - first.timeMs;
  if (spanMs <= 0) return null;
  const slope = slopeOf(sorted);
  const perDay = -slope * DAY_MS;
  if (slope >= 0) return { inMs: null, perDay, sentence: 'The free addresses do not get fewer.' };
  const inMs = last.free / -slope;
  if (inMs > spanMs * SPANS_AHEAD_MAX) return null;
  const rate = counted(Math.max(1, Math.round(perDay)), 'address');
  const sentence = `${rate} go per day: none is free in about ${lengthText(inMs)}.`;
  return { inMs, perDay, sentence };
}
