import { type Clock, startTimer, type Timer } from '../../ports/clock.ts';

/** Keys by the time at which they are due, with one timer for all of them. */
export class DueKeys {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  /** By the monotonic clock. */
  readonly #dueMs = new Map<string, number>();
  #timer: Timer | null = null;
  #timerMs = Infinity;

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#dueMs.size;
  }

  /** Of several times for a key the earliest holds. */
  plan(key: string, delayMs: number): void {
    const dueMs = this.#clock.monotonicMs() + delayMs;
    if (dueMs >= (this.#dueMs.get(key) ?? Infinity)) return;
    this.#dueMs.set(key, dueMs);
    if (dueMs < this.#timerMs) this.#wakeAt(dueMs, delayMs);
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timerMs = Infinity;
    this.#dueMs.clear();
  }

  #wakeAt(dueMs: number, delayMs: number): void {
    this.#timer?.cancel();
    this.#timerMs = dueMs;
    this.#timer = startTimer(this.#clock, delayMs, () => this.#goOff());
  }

  #goOff(): void {
    this.#timerMs = Infinity;
    const nowMs = this.#clock.monotonicMs();
    const due: string[] = [];
    let nextMs = Infinity;
    for (const [key, dueMs] of this.#dueMs)
      if (dueMs <= nowMs) due.push(key);
      else if (dueMs < nextMs) nextMs = dueMs;
    for (const key of due) this.#dueMs.delete(key);
    if (nextMs < Infinity) this.#wakeAt(nextMs, nextMs - nowMs);
    for (const key of due) this.#onDue(key);
  }
}
