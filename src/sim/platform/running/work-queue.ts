import type { Actor } from './actor.ts';

/** A queue of keys with one worker, as client-go's: a key waits once, and again if it changed. */
export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  /** Adds after the back-off of a key that went wrong again. */
  addRateLimited(key: string): void;
  /** The key went well: its next back-off is the first one. */
  forget(key: string): void;
}

/** The first wait of client-go's DefaultTypedControllerRateLimiter, doubled each time. */
const BACK_OFF_FIRST_MS = 5;
/** Its longest wait. */
const BACK_OFF_MAX_MS = 1_000_000;
/** Its bucket over all keys: 10 a second, 100 at once. */
const BUCKET_PER_SECOND = 10;
const BUCKET_BURST = 100;

/** What a controller does with one key; `done` frees the worker. */
export type Sync = (key: string, done: () => void) => void;

export interface WorkQueueOptions {
  /** What one sync takes of the worker's time, ms; 1 when not given. */
  readonly syncMs?: () => number;
}

class SerialQueue implements WorkQueue {
  readonly #actor: Actor;
  readonly #sync: Sync;
  readonly #syncMs: () => number;
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  #current: string | null = null;
  #bucketFullMs = 0;

  constructor(actor: Actor, sync: Sync, options: WorkQueueOptions) {
    this.#actor = actor;
    this.#sync = sync;
    this.#syncMs = options.syncMs ?? (() => 1);
  }

  add(key: string): void {
    this.#waiting.add(key);
    if (this.#current === null) this.#next();
  }

  addAfter(key: string, delayMs: number): void {
    this.#actor.after(delayMs, () => this.add(key));
  }

  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const backOffMs = Math.min(BACK_OFF_FIRST_MS * 2 ** failures, BACK_OFF_MAX_MS);
    this.addAfter(key, Math.max(backOffMs, this.#bucketWaitMs()));
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #bucketWaitMs(): number {
    const nowMs = this.#actor.kernel.nowMs();
    const tokenMs = 1000 / BUCKET_PER_SECOND;
    this.#bucketFullMs = Math.max(nowMs, this.#bucketFullMs) + tokenMs;
    return Math.max(0, this.#bucketFullMs - nowMs - BUCKET_BURST * tokenMs);
  }

  #next(): void {
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      this.#current = key;
      this.#actor.after(this.#syncMs(), () => this.#run(key));
      return;
    }
    this.#current = null;
  }

  #run(key: string): void {
    let isDone = false;
    this.#sync(key, () => {
      if (isDone) return;
      isDone = true;
      this.#next();
    });
  }
}

/** A queue whose syncs wait for answers from elsewhere. */
export function createWorkQueue(
  actor: Actor,
  sync: Sync,
  options: WorkQueueOptions = {},
): WorkQueue {
  return new SerialQueue(actor, sync, options);
}

/** A queue whose syncs are done at once. */
export function createSyncQueue(
  actor: Actor,
  sync: (key: string) => void,
  options: WorkQueueOptions = {},
): WorkQueue {
  return new SerialQueue(
    actor,
    (key, done) => {
      sync(key);
      done();
    },
    options,
  );
}
