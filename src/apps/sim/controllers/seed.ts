import type { RandomStream } from '../../../sim/kernel/random.ts';
import { randomStream } from '../../../sim/kernel/random.ts';
import { CALL_KINDS, type CallKind, DEEDS_OF, type Fate } from '../../../sim/programs/call.ts';
import { type Move, MOVES } from '../../../sim/programs/small-world.ts';
import { CONTROLLER_FAULTS } from './faults.ts';
import type { ControllerBug } from './planted.ts';
import type { ControllerPlan, PlannedFault } from './run.ts';

const SECOND_MS = 1000;
const CHAOS_MS = 35 * SECOND_MS;
const CALM_MS = 42 * SECOND_MS;
/** Longer than a run: what is gone keeps its report, unless the seed draws otherwise. */
const KEEP_MS = 3_600_000;

/** The run of a seed: its Nodes and their moves, replicas, faults and what calls meet. */
export function planOfSeed(seed: number, bug: ControllerBug | null = null): ControllerPlan {
  const random = randomStream(seed, 'controllers/run');
  const faults = drawFaults(seed);
  return {
    seed,
    replicas: random.chance(0.3) ? 2 : 1,
    moves: drawMoves(randomStream(seed, 'controllers/moves')),
    faults,
    fate: drawFate(seed),
    chaosMs: CHAOS_MS,
    wholeMs: CHAOS_MS + CALM_MS + (faults.some(isLongFelt) ? FELT_MS : 0),
    restartsAfterLoss: true,
    isDryRun: random.chance(0.06),
    keepReportsMs: random.chance(0.3) ? 10 * SECOND_MS : KEEP_MS,
    delayMostMs: random.pick([10, 50, 400]),
    bug,
  };
}

/** Whoever is refused asks again after a minute or somewhat more. */
const FELT_MS = 50 * SECOND_MS;

function isLongFelt({ fault }: PlannedFault): boolean {
  return fault.id === 'F07';
}

/** The same without anything that goes wrong. */
export function twinOf(plan: ControllerPlan): ControllerPlan {
  return { ...plan, faults: [], fate: () => null };
}

/** True where the world itself ends in the same way with and without its faults. */
export function hasTwin({ faults }: ControllerPlan): boolean {
  return faults.every(({ fault }) => fault.isTwinned);
}

function drawMoves(random: RandomStream): readonly Move[] {
  const nodes = Array.from({ length: 1 + random.below(3) }, (_, index) => `n${index + 1}`);
  const first = nodes.map((node): Move => ({ atMs: 0, node, move: 'comes' }));
  const count = random.below(5);
  const more = Array.from(
    { length: count },
    (): Move => ({
      atMs: Math.round(random.between(2, 30) * SECOND_MS),
      node: random.pick([...nodes, 'n4']),
      move: random.pick(MOVES),
    }),
  );
  return [...first, ...more.toSorted((one, other) => one.atMs - other.atMs)];
}

/** Half of all faults are left out, so that the rest is seen without them. */
function drawFaults(seed: number): readonly PlannedFault[] {
  return CONTROLLER_FAULTS.flatMap((fault, index): readonly PlannedFault[] => {
    const random = randomStream(seed, `controllers/fault/${fault.id}/${index}`);
    if (!random.chance(0.16)) return [];
    const atMs = Math.round(random.between(1, 30) * SECOND_MS);
    const lastsMs = Math.round(random.between(...fault.lastsMs));
    return [{ fault, atMs, lastsMs: Math.min(lastsMs, CHAOS_MS - atMs) }];
  });
}

/** How many of the calls of a kind go wrong, at the full weight of a seed. */
const SHARES: Readonly<Record<CallKind, number>> = {
  write: 0.05,
  append: 0.04,
  read: 0.01,
  look: 0.01,
  event: 0.05,
};

function drawFate(seed: number): Fate {
  const random = randomStream(seed, 'controllers/calls');
  const weights = new Map(
    CALL_KINDS.map((kind) => [kind, random.chance(0.5) ? 0 : SHARES[kind] * random.next()]),
  );
  return ({ kind }) => (random.chance(weights.get(kind) ?? 0) ? random.pick(DEEDS_OF[kind]) : null);
}
