import type { Clock } from '../../src/ports/clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

const START_MS = Date.parse('2026-11-22T02:00:00Z');
/** Turns of the event loop in which somebody may still be at work without the clock. */
const TURNS = 3;

/** A clock that stands still while anybody works, and jumps to the next waker when nobody does. */
export function createVirtualClock(): Clock {
  let nowMs = START_MS;
  const sleepers: Sleeper[] = [];
  let isTurning = false;
  const turn = (left: number): void => {
    if (left > 0) {
      setImmediate(turn, left - 1);
      return;
    }
    sleepers.sort((a, b) => a.atMs - b.atMs);
    const next = sleepers.shift();
    if (next !== undefined) {
      nowMs = Math.max(nowMs, next.atMs);
      next.wake();
    }
    isTurning = sleepers.length > 0;
    if (isTurning) setImmediate(turn, TURNS);
  };
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - START_MS,
    sleep(durationMs, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { atMs: nowMs + durationMs, wake: resolve };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        sleepers.splice(sleepers.indexOf(sleeper), 1);
        reject(signal.reason);
      });
      if (!isTurning) setImmediate(turn, TURNS);
      isTurning = true;
      return promise;
    },
  };
}
