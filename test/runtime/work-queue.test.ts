import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { PortError } from '../../src/ports/port-error.ts';
import { WorkQueue } from '../../src/runtime/queue/work-queue.ts';
import type {
  WorkOutcome,
  WorkQueueOptions,
  WorkRun,
} from '../../src/runtime/queue/work-queue-options.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';

interface Scene {
  readonly clock: VirtualClock;
  readonly queue: WorkQueue;
  /** `key` at its start and `-key` at its end. */
  readonly steps: string[];
  readonly bugs: string[];
  readonly runs: WorkRun[];
  readonly stop: AbortController;
  readonly cut: AbortController;
  readonly ended: Promise<readonly string[]>;
}

interface Told extends Partial<WorkQueueOptions> {
  readonly before?: (queue: WorkQueue) => void;
}

/** A queue whose runs take 100 ms each unless the test says otherwise. */
function scene(context: TestContext, told: Told = {}): Scene {
  const clock = virtualClock();
  const steps: string[] = [];
  const bugs: string[] = [];
  const runs: WorkRun[] = [];
  const task = told.reconcile ?? (async () => clock.sleep(100).then(() => null));
  const queue = new WorkQueue({
    clock,
    random: { next: () => 0.5 },
    onBug: (error, key) => bugs.push(`${key}: ${String(error)}`),
    onRun: (run) => runs.push(run),
    ...told,
    reconcile: async (key, signal) => {
      steps.push(key);
      try {
        return await task(key, signal);
      } finally {
        steps.push(`-${key}`);
      }
    },
  });
  told.before?.(queue);
  const stop = new AbortController();
  const cut = new AbortController();
  const ended = queue.run({ stop: stop.signal, cut: cut.signal });
  context.after(async () => {
    stop.abort();
    cut.abort();
    await clock.advance(60_000);
    await ended;
    assert.equal(clock.sleeping(), 0, 'a timer outlived the queue');
  });
  return { clock, queue, steps, bugs, runs, stop, cut, ended };
}

const ONE = { limits: { runsAtOnce: 1 } };

function unavailable(retryAfterMs: number | null = null): PortError {
  return new PortError({ failure: 'unavailable', message: 'm', retryAfterMs });
}

function kinds(runs: readonly WorkRun[]): readonly WorkOutcome['kind'][] {
  return runs.map(({ outcome }) => outcome.kind);
}

describe('a work queue', () => {
  test('runs keys in the order of their coming, each once', async (context) => {
    const { clock, queue, steps } = scene(context, ONE);
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    await clock.advance(1000);
    assert.deepEqual(steps, ['a', '-a', 'b', '-b', 'c', '-c']);
  });

  test('keeps what was added before it runs', async (context) => {
    const before = (queue: WorkQueue): void => queue.add('early');
    const { clock, steps } = scene(context, { before });
    await clock.advance(100);
    assert.deepEqual(steps, ['early', '-early']);
  });

  test('runs so many keys at once as its limit says', async (context) => {
    const { clock, queue } = scene(context, { limits: { runsAtOnce: 3 } });
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
    await clock.advance(40);
    const state = { waiting: 2, running: 3, planned: 0, failing: 0, longestRunMs: 40 };
    assert.deepEqual(queue.state(), state);
    await clock.advance(60);
    assert.deepEqual([queue.state().waiting, queue.state().running], [0, 2]);
  });

  test('never runs a key twice at once, and runs it again when it was added meanwhile', async (context) => {
    const { clock, queue, steps } = scene(context);
    queue.add('a');
    await clock.advance(50);
    queue.add('a');
    queue.add('a');
    await clock.advance(10);
    assert.deepEqual(steps, ['a']);
    await clock.advance(1000);
    assert.deepEqual(steps, ['a', '-a', 'a', '-a']);
  });

  test('lets a busy key starve nobody', async (context) => {
    const { clock, queue, steps } = scene(context, {
      ...ONE,
      reconcile: async (key) => {
        if (key === 'busy') queue.add('busy');
        await clock.sleep(100);
        return null;
      },
    });
    for (const key of ['busy', 'a', 'b']) queue.add(key);
    await clock.advance(450);
    assert.deepEqual(steps, ['busy', '-busy', 'a', '-a', 'b', '-b', 'busy', '-busy', 'busy']);
  });
});

describe('what a work queue shows', () => {
  test('reports how long a key waited and ran, and what came of it', async (context) => {
    const { clock, queue, runs } = scene(context, ONE);
    queue.add('a');
    queue.add('b');
    await clock.advance(1000);
    const outcome = { kind: 'done', againAfterMs: null };
    assert.deepEqual(runs, [
      { key: 'a', waitedMs: 0, ranMs: 100, outcome },
      { key: 'b', waitedMs: 100, ranMs: 100, outcome },
    ]);
  });

  test('takes a hundred thousand keys in a moment each', async (context) => {
    const count = 100_000;
    const { clock, queue, runs } = scene(context, { reconcile: async () => null });
    for (let key = 0; key < count; key++) queue.add(String(key));
    for (let turn = 0; turn < 50 && runs.length < count; turn++) await clock.settle();
    assert.equal(runs.length, count);
  });
});

describe('a planned run', () => {
  test('happens after its time, and of several the earliest holds', async (context) => {
    const { clock, queue, steps } = scene(context);
    queue.addAfter('a', 500);
    queue.addAfter('a', 300);
    queue.addAfter('a', 400);
    assert.equal(queue.state().planned, 1);
    await clock.advance(299);
    assert.deepEqual(steps, []);
    await clock.advance(1);
    assert.deepEqual(steps, ['a']);
    await clock.advance(1000);
    assert.deepEqual(steps, ['a', '-a']);
  });

  test('comes from the run itself, and is kept over runs in between', async (context) => {
    const { clock, queue, steps } = scene(context, {
      reconcile: async () => (clock.monotonicMs() < 1500 ? 1000 : null),
    });
    queue.add('a');
    await clock.advance(999);
    queue.add('a');
    await clock.advance(0);
    assert.equal(steps.length, 4);
    await clock.advance(1);
    assert.equal(steps.length, 6);
    assert.equal(queue.state().planned, 1);
    await clock.advance(5000);
    assert.equal(steps.length, 8);
  });
});

describe('a run that fails', () => {
  test('is tried again after waits that grow up to a limit, and no other key waits', async (context) => {
    const starts: number[] = [];
    const { clock, queue, steps } = scene(context, {
      limits: { backoffLeastMs: 100, backoffMostMs: 500 },
      reconcile: async (key) => {
        if (key === 'good') return null;
        starts.push(clock.monotonicMs());
        throw unavailable();
      },
    });
    queue.add('bad');
    await clock.advance(150);
    queue.add('good');
    await clock.advance(2000);
    assert.deepEqual(starts.slice(0, 5), [0, 200, 550, 1050, 1550]);
    assert.equal(steps.filter((step) => step === 'good').length, 1);
  });

  test('waits at least as long as the server asked', async (context) => {
    const { clock, queue, steps } = scene(context, {
      reconcile: async () => Promise.reject(unavailable(8000)),
    });
    queue.add('a');
    await clock.advance(8999);
    assert.deepEqual(steps, ['a', '-a']);
    await clock.advance(1);
    assert.equal(steps.length, 4);
  });

  test('waits a minute and more for a grant', async (context) => {
    for (const failure of ['denied', 'unauthenticated'] as const) {
      const { clock, queue, steps } = scene(context, {
        reconcile: async () => Promise.reject(new PortError({ failure, message: 'm' })),
      });
      queue.add('a');
      await clock.advance(60_000);
      assert.equal(steps.length, 2, failure);
      await clock.advance(10_000);
      assert.equal(steps.length, 4, failure);
    }
  });
});

describe('a key that waits after a failure', () => {
  test('is not tried sooner for being added', async (context) => {
    const { clock, queue, steps } = scene(context, {
      limits: { backoffLeastMs: 1000 },
      reconcile: async () => Promise.reject(unavailable()),
    });
    queue.add('a');
    await clock.advance(0);
    queue.addAfter('a', 50);
    for (let time = 0; time < 19; time++) {
      queue.add('a');
      await clock.advance(100);
    }
    assert.deepEqual(steps, ['a', '-a']);
    assert.equal(queue.state().failing, 1);
    await clock.advance(100);
    assert.equal(steps.length, 4);
  });

  test('begins with the least wait again once it has succeeded', async (context) => {
    const starts: number[] = [];
    const answers = [unavailable(), unavailable(), null, unavailable(), null];
    const { clock, queue, runs } = scene(context, {
      limits: { backoffLeastMs: 100, backoffMostMs: 10_000 },
      reconcile: async () => {
        starts.push(clock.monotonicMs());
        const answer = answers.shift() ?? null;
        if (answer !== null) throw answer;
        return null;
      },
    });
    queue.add('a');
    await clock.advance(1000);
    queue.add('a');
    await clock.advance(1000);
    assert.deepEqual(starts, [0, 200, 550, 1000, 1200]);
    assert.deepEqual(kinds(runs), ['retry', 'retry', 'done', 'retry', 'done']);
    assert.equal(queue.state().failing, 0);
  });
});

describe('a bug', () => {
  const buggy = async (key: string): Promise<null> => {
    if (key === 'bad') throw new TypeError('x is not a function');
    return null;
  };

  test('is reported once, and nothing runs after it', async (context) => {
    const { clock, queue, bugs, steps, ended } = scene(context, { ...ONE, reconcile: buggy });
    for (const key of ['good', 'bad', 'bad too', 'next']) queue.add(key);
    assert.deepEqual(await ended, []);
    assert.deepEqual(bugs, ['bad: TypeError: x is not a function']);
    queue.add('later');
    queue.addAfter('later', 10);
    await clock.advance(1000);
    assert.deepEqual(steps, ['good', '-good', 'bad', '-bad']);
  });

  test('of two at the same time is reported once', async (context) => {
    const { queue, bugs, ended } = scene(context, {
      reconcile: async () => Promise.reject(new Error('bug')),
    });
    queue.add('a');
    queue.add('b');
    await ended;
    assert.deepEqual(bugs, ['a: Error: bug']);
  });
});

describe('the stop of a queue', () => {
  test('lets running keys end, and starts no other', async (context) => {
    const { clock, queue, steps, stop, ended } = scene(context, ONE);
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10_000);
    await clock.advance(50);
    stop.abort();
    queue.add('d');
    await clock.advance(50);
    assert.deepEqual(await ended, []);
    assert.deepEqual(steps, ['a', '-a']);
    assert.equal(clock.sleeping(), 0);
  });

  test('aborts what still runs after the time for it', async (context) => {
    const { clock, queue, steps, stop, ended, bugs, runs } = scene(context, {
      limits: { drainMs: 2000 },
      reconcile: async (_, signal) => clock.sleep(1e9, signal).then(() => null),
    });
    queue.add('a');
    await clock.advance(0);
    stop.abort();
    await clock.advance(1999);
    assert.deepEqual(steps, ['a']);
    await clock.advance(1);
    assert.deepEqual(await ended, []);
    assert.deepEqual(steps, ['a', '-a']);
    assert.deepEqual([bugs, kinds(runs)], [[], ['aborted']]);
  });

  test('names the keys that do not listen', async (context) => {
    const { clock, queue, stop, ended } = scene(context, {
      limits: { drainMs: 2000, abortedMs: 500 },
      reconcile: async () => clock.sleep(10_000).then(() => null),
    });
    queue.add('deaf');
    await clock.advance(0);
    stop.abort();
    await clock.advance(2500);
    assert.deepEqual(await ended, ['deaf']);
  });
});

describe('the end of a queue', () => {
  test('by lost leadership aborts at once', async (context) => {
    const { clock, queue, steps, cut, ended } = scene(context, {
      reconcile: async (_, signal) => clock.sleep(1e9, signal).then(() => null),
    });
    queue.add('a');
    await clock.advance(0);
    cut.abort(new Error('lost'));
    assert.deepEqual(await ended, []);
    assert.deepEqual(steps, ['a', '-a']);
  });

  test('that turns into lost leadership waits no longer', async (context) => {
    const { clock, queue, stop, cut, ended } = scene(context, {
      reconcile: async (_, signal) => clock.sleep(1e9, signal).then(() => null),
    });
    queue.add('a');
    await clock.advance(0);
    stop.abort();
    await clock.advance(10);
    cut.abort(new Error('lost'));
    assert.deepEqual(await ended, []);
    assert.equal(clock.monotonicMs(), 10);
  });

  test('plans no other try of a key that fails while it stops', async (context) => {
    const { clock, queue, stop, ended } = scene(context, {
      reconcile: async () => clock.sleep(100).then(() => Promise.reject(unavailable())),
    });
    queue.add('a');
    await clock.advance(50);
    stop.abort();
    await clock.advance(50);
    await ended;
    assert.equal(clock.sleeping(), 0);
  });

  test('drops keys that wait after a failure', async (context) => {
    const { clock, queue, stop, ended } = scene(context, {
      reconcile: async () => Promise.reject(unavailable()),
    });
    queue.add('a');
    await clock.advance(0);
    stop.abort();
    await ended;
    assert.deepEqual([clock.sleeping(), queue.state().failing], [0, 0]);
  });
});
