import { type Box, costOfCount, type Program, type Variable } from './program.ts';

/** A lower bound of the cost within a box, and what it rests on. */
export interface Dual {
  /** No counts in the box that fulfill all rows cost less. */
  readonly bound: number;
  /** What one unit more of each row's `least` would cost. */
  readonly prices: readonly number[];
  /** The counts of which the bound is the cost, once broken rows are paid for. */
  readonly counts: readonly number[];
  /** What taking one of each variable is worth to the rows at these prices. */
  readonly worth: readonly number[];
  /** Counts that the bound takes on the mean of its search; near what fractions would be best. */
  readonly mean: readonly number[];
}

/** How many are taken when each is worth so much: all that cost less than that. */
function countAt({ linear, square }: Variable, worth: number, low: number, high: number): number {
  if (square <= 0) return worth > linear ? high : low;
  const most = Math.floor(((worth - linear) / square + 1) / 2);
  return Math.min(high, Math.max(low, most));
}

interface Search {
  readonly program: Program;
  readonly box: Box;
  readonly scales: readonly number[];
}

/** Prices of rows of very different sizes would otherwise move at very different speeds. */
function scalesOf({ rows }: Program): readonly number[] {
  return rows.map(({ of, least }) => {
    const size = Math.max(Math.abs(least), ...of.map((each) => Math.abs(each)));
    return size > 0 ? 1 / size : 1;
  });
}

interface Point {
  readonly bound: number;
  readonly counts: number[];
  readonly worth: number[];
  /** By how much each scaled row is missed. */
  readonly missing: number[];
}

function pointAt({ program, box, scales }: Search, prices: readonly number[]): Point {
  const { variables, rows } = program;
  const worth = variables.map(() => 0);
  const missing = rows.map(({ least }, row) => least * (scales[row] ?? 1));
  let bound = 0;
  for (const [row, { of, least }] of rows.entries()) {
    const price = (prices[row] ?? 0) * (scales[row] ?? 1);
    bound += price * least;
    if (price === 0) continue;
    for (let index = 0; index < of.length; index++)
      worth[index] = (worth[index] ?? 0) + price * (of[index] ?? 0);
  }
  const counts = variables.map((variable, index) => {
    const own = worth[index] ?? 0;
    const count = countAt(variable, own, box.low[index] ?? 0, box.high[index] ?? 0);
    bound += costOfCount(variable, count) - own * count;
    return count;
  });
  for (const [row, { of }] of rows.entries()) {
    let sum = 0;
    for (let index = 0; index < of.length; index++) sum += (of[index] ?? 0) * (counts[index] ?? 0);
    missing[row] = (missing[row] ?? 0) - sum * (scales[row] ?? 1);
  }
  return { bound, counts, worth, missing };
}

/** Steps without a better bound after which they become shorter. */
const PATIENCE = 8;
const SPEED_FIRST = 1.2;
const SPEED_LEAST = 1e-4;
/** Weight of the newest counts in the mean. */
const NEWEST = 0.08;

/**
 * The bound of Lagrange: rows may be broken at a price, and the prices are moved towards those that
 * give the greatest bound (subgradient steps after Polyak).
 *
 * @param target cost of the best counts that are known; where none is, anything not less than it
 * @param first prices to begin with, in the scale that `prices` of an earlier bound has
 */
export function dualOf(
  program: Program,
  box: Box,
  { target, first, steps }: { target: number; first: readonly number[] | null; steps: number },
): Dual {
  const scales = scalesOf(program);
  const search = { program, box, scales };
  let prices = program.rows.map((_, row) => (first?.[row] ?? 0) / (scales[row] ?? 1));
  let best = pointAt(search, prices);
  let bestPrices = prices;
  let mean = best.counts;
  let [speed, waited] = [SPEED_FIRST, 0];
  let here = best;
  for (let step = 0; step < steps && best.bound < target && speed > SPEED_LEAST; step++) {
    const length = here.missing.reduce(
      (sum, each, row) => sum + (each < 0 && prices[row] === 0 ? 0 : each * each),
      0,
    );
    if (length === 0) break;
    const stride = (speed * (target - here.bound)) / length;
    const { missing } = here;
    prices = prices.map((price, row) => Math.max(0, price + stride * (missing[row] ?? 0)));
    here = pointAt(search, prices);
    const { counts } = here;
    mean = mean.map((each, index) => each + NEWEST * ((counts[index] ?? 0) - each));
    if (here.bound > best.bound) [best, bestPrices, waited] = [here, prices, 0];
    else if (++waited >= PATIENCE) {
      [speed, waited] = [speed / 2, 0];
      [here, prices] = [best, bestPrices];
    }
  }
  return {
    bound: best.bound,
    prices: bestPrices.map((price, row) => price * (scales[row] ?? 1)),
    counts: best.counts,
    worth: best.worth,
    mean,
  };
}
