import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import type { Quote } from '../evidence/sighting.ts';
import { type Moment, utcMs, type When } from '../evidence/time.ts';
import { readDrifts, type Drift } from './drift.ts';

const DAY_MS = 86_400_000;
/** A log may run a little ahead of the newest stamp seen elsewhere: late collection. */
const AHEAD_MAX_MS = DAY_MS;

interface Clocks {
  /** The newest full stamp of the pile, null without one. */
  readonly newestMs: number | null;
  /** The newest full stamp of each document: when a dump of it was made, at the earliest. */
  readonly newestOf: ReadonlyMap<number, number>;
}

function isFull(when: When | null): when is When {
  return when !== null && when.clock === 'utc' && !when.yearless;
}

function* momentsOf(observations: Observations): Generator<Moment> {
  for (const hit of observations.hits) {
    yield hit.first.moment;
    yield hit.last.moment;
  }
  for (const fact of observations.facts) yield fact.moment;
}

/** Stamps inside a Node's conditions say when the dump that shows them was made. */
function stampsOf(fact: FactRecord): readonly number[] {
  if (fact.kind !== 'kube/Node') return [];
  const { conditions } = fact.value as {
    readonly conditions: readonly { readonly heartbeatMs: number | null }[];
  };
  return conditions.flatMap(({ heartbeatMs }) => (heartbeatMs === null ? [] : [heartbeatMs]));
}

function readClocks(observations: Observations): Clocks {
  const newestOf = new Map<number, number>();
  const note = (document: number, ms: number): void => {
    newestOf.set(document, Math.max(ms, newestOf.get(document) ?? ms));
  };
  for (const { when, at } of momentsOf(observations)) if (isFull(when)) note(at.document, when.ms);
  for (const fact of observations.facts)
    for (const ms of stampsOf(fact)) note(fact.moment.at.document, ms);
  const newest = [...newestOf.values()];
  return { newestMs: newest.length === 0 ? null : Math.max(...newest), newestOf };
}

/** The year of a full stamp. */
function yearOf(ms: number): number {
  let year = 1970 + Math.floor(ms / (365.2425 * DAY_MS));
  while (utcMs(year + 1, 1, 1, 0) <= ms) year++;
  while (utcMs(year, 1, 1, 0) > ms) year--;
  return year;
}

/** A stamp without a year, in the latest year in which it is not after the newest stamp of the pile. */
function inYear(when: When, newestMs: number): When {
  const intoYear = when.ms - utcMs(2000, 1, 1, 0);
  const year = yearOf(newestMs + AHEAD_MAX_MS);
  const candidates = [year, year - 1].map((candidate) => dateIn(candidate, intoYear));
  const ms = candidates.find((candidate) => candidate <= newestMs + AHEAD_MAX_MS) ?? when.ms;
  return { ms, yearless: false, clock: when.clock };
}

/** 2000 was a leap year: from March on, other years lie a day earlier in their count. */
function dateIn(year: number, intoLeapYearMs: number): number {
  const isLeap = utcMs(year, 3, 1, 0) - utcMs(year, 2, 1, 0) === 29 * DAY_MS;
  const afterFebruary = intoLeapYearMs >= 60 * DAY_MS;
  return utcMs(year, 1, 1, 0) + intoLeapYearMs - (afterFebruary && !isLeap ? DAY_MS : 0);
}

function alignWhen(when: When | null, document: number, clocks: Clocks): When | null {
  if (when === null) return null;
  if (when.yearless) return clocks.newestMs === null ? when : inYear(when, clocks.newestMs);
  const madeMs = clocks.newestOf.get(document);
  if (!when.clock.startsWith('dump ') || madeMs === undefined) return when;
  return { ms: madeMs + when.ms, yearless: false, clock: 'utc' };
}

function withMoments(given: Hit, moment: (moment: Moment) => Moment): Hit {
  const quote = (one: Quote): Quote => ({ ...one, moment: moment(one.moment) });
  return {
    ...given,
    first: quote(given.first),
    last: quote(given.last),
    quotes: given.quotes.map(quote),
  };
}

/** A stamp as the machine's true clock in UTC would have printed it. */
function corrected(when: When | null, drift: Drift): When | null {
  if (when === null || !(when.clock === 'utc')) return when;
  const zoneMs = when.isLocal === true ? drift.zoneOffsetMs : 0;
  const ms = when.ms - zoneMs - (drift.aheadMs ?? 0);
  const clock = drift.aheadMs === null ? drift.clock : 'utc';
  return { ms, yearless: when.yearless, clock };
}

/** True for a stamp that needs the clocks of the pile to be dated. */
function isLoose({ moment: { when } }: Quote): boolean {
  return when !== null && (when.yearless || when.clock.startsWith('dump '));
}

function hasLoose({ first, last, quotes }: Hit): boolean {
  return isLoose(first) || isLoose(last) || quotes.some(isLoose);
}

/**
 * Puts all moments of a pile on one clock as far as the evidence allows: zones and errors of the
 * machines' own clocks, years for stamps without one, and dates for ages (`5m3s`) of a dump that
 * shows when it was made.
 */
export function alignClocks(given: Observations): Observations {
  const drifts = readDrifts(given);
  const hits = given.hits.map((hit) => {
    const drift = drifts(hit);
    if (drift === null) return hit;
    return withMoments(hit, (moment) => ({ ...moment, when: corrected(moment.when, drift) }));
  });
  if (!hits.some(hasLoose)) return { ...given, hits };
  const clocks = readClocks({ ...given, hits });
  const align = (moment: Moment): Moment => ({
    ...moment,
    when: alignWhen(moment.when, moment.at.document, clocks),
  });
  return { ...given, hits: hits.map((hit) => (hasLoose(hit) ? withMoments(hit, align) : hit)) };
}
