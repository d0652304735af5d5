/** What every Clock does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, startTimer } from '../../src/ports/clock.ts';

export interface OpenedClock {
  readonly clock: Clock;
  /** Lets time pass while a promise is waited for. */
  readonly during: <T>(waited: Promise<T>) => Promise<T>;
}

/**
 * @param name of the implementation
 * @param open makes a clock
 */
export function clockContract(name: string, open: () => OpenedClock): void {
  timerContract(name, open);
  test(`${name}: a sleep lasts at least as long as it was asked to`, async () => {
    const { clock, during } = open();
    const startMs = clock.monotonicMs();
    await during(clock.sleep(20));
    // The timers of Node.js may be a millisecond early by its own fine clock.
    assert.ok(clock.monotonicMs() - startMs >= 19);
  });

  test(`${name}: sleeps end in the order of their ends`, async () => {
    const { clock, during } = open();
    const ended: string[] = [];
    const late = clock.sleep(60).then(() => ended.push('late'));
    const early = clock.sleep(5).then(() => ended.push('early'));
    await during(Promise.all([late, early]));
    assert.deepEqual(ended, ['early', 'late']);
  });

  test(`${name}: no time, or less, is over at once`, async () => {
    const { clock, during } = open();
    await during(clock.sleep(0));
    await during(clock.sleep(-5));
  });

  test(`${name}: an abort rejects with its own reason, before and during a sleep`, async () => {
    const { clock, during } = open();
    const reason = new Error('enough');
    await assert.rejects(during(clock.sleep(10_000, AbortSignal.abort(reason))), reason);
    const stop = new AbortController();
    const sleeping = clock.sleep(3_600_000, stop.signal);
    stop.abort(reason);
    await assert.rejects(sleeping, reason);
  });

  test(`${name}: an abort after the end changes nothing`, async () => {
    const { clock, during } = open();
    const stop = new AbortController();
    const sleeping = clock.sleep(1, stop.signal);
    await during(sleeping);
    stop.abort(new Error('late'));
    assert.equal(await sleeping, undefined);
  });

  test(`${name}: the monotonic clock never goes back, and the wall clock says a year`, () => {
    const { clock } = open();
    const readings = Array.from({ length: 100 }, () => clock.monotonicMs());
    assert.deepEqual(
      readings,
      readings.toSorted((a, b) => a - b),
    );
    assert.ok(new Date(clock.nowMs()).getUTCFullYear() >= 2025);
  });
}

function timerContract(name: string, open: () => OpenedClock): void {
  test(`${name}: a timer goes off once, after its time, and a cancelled one never`, async () => {
    const { clock, during } = open();
    const startMs = clock.monotonicMs();
    const wentMs: number[] = [];
    const cancelled = startTimer(clock, 10, () => assert.fail('it was cancelled'));
    const done = Promise.withResolvers<void>();
    startTimer(clock, 20, () => {
      wentMs.push(clock.monotonicMs() - startMs);
      done.resolve();
    });
    cancelled.cancel();
    cancelled.cancel();
    await during(done.promise);
    await during(clock.sleep(20));
    assert.equal(wentMs.length, 1);
    assert.ok((wentMs[0] ?? 0) >= 19);
  });

  test(`${name}: a timer that went off can be cancelled still`, async () => {
    const { clock, during } = open();
    const done = Promise.withResolvers<void>();
    const timer = startTimer(clock, 1, done.resolve);
    await during(done.promise);
    timer.cancel();
    await during(clock.sleep(1));
  });
}
