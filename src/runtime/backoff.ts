import type { Random } from '../ports/random.ts';

export interface BackoffLimits {
  readonly leastMs: number;
  readonly mostMs: number;
}

/**
 * Waits that grow with chance ("decorrelated jitter": uniform between the least and three times
 * the last one), so that clients that failed together do not come back together.
 */
export class Backoff {
  readonly #random: Random;
  readonly #limits: BackoffLimits;
  #lastMs: number;

  constructor(random: Random, limits: BackoffLimits) {
    this.#random = random;
    this.#limits = limits;
    this.#lastMs = limits.leastMs;
  }

  nextMs(): number {
    const { leastMs, mostMs } = this.#limits;
    const spanMs = Math.max(0, this.#lastMs * 3 - leastMs);
    this.#lastMs = Math.min(mostMs, Math.ceil(leastMs + this.#random.next() * spanMs));
    return this.#lastMs;
  }

  reset(): void {
    this.#lastMs = this.#limits.leastMs;
  }
}
