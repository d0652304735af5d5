import type { Clock } from '../../ports/clock.ts';
import type { PortError } from '../../ports/port-error.ts';
import type { ReflectorCounts, ReflectorPhase, ReflectorState } from './reflector-options.ts';

/** What a reflector knows about itself, and since when. */
export class ReflectorRecord {
  readonly #clock: Clock;
  readonly #counts: Record<keyof ReflectorCounts, number> = {
    listings: 0,
    watches: 0,
    probes: 0,
    deadWatches: 0,
    failures: 0,
    callbackErrors: 0,
    ignoredEvents: 0,
  };
  #phase: ReflectorPhase = 'starting';
  #lastContactMs: number | null = null;
  #currentAtMs: number;
  #lastError: PortError | null = null;
  #isSynced = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#currentAtMs = clock.monotonicMs();
  }

  count(what: keyof ReflectorCounts): void {
    this.#counts[what] += 1;
  }

  enter(phase: ReflectorPhase): void {
    this.#phase = phase;
  }

  /** The server said something. */
  contact(): void {
    this.#lastContactMs = this.#clock.nowMs();
  }

  /** The store is what the server had at this time, by the monotonic clock. */
  current(atMs: number): void {
    this.#isSynced = true;
    this.#lastError = null;
    this.#phase = 'watching';
    this.#currentAtMs = Math.max(this.#currentAtMs, atMs);
  }

  fail(error: PortError, phase: ReflectorPhase): void {
    this.count('failures');
    this.#lastError = error;
    this.#phase = phase;
  }

  /** The store is whole without a watch, for the reason that is kept. */
  poll(error: PortError): void {
    this.#lastError = error;
    this.#phase = 'polling';
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get staleMs(): number {
    return this.#clock.monotonicMs() - this.#currentAtMs;
  }

  state(): ReflectorState {
    return {
      phase: this.#phase,
      isSynced: this.#isSynced,
      lastContactMs: this.#lastContactMs,
      staleMs: this.staleMs,
      lastError: this.#lastError,
      counts: { ...this.#counts },
    };
  }
}
