import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, startTimer } from './clock.ts';

interface Sleep {
  readonly durationMs: number;
  readonly signal: AbortSignal | undefined;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

/** A clock whose sleeps end when the test says so. */
function sleeper(): { readonly clock: Clock; readonly sleeps: readonly Sleep[] } {
  const sleeps: Sleep[] = [];
  const sleep = (durationMs: number, signal?: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
    sleeps.push({ durationMs, signal, end: resolve, fail: reject });
    return promise;
  };
  return { clock: { nowMs: () => 0, monotonicMs: () => 0, sleep }, sleeps };
}

/** What was thrown where nobody waits for it. */
async function strayErrors(act: () => void): Promise<readonly unknown[]> {
  const listeners = process.listeners('unhandledRejection');
  const stray: unknown[] = [];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => stray.push(error));
  try {
    act();
    await nextTurn();
    await nextTurn();
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
  return stray;
}

test('a timer runs its task once its sleep has ended, and not before', async () => {
  const { clock, sleeps } = sleeper();
  const ran: string[] = [];
  startTimer(clock, 250, () => ran.push('task'));
  await nextTurn();
  assert.deepEqual(ran, []);
  assert.equal(sleeps[0]?.durationMs, 250);
  sleeps[0].end();
  await nextTurn();
  assert.deepEqual(ran, ['task']);
});

test('cancelling a timer ends its sleep silently', async () => {
  const { clock, sleeps } = sleeper();
  const timer = startTimer(clock, 250, () => assert.fail('it was cancelled'));
  assert.deepEqual(await strayErrors(timer.cancel), []);
  assert.equal(sleeps[0]?.signal?.aborted, true);
});

test('a timer that is cancelled as its sleep ends does not run its task', async () => {
  const { clock, sleeps } = sleeper();
  const timer = startTimer(clock, 250, () => assert.fail('it was cancelled'));
  const end = (): void => {
    sleeps[0]?.end();
    timer.cancel();
  };
  assert.deepEqual(await strayErrors(end), []);
});

test('a clock that breaks is reported as a bug, and the task does not run', async () => {
  const { clock, sleeps } = sleeper();
  const bug = new Error('the clock broke');
  startTimer(clock, 250, () => assert.fail('the time is not over'));
  assert.deepEqual(await strayErrors(() => sleeps[0]?.fail(bug)), [bug]);
});
