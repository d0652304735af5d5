import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** Beyond this many ms a timer of Node.js fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The machine's own clock. A sleep keeps the program alive until it ends. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
};

async function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const endMs = performance.now() + durationMs;
  try {
    for (let leftMs = durationMs; leftMs > 0; leftMs = endMs - performance.now())
      await delay(
        Math.min(leftMs, TIMER_MAX_MS),
        undefined,
        signal === undefined ? {} : { signal },
      );
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
