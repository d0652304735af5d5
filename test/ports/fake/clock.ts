/** A clock that stands still until a test moves it. */
import type { Clock } from '../../../src/ports/clock.ts';

export interface VirtualClock extends Clock {
  /** Lets this long pass: sleeps end in the order of their times, and what they wake runs. */
  advance(durationMs: number): Promise<void>;
  /** Moves the wall clock alone, as when it is set; negative for back. */
  stepWall(byMs: number): void;
  /** Lets everything run that waits for nothing but its turn. */
  settle(): Promise<void>;
  /** How many sleep. */
  sleeping(): number;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** 2026-01-01T00:00:00Z */
const START_MS = 1_767_225_600_000;

export function virtualClock(startMs = START_MS): VirtualClock {
  return new StandingClock(startMs);
}

class StandingClock implements VirtualClock {
  readonly #sleepers = new Set<Sleeper>();
  #wallOffsetMs: number;
  #passedMs = 0;

  constructor(startMs: number) {
    this.#wallOffsetMs = startMs;
  }

  nowMs(): number {
    return this.#wallOffsetMs + this.#passedMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      this.#sleepers.delete(sleeper);
      reject(signal?.reason as Error);
    };
    const wake = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const sleeper: Sleeper = { dueMs: this.#passedMs + Math.max(0, durationMs), wake };
    if (signal?.aborted === true) reject(signal.reason as Error);
    else {
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    }
    return promise;
  }

  async advance(durationMs: number): Promise<void> {
    const endMs = this.#passedMs + durationMs;
    await this.settle();
    for (let next = this.#due(endMs); next !== undefined; next = this.#due(endMs)) {
      this.#passedMs = next.dueMs;
      this.#sleepers.delete(next);
      next.wake();
      await this.settle();
    }
    this.#passedMs = endMs;
  }

  stepWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  sleeping(): number {
    return this.#sleepers.size;
  }

  #due(endMs: number): Sleeper | undefined {
    const due = [...this.#sleepers].filter(({ dueMs }) => dueMs <= endMs);
    return due.toSorted((a, b) => a.dueMs - b.dueMs)[0];
  }
}
