import { type Dual, dualOf } from './dual.ts';
import { narrow } from './narrow.ts';
import { type Box, costOf, costOfCount, isFeasible, type Program, SLACK } from './program.ts';
import { repaired } from './repair.ts';

/** What became of a program. */
export type Solution =
  | {
      readonly kind: 'solved';
      readonly counts: readonly number[];
      readonly cost: number;
      /** Nothing costs less than this. */
      readonly bound: number;
      /** Whether the bound is as close to the cost as the gap allows. */
      readonly isProven: boolean;
      readonly steps: number;
      /** Prices of the rows before any branch, which explain what is left out. */
      readonly root: Dual;
    }
  | { readonly kind: 'infeasible'; readonly steps: number }
  /** The search ended before anything was found or excluded. */
  | { readonly kind: 'undecided'; readonly steps: number };

export interface SolveOptions {
  /** Boxes that are looked at before the search ends with what it has. */
  readonly stepsMax: number;
  /** Costs that differ by less than this share count as equal; 0 for the very least. */
  readonly gap: number;
}

const ROOT_STEPS = 600;
const NODE_STEPS = 24;

interface Open {
  readonly box: Box;
  readonly bound: number;
  readonly prices: readonly number[];
}

interface Best {
  counts: readonly number[] | null;
  cost: number;
}

/** Costs more than anything in the box, so that a bound above it shows that nothing is feasible. */
function ceilingOf({ variables }: Program, { high }: Box): number {
  const all = variables.reduce((sum, one, index) => sum + costOfCount(one, high[index] ?? 0), 0);
  return 1.5 * all + 1;
}

/** The cost at and above which counts are not worth looking for. */
function limitOf({ cost }: Best, gap: number): number {
  return cost - Math.abs(cost) * Math.max(gap, SLACK);
}

/**
 * Branch and bound with the bound of Lagrange: exact where it ends by itself, else with a bound
 * that says how far the answer may be from the best. It has neither clock nor chance: the same
 * program gives the same answer.
 */
export function solve(program: Program, { stepsMax, gap }: SolveOptions): Solution {
  const box: Box = {
    low: program.variables.map(() => 0),
    high: program.variables.map(({ most }) => most),
  };
  const best: Best = { counts: null, cost: ceilingOf(program, box) };
  const root = firstLook(program, box, best);
  if (root === null) return { kind: 'infeasible', steps: 1 };
  const { counts: first } = best;
  const limit = limitOf(best, gap);
  if (root.bound >= limit || !cut(program, box, root, limit))
    return first === null
      ? { kind: 'infeasible', steps: 1 }
      : solvedAtOnce(first, best.cost, gap, root);
  const kept = box.high.flatMap((most, index) => (most > 0 ? [index] : []));
  const part = <T>(of: readonly T[]): T[] => kept.flatMap((index) => of.slice(index, index + 1));
  const small: Program = {
    variables: part(program.variables),
    rows: program.rows.map(({ of, least }) => ({ of: part(of), least })),
  };
  const smallBest: Best = { counts: null, cost: best.cost };
  const dual: Dual = {
    ...root,
    counts: part(root.counts),
    worth: part(root.worth),
    mean: part(root.mean),
  };
  const stack = [...branches({ low: part(box.low), high: part(box.high) }, dual)];
  const steps = 1 + search(small, stack, smallBest, { stepsMax, gap });
  const counts = smallBest.counts === null ? best.counts : spread(smallBest.counts, kept, program);
  if (counts === null) return { kind: stack.length === 0 ? 'infeasible' : 'undecided', steps };
  const { cost } = smallBest;
  const bound = stack.reduce((least, open) => Math.min(least, open.bound), provenBound(cost, gap));
  const isProven = bound >= provenBound(cost, gap);
  const known = Math.min(cost, Math.max(bound, root.bound));
  return { kind: 'solved', counts, cost, bound: known, isProven, steps, root };
}

/** Nothing that costs less than this is left out when all boxes are closed. */
function provenBound(cost: number, gap: number): number {
  return gap <= SLACK ? cost : limitOf({ counts: null, cost }, gap);
}

/** Counts of some variables among those of all; the others are 0. */
function spread(counts: readonly number[], kept: readonly number[], whole: Program): number[] {
  const all = whole.variables.map(() => 0);
  for (const [at, index] of kept.entries()) all[index] = counts[at] ?? 0;
  return all;
}

/** Looks into boxes until none is open, and leaves those that are when the steps are over. */
function search(
  program: Program,
  stack: Open[],
  best: Best,
  { stepsMax, gap }: SolveOptions,
): number {
  let steps = 0;
  while (steps < stepsMax) {
    const open = stack.pop();
    if (open === undefined) break;
    if (open.bound >= limitOf(best, gap)) continue;
    steps++;
    const dual = lookInto(program, open, best, gap);
    if (dual !== null) stack.push(...branches(open.box, dual));
  }
  return steps;
}

function solvedAtOnce(counts: readonly number[], cost: number, gap: number, root: Dual): Solution {
  const bound = Math.min(cost, Math.max(root.bound, provenBound(cost, gap)));
  return { kind: 'solved', counts, cost, bound, isProven: true, steps: 1, root };
}

/** The bound of everything, towards the best that it leads to; null when nothing is feasible. */
function firstLook(program: Program, box: Box, best: Best): Dual | null {
  if (!narrow(program, box)) return null;
  const dual = dualOf(program, box, { target: best.cost, first: null, steps: ROOT_STEPS });
  take(program, box.low, best);
  take(program, repaired(program, box, dual), best);
  const options = { target: best.cost, first: dual.prices, steps: ROOT_STEPS };
  const again = dualOf(program, box, options);
  take(program, repaired(program, box, again), best);
  return again;
}

/** Narrows a box and looks for counts in it; null when nothing better can be there. */
function lookInto(program: Program, { box, prices }: Open, best: Best, gap: number): Dual | null {
  if (!narrow(program, box)) return null;
  const dual = dualOf(program, box, { target: best.cost, first: prices, steps: NODE_STEPS });
  if (dual.bound >= limitOf(best, gap)) return null;
  take(program, box.low, best);
  take(program, repaired(program, box, dual), best);
  return cut(program, box, dual, limitOf(best, gap)) ? dual : null;
}

function take(program: Program, counts: readonly number[] | null, best: Best): void {
  if (counts === null || !isFeasible(program, counts)) return;
  const cost = costOf(program, counts);
  if (cost >= best.cost) return;
  best.counts = [...counts];
  best.cost = cost;
}

/**
 * Takes counts out of the box with which the bound alone exceeds the limit.
 *
 * @returns false when nothing is left
 */
function cut({ variables }: Program, { low, high }: Box, dual: Dual, limit: number): boolean {
  for (const [index, variable] of variables.entries()) {
    const count = dual.counts[index] ?? 0;
    const worth = dual.worth[index] ?? 0;
    const own = costOfCount(variable, count) - worth * count;
    const boundAt = (other: number): number =>
      dual.bound + costOfCount(variable, other) - worth * other - own;
    let [least, most] = [count, count];
    while (most < (high[index] ?? 0) && boundAt(most + 1) < limit) most++;
    while (least > (low[index] ?? 0) && boundAt(least - 1) < limit) least--;
    if (least > most) return false;
    low[index] = least;
    high[index] = most;
  }
  return true;
}

/** The variable whose mean is farthest from a whole number; the widest one where all are whole. */
function undecided({ low, high }: Box, mean: readonly number[]): number | null {
  let [found, farthest] = [-1, -1];
  for (let index = 0; index < low.length; index++) {
    const width = (high[index] ?? 0) - (low[index] ?? 0);
    if (width <= 0) continue;
    const part = (mean[index] ?? 0) - Math.floor(mean[index] ?? 0);
    const distance = Math.min(part, 1 - part) + width * 1e-6;
    if (distance > farthest) [found, farthest] = [index, distance];
  }
  return found < 0 ? null : found;
}

/** Two boxes that hold all of one, the likelier one last, since the last is looked into first. */
function branches(box: Box, dual: Dual): readonly Open[] {
  const index = undecided(box, dual.mean);
  if (index === null) return [];
  const [low, high] = [box.low[index] ?? 0, box.high[index] ?? 0];
  const mean = dual.mean[index] ?? 0;
  const split = Math.min(high - 1, Math.max(low, Math.floor(mean)));
  const open = (from: number, to: number): Open => ({
    box: { low: box.low.with(index, from), high: box.high.with(index, to) },
    bound: dual.bound,
    prices: dual.prices,
  });
  const below = open(low, split);
  const above = open(split + 1, high);
  return mean - split > 0.5 ? [below, above] : [above, below];
}
