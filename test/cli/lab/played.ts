/** Stories that are played in this process, with doors through which the program looks. */
import type { Play } from '../../../src/apps/lab/play.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { emptyHome, type Surroundings } from '../../live/rollcall.ts';
import { standingAt } from './environment.ts';

/** Time that passes only as somebody sleeps: the story goes on when nobody looks at it. */
export function sleepingClock(): Clock {
  let passedMs = 0;
  return {
    nowMs: () => passedMs,
    monotonicMs: () => passedMs,
    sleep: (durationMs) => {
      passedMs += durationMs;
      return Promise.resolve();
    },
  };
}

/** Where the program finds a lab, at the time of its story. */
export function surroundingsOf(
  { simulated }: Play,
  environment: Surroundings,
  folder: string,
  home: string,
): Surroundings {
  return {
    ...emptyHome(folder, home),
    ...environment,
    ...standingAt(simulated.kernel.nowMs()),
  };
}
