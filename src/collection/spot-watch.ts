import type { Refusal } from '../evidence/observations.ts';
import { readSpotAnswers, readSpotStandings, type SpotStanding } from '../readers/spot/answers.ts';
import { type AwsSource, createAsk } from './asking.ts';
import { askSpotHistory, askSpotRequests, type SpotScope } from './spot-calls.ts';

/** A price that begins in one pool. */
export interface SeenPrice {
  readonly type: string;
  readonly zone: string;
  readonly atMs: number;
  /** Dollars an hour. */
  readonly dollars: number;
}

/** One look at Spot; null is unknown, and `refusals` say why. */
export interface SpotLook {
  readonly nowMs: number;
  readonly prices: readonly SeenPrice[] | null;
  readonly standings: readonly SpotStanding[] | null;
  /** What of an answer was not used, one sentence each. */
  readonly losses: readonly string[];
  readonly refusals: readonly Refusal[];
}

export interface SpotQuestions {
  readonly scope: SpotScope;
  /** Whose prices are asked for from then on; null to ask for none. */
  readonly prices: { readonly types: readonly string[]; readonly fromMs: number } | null;
}

/** More types than one call should name; a watch of more is a watch of the whole region. */
export const WATCHED_TYPES_MAX = 200;

/** Asks EC2 for prices and Spot requests. A list of which a page is refused is unknown as a whole. */
export async function lookAtSpot(
  source: AwsSource,
  { scope, prices }: SpotQuestions,
  signal: AbortSignal,
): Promise<SpotLook> {
  const refusals: Refusal[] = [];
  const evidence = {
    add: () => undefined,
    shorten: () => undefined,
    refuse: (refusal: Refusal) => refusals.push(refusal),
  };
  const ask = createAsk(source, evidence, signal);
  const isAsked = prices !== null && prices.types.length > 0;
  const [runs, history] = await Promise.all([
    askSpotRequests(ask),
    isAsked ? askSpotHistory(ask, scope, prices) : null,
  ]);
  const isRefused = (operation: string): boolean =>
    refusals.some(({ call }) => call === `ec2:${operation}`);
  const told = history === null ? null : readSpotAnswers([history], scope.product);
  const arePricesKnown = told !== null && !isRefused('DescribeSpotPriceHistory');
  return {
    nowMs: scope.nowMs,
    prices: arePricesKnown
      ? told.prices.flatMap(({ type, zone, points }) =>
          points.map((point) => ({ type, zone, ...point })),
        )
      : null,
    standings: isRefused('DescribeSpotInstanceRequests') ? null : readSpotStandings(runs.content),
    losses: told?.losses ?? [],
    refusals,
  };
}
