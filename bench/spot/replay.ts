/**
 * Replays made histories: every week a mix is chosen from what was known then, and paid for with
 * the prices of the week that followed.
 */
import type { Candidate, SpotQuestion } from '../../src/capacity/spot/candidates.ts';
import { candidatesOf } from '../../src/capacity/spot/candidates.ts';
import type { SpotDemand } from '../../src/capacity/spot/demand.ts';
import { mixOf, programOf } from '../../src/capacity/spot/mix.ts';
import { keyOf } from '../../src/capacity/spot/pool.ts';
import { statisticsOf, stepsOf } from '../../src/capacity/spot/price-series.ts';
import { costOf } from '../../src/capacity/spot/program.ts';
import { DEFAULT_RULES, fixedRules } from '../../src/capacity/spot/rules.ts';
import { solve } from '../../src/capacity/spot/solve.ts';
import type { Told } from '../../src/capacity/spot/told.ts';
import { DEFAULT_MODE } from '../../src/capacity/mode.ts';
import { readSpotAnswers } from '../../src/readers/spot/answers.ts';
import {
  BEGIN_MS,
  DAY_MS,
  historyOf,
  type PoolHistory,
  priceAnswer,
  runAnswer,
} from './history.ts';

const WEEK_MS = 7 * DAY_MS;
const HISTORY_MS = 14 * DAY_MS;

export const DEMAND: SpotDemand = {
  vcpus: 192,
  memoryGiB: 600,
  gpus: null,
  pods: 900,
  architectures: [],
  zones: [],
  nodeVcpus: { least: 2, most: 16 },
  daemonPods: 2,
  mode: DEFAULT_MODE,
};

/** How many nodes of each pool; the places are those of the candidates. */
export type Counts = readonly number[];

export type Strategy = (pools: readonly Candidate[], question: SpotQuestion) => Counts;

const FIXED = (pools: readonly Candidate[]) =>
  fixedRules(
    DEFAULT_RULES,
    new Set(pools.map(({ zone }) => zone)).size,
    new Set(pools.map(({ offer }) => offer.family)).size,
  );

/** So many nodes of one pool give at least that share of everything that is wanted. */
function nodesFor({ offer }: Candidate, share: number): number {
  const { vcpus, memoryGiB, pods } = DEMAND;
  return Math.max(
    Math.ceil(((vcpus ?? 0) * share) / offer.vcpus),
    Math.ceil(((memoryGiB ?? 0) * share) / offer.memoryGiB),
    Math.ceil(((pods ?? 0) * share) / offer.pods),
  );
}

/** What all of the demand costs in one pool now. */
function wholePrice(pool: Candidate): number {
  return nodesFor(pool, 1) * pool.dollars;
}

const chosen: Strategy = (pools, question) => {
  const { mix } = mixOf(question);
  const nodes = new Map(mix?.takes.map(({ pool, nodes: count }) => [keyOf(pool), count]));
  return pools.map((pool) => nodes.get(keyOf(pool)) ?? 0);
};

/** All nodes of the pool that gives the demand for the least. */
const cheapest: Strategy = (pools) => {
  const best = pools.toSorted((a, b) => wholePrice(a) - wholePrice(b))[0];
  return pools.map((pool) => (pool === best ? nodesFor(pool, 1) : 0));
};

/** As the strategy lowest-price of Auto Scaling: zones alike, in each the two cheapest pools. */
const lowestPrice: Strategy = (pools) => {
  const zones = Map.groupBy(pools, ({ zone }) => zone);
  const counts = new Map<Candidate, number>();
  for (const own of zones.values()) {
    const two = own.toSorted((a, b) => wholePrice(a) - wholePrice(b)).slice(0, 2);
    for (const pool of two) counts.set(pool, nodesFor(pool, 1 / zones.size / two.length));
  }
  return pools.map((pool) => counts.get(pool) ?? 0);
};

export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  'rollcall spot': chosen,
  'cheapest pool': cheapest,
  'lowest-price, two pools a zone': lowestPrice,
};

/** What became of one choice in the week that followed. */
export interface Outcome {
  /** Dollars an hour, the mean of the week. */
  readonly cost: number;
  /** The objective with the true prices of the week. */
  readonly objective: number;
  /** The same of the best mix for these prices. */
  readonly best: number;
  /** Greatest share of the capacity that was taken away at once. */
  readonly lostAtOnce: number;
  /** Shares that were taken away in the week, added up. */
  readonly lost: number;
}

function meanAhead(history: PoolHistory, fromMs: number): number {
  const steps = stepsOf([{ ...history, points: history.changes, untilMs: fromMs + WEEK_MS }]);
  return statisticsOf(steps, fromMs, fromMs + WEEK_MS)?.mean ?? 0;
}

function questionAt(history: readonly PoolHistory[], nowMs: number): SpotQuestion {
  const answers = [
    { locator: 'prices', content: priceAnswer(history, nowMs), untilMs: nowMs },
    { locator: 'runs', content: runAnswer(history, nowMs), untilMs: nowMs },
  ];
  const told: Told = readSpotAnswers(answers, 'Linux/UNIX');
  return { demand: DEMAND, rules: DEFAULT_RULES, told, nowMs, historyMs: HISTORY_MS };
}

/** Outcomes of all strategies in every week of one history. */
export function replay(seed: number, days = 90): ReadonlyMap<string, readonly Outcome[]> {
  const history = historyOf(seed, days);
  const byPool = new Map(history.map((one) => [keyOf(one), one]));
  const outcomes = new Map(Object.keys(STRATEGIES).map((name) => [name, [] as Outcome[]]));
  for (
    let nowMs = BEGIN_MS + HISTORY_MS;
    nowMs + WEEK_MS <= BEGIN_MS + days * DAY_MS;
    nowMs += WEEK_MS
  ) {
    const question = questionAt(history, nowMs);
    const { pools } = candidatesOf(question);
    const truths = pools.map((pool) => {
      const truth = byPool.get(keyOf(pool));
      return truth === undefined ? 0 : meanAhead(truth, nowMs);
    });
    const judge = judgeOf(pools, truths, byPool, nowMs);
    for (const [name, strategy] of Object.entries(STRATEGIES))
      outcomes.get(name)?.push(judge(strategy(pools, question)));
  }
  return outcomes;
}

function judgeOf(
  pools: readonly Candidate[],
  truths: readonly number[],
  byPool: ReadonlyMap<string, PoolHistory>,
  nowMs: number,
): (counts: Counts) => Outcome {
  const priced = pools.map((pool, at) => ({ ...pool, planned: truths[at] ?? 0 }));
  const cheapestAll = Math.min(
    ...priced.map((pool) => (pool.planned * (DEMAND.vcpus ?? 0)) / pool.offer.vcpus),
  );
  const program = programOf(priced, DEMAND, FIXED(pools), DEFAULT_RULES.lossWeight * cheapestAll);
  const hindsight = solve(program, { stepsMax: 300, gap: 0.001 });
  const best = hindsight.kind === 'solved' ? hindsight.cost : Number.NaN;
  return (counts) => {
    const shares = pools.map(({ offer }, at) => (counts[at] ?? 0) * offer.vcpus);
    const all = shares.reduce((sum, each) => sum + each, 0);
    const losses = pools.flatMap((pool, at) =>
      (byPool.get(keyOf(pool))?.takenMs ?? [])
        .filter((atMs) => atMs >= nowMs && atMs < nowMs + WEEK_MS)
        .map(() => (shares[at] ?? 0) / all),
    );
    return {
      cost: truths.reduce((sum, price, at) => sum + price * (counts[at] ?? 0), 0),
      objective: costOf(program, counts),
      best,
      lostAtOnce: losses.reduce((most, share) => Math.max(most, share), 0),
      lost: losses.reduce((sum, share) => sum + share, 0),
    };
  };
}
