import type { RandomStream } from '../../../sim/kernel/random.ts';
import type { RuleListener } from '../../../sim/programs/rules.ts';
import type { SimulatedRecords } from '../../../sim/programs/records.ts';
import type { SmallWorld } from '../../../sim/programs/small-world.ts';
import type { Replica } from './replica.ts';

/** A small world with the controllers that run in it. */
export interface ControllerStage extends SmallWorld {
  /** True time, ms since the Unix epoch. */
  readonly beganMs: number;
  readonly replicas: readonly Replica[];
  readonly records: SimulatedRecords;
  readonly listeners: readonly RuleListener[];
}

/** What may happen to controllers and to what they ask. */
export interface ControllerFault {
  /** Of its class in the list: `F27`; `recorder` where the lists have none. */
  readonly id: string;
  readonly what: string;
  /** How long it lasts, ms, between these. */
  readonly lastsMs: readonly [number, number];
  /** False where the world itself ends otherwise than without it. */
  readonly isTwinned: boolean;
  /** @returns what takes it back */
  readonly strike: (stage: ControllerStage, random: RandomStream, lastsMs: number) => () => void;
}
