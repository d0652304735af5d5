import { type Clock, startTimer } from '../ports/clock.ts';

export interface TimeLimit {
  readonly clock: Clock;
  readonly durationMs: number;
  /** Ends the call too. */
  readonly signal: AbortSignal;
  /** What is thrown when the time is over. */
  readonly late: () => Error;
}

/**
 * The answer of a call that has to come in time, also from one that does not listen to its signal.
 *
 * @throws `late()` after the time, the reason of `signal` when that is aborted, and what the call throws
 */
export async function within<R>(
  limit: TimeLimit,
  call: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const ending = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    ending.abort(reason);
    reject(reason);
  };
  const onAbort = (): void => end(limit.signal.reason);
  if (limit.signal.aborted) throw limit.signal.reason;
  limit.signal.addEventListener('abort', onAbort, { once: true });
  const timer = startTimer(limit.clock, limit.durationMs, () => end(limit.late()));
  try {
    return await Promise.race([call(ending.signal), ended]);
  } finally {
    timer.cancel();
    limit.signal.removeEventListener('abort', onAbort);
  }
}
