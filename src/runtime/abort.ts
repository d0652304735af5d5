import type { Clock } from '../ports/clock.ts';

/** Resolves once a signal is aborted. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

/** True when the error only says that the signal was aborted, in the signal's words or the platform's. */
export function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

/** Sleeps until the time is over or the signal is aborted, whichever is first. */
export async function pause(clock: Clock, durationMs: number, end: AbortSignal): Promise<void> {
  try {
    await clock.sleep(durationMs, end);
  } catch (error) {
    if (!end.aborted) throw error;
  }
}
