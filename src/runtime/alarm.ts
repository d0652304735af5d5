import type { Clock } from '../ports/clock.ts';

/** What belongs together comes within this time: a Node, its Lease, its Pods. */
export const SETTLE_MS = 250;

/** A reason that is made once: an error with its stack for each sleep costs more than the sleep. */
const WOKEN = new Error('woken');

/** Wakes whoever pauses between two looks, and remembers what rang while nobody did. */
export class Alarm {
  readonly #clock: Clock;
  readonly #settleMs: number;
  /** By the monotonic clock; infinite for none. */
  #dueMs = Infinity;
  #notBeforeMs = 0;
  #wake: () => void = () => undefined;

  /** @param settleMs from a change to the look that it leads to */
  constructor(clock: Clock, settleMs = SETTLE_MS) {
    this.#clock = clock;
    this.#settleMs = settleMs;
  }

  /**
   * Asks for a look as soon as what came with the change has come too.
   *
   * @param notBeforeMs by the monotonic clock; until then no other change leads to a look either
   */
  ring(notBeforeMs = 0): void {
    this.#dueMs = Math.min(this.#dueMs, this.#clock.monotonicMs() + this.#settleMs);
    this.#notBeforeMs = Math.max(this.#notBeforeMs, notBeforeMs);
    this.#wake();
  }

  /** A look begins: it sees everything that has rung before. */
  answer(): void {
    this.#dueMs = Infinity;
    this.#notBeforeMs = 0;
  }

  /** Pauses until it rings, but for at least and at most so long, ms; ends early with the signal. */
  async pause(leastMs: number, mostMs: number, signal: AbortSignal): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    for (;;) {
      const dueMs = Math.max(startMs + leastMs, this.#dueMs, this.#notBeforeMs);
      const restMs = Math.min(dueMs, startMs + mostMs) - this.#clock.monotonicMs();
      if (restMs <= 0 || signal.aborted) return;
      // A rest so small that adding it to the time changes nothing would never pass.
      await this.#sleep(Math.ceil(restMs), signal);
    }
  }

  /** Ends when the time is over, when it rings, and with the signal. */
  async #sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort(WOKEN);
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    try {
      await this.#clock.sleep(durationMs, woken.signal);
    } catch (error) {
      if (!woken.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', wake);
      this.#wake = () => undefined;
    }
  }
}
