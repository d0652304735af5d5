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

  /** True while the cache may still come to show our write of this object. */
  isAwaited({ name, resourceVersion }: Versioned): boolean {
    const own = this.#writes.get(name);
    if (own === undefined) return false;
    if (this.#clock.monotonicMs() < own.untilMs && resourceVersion === own.before) return true;
    this.#writes.delete(name);
    return false;
  }

  /** Objects whose watch has not shown our write by now; they are not waited for any more. */
  takeOverdue(): readonly string[] {
    const nowMs = this.#clock.monotonicMs();
    const overdue = [...this.#writes].filter(([, { untilMs }]) => untilMs <= nowMs);
    for (const [name] of overdue) this.#writes.delete(name);
    return overdue.map(([name]) => name);
  }

  forget(name: string): void {
    this.#writes.delete(name);
  }
}
