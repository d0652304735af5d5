/** A clock that tests move by hand, so that no limit is waited for. */
import assert from 'node:assert/strict';
import type { Clock } from '../../ports/clock.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';

export interface HandClock extends Clock {
  /** Lets this long pass: what sleeps no longer than that wakes. */
  pass(durationMs: number): void;
  /** How many sleep. */
  sleeping(): number;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** 2026-05-01T12:00:00Z */
export const START_MS = Date.UTC(2026, 4, 1, 12);

export function handClock(): HandClock {
  const sleepers = new Set<Sleeper>();
  let passedMs = 0;
  return {
    nowMs: () => START_MS + passedMs,
    monotonicMs: () => passedMs,
    sleep: async (durationMs, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { dueMs: passedMs + durationMs, wake: resolve };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      return promise.finally(() => sleepers.delete(sleeper));
    },
    pass(durationMs) {
      passedMs += durationMs;
      for (const { dueMs, wake } of sleepers) if (dueMs <= passedMs) wake();
    },
    sleeping: () => sleepers.size,
  };
}

/** What an error of a port must be, with its whole message. */
export function failsWith(failure: PortFailure, message: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof PortError, String(error));
    assert.deepEqual([error.failure, error.message], [failure, message]);
    return true;
  };
}
