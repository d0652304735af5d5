import { randomStream } from '../kernel/random.ts';
import type { WorldSetting } from '../stories/scenario.ts';
import { drawWorld } from './setting.ts';

/** What the one who starts a run wants of it. */
export interface Wishes {
  /** Machines; null as the seed has it. */
  readonly nodes: number | null;
  /** Of the world, chaos and calm together. */
  readonly hours: number;
  /** Classes (`F51`), single injections (`F51.2`), or `all` with the weights of the seed. */
  readonly faults: readonly string[] | 'all';
}

/** Everything that one seed has drawn. */
export interface Swarm {
  readonly seed: number;
  readonly world: WorldSetting;
  /** Faults begin within this time, ms. */
  readonly chaosMs: number;
  /** All of it, with the calm at its end, ms. */
  readonly wholeMs: number;
  /** Share of its full rate with which each class of faults happens; 0 for half of them. */
  readonly weights: ReadonlyMap<string, number>;
  /** How far clocks of machines are off at most from their start, ms. */
  readonly clockSkewMs: number;
  /** Share of documents that whoever collects evidence by hand leaves out. */
  readonly gapShare: number;
}

const HOUR_MS = 3_600_000;
/** Of a run; the rest is calm. */
export const CHAOS_SHARE = 0.65;

/** Draws everything by named streams, so that no wish changes what another stream gives. */
export function drawSwarm(seed: number, wishes: Wishes, classes: readonly string[]): Swarm {
  const random = randomStream(seed, 'swarm/run');
  const wholeMs = Math.round(wishes.hours * HOUR_MS);
  return {
    seed,
    world: drawWorld(seed, wishes.nodes),
    chaosMs: Math.round(wholeMs * CHAOS_SHARE),
    wholeMs,
    weights: new Map(classes.map((id) => [id, drawWeight(seed, id)])),
    clockSkewMs: random.pick([0, 0, 200, 2000]),
    gapShare: random.pick([0, 0.1, 0.3, 0.6]),
  };
}

/** Half of all faults are left out, so that the rest is seen without them. */
function drawWeight(seed: number, id: string): number {
  const random = randomStream(seed, `swarm/weight/${id}`);
  return random.chance(0.5) ? 0 : random.between(0.2, 1);
}
