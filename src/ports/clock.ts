/** The only source of time. */
export interface Clock {
  /** Wall clock, ms since the Unix epoch; may step. */
  nowMs(): number;
  /** ms since an arbitrary start; never steps back. */
  monotonicMs(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it is aborted first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** Something planned that need not happen. */
export interface Timer {
  readonly cancel: () => void;
}

/** Made once: an error with its stack for each timer costs more than the timer. */
const CANCELLED = new Error('cancelled');

/** Does something once `delayMs` are over, unless it is cancelled before. */
export function startTimer(clock: Clock, delayMs: number, task: () => void): Timer {
  const cancelled = new AbortController();
  void goOff(clock, delayMs, task, cancelled.signal);
  return { cancel: () => cancelled.abort(CANCELLED) };
}

async function goOff(
  clock: Clock,
  delayMs: number,
  task: () => void,
  cancelled: AbortSignal,
): Promise<void> {
  try {
    await clock.sleep(delayMs, cancelled);
  } catch (error) {
    if (cancelled.aborted) return;
    throw error;
  }
  // Between the end of the sleep and this line it may have been cancelled.
  if (!cancelled.aborted) task();
}
