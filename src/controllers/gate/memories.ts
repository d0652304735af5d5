import type { Clock } from '../../ports/clock.ts';
import type { NodeMemory } from './memory.ts';

/**
 * Pods of a Node that is gone stay for some minutes, and with them what they said: another machine
 * that takes its name is not proven by it.
 */
const GONE_MS = 5 * 60_000;

interface Gone {
  readonly memory: NodeMemory;
  readonly untilMs: number;
}

/** What is remembered of each Node by name, and for a while of those that are gone. */
export class Memories {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #present = new Map<string, NodeMemory>();
  readonly #gone = new Map<string, Gone>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Also of another Node that had the name shortly before. */
  get(name: string): NodeMemory | undefined {
    this.#drop();
    return this.#present.get(name) ?? this.#gone.get(name)?.memory;
  }

  set(name: string, memory: NodeMemory): void {
    this.#gone.delete(name);
    this.#present.set(name, memory);
  }

  /** @returns false for a Node that was not there */
  leave(name: string): boolean {
    const memory = this.#present.get(name);
    if (memory === undefined) return false;
    this.#present.delete(name);
    this.#gone.set(name, { memory, untilMs: this.#clock.monotonicMs() + GONE_MS });
    return true;
  }

  /** Those that are gone for too long, which are the first in their order. */
  #drop(): void {
    for (const [name, { untilMs }] of this.#gone) {
      if (untilMs > this.#clock.monotonicMs()) return;
      this.#gone.delete(name);
    }
  }
}
