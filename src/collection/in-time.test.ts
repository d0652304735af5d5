import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../ports/clock.ts';
import { inTime } from './in-time.ts';

interface TestClock extends Clock {
  /** Ends the sleep that is under way. */
  wake(): Promise<void>;
  readonly asked: number[];
}

/** A clock on which time passes when the test says so. */
function testClock(): TestClock {
  const asked: number[] = [];
  let end: () => void = () => undefined;
  return {
    asked,
    nowMs: () => 0,
    monotonicMs: () => 0,
    async sleep(durationMs, signal) {
      asked.push(durationMs);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      end = resolve;
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      return promise;
    },
    async wake() {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const REASON = new Error('the time is over');

test('a task that ends before the signal is waited for, and no time is kept', async () => {
  const clock = testClock();
  const { signal } = new AbortController();
  assert.equal(await inTime(Promise.resolve(3), signal, clock), 3);
  await assert.rejects(inTime(Promise.reject(REASON), signal, clock), REASON);
  assert.deepEqual(clock.asked, []);
});

test('a task that does not hear the signal is left behind after the grace', async () => {
  const clock = testClock();
  const stop = new AbortController();
  const deaf = Promise.withResolvers<number>();
  const waiting = assert.rejects(inTime(deaf.promise, stop.signal, clock), REASON);
  stop.abort(REASON);
  assert.deepEqual(clock.asked, [300]);
  await clock.wake();
  await waiting;
  deaf.reject(new Error('too late to be told'));
});

test('accepts output within the grace period', async () => {
  const clock = testClock();
  const stop = new AbortController();
  const slow = Promise.withResolvers<number>();
  const waiting = inTime(slow.promise, stop.signal, clock);
  stop.abort(REASON);
  slow.resolve(4);
  assert.equal(await waiting, 4);
  await clock.wake();
});

test('a signal of before gives the grace too', async () => {
  const clock = testClock();
  const deaf = Promise.withResolvers<void>().promise;
  const waiting = assert.rejects(inTime(deaf, AbortSignal.abort(REASON), clock), REASON);
  await clock.wake();
  await waiting;
});
