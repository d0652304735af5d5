import {
  type Candidate,
  type Candidates,
  candidatesOf,
  type FixedQuestion,
  type SpotQuestion,
} from './candidates.ts';
import { MEASURES, mainMeasure, type Measure, type SpotDemand } from './demand.ts';
import { whyImpossible } from './impossible.ts';
import type { Program, Row } from './program.ts';
import { type FixedRules, fixedRules, type SpotRules } from './rules.ts';
import { solve, type Solution, type SolveOptions } from './solve.ts';

/** Enough for hundreds of pools; the answer says how far it may be from the best where it ends. */
export const SOLVE_OPTIONS: SolveOptions = { stepsMax: 2000, gap: 0.001 };

/** So many machines of one pool. */
export interface Take {
  readonly pool: Candidate;
  readonly nodes: number;
  /** Of what the mix gives of the main measure, from 0 to 1. */
  readonly share: number;
}

export interface Mix {
  readonly takes: readonly Take[];
  readonly totals: Readonly<Record<Measure, number>> & { readonly nodes: number };
  /** Dollars an hour now. */
  readonly costPerHour: number;
  readonly loss: Loss;
  readonly proof: Proof;
}

/** What is lost when EC2 takes one pool away. */
export interface Loss {
  /** On the mean, when an instance is taken and its pool with it: a share of the capacity. */
  readonly expectedShare: number;
  readonly worstShare: number;
  /** The weight of the loss in the objective: dollars an hour for losing everything at once. */
  readonly dollarsForAll: number;
}

export interface Proof {
  /** Dollars an hour: planned prices and the weighted loss. */
  readonly objective: number;
  /** No mix within the rules has a lower objective. */
  readonly bound: number;
  /** Whether the two are within 0.1 % of each other. */
  readonly isProven: boolean;
  readonly steps: number;
}

export interface MixAnswer {
  readonly candidates: Candidates;
  readonly rules: FixedRules;
  readonly measure: Measure;
  readonly mix: Mix | null;
  /** Why there is no mix; one sentence. */
  readonly impossible: string | null;
  /** For what planned price each pool would come in, dollars an hour; by the pool's place. */
  readonly worth: readonly number[];
}

/** Dollars an hour that all of what is wanted costs at the lowest price of each measure. */
export function cheapestCost(pools: readonly Candidate[], demand: SpotDemand): number {
  return Math.max(
    ...MEASURES.map((measure) => {
      const least = pools.reduce(
        (dollars, { offer, planned }) =>
          offer[measure] > 0 ? Math.min(dollars, planned / offer[measure]) : dollars,
        Infinity,
      );
      const wanted = demand[measure] ?? 0;
      return wanted === 0 || least === Infinity ? 0 : least * wanted;
    }),
  );
}

function divisorOf(a: number, b: number): number {
  return b === 0 ? a : divisorOf(b, a % b);
}

/** What is wanted of a measure, raised to what whole machines can give. */
function demandRow(pools: readonly Candidate[], measure: Measure, wanted: number): Row {
  const of = pools.map(({ offer }) => offer[measure]);
  const isWhole = of.every((each) => Number.isInteger(each));
  const divisor = isWhole ? of.reduce((a, b) => divisorOf(a, b), 0) : 0;
  return { of, least: divisor > 0 ? Math.ceil(wanted / divisor) * divisor : wanted };
}

/** A row for each group of pools that may give only a share of what is wanted. */
function limitRows(
  pools: readonly Candidate[],
  measure: Measure,
  most: number,
  groupOf: (pool: Candidate) => string,
): readonly Row[] {
  return [...new Set(pools.map(groupOf))].map((group) => ({
    of: pools.map((pool) => (groupOf(pool) === group ? -pool.offer[measure] : 0)),
    least: -most,
  }));
}

/** The program whose least cost is the mix: planned prices, and the square of each pool's share. */
export function programOf(
  pools: readonly Candidate[],
  demand: SpotDemand,
  rules: FixedRules,
  dollarsForAll: number,
): Program {
  const measure = mainMeasure(demand);
  const wanted = demand[measure] ?? 0;
  const limits: readonly [number, (pool: Candidate) => string][] = [
    [rules.maxSharePerZone, ({ zone }) => zone],
    [rules.maxSharePerFamily, ({ offer }) => offer.family],
  ];
  return {
    variables: pools.map(({ offer, planned, interruptions }) => {
      const amount = offer[measure];
      const share = amount / wanted;
      return {
        linear: planned,
        square: dollarsForAll * interruptions.weight * share * share,
        most: mostOf(amount, wanted, rules),
      };
    }),
    rows: [
      ...MEASURES.flatMap((one) => {
        const asked = demand[one];
        return asked === null ? [] : [demandRow(pools, one, asked)];
      }),
      ...limits.flatMap(([share, groupOf]) =>
        share < 1 ? limitRows(pools, measure, share * wanted, groupOf) : [],
      ),
      ...(rules.budget === null
        ? []
        : [{ of: pools.map(({ dollars }) => -dollars), least: -rules.budget }]),
    ],
  };
}

/** How many machines of a pool may be taken. Those without any of the measure have no share. */
function mostOf(amount: number, wanted: number, { maxSharePerPool }: SpotRules): number {
  if (amount === 0) return 0;
  const whole = maxSharePerPool < 1 ? Math.floor : Math.ceil;
  return whole((maxSharePerPool * wanted) / amount + 1e-9);
}

/** Chooses how many machines of which pools to take. The same question has the same answer. */
export function mixOf(question: SpotQuestion, options = SOLVE_OPTIONS): MixAnswer {
  const { demand } = question;
  const candidates = candidatesOf(question);
  const { pools } = candidates;
  const count = (nameOf: (pool: Candidate) => string): number => new Set(pools.map(nameOf)).size;
  const rules = fixedRules(
    question.rules,
    count(({ zone }) => zone),
    count(({ offer }) => offer.family),
  );
  const fixed = { ...question, rules };
  const measure = mainMeasure(demand);
  const none = (impossible: string): MixAnswer => ({
    candidates,
    rules,
    measure,
    mix: null,
    impossible,
    worth: [],
  });
  if (pools.length === 0) return none(whyImpossible(fixed, candidates, null));
  const dollarsForAll = rules.lossWeight * cheapestCost(pools, demand);
  const program = programOf(pools, demand, rules, dollarsForAll);
  const solution = solve(program, options);
  if (solution.kind !== 'solved')
    return none(whyImpossible(fixed, candidates, leastCost(fixed, pools, options)));
  const mix = mixFrom(pools, solution, measure, dollarsForAll);
  const worth = solution.root.worth.map((each, at) => each - (program.variables[at]?.square ?? 0));
  return { candidates, rules, measure, mix, impossible: null, worth };
}

/** What a mix costs at least when no budget is set; null when there is none either. */
function leastCost(
  { demand, rules }: FixedQuestion,
  pools: readonly Candidate[],
  options: SolveOptions,
): number | null {
  if (rules.budget === null) return null;
  const free = { ...rules, budget: null };
  const priced = pools.map((pool) => ({ ...pool, planned: pool.dollars }));
  const solution = solve(programOf(priced, demand, free, 0), options);
  return solution.kind === 'solved' ? solution.cost : null;
}

function mixFrom(
  pools: readonly Candidate[],
  { counts, cost, bound, isProven, steps }: Extract<Solution, { kind: 'solved' }>,
  measure: Measure,
  dollarsForAll: number,
): Mix {
  const taken = pools.flatMap((pool, index) => {
    const nodes = counts[index] ?? 0;
    return nodes > 0 ? [{ pool, nodes }] : [];
  });
  const sum = (each: (pool: Candidate) => number): number =>
    taken.reduce((total, { pool, nodes }) => total + nodes * each(pool), 0);
  const all = sum(({ offer }) => offer[measure]);
  const takes = taken
    .map((one) => ({ ...one, share: (one.nodes * one.pool.offer[measure]) / all }))
    .toSorted((a, b) => b.share - a.share);
  return {
    takes,
    totals: {
      nodes: sum(() => 1),
      vcpus: sum(({ offer }) => offer.vcpus),
      memoryGiB: sum(({ offer }) => offer.memoryGiB),
      gpus: sum(({ offer }) => offer.gpus),
      pods: sum(({ offer }) => offer.pods),
    },
    costPerHour: sum(({ dollars }) => dollars),
    loss: lossOf(takes, dollarsForAll),
    proof: { objective: cost, bound, isProven, steps },
  };
}

/** An instance is taken, and its pool with it: a pool is met as often as its share and its weight. */
function lossOf(takes: readonly Take[], dollarsForAll: number): Loss {
  const weightOf = ({ share, pool }: Take): number => share * pool.interruptions.weight;
  const all = takes.reduce((sum, take) => sum + weightOf(take), 0);
  const lost = takes.reduce((sum, take) => sum + weightOf(take) * take.share, 0);
  const worstShare = takes.reduce((most, { share }) => Math.max(most, share), 0);
  return { expectedShare: all > 0 ? lost / all : 0, worstShare, dollarsForAll };
}
