import type { SpotDemand } from './demand.ts';
import { type Interruptions, interruptionsOf, NOT_RECORDED } from './interruptions.ts';
import { type Offer, offerOf } from './offer.ts';
import { keyOf, type PoolName } from './pool.ts';
import { type PriceStatistics, statisticsOf, stepsOf } from './price-series.ts';
import { type FixedRules, meaning, PREFERENCE, type SpotRules } from './rules.ts';
import type { Told } from './told.ts';

/** A pool that could be taken from. */
export interface Candidate extends PoolName {
  readonly offer: Offer;
  readonly price: PriceStatistics;
  /** Dollars an hour now. */
  readonly dollars: number;
  /**
   * Dollars an hour as the mix is chosen by: those of now, preferred types somewhat cheaper. Replays
   * show that moving a price by its trend, or taking its mean, chooses worse (docs/spot.md).
   */
  readonly planned: number;
  readonly interruptions: Interruptions;
  /** From 1 to 10, of its zone; null is unknown. */
  readonly score: number | null;
}

export interface Candidates {
  readonly pools: readonly Candidate[];
  /** Types that were looked at and give no pool, and why. */
  readonly leftOut: ReadonlyMap<string, string>;
}

export interface SpotQuestion {
  readonly demand: SpotDemand;
  readonly rules: SpotRules;
  readonly told: Told;
  /** The moment that prices are wanted for. */
  readonly nowMs: number;
  /** How far back prices are looked at, ms. */
  readonly historyMs: number;
}

/** The same with every share fixed. */
export type FixedQuestion = SpotQuestion & { readonly rules: FixedRules };

function scoresOf({ told }: SpotQuestion): ReadonlyMap<string, number> {
  return new Map(
    told.scores.flatMap(({ zoneId, score }) => {
      const zone = told.zoneNames.get(zoneId);
      return zone === undefined ? [] : [[zone, score] as const];
    }),
  );
}

/** All pools of which a price is known, and why the types of the others are left out. */
export function candidatesOf(question: SpotQuestion): Candidates {
  const { told, demand, rules, nowMs } = question;
  const zones = new Set(demand.zones);
  const wanted = told.prices.filter(({ zone }) => zones.size === 0 || zones.has(zone));
  const fates = interruptionsOf(told.runs, nowMs);
  const scores = scoresOf(question);
  const leftOut = new Map<string, string>();
  const pools: Candidate[] = [];
  for (const [type, ofType] of Map.groupBy(wanted, (one) => one.type)) {
    const offer = offerOf(type, told.types, demand, rules);
    if ('why' in offer) {
      leftOut.set(type, offer.why);
      continue;
    }
    const own = [...Map.groupBy(ofType, keyOf).values()].flatMap((prices) => {
      const zone = prices[0]?.zone ?? '';
      const score = scores.get(zone) ?? null;
      if (score !== null && score < (rules.minPlacementScore ?? 0)) return [];
      const price = statisticsOf(stepsOf(prices), nowMs - question.historyMs, nowMs);
      if (price === null || price.current === null) return [];
      const isPreferred = meaning(rules.prefer, type) !== null;
      const interruptions = fates.get(keyOf({ type, zone })) ?? NOT_RECORDED;
      const dollars = price.current;
      const planned = dollars * (isPreferred ? 1 - PREFERENCE : 1);
      return [{ type, zone, offer, price, dollars, planned, interruptions, score }];
    });
    if (own.length === 0) leftOut.set(type, whyNone(rules));
    pools.push(...own);
  }
  return { pools, leftOut };
}

function whyNone({ minPlacementScore }: SpotRules): string {
  const score =
    minPlacementScore === null ? '' : `, in a zone with a placement score of ${minPlacementScore}`;
  return `no price newer than 3 days${score}`;
}
