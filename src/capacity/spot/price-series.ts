import type { PricePoint, ToldPrices } from './told.ts';

/** A price that held for a while; what lies between two steps that do not touch is unknown. */
export interface PriceStep {
  readonly fromMs: number;
  readonly toMs: number;
  /** Dollars an hour. */
  readonly dollars: number;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function spansOf(told: readonly ToldPrices[]): readonly Span[] {
  const spans = told
    .flatMap(({ points: [first], untilMs }) =>
      first === undefined ? [] : [{ fromMs: first.atMs, toMs: untilMs }],
    )
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else joined[joined.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) };
  }
  return joined;
}

/** One point for each moment; of two prices at one moment the higher, so that nothing looks cheaper. */
function pointsOf(told: readonly ToldPrices[]): readonly PricePoint[] {
  const byMoment = new Map<number, number>();
  for (const { atMs, dollars } of told.flatMap(({ points }) => points))
    byMoment.set(atMs, Math.max(dollars, byMoment.get(atMs) ?? 0));
  return [...byMoment]
    .map(([atMs, dollars]) => ({ atMs, dollars }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/**
 * What is known of the price of one pool. A point says when a price began, so that it holds until
 * the next one or until its answer ends; what no answer covers is a gap.
 */
export function stepsOf(told: readonly ToldPrices[]): readonly PriceStep[] {
  const points = pointsOf(told);
  let next = 0;
  return spansOf(told).flatMap(({ toMs }) => {
    const steps: PriceStep[] = [];
    for (let point = points[next]; point !== undefined && point.atMs <= toMs; ) {
      const after = points[++next];
      const endMs = after === undefined ? toMs : Math.min(after.atMs, toMs);
      if (endMs > point.atMs || after === undefined || after.atMs > toMs)
        steps.push({ fromMs: point.atMs, toMs: endMs, dollars: point.dollars });
      point = after;
    }
    return steps;
  });
}

/** The part of what is known that lies in a time. */
export function within(
  steps: readonly PriceStep[],
  fromMs: number,
  toMs: number,
): readonly PriceStep[] {
  return steps
    .filter((step) => step.toMs >= fromMs && step.fromMs <= toMs)
    .map((step) => ({
      dollars: step.dollars,
      fromMs: Math.max(fromMs, step.fromMs),
      toMs: Math.min(toMs, step.toMs),
    }));
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;
/** A price that nothing has confirmed for longer is not the price of now. */
const STALE_MS = 3 * DAY_MS;
/** Of less no trend is told. */
const TREND_LEAST_MS = 2 * DAY_MS;

/** What is known of a pool's price in a time. */
export interface PriceStatistics {
  /** Dollars an hour now; null where the newest that is known is older than three days. */
  readonly current: number | null;
  /** Weighted by how long each price held. */
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  /** Standard deviation over time, as a share of the mean. */
  readonly volatility: number;
  /** Change in a week along the line that fits best, as a share of the mean; null of too little. */
  readonly trendPerWeek: number | null;
  /** Changes of the price. */
  readonly changes: number;
  /** Share of the time of which the price is known. */
  readonly known: number;
}

interface Sums {
  /** Days. */
  time: number;
  price: number;
  square: number;
  moment: number;
  momentPrice: number;
  momentSquare: number;
}

/** Integrals over the steps, time in days from `originMs` on. */
function integrated(steps: readonly PriceStep[], originMs: number): Sums {
  const sums = { time: 0, price: 0, square: 0, moment: 0, momentPrice: 0, momentSquare: 0 };
  for (const { fromMs, toMs, dollars } of steps) {
    const [from, to] = [(fromMs - originMs) / DAY_MS, (toMs - originMs) / DAY_MS];
    const days = to - from;
    const moment = (to * to - from * from) / 2;
    sums.time += days;
    sums.price += dollars * days;
    sums.square += dollars * dollars * days;
    sums.moment += moment;
    sums.momentPrice += dollars * moment;
    sums.momentSquare += (to ** 3 - from ** 3) / 3;
  }
  return sums;
}

function trendOf(sums: Sums, mean: number): number | null {
  if (sums.time * DAY_MS < TREND_LEAST_MS) return null;
  const middle = sums.moment / sums.time;
  const spread = sums.momentSquare / sums.time - middle * middle;
  if (spread <= 0) return null;
  const together = sums.momentPrice / sums.time - middle * mean;
  return ((together / spread) * WEEK_DAYS) / mean;
}

/**
 * What is known of a price between two moments; null when nothing is.
 *
 * @param toMs the moment that is meant by "now"
 */
export function statisticsOf(
  steps: readonly PriceStep[],
  fromMs: number,
  toMs: number,
): PriceStatistics | null {
  const inTime = within(steps, fromMs, toMs);
  const last = inTime.at(-1);
  if (last === undefined) return null;
  const prices = inTime.map(({ dollars }) => dollars);
  const sums = integrated(inTime, (fromMs + toMs) / 2);
  const mean = sums.time > 0 ? sums.price / sums.time : last.dollars;
  const variance = sums.time > 0 ? Math.max(0, sums.square / sums.time - mean * mean) : 0;
  return {
    current: toMs - last.toMs <= STALE_MS ? last.dollars : null,
    mean,
    least: prices.reduce((least, price) => Math.min(least, price)),
    most: prices.reduce((most, price) => Math.max(most, price)),
    volatility: Math.sqrt(variance) / mean,
    trendPerWeek: trendOf(sums, mean),
    changes: inTime.filter(({ dollars }, at) => at > 0 && dollars !== inTime[at - 1]?.dollars)
      .length,
    known: Math.min(1, (sums.time * DAY_MS) / Math.max(1, toMs - fromMs)),
  };
}
