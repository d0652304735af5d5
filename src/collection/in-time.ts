import { type Clock, startTimer, type Timer } from '../ports/clock.ts';

/** What is under way may give back what it has before it is left behind, ms. */
const GRACE_MS = 300;

/** The task's end, or soon after the signal its reason: some tasks do not hear signals. */
export async function inTime<T>(task: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const started: Timer[] = [];
  const stop = (): void => {
    started.push(startTimer(clock, GRACE_MS, () => reject(signal.reason as Error)));
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([task, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    for (const timer of started) timer.cancel();
    task.catch(() => {
      // Its reason is told already.
    });
  }
}
