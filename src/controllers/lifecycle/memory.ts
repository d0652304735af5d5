import type { Attribution, Proof } from './happening.ts';
import type { ListName } from './facts.ts';

export const CLUE_KINDS = [
  /** A request of the audit log; the detail is the user. */
  'audit-delete',
  /** The cloud controller says that it deletes the Node; the detail is `apiVersion` of its target. */
  'cloud-deletion',
  /** Karpenter's NodeClaim of the Node is going or gone. */
  'claim-deleted',
  /** Karpenter names its reason. */
  'disruption',
  'spot',
  'rebalance',
  /** The detail is the code of the maintenance. */
  'maintenance',
  'autoscaler',
  'node-group',
  /** CloudTrail names who terminated the instance. */
  'terminated-by',
  /** The detail is the code of EC2's reason. */
  'instance-ended',
  'instance-running',
  /** The detail is the field manager that cordoned the Node. */
  'cordoned-by',
] as const;

export type ClueKind = (typeof CLUE_KINDS)[number];

/** Something that may tell later why a Node went. */
export interface Clue {
  readonly kind: ClueKind;
  readonly detail: string;
  /** By UID or instance id; a clue by name alone may be of another Node of that name. */
  readonly isById: boolean;
  readonly proof: Proof;
}

/** What is remembered of a Node. */
export interface NodeMemory {
  readonly uid: string;
  readonly name: string;
  readonly instanceId: string | null;
  /** null for a Node that an Event alone shows. */
  readonly hasProviderId: boolean | null;
  /** The NodeClaim of Karpenter, null without one. */
  readonly claim: string | null;
  /** Managed node group, null without one. */
  readonly group: string | null;
  readonly machineId: string | null;
  /** The instance of the Node that had the name before, null without one. */
  readonly formerInstance: string | null;
  /** ms since the epoch, as all times here. */
  readonly createdMs: number | null;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly isReady: boolean;
  readonly isInitialized: boolean;
  readonly isCordoned: boolean;
  readonly deletionAskedMs: number | null;
  readonly clues: readonly Clue[];
}

/** A Node that a complete list lacks, and of which it is not told yet. */
export interface GoneNode {
  readonly node: NodeMemory;
  /** When it was missed. */
  readonly missedMs: number;
  /** The list was read before a gap then; null for a live deletion. */
  readonly gapFromMs: number | null;
  readonly isAfterGap: boolean;
}

/** What stays of a Node that was told to be deleted. */
export interface Tombstone extends GoneNode {
  readonly deletedMs: number;
  readonly timeFrom: 'object' | 'event' | 'audit' | 'look';
  readonly attribution: Attribution;
}

/** What is remembered of an instance. */
export interface InstanceMemory {
  readonly id: string;
  readonly isEnded: boolean;
  /** Since when complete lists lack it, null while they show it. */
  readonly missingSinceMs: number | null;
}

/** A state of things that has been seen and is told when it lasts. */
export interface StandingMemory {
  readonly key: string;
  readonly sinceMs: number;
  readonly isTold: boolean;
}

/** How a list was read last. */
export interface ReadMemory {
  readonly list: ListName;
  /** null when it was never complete. */
  readonly readMs: number | null;
  /** Since when it cannot be read, null while it can. */
  readonly unreadSinceMs: number | null;
}

/** Everything that is known from before, by UID, instance id or key. */
export interface LifecycleMemory {
  /** null before the first look. */
  readonly lookedMs: number | null;
  readonly reads: ReadonlyMap<ListName, ReadMemory>;
  readonly nodes: ReadonlyMap<string, NodeMemory>;
  readonly gone: ReadonlyMap<string, GoneNode>;
  readonly tombstones: ReadonlyMap<string, Tombstone>;
  readonly instances: ReadonlyMap<string, InstanceMemory>;
  readonly standing: ReadonlyMap<string, StandingMemory>;
}

/** The memory of a program that has not looked yet. */
export const NOTHING_KNOWN: LifecycleMemory = {
  lookedMs: null,
  reads: new Map(),
  nodes: new Map(),
  gone: new Map(),
  tombstones: new Map(),
  instances: new Map(),
  standing: new Map(),
};
