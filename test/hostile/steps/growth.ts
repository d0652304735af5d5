import type { Counter } from './counting.ts';
import type { Make } from './inputs.ts';
import type { Read } from './readers.ts';

/** Twice the input may take twice the steps, and a little for sorting and for what rounds up. */
export const RATIO_MAX = 2.3;

export interface Growth {
  /** Characters of the inputs and the steps that they took, each about twice the one before. */
  readonly points: readonly { readonly characters: number; readonly steps: number }[];
  /** By how much the steps grew at the last doubling, for each doubling of the input. */
  readonly ratio: number;
}

function ratioOf(points: Growth['points']): number {
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return Number.POSITIVE_INFINITY;
  const doublings = Math.log2(last.characters / before.characters);
  return (last.steps / before.steps) ** (1 / doublings);
}

interface Sizes {
  readonly first: number;
  /** A reader that looks so far ahead and no further may look quadratic below that. */
  readonly last: number;
}

/** Doubles the input until its steps grow no quicker than it does, or it is as large as may be. */
export function growthOf(counter: Counter, read: Read, make: Make, sizes: Sizes): Growth {
  const points: { characters: number; steps: number }[] = [];
  for (let size = sizes.first; size <= sizes.last; size *= 2) {
    const text = make(size);
    points.push({ characters: text.length, steps: counter.stepsOf(() => read(text)) });
    if (points.length > 1 && ratioOf(points) <= RATIO_MAX) break;
  }
  return { points, ratio: ratioOf(points) };
}

/** What is wrong with it, in words; null when it is linear. */
export function wrongWith(growth: Growth): string | null {
  if (growth.ratio <= RATIO_MAX) return null;
  const shown = growth.points.map(({ characters, steps }) => `${steps} for ${characters}`);
  return `steps grow ${growth.ratio.toFixed(2)} times when the input doubles: ${shown.join(', ')}`;
}
