import { startTimer, type Timer } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { Backoff } from '../backoff.ts';
import { isAbortOf, whenAborted } from '../abort.ts';
import { DueKeys } from './due-keys.ts';
import { KeyLine } from './key-line.ts';
import {
  DEFAULT_WORK_QUEUE_LIMITS,
  type WorkOutcome,
  type WorkQueueLimits,
  type WorkQueueOptions,
  type WorkQueueState,
} from './work-queue-options.ts';

/** A key that failed, until it succeeds. */
interface Failing {
  readonly backoff: Backoff;
  /** Planned next try; null while it runs. */
  timer: Timer | null;
}

export interface WorkQueueSignals {
  /** No key starts after this; running ones may end within `drainMs`. */
  readonly stop: AbortSignal;
  /** Running keys are aborted too, as when leadership was lost. */
  readonly cut?: AbortSignal;
}

/**
 * Runs a task for keys, first come first served: a key never runs twice at the same time, and one
 * that was added while it ran goes to the end of the line. Keys may be added before `run`.
 * After a failure a key waits, and being added does not shorten that.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #limits: WorkQueueLimits;
  readonly #line = new KeyLine();
  readonly #running = new Map<string, number>();
  /** Keys that were added while they ran. */
  readonly #addedMeanwhile = new Set<string>();
  readonly #planned: DueKeys;
  readonly #failing = new Map<string, Failing>();
  readonly #aborted = new AbortController();
  readonly #broken = new AbortController();
  #phase: 'filling' | 'running' | 'over' = 'filling';
  #isStarting = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_WORK_QUEUE_LIMITS, ...options.limits };
    this.#planned = new DueKeys(options.clock, (key) => this.add(key));
  }

  add(key: string): void {
    if (this.#phase === 'over' || this.#isHeld(key)) return;
    if (this.#running.has(key)) this.#addedMeanwhile.add(key);
    else if (this.#line.push(key, this.#options.clock.monotonicMs())) void this.#startSoon();
  }

  /** Of several plans for a key the earliest holds. */
  addAfter(key: string, delayMs: number): void {
    if (this.#phase !== 'over') this.#planned.plan(key, delayMs);
  }

  state(): WorkQueueState {
    const nowMs = this.#options.clock.monotonicMs();
    const waits = [...this.#failing.values()].filter(({ timer }) => timer !== null);
    return {
      waiting: this.#line.size,
      running: this.#running.size,
      planned: this.#planned.size,
      failing: waits.length,
      longestRunMs: Math.max(0, ...[...this.#running.values()].map((startMs) => nowMs - startMs)),
    };
  }

  /**
   * Runs keys until the stop or a bug, once. Keys that still wait then are dropped: who comes
   * next finds them by looking at everything.
   *
   * @returns keys whose runs had not ended although they were aborted
   */
  async run({ stop, cut }: WorkQueueSignals): Promise<readonly string[]> {
    this.#phase = 'running';
    void this.#startSoon();
    await whenAborted(AbortSignal.any([stop, this.#broken.signal, ...(cut ? [cut] : [])]));
    this.#close();
    await this.#drain(cut);
    return [...this.#running.keys()];
  }

  #isHeld(key: string): boolean {
    return (this.#failing.get(key)?.timer ?? null) !== null;
  }

  /** What is added in one go, such as a whole listing, is in the line before the first key runs. */
  async #startSoon(): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    await Promise.resolve();
    this.#isStarting = false;
    this.#start();
  }

  #start(): void {
    while (this.#phase === 'running' && this.#running.size < this.#limits.runsAtOnce) {
      const place = this.#line.shift();
      if (place === undefined) return;
      void this.#run(place.key, place.sinceMs);
    }
  }

  async #run(key: string, sinceMs: number): Promise<void> {
    const { clock, onRun } = this.#options;
    const startMs = clock.monotonicMs();
    this.#running.set(key, startMs);
    const outcome = await this.#attempt(key);
    this.#running.delete(key);
    const ranMs = clock.monotonicMs() - startMs;
    this.#settle(key, outcome);
    onRun?.({ key, waitedMs: startMs - sinceMs, ranMs, outcome });
    if (this.#addedMeanwhile.delete(key)) this.add(key);
    this.#start();
    if (this.#running.size === 0) this.#idle.resolve();
  }

  async #attempt(key: string): Promise<WorkOutcome> {
    const { signal } = this.#aborted;
    try {
      const againAfterMs = await this.#options.reconcile(key, signal);
      return { kind: 'done', againAfterMs };
    } catch (error) {
      if (isAbortOf(signal, error)) return { kind: 'aborted' };
      return error instanceof PortError ? { kind: 'retry', error } : { kind: 'bug', error };
    }
  }

  #settle(key: string, outcome: WorkOutcome): void {
    if (outcome.kind === 'bug') return this.#stopForBug(outcome.error, key);
    if (this.#phase === 'over') return;
    if (outcome.kind === 'retry') return this.#hold(key, outcome.error);
    this.#failing.delete(key);
    if (outcome.kind === 'done' && outcome.againAfterMs !== null)
      this.addAfter(key, outcome.againAfterMs);
  }

  #stopForBug(error: unknown, key: string): void {
    const isFirst = !this.#broken.signal.aborted;
    this.#close();
    this.#broken.abort();
    if (isFirst) this.#options.onBug(error, key);
  }

  #hold(key: string, error: PortError): void {
    const { clock, random } = this.#options;
    const failing = this.#failing.get(key) ?? { backoff: this.#newBackoff(), timer: null };
    const growingMs = failing.backoff.nextMs();
    const askedMs = leastWaitMs(error, this.#limits) * (1 + random.next() / 4);
    failing.timer = startTimer(clock, Math.max(askedMs, growingMs), () => {
      failing.timer = null;
      this.add(key);
    });
    this.#failing.set(key, failing);
  }

  #newBackoff(): Backoff {
    const { backoffLeastMs, backoffMostMs } = this.#limits;
    const limits = { leastMs: backoffLeastMs, mostMs: backoffMostMs };
    return new Backoff(this.#options.random, limits);
  }

  #close(): void {
    this.#phase = 'over';
    for (const { timer } of this.#failing.values()) timer?.cancel();
    this.#planned.clear();
    this.#failing.clear();
  }

  async #drain(cut: AbortSignal | undefined): Promise<void> {
    if (this.#running.size === 0) return;
    this.#idle = Promise.withResolvers<void>();
    const onCut = (): void => this.#aborted.abort(cut?.reason);
    const limit = startTimer(this.#options.clock, this.#limits.drainMs, () =>
      this.#aborted.abort(new Error('the time to stop is over')),
    );
    if (cut?.aborted === true) onCut();
    else cut?.addEventListener('abort', onCut, { once: true });
    await Promise.race([this.#idle.promise, whenAborted(this.#aborted.signal)]);
    limit.cancel();
    cut?.removeEventListener('abort', onCut);
    await this.#awaitAborted();
  }

  /** A run that does not listen to its signal keeps nobody from stopping. */
  async #awaitAborted(): Promise<void> {
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = startTimer(this.#options.clock, this.#limits.abortedMs, resolve);
    await Promise.race([this.#idle.promise, promise]);
    limit.cancel();
  }
}

function leastWaitMs({ failure, retryAfterMs }: PortError, limits: WorkQueueLimits): number {
  const isRefused = failure === 'denied' || failure === 'unauthenticated';
  return Math.max(isRefused ? limits.refusedRetryMs : 0, retryAfterMs ?? 0);
}
