/** The only source of time. */
export interface Clock {
  /** Wall clock, ms since the Unix epoch; may step. */
  nowMs(): number;
  /** ms since an arbitrary start; never steps back. */
  monotonicMs(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it is aborted first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}
