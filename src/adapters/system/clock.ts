import type { Clock } from '../../ports/clock.ts';

/** Beyond this many ms a timer of Node.js fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The machine's own clock. A sleep keeps the program alive until it ends. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
};

/** Programs that keep thousands of objects start and end as many: one costs a timer and no more. */
function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted === true) {
    reject(signal.reason);
    return promise;
  }
  const endMs = performance.now() + durationMs;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const next = (): void => {
    const leftMs = endMs - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(next, Math.min(leftMs, TIMER_MAX_MS));
      return;
    }
    signal?.removeEventListener('abort', end);
    resolve();
  };
  signal?.addEventListener('abort', end, { once: true });
  next();
  return promise;
}
