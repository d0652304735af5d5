/** How often the calls of one service are tried again, and how fast they go on when throttled. */
import type { Clock } from '../../ports/clock.ts';

export interface RetryLimits {
  /** How many retries may be owed at once. */
  readonly retriesMax: number;
  /** One retry is given back after this long, ms. */
  readonly refillMs: number;
  /** The first gap between requests after a throttled one, ms; doubled up to `gapMaxMs`. */
  readonly gapMs: number;
  readonly gapMaxMs: number;
}

export const RETRY_LIMITS: RetryLimits = {
  retriesMax: 10,
  refillMs: 30_000,
  gapMs: 200,
  gapMaxMs: 2000,
};

/** One bucket for all calls of a service, so that many callers do not multiply the load. */
export class RetryBudget {
  readonly #clock: Clock;
  readonly #limits: RetryLimits;
  #retries: number;
  #refilledAtMs: number;
  #gapMs = 0;
  #slotMs: number;

  constructor(clock: Clock, limits: RetryLimits = RETRY_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
    this.#retries = limits.retriesMax;
    this.#refilledAtMs = clock.monotonicMs();
    this.#slotMs = this.#refilledAtMs;
  }

  /** Takes one retry; false when none is left. */
  take(): boolean {
    this.#refill();
    if (this.#retries < 1) return false;
    this.#retries--;
    return true;
  }

  /** Waits for the next place in the row of requests: none at all until one was throttled. */
  async pace(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    this.#slotMs = Math.max(nowMs, this.#slotMs + this.#gapMs);
    if (this.#slotMs > nowMs) await this.#clock.sleep(this.#slotMs - nowMs, signal);
  }

  throttled(): void {
    const { gapMs, gapMaxMs } = this.#limits;
    this.#gapMs = Math.min(Math.max(this.#gapMs * 2, gapMs), gapMaxMs);
  }

  succeeded(): void {
    this.#gapMs = this.#gapMs < this.#limits.gapMs ? 0 : this.#gapMs / 2;
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    const given = Math.floor((nowMs - this.#refilledAtMs) / this.#limits.refillMs);
    if (given <= 0) return;
    this.#retries = Math.min(this.#limits.retriesMax, this.#retries + given);
    this.#refilledAtMs += given * this.#limits.refillMs;
  }
}
