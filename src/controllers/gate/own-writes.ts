import type { Clock } from '../../ports/clock.ts';

/**
 * A watch that has not shown our own write by then is not waited for: another write of the same
 * version is a conflict, unless the history of the API server has gone back.
 */
const AWAITED_MS = 60_000;

/** An object as it was seen. */
export interface Versioned {
  readonly name: string;
  readonly resourceVersion: string;
}

interface OwnWrite {
  readonly before: string;
  readonly after: string | null;
  readonly untilMs: number;
}

/** What was written and is not in the cache yet: until then there is nothing to decide. */
export class OwnWrites {
  readonly #clock: Clock;
  readonly #writes = new Map<string, OwnWrite>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param version of the object after the write; null when the answer does not say */
  written({ name, resourceVersion }: Versioned, version: string | null): void {
    if (version === resourceVersion) return;
    const untilMs = this.#clock.monotonicMs() + AWAITED_MS;
    this.#writes.set(name, { before: resourceVersion, after: version, untilMs });
  }

  /** How long the cache may still take to show our write of this object, ms; 0 when it shows it. */
  awaitedMs({ name, resourceVersion }: Versioned): number {
    const own = this.#writes.get(name);
    if (own === undefined) return 0;
    const leftMs = own.untilMs - this.#clock.monotonicMs();
    if (leftMs > 0 && resourceVersion === own.before) return leftMs;
    this.#writes.delete(name);
    return 0;
  }

  isAwaited(seen: Versioned): boolean {
    return this.awaitedMs(seen) > 0;
  }

  forget(name: string): void {
    this.#writes.delete(name);
  }
}
