import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';

const FIRST_MS = 1_000;

/**
 * Waits after refusals: short at first, as an API server that has just started refuses what it
 * will allow (its authorizer and its custom resources are not loaded yet), then ever longer.
 */
export class Refusals {
  readonly #random: Random;
  readonly #mostMs: number;
  #count = 0;

  constructor(random: Random, mostMs: number) {
    this.#random = random;
    this.#mostMs = mostMs;
  }

  nextMs(): number {
    const waitMs = Math.min(this.#mostMs, FIRST_MS * 2 ** this.#count);
    this.#count += 1;
    return waitMs * (0.75 + this.#random.next() / 2);
  }

  reset(): void {
    this.#count = 0;
  }
}

/** Servers without WatchList refuse its parameters; those that ignore them are found out later. */
export function isWatchListRefused(error: unknown): boolean {
  return (
    error instanceof PortError && ['invalid', 'unsupported', 'not-found'].includes(error.failure)
  );
}
