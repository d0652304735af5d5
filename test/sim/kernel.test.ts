import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createKernel, type Kernel, runUntil } from '../../src/sim/kernel/kernel.ts';
import { randomStream } from '../../src/sim/kernel/random.ts';

const START_MS = Date.UTC(2026, 0, 1);

function kernelOf(seed = 1): { readonly kernel: Kernel; readonly lines: string[] } {
  const lines: string[] = [];
  const kernel = createKernel({
    seed,
    startMs: START_MS,
    onLine: ({ atMs, actor, what }) => lines.push(`${atMs - START_MS} ${actor} ${what}`),
  });
  return { kernel, lines };
}

async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('events', () => {
  test('happen by time, and at one time as they were planned', async () => {
    const { kernel, lines } = kernelOf();
    const say = (what: string) => (): void => kernel.log('a', what);
    kernel.after(20, say('third'));
    kernel.after(10, say('first'));
    kernel.after(10, say('second'));
    kernel.after(-5, say('now'));
    await runUntil(kernel, START_MS + 15, settle);
    assert.deepEqual(lines, ['0 a now', '10 a first', '10 a second']);
    assert.equal(kernel.nowMs(), START_MS + 15);
    await runUntil(kernel, START_MS + 30, settle);
    assert.equal(lines.at(-1), '20 a third');
  });

  test('of a thousand in any order come out in order', () => {
    const { kernel } = kernelOf();
    const seen: number[] = [];
    const stream = randomStream(7, 'delays');
    for (let index = 0; index < 1000; index++)
      kernel.after(stream.below(300), () => seen.push(kernel.nowMs()));
    while (kernel.step());
    assert.equal(seen.length, 1000);
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => one - other),
    );
  });

  test('that are cancelled do not happen, nor hold up time', () => {
    const { kernel, lines } = kernelOf();
    const timer = kernel.after(10, () => kernel.log('a', 'never'));
    kernel.after(30, () => kernel.log('a', 'later'));
    timer.cancel();
    assert.equal(kernel.nextAtMs(), START_MS + 30);
    while (kernel.step());
    assert.deepEqual(lines, ['30 a later']);
  });

  test('come again every period until they are cancelled, also by themselves', async () => {
    const { kernel, lines } = kernelOf();
    let count = 0;
    const timer = kernel.every(
      10,
      () => {
        kernel.log('a', String(++count));
        if (count === 3) timer.cancel();
      },
      0,
    );
    await runUntil(kernel, START_MS + 100, settle);
    assert.deepEqual(lines, ['0 a 1', '10 a 2', '20 a 3']);
  });
});

describe('code that waits', () => {
  test('continues at its moment and before the next event', async () => {
    const { kernel, lines } = kernelOf();
    const clock = kernel.clock();
    kernel.spawn('product', async () => {
      await clock.sleep(10);
      await Promise.resolve();
      kernel.log('product', `after ${clock.monotonicMs()}`);
      await clock.sleep(5);
      kernel.log('product', 'done');
    });
    kernel.after(11, () => kernel.log('world', 'eleven'));
    await runUntil(kernel, START_MS + 50, settle);
    assert.deepEqual(lines, ['10 product after 10', '11 world eleven', '15 product done']);
  });

  test('of two tasks that wake at one moment one continues after the other', async () => {
    const { kernel, lines } = kernelOf();
    for (const actor of ['a', 'b', 'c'])
      kernel.spawn(actor, async () => {
        await kernel.clock().sleep(10);
        kernel.log(actor, 'woke');
        for (let hop = 0; hop < 9; hop++) await Promise.resolve();
        kernel.log(actor, 'done');
      });
    kernel.after(10, () => kernel.log('world', 'ten'));
    await runUntil(kernel, START_MS + 50, settle);
    const order = ['a woke', 'a done', 'b woke', 'b done', 'c woke', 'c done', 'world ten'];
    assert.deepEqual(
      lines,
      order.map((line) => `10 ${line}`),
    );
  });

  test('hears its signal instead of the end of its sleep', async () => {
    const { kernel, lines } = kernelOf();
    const controller = new AbortController();
    kernel.spawn('product', async () => {
      const slept = kernel.clock().sleep(1000, controller.signal);
      await slept.catch((error: unknown) => kernel.log('product', String(error)));
    });
    kernel.after(5, () => controller.abort(new Error('enough')));
    await runUntil(kernel, START_MS + 50, settle);
    assert.deepEqual(lines, ['5 product Error: enough']);
  });

  test('that throws stops the run with its error', async () => {
    const { kernel } = kernelOf();
    kernel.spawn('product', async () => {
      await kernel.clock().sleep(1);
      throw new TypeError('a bug');
    });
    kernel.after(9, () => assert.fail('the world goes on'));
    await assert.rejects(runUntil(kernel, START_MS + 50, settle), /a bug/);
  });

  test('reads a clock that is off, and intervals that are not', async () => {
    const { kernel } = kernelOf();
    const clock = kernel.clock({ skewMs: () => -60_000 });
    await runUntil(kernel, START_MS + 10, settle);
    assert.equal(clock.nowMs(), START_MS - 59_990);
    assert.equal(clock.monotonicMs(), 10);
  });
});

describe('chance', () => {
  test('is the same for a seed and a name, and another one for another', () => {
    const draw = (seed: number, name: string): readonly number[] => {
      const stream = randomStream(seed, name);
      return Array.from({ length: 20 }, () => stream.below(1000));
    };
    assert.deepEqual(draw(1, 'a'), draw(1, 'a'));
    assert.notDeepEqual(draw(1, 'a'), draw(2, 'a'));
    assert.notDeepEqual(draw(1, 'a'), draw(1, 'b'));
  });

  test('of one name is not moved by what others draw', () => {
    const one = createKernel({ seed: 3, startMs: 0 });
    const other = createKernel({ seed: 3, startMs: 0 });
    other.random('noise').next();
    assert.equal(one.random('kubelet').next(), other.random('kubelet').next());
    other.random('noise').next();
    assert.equal(one.random('kubelet').next(), other.random('kubelet').next());
  });

  test('has the mean and the median that were asked for', () => {
    const stream = randomStream(11, 'shape');
    const many = 20_000;
    const values = (draw: () => number): number[] => Array.from({ length: many }, draw);
    const mean = (list: number[]): number => list.reduce((sum, value) => sum + value, 0) / many;
    assert.ok(Math.abs(mean(values(() => stream.next())) - 0.5) < 0.01);
    assert.ok(Math.abs(mean(values(() => stream.exponential(30))) - 30) < 1);
    const sorted = values(() => stream.lognormal(5, 1)).toSorted((one, other) => one - other);
    assert.ok(Math.abs((sorted[many / 2] ?? 0) - 5) < 0.25);
  });
});
