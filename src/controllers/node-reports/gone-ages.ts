import type { Clock } from '../../ports/clock.ts';

interface FirstSeen {
  readonly goneSinceMs: number;
  /** How long it was gone then, by the wall clock, ms. */
  readonly ageMs: number;
  /** By the monotonic clock. */
  readonly atMs: number;
}

/** How long machines are gone: by stamps until they are first seen, and by no clock that steps after it. */
export class GoneAges {
  readonly #clock: Clock;
  readonly #seen = new Map<string, FirstSeen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param goneSinceMs as the report has it, ms since the Unix epoch */
  ageMs(name: string, goneSinceMs: number): number {
    const atMs = this.#clock.monotonicMs();
    const known = this.#seen.get(name);
    if (known?.goneSinceMs === goneSinceMs) return known.ageMs + atMs - known.atMs;
    const ageMs = this.#clock.nowMs() - goneSinceMs;
    this.#seen.set(name, { goneSinceMs, ageMs, atMs });
    return ageMs;
  }

  /** A stamp that is about to be written is young, whatever the wall clock does meanwhile. */
  stamped(name: string, goneSinceMs: number): void {
    this.#seen.set(name, { goneSinceMs, ageMs: 0, atMs: this.#clock.monotonicMs() });
  }

  /** Forgets machines whose report is not there any more. */
  keep(isThere: (name: string) => boolean): void {
    for (const name of this.#seen.keys()) if (!isThere(name)) this.#seen.delete(name);
  }
}
