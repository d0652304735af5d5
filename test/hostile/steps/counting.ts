import { countExpressions } from './expressions.ts';
import { countTurns } from './instrument.ts';
import { countNatives } from './natives.ts';

/**
 * Steps of a run: each turn of the product's own functions, branches and loops, and what native
 * methods and regular expressions look at. They are the same on every machine.
 */
export interface Counter {
  readonly stepsOf: (run: () => unknown) => number;
}

/** Starts to count in this process; what is to be counted must be loaded afterwards. */
export function startCounting(): Counter {
  const turns = countTurns();
  let steps = 0;
  let isCounting = false;
  const count = (more: number): void => {
    if (isCounting) steps += more;
  };
  countExpressions(count);
  countNatives(count);
  return {
    stepsOf: (run) => {
      steps = 0;
      turns.count = 0;
      isCounting = true;
      try {
        run();
      } finally {
        isCounting = false;
      }
      return steps + turns.count;
    },
  };
}
