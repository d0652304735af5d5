/** A work queue in the simulator's virtual time, under chance. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { WorkQueue } from '../../src/runtime/queue/work-queue.ts';
import { createKernel, type Kernel, runUntil } from '../../src/sim/kernel/kernel.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const ADDS = 200;
const MINUTE_MS = 60_000;

interface Watched {
  /** Keys whose last add no run has begun after. */
  readonly owed: Set<string>;
  readonly running: Set<string>;
  readonly trouble: string[];
  readonly lines: string[];
  runs: number;
}

/** Adds keys at any time, one of them much more often than all others. */
async function addByChance(kernel: Kernel, queue: WorkQueue, watched: Watched): Promise<void> {
  const random = kernel.random('adds');
  const clock = kernel.clock();
  for (let count = 0; count < ADDS; count++) {
    await clock.sleep(random.exponential(300));
    const key = random.chance(0.5) ? 'busy' : random.pick(KEYS);
    watched.owed.add(key);
    queue.add(key);
  }
}

function queueIn(kernel: Kernel, watched: Watched): WorkQueue {
  const clock = kernel.clock();
  const random = kernel.random('runs');
  return new WorkQueue({
    clock,
    random: kernel.random('queue'),
    limits: { runsAtOnce: 3, backoffMostMs: 5000 },
    onBug: (error) => watched.trouble.push(`bug: ${String(error)}`),
    reconcile: async (key, signal) => {
      if (watched.running.has(key)) watched.trouble.push(`${key} ran twice at once`);
      watched.running.add(key);
      watched.owed.delete(key);
      watched.runs += 1;
      watched.lines.push(`${kernel.nowMs()} ${key}`);
      await clock.sleep(random.exponential(200), signal);
      watched.running.delete(key);
      if (!random.chance(0.2)) return null;
      watched.owed.add(key);
      throw new PortError({ failure: 'unavailable', message: 'm' });
    },
  });
}

async function play(seed: number): Promise<Watched> {
  const kernel = createKernel({ seed, startMs: 0 });
  const watched: Watched = {
    owed: new Set(),
    running: new Set(),
    trouble: [],
    lines: [],
    runs: 0,
  };
  await overTripwires(async () => {
    const queue = queueIn(kernel, watched);
    const stop = new AbortController();
    kernel.spawn('queue', async () => queue.run({ stop: stop.signal }).then(() => undefined));
    kernel.spawn('adds', async () => addByChance(kernel, queue, watched));
    await runUntil(kernel, 10 * MINUTE_MS, settle);
    stop.abort();
    await settle();
  });
  return watched;
}

describe('a work queue in virtual time', () => {
  for (let seed = 1; seed <= 30; seed++)
    test(`owes no key a run and never runs one twice at once, seed ${seed}`, async () => {
      const watched = await play(seed);
      assert.deepEqual(watched.trouble, []);
      assert.deepEqual([...watched.owed], []);
      assert.ok(watched.runs > KEYS.length, `only ${watched.runs} runs`);
    });

  test('runs the same for the same seed', async () => {
    assert.deepEqual((await play(1)).lines, (await play(1)).lines);
    assert.notDeepEqual((await play(1)).lines, (await play(2)).lines);
  });
});
