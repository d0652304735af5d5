/** The runs of the janitor: the quiet one, and those that a seed draws. */
import { paceOf } from '../../../src/controllers/eni-janitor/janitor.ts';
import { NO_LAG } from '../../../src/sim/aws/options.ts';
import { type RandomStream, randomStream } from '../../../src/sim/kernel/random.ts';
import { type Call, DEEDS_OF, type Fate } from '../../../src/sim/programs/call.ts';
import { JANITOR_FAULTS, STEP_BACK_MS } from './faults.ts';
import { INTERFACE_STORIES, type PlannedInterface } from './interface-world.ts';
import type { JanitorPlan, PlannedFault } from './plan.ts';

const MINUTE_MS = 60_000;
const CHAOS_MS = 70 * MINUTE_MS;
/** By then the last interface that leaks is half an hour old and free. */
const LEAKED_MS = 90 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A pass, and what it waits for answers. */
const SLOW = 1.2;

function wholeOf(interfaces: number, hourly: number): number {
  const { everyMs, most } = paceOf(hourly);
  return LEAKED_MS + (5 + Math.ceil(interfaces / most)) * everyMs * SLOW;
}

const QUIET: JanitorPlan = {
  seed: 1,
  replicas: 1,
  mode: 'delete',
  isDryRun: false,
  hourly: 60,
  lag: NO_LAG,
  interfaces: [],
  faults: [],
  fate: () => null,
  chaosMs: CHAOS_MS,
  wholeMs: 110 * MINUTE_MS,
  skewMs: 0,
  behindMs: 0,
  bug: null,
};

/** One interface of each kind, and nothing that goes wrong. */
export function quietPlan(change: Partial<JanitorPlan> = {}): JanitorPlan {
  const interfaces = INTERFACE_STORIES.map((story, index) => ({
    atMs: (1 + index / 2) * MINUTE_MS,
    story,
    laterMs: 12 * MINUTE_MS,
  }));
  return { ...QUIET, interfaces, ...change };
}

/** The run of a seed. */
export function planOfSeed(seed: number, change: Partial<JanitorPlan> = {}): JanitorPlan {
  const random = randomStream(seed, 'janitor/run');
  const interfaces = drawInterfaces(randomStream(seed, 'janitor/interfaces'));
  const hourly = random.pick([12, 30, 60]);
  const faults = drawFaults(seed);
  const skewMs = random.chance(0.3) ? random.pick([-STEP_BACK_MS, 2 * HOUR_MS, 48 * HOUR_MS]) : 0;
  const isSetBack = faults.some(({ fault }) => fault.id === 'F71');
  const behindMs = Math.max(0, -skewMs) + (isSetBack ? STEP_BACK_MS : 0);
  return {
    seed,
    replicas: random.chance(0.4) ? 2 : 1,
    mode: random.chance(0.06) ? 'report' : 'delete',
    isDryRun: random.chance(0.06),
    hourly,
    lag: random.chance(0.4) ? NO_LAG : { medianMs: 1_000, sigma: 1.2 },
    interfaces,
    faults,
    fate: drawFate(seed),
    chaosMs: CHAOS_MS,
    wholeMs: wholeOf(interfaces.length, hourly) + behindMs,
    skewMs,
    behindMs,
    bug: null,
    ...change,
  };
}

/** More of those that are leaked, as nothing is done about the others. */
const OFTEN = ['leaked', 'leaked', 'leaked', 'attached-again', 'attached-again'] as const;

function drawInterfaces(random: RandomStream): readonly PlannedInterface[] {
  const count = 5 + random.below(8);
  return Array.from({ length: count }, () => ({
    atMs: Math.round(
      (random.chance(0.6) ? random.between(0, 10) : random.between(10, 50)) * MINUTE_MS,
    ),
    story: random.pick([...INTERFACE_STORIES, ...OFTEN]),
    laterMs: Math.round(random.between(3, 25) * MINUTE_MS),
  }));
}

/** Most faults are left out, so that the rest is seen without them. */
function drawFaults(seed: number): readonly PlannedFault[] {
  return JANITOR_FAULTS.flatMap((fault, index): readonly PlannedFault[] => {
    const random = randomStream(seed, `janitor/fault/${fault.id}/${index}`);
    if (!random.chance(0.2)) return [];
    const atMs = Math.round(random.between(1, 65) * MINUTE_MS);
    const lastsMs = Math.round(random.between(...fault.lastsMs));
    return [{ fault, atMs, lastsMs: Math.min(lastsMs, CHAOS_MS - atMs) }];
  });
}

/** What is sent once or twice in a run goes wrong more often than what is sent all the time. */
function shareOf({ what, kind }: Call): number {
  if (/leases/.test(what)) return 0.002;
  return kind === 'write' ? 0.3 : 0.05;
}

function drawFate(seed: number): Fate {
  const random = randomStream(seed, 'janitor/calls');
  const weight = random.chance(0.4) ? 0 : random.next();
  return (call) =>
    random.chance(weight * shareOf(call)) ? random.pick(DEEDS_OF[call.kind]) : null;
}
