import { type Box, costOf, holds, isFeasible, type Program, type Row, sumOf } from './program.ts';
import type { Dual } from './dual.ts';

const UNITS_MAX = 5000;

interface Sums {
  readonly counts: number[];
  readonly sums: number[];
}

function add({ rows }: Program, { counts, sums }: Sums, index: number, by: number): void {
  counts[index] = (counts[index] ?? 0) + by;
  for (const [row, { of }] of rows.entries()) sums[row] = (sums[row] ?? 0) + by * (of[index] ?? 0);
}

function nextCost({ variables }: Program, { counts }: Sums, index: number): number {
  const { linear = 0, square = 0 } = variables[index] ?? {};
  return linear + square * (2 * (counts[index] ?? 0) + 1);
}

/** How far a row is missed, as a share of what it asks for. */
function missedBy({ least }: Row, sum: number): number {
  return Math.max(0, least - sum) / Math.max(1e-12, Math.abs(least));
}

function isBroken({ least }: Row, sum: number): boolean {
  return sum < least - 1e-9 * Math.max(1, Math.abs(least));
}

/** Of the rows that are missed, the share that one more of a variable fulfills; 0 where it breaks one. */
function gainOf({ rows }: Program, { sums }: Sums, index: number): number {
  let gain = 0;
  for (const [row, one] of rows.entries()) {
    const each = one.of[index] ?? 0;
    const sum = sums[row] ?? 0;
    if (each < 0 && isBroken(one, sum + each)) return 0;
    if (each > 0) gain += missedBy(one, sum) - missedBy(one, sum + each);
  }
  return gain;
}

function bestToAdd(program: Program, state: Sums, { high }: Box): number | null {
  let [best, bestRate] = [-1, Infinity];
  for (let index = 0; index < program.variables.length; index++) {
    if ((state.counts[index] ?? 0) >= (high[index] ?? 0)) continue;
    const gain = gainOf(program, state, index);
    if (gain <= 0) continue;
    const rate = nextCost(program, state, index) / gain;
    if (rate < bestRate) [best, bestRate] = [index, rate];
  }
  return best < 0 ? null : best;
}

/** Takes away what is not needed, the dearest first. */
function trim(program: Program, state: Sums, { low }: Box): void {
  const order = program.variables
    .map((_, index) => index)
    .filter((index) => (state.counts[index] ?? 0) > (low[index] ?? 0))
    .toSorted((a, b) => nextCost(program, state, b) - nextCost(program, state, a));
  for (const index of order) {
    while ((state.counts[index] ?? 0) > (low[index] ?? 0) && canDrop(program, state, index))
      add(program, state, index, -1);
  }
}

function canDrop({ rows }: Program, { sums }: Sums, index: number): boolean {
  return rows.every((row, at) => {
    const each = row.of[index] ?? 0;
    return each <= 0 || !isBroken(row, (sums[at] ?? 0) - each);
  });
}

/**
 * Counts that fulfill all rows, near those of a bound; null when none were found this way, which
 * does not mean that there are none.
 */
export function repaired(program: Program, box: Box, { counts, mean }: Dual): number[] | null {
  const starts = [counts, mean.map((each) => Math.floor(each + 1e-6)), box.low];
  const found = starts.flatMap((start) => {
    const one = repairedFrom(program, box, start);
    return one === null ? [] : [one];
  });
  return found.toSorted((a, b) => costOf(program, a) - costOf(program, b))[0] ?? null;
}

function repairedFrom(program: Program, box: Box, start: readonly number[]): number[] | null {
  const state: Sums = {
    counts: start.map((each, index) =>
      Math.min(box.high[index] ?? 0, Math.max(box.low[index] ?? 0, each)),
    ),
    sums: [],
  };
  state.sums.push(...program.rows.map((row) => sumOf(row, state.counts)));
  dropToLimits(program, state, box);
  for (let unit = 0; unit < UNITS_MAX; unit++) {
    if (program.rows.every((row, at) => !isBroken(row, state.sums[at] ?? 0))) break;
    const index = bestToAdd(program, state, box);
    if (index === null) return null;
    add(program, state, index, 1);
  }
  trim(program, state, box);
  return isFeasible(program, state.counts) ? state.counts : null;
}

/** Takes away the dearest until no "at most" is exceeded. */
function dropToLimits(program: Program, state: Sums, { low }: Box): void {
  for (const row of program.rows) {
    if (row.least >= 0 || holds(row, state.counts)) continue;
    const order = row.of
      .map((each, index) => ({ each, index }))
      .filter(({ each }) => each < 0)
      .toSorted((a, b) => nextCost(program, state, b.index) - nextCost(program, state, a.index));
    for (const { index } of order) {
      while ((state.counts[index] ?? 0) > (low[index] ?? 0) && !holds(row, state.counts))
        add(program, state, index, -1);
    }
  }
}
