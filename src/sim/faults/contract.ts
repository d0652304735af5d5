import type { RandomStream } from '../kernel/random.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { Town } from '../town/town.ts';
import type { MarkId } from '../marks/marks.ts';
import type { Looking } from './looking.ts';

/** A world with everything by which it can be disturbed. */
export interface Stage {
  readonly town: Town;
  /** Somebody with all rights and kubectl. */
  readonly people: KubeClient;
  /** The way by which Rollcall itself asks. */
  readonly looking: Looking;
}

/** What would be right to say of some machines while a fault lasts and afterwards. */
export interface Truth {
  /** Ids of the catalogue; each of them is right. */
  readonly causes: readonly string[];
  /** Instance ids; null for every machine. */
  readonly machines: readonly string[] | null;
}

/** A fault that was put into a world. */
export interface Injected {
  /** What was done to whom, as a sentence. */
  readonly what: string;
  /** Empty where no machine can break of it. */
  readonly truths: readonly Truth[];
  /** Rare states that come about by it. */
  readonly marks?: readonly MarkId[];
  /** Instance ids of machines that cannot work while it lasts; none without. */
  readonly breaks?: readonly string[];
  /** Takes it back; some things cannot be, and then nothing happens. */
  readonly undo: () => void;
}

/** One fault that can be put into a world, over and over. */
export interface Fault {
  /** Of its class in the list: `F51`. */
  readonly id: string;
  /** How often an hour it happens at its full weight. */
  readonly perHour: number;
  /** How long it lasts, ms; the median of what is drawn. */
  readonly lastsMs: number;
  /** @returns null where this world has nothing that it could strike */
  readonly inject: (stage: Stage, random: RandomStream) => Injected | null;
}

/** A fault at its moment, as the seed has planned it. */
export interface Injection {
  readonly fault: string;
  /** Counts the faults of this class, also those that the swarm left out: `F51.2`. */
  readonly ordinal: number;
  /** After the beginning, ms. */
  readonly atMs: number;
  readonly lastsMs: number;
}

/** `F51.2`, by which one injection is asked for again. */
export function injectionName({ fault, ordinal }: Injection): string {
  return `${fault}.${ordinal}`;
}
