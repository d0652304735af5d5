/** Elections in the simulator's virtual time: slow and lost answers, pauses, clocks that differ. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { whenAborted } from '../../src/runtime/abort.ts';
import { LeaderElection } from '../../src/runtime/election/election.ts';
import { createKernel, type Kernel, runUntil } from '../../src/sim/kernel/kernel.ts';
import { leaseApi, type LeaseFault, LeaseStore, leaseWrites } from './lease-server.ts';

const PROGRAMS = ['one', 'two', 'three'];
const HOUR_MS = 3_600_000;
const FAULTS: readonly LeaseFault[] = ['hang', 'lost', 'unreachable', 'conflict', 'throttled'];

interface World {
  readonly kernel: Kernel;
  readonly store: LeaseStore;
  readonly elections: Map<string, LeaderElection>;
  readonly led: Map<string, number>;
  readonly trouble: string[];
  /** Until then the server answers badly. */
  badUntilMs: number;
}

/** A clock whose wall is wrong by days, and whose timers are late by up to three seconds. */
function badClock(kernel: Kernel, name: string): Clock {
  const random = kernel.random(`${name}/clock`);
  const skewMs = random.between(-1e9, 1e9);
  const clock = kernel.clock({ skewMs: () => skewMs });
  const lateMs = (): number => (random.chance(0.05) ? random.between(0, 3_000) : 0);
  return { ...clock, sleep: async (ms, signal) => clock.sleep(ms + lateMs(), signal) };
}

/** One life after the other of one program, each with an identity of its own. */
async function live(world: World, name: string): Promise<void> {
  const { kernel, store } = world;
  const random = kernel.random(name);
  const door = {
    store,
    clock: kernel.clock(),
    delayMs: () => random.exponential(300),
    fault: () =>
      random.chance(kernel.nowMs() < world.badUntilMs ? 0.9 : 0.1) ? random.pick(FAULTS) : null,
  };
  for (let life = 1; ; life++) {
    const stop = new AbortController();
    const election = new LeaderElection({
      api: leaseApi(door),
      writes: leaseWrites(door),
      clock: badClock(kernel, name),
      random,
      lease: { namespace: 'rollcall', name: 'controller' },
      identity: `${name}-${life}`,
      lead: async ({ stop: ending, lost }) => {
        world.led.set(name, (world.led.get(name) ?? 0) + 1);
        await whenAborted(AbortSignal.any([ending, lost]));
      },
    });
    world.elections.set(name, election);
    kernel.after(random.exponential(10 * 60_000), () => stop.abort());
    await election.run(stop.signal);
    await kernel.clock().sleep(random.exponential(5_000));
  }
}

function look(world: World): void {
  const leading = [...world.elections].filter(([, election]) => election.isLeading());
  const names = leading.map(([name]) => name).join(' and ');
  if (leading.length > 1) world.trouble.push(`${world.kernel.nowMs()}: ${names} lead`);
}

async function play(seed: number): Promise<World> {
  const world: World = {
    kernel: createKernel({ seed, startMs: 0, onEvent: () => look(world) }),
    store: new LeaseStore(),
    elections: new Map(),
    led: new Map(),
    trouble: [],
    badUntilMs: 0,
  };
  const { kernel } = world;
  const random = kernel.random('server');
  kernel.every(10 * 60_000, () => {
    world.badUntilMs = kernel.nowMs() + random.exponential(40_000);
  });
  await overTripwires(async () => {
    for (const name of PROGRAMS) kernel.spawn(name, async () => live(world, name));
    await runUntil(kernel, HOUR_MS, settle);
  });
  return world;
}

describe('elections in virtual time', () => {
  for (let seed = 1; seed <= 6; seed++)
    test(`never have two leaders, and always one again, seed ${seed}`, async () => {
      const { led, trouble } = await play(seed);
      assert.deepEqual(trouble, []);
      const all = PROGRAMS.map((name) => led.get(name) ?? 0);
      assert.ok(Math.min(...all) > 0, `led: ${all.join(', ')}`);
    });
});
