import type { Make } from '../inputs.ts';
import { baitsFor } from './baits.ts';
import { STEPS_MAX } from './run.ts';
import { stepsOfMatch } from './steps.ts';

/** All matches of a global expression, else the first. */
function stepsOf(expression: RegExp, text: string): number {
  let steps = 0;
  for (let from = 0; from <= text.length; ) {
    const found = stepsOfMatch(expression, text, from);
    steps += found.steps;
    if (found.index < 0 || !expression.global || steps > STEPS_MAX) break;
    from = Math.max(found.end, from + 1);
  }
  return steps;
}

export interface WorstBait {
  readonly bait: string;
  /** How often the steps grew when the bait was doubled last. */
  readonly ratio: number;
  readonly stepsPerCharacter: number;
}

const FIRST = 64;
const RATIO_MAX = 2.3;

function growthOn(expression: RegExp, bait: string, make: Make, last: number): WorstBait {
  let before = 0;
  let worst: WorstBait = { bait, ratio: 0, stepsPerCharacter: 0 };
  for (let size = FIRST; size <= last; size *= 2) {
    const text = make(size);
    const steps = stepsOf(expression, text);
    const isEndless = before === 0 || steps > STEPS_MAX;
    const ratio = isEndless ? Number.POSITIVE_INFINITY : steps / before;
    worst = { bait, ratio, stepsPerCharacter: steps / text.length };
    if (ratio <= RATIO_MAX || steps > STEPS_MAX) break;
    before = steps;
  }
  return worst;
}

/** The bait on which an expression goes back the most; null when all are taken in linear steps. */
export function worstOf(expression: RegExp, last: number): WorstBait | null {
  const plain = new RegExp(expression.source, expression.flags.replace('y', ''));
  let worst: WorstBait | null = null;
  for (const [bait, make] of baitsFor(plain)) {
    const here = growthOn(plain, bait, make, last);
    if (here.ratio <= RATIO_MAX) continue;
    if (worst === null || here.stepsPerCharacter > worst.stepsPerCharacter) worst = here;
  }
  return worst;
}
