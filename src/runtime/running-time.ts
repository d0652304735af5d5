import type { Clock } from '../ports/clock.ts';

/** A sleep that ends later than this ended in a program that stood still meanwhile. */
const STANDSTILL_MS = 100;

/**
 * A clock whose sleeps count only the time in which the program ran. What came for a program that
 * stood still, at work or stopped, is read after its timers have gone off: by another clock its
 * answers would be late that had come in time.
 */
export function runningTime(clock: Clock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: async (durationMs, signal) => await sleepRunning(clock, durationMs, signal),
  };
}

/** Each sleep that is added is at most half as long as the one before, so that there is an end. */
async function sleepRunning(clock: Clock, durationMs: number, signal?: AbortSignal): Promise<void> {
  let leftMs = durationMs;
  do {
    const startMs = clock.monotonicMs();
    await clock.sleep(leftMs, signal);
    const lateMs = clock.monotonicMs() - startMs - leftMs;
    leftMs = lateMs < STANDSTILL_MS ? 0 : Math.min(lateMs, leftMs / 2);
  } while (leftMs >= 1);
}
