import type { Clock } from '../../ports/clock.ts';
import { EventQueue } from './queue.ts';
import { type RandomStream, randomStream } from './random.ts';

/** Something planned that need not happen. */
export interface Timer {
  cancel(): void;
}

/** One line of what happened; the same seed gives the same lines. */
export interface LogLine {
  readonly atMs: number;
  readonly actor: string;
  readonly what: string;
}

export interface KernelOptions {
  readonly seed: number;
  /** The moment at which the world begins, ms since the Unix epoch. */
  readonly startMs: number;
  /** Hears every line as it is logged. */
  readonly onLine?: (line: LogLine) => void;
  /** Called after every event; the world is at rest then. */
  readonly onEvent?: () => void;
}

/** What may differ between a machine's clock and true time. */
export interface ClockOptions {
  /** What is added to true time when the wall clock is read, ms. */
  readonly skewMs?: () => number;
}

/**
 * One queue of events in virtual time: everything that happens in a simulated world happens in an
 * event of this queue, one after another, whatever the real time is.
 */
export interface Kernel {
  readonly seed: number;
  /** True time, ms since the Unix epoch. */
  nowMs(): number;
  /** Plans a task; a negative delay is none. */
  after(delayMs: number, task: () => void): Timer;
  /** Plans a task again and again, the first time after `firstMs` or else one period. */
  every(periodMs: number, task: () => void, firstMs?: number): Timer;
  /** The stream of this name; a second call goes on where the first one is. */
  random(name: string): RandomStream;
  log(actor: string, what: string): void;
  /** A clock as product code has it; its sleeps are events of the queue. */
  clock(options?: ClockOptions): Clock;
  /** Starts product code, which may wait; an error of it stops the run with that error. */
  spawn(actor: string, task: () => Promise<void>): void;
  /** When the next event is due, null when there is none. */
  nextAtMs(): number | null;
  /** Happens the next event; false when there is none. */
  step(): boolean;
  /** Moves time on to a moment at which nothing happens; never back, never past an event. */
  passTo(atMs: number): void;
  /** True when a promise may be about to go on, so that waiting code must be let run first. */
  isUnsettled(): boolean;
  settled(): void;
  /** Number of events that have happened. */
  events(): number;
}

/** @throws nothing; errors of spawned code are thrown by the step after them */
export function createKernel(options: KernelOptions): Kernel {
  return new EventKernel(options);
}

class EventKernel implements Kernel {
  readonly seed: number;
  readonly #queue = new EventQueue();
  readonly #streams = new Map<string, RandomStream>();
  readonly #options: KernelOptions;
  #nowMs: number;
  #sequence = 0;
  #events = 0;
  #isUnsettled = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(options: KernelOptions) {
    this.#options = options;
    this.seed = options.seed;
    this.#nowMs = options.startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, task: () => void): Timer {
    const atMs = this.#nowMs + Math.max(0, delayMs);
    const planned = { atMs, sequence: this.#sequence++, task, isCancelled: false };
    this.#queue.push(planned);
    return {
      cancel: () => {
        planned.isCancelled = true;
      },
    };
  }

  every(periodMs: number, task: () => void, firstMs: number = periodMs): Timer {
    const again = (): void => {
      timer = this.after(periodMs, again);
      task();
    };
    let timer = this.after(firstMs, again);
    return { cancel: () => timer.cancel() };
  }

  random(name: string): RandomStream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const stream = randomStream(this.seed, name);
    this.#streams.set(name, stream);
    return stream;
  }

  log(actor: string, what: string): void {
    this.#options.onLine?.({ atMs: this.#nowMs, actor, what });
  }

  clock({ skewMs = () => 0 }: ClockOptions = {}): Clock {
    return {
      nowMs: () => this.#nowMs + skewMs(),
      monotonicMs: () => this.#nowMs - this.#options.startMs,
      sleep: async (durationMs, signal) => this.#sleep(durationMs, signal),
    };
  }

  spawn(actor: string, task: () => Promise<void>): void {
    this.#isUnsettled = true;
    task().catch((error: unknown) => {
      this.#failure ??= { error };
      this.log(actor, `stopped: ${String(error)}`);
    });
  }

  nextAtMs(): number | null {
    this.#dropCancelled();
    return this.#queue.peek()?.atMs ?? null;
  }

  step(): boolean {
    if (this.#failure !== null) throw this.#failure.error;
    this.#dropCancelled();
    const next = this.#queue.pop();
    if (next === undefined) return false;
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    this.#events++;
    next.task();
    this.#options.onEvent?.();
    return true;
  }

  passTo(atMs: number): void {
    const limitMs = this.nextAtMs() ?? atMs;
    this.#nowMs = Math.max(this.#nowMs, Math.min(atMs, limitMs));
  }

  isUnsettled(): boolean {
    return this.#isUnsettled;
  }

  settled(): void {
    this.#isUnsettled = false;
  }

  events(): number {
    return this.#events;
  }

  async #sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      timer.cancel();
      this.#isUnsettled = true;
      reject(signal?.reason as Error);
    };
    const timer = this.after(durationMs, () => {
      signal?.removeEventListener('abort', onAbort);
      this.#isUnsettled = true;
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  #dropCancelled(): void {
    while (this.#queue.peek()?.isCancelled === true) this.#queue.pop();
  }
}

/**
 * Runs until a moment of virtual time.
 *
 * @param settle lets code that waits go on as far as it can; resolves when all of it waits again
 */
export async function runUntil(
  kernel: Kernel,
  untilMs: number,
  settle: () => Promise<void>,
): Promise<void> {
  for (;;) {
    while (kernel.isUnsettled()) {
      kernel.settled();
      await settle();
    }
    const nextMs = kernel.nextAtMs();
    if (nextMs === null || nextMs > untilMs) break;
    kernel.step();
  }
  kernel.passTo(untilMs);
}
