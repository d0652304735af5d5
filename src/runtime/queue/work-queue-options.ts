import type { Clock } from '../../ports/clock.ts';
import type { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';

export interface WorkQueueLimits {
  /** Keys that run at the same time. */
  readonly runsAtOnce: number;
  /** The wait after the first failure of a key, ms; it grows with chance. */
  readonly backoffLeastMs: number;
  readonly backoffMostMs: number;
  /** The least wait after a refusal of the identity, ms: it lasts until somebody changes a grant. */
  readonly refusedRetryMs: number;
  /** How long running keys may go on after the stop, ms. */
  readonly drainMs: number;
  /** How long aborted runs are waited for, ms. */
  readonly abortedMs: number;
}

export const DEFAULT_WORK_QUEUE_LIMITS: WorkQueueLimits = {
  runsAtOnce: 4,
  backoffLeastMs: 250,
  backoffMostMs: 60_000,
  refusedRetryMs: 60_000,
  drainMs: 15_000,
  abortedMs: 1_000,
};

/**
 * `done`; `retry`: a port failed, the key runs again after a wait; `bug`: anything else was thrown;
 * `aborted`: by the stop or by the loss of leadership.
 */
export type WorkOutcome =
  | { readonly kind: 'done'; readonly againAfterMs: number | null }
  | { readonly kind: 'retry'; readonly error: PortError }
  | { readonly kind: 'bug'; readonly error: unknown }
  | { readonly kind: 'aborted' };

/** One run of one key, for metrics and logs. */
export interface WorkRun {
  readonly key: string;
  /** In the line. */
  readonly waitedMs: number;
  readonly ranMs: number;
  readonly outcome: WorkOutcome;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Does what a key needs now. A `PortError` is retried; any other throw is a bug.
   *
   * @param signal aborted when the run must end at once
   * @returns after how many ms the key is to run again, null for not before it is added
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<number | null>;
  /** Ends the program: nothing runs after the first call. */
  readonly onBug: (error: unknown, key: string) => void;
  readonly onRun?: (run: WorkRun) => void;
  readonly limits?: Partial<WorkQueueLimits>;
}

export interface WorkQueueState {
  readonly waiting: number;
  readonly running: number;
  /** Keys with a planned run, failed ones not counted. */
  readonly planned: number;
  /** Keys that wait after a failure. */
  readonly failing: number;
  /** The longest of the present runs, ms; 0 when none runs. */
  readonly longestRunMs: number;
}
