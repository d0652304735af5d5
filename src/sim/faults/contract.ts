import type { RandomStream } from '../kernel/random.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { SimulatedCluster } from '../cluster/simulated-cluster.ts';
import type { MarkId } from '../marks/marks.ts';
import type { Looking } from './looking.ts';

/** A world with everything by which it can be disturbed. */
export interface FaultScene {
  readonly simulated: SimulatedCluster;
  /** Somebody with all rights and kubectl. */
  readonly people: KubeClient;
  /** The way by which Rollcall itself asks. */
  readonly looking: Looking;
}

/** How a machine that does not work looks to who knows the world. */
export const EFFECTS = [
  /** It is not switched on. */
  'off',
  /** It has never had a Node. */
  'no-node',
  /** Its Node is gone. */
  'deleted',
  /** The cloud controller has deleted it. */
  'deleted-by-controller',
  /** Nobody has heard of its kubelet for a while. */
  'silent',
  /** Its kubelet says that it is not ready. */
  'not-ready',
  'disk-pressure',
  /** The cloud controller has not seen to its Node. */
  'uninitialized',
  'cordoned',
  /** It has a taint that comes from none of the above. */
  'tainted',
  /** No pod could have an address there. */
  'addressless',
  /** Pods that are bound to it do not start. */
  'stuck',
] as const;
export type Effect = (typeof EFFECTS)[number];

/** The cause of what a fault does to machines. */
export interface Truth {
  /** One id of the catalogue; two where what was done is what both of them say. */
  readonly causes: readonly string[];
  /** Instance ids; null for every machine on which it shows. */
  readonly machines: readonly string[] | null;
  /** By what it shows on a machine; empty where machines go on working. */
  readonly shows: readonly Effect[];
  /** When it ends before its fault does, ms since the Unix epoch. */
  readonly endsMs?: number;
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
  readonly inject: (stage: FaultScene, random: RandomStream) => Injected | null;
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
