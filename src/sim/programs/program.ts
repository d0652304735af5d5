import type { Clock } from '../../ports/clock.ts';
import type { Kernel } from '../kernel/kernel.ts';

/** Of a program that is gone, nothing that waits ever goes on. */
async function never(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * A program of Rollcall in the world: it can be killed or stand still wherever it waits, and its
 * wall clock can be set. Everything that it asks has to go through `waiting`.
 */
export class SimulatedProgram {
  readonly name: string;
  readonly clock: Clock;
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  #skewMs = 0;
  #stillUntilMs = 0;
  #lateMs = 0;

  constructor(kernel: Kernel, name: string) {
    this.name = name;
    this.#kernel = kernel;
    this.#clock = kernel.clock({ skewMs: () => this.#skewMs });
    this.clock = {
      nowMs: () => this.#clock.nowMs(),
      monotonicMs: () => this.#clock.monotonicMs(),
      sleep: async (durationMs, signal) =>
        this.waiting(async () => this.#clock.sleep(durationMs + this.#lateMs, signal)),
    };
  }

  /** Aborted when the program is gone; for what the world keeps open for it. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  /** Ends it between two of its steps, as SIGKILL does. */
  kill(): void {
    this.#kernel.log(this.name, 'killed');
    this.#gone.abort();
  }

  /** Lets nothing of it go on for a while, as a machine that is suspended. */
  stand(durationMs: number): void {
    this.#kernel.log(this.name, `stands still for ${durationMs} ms`);
    this.#stillUntilMs = Math.max(this.#stillUntilMs, this.#kernel.nowMs() + durationMs);
  }

  isStill(): boolean {
    return this.#stillUntilMs > this.#kernel.nowMs();
  }

  /** Sets its wall clock ahead or back; the monotonic one does not notice. */
  step(byMs: number): void {
    this.#kernel.log(this.name, `clock steps by ${byMs} ms`);
    this.#skewMs += byMs;
  }

  /** Lets each of its timers fire late by so much, ms. */
  delayTimers(lateMs: number): void {
    this.#lateMs = lateMs;
  }

  /** What the program waits for; it goes on when the program may. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      const answer = await work();
      await this.#turn();
      return answer;
    } catch (error) {
      await this.#turn();
      throw error;
    }
  }

  async #turn(): Promise<void> {
    if (this.isGone()) return never();
    while (this.isStill()) {
      await this.#clock.sleep(this.#stillUntilMs - this.#kernel.nowMs());
      if (this.isGone()) return never();
    }
  }
}
