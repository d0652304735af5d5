import { type Clock, startTimer, type Timer } from '../ports/clock.ts';

/** What is put aside is done so much later, ms: a burst of writes is on its way by then. */
const ASIDE_MS = 50;

/** Does in its order what may wait, so that what is urgent comes first. */
export class Aside {
  readonly #clock: Clock;
  #tasks: (() => void)[] = [];
  #timer: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(task: () => void): void {
    this.#tasks.push(task);
    this.#timer ??= startTimer(this.#clock, ASIDE_MS, () => this.finish());
  }

  /** Does at once all that waits. @throws what a task throws */
  finish(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  }
}
