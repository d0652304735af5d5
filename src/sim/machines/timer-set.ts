import type { Timer } from '../kernel/kernel.ts';

/** What somebody has planned, so that all of it ends with them. */
export class TimerSet {
  readonly #plan: (delayMs: number, task: () => void) => Timer;
  readonly #timers = new Set<Timer>();

  constructor(plan: (delayMs: number, task: () => void) => Timer) {
    this.#plan = plan;
  }

  after(delayMs: number, task: () => void): Timer {
    const timer = this.#plan(delayMs, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
    return timer;
  }

  clear(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
