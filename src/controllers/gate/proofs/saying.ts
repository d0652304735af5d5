import type { NodeFacts } from '../node-facts.ts';
import type { ObjectName } from '../policy.ts';
import type { CsiNodeFacts, DaemonPodFacts, DaemonSetFacts } from '../workloads.ts';

/** What a proof says of a node. */
export type Saying =
  | {
      readonly state: 'proven';
      /** Since when, by who says so, ms since the epoch; null when nobody says. */
      readonly sinceMs: number | null;
      /** Another one means that it did not hold without interruption. */
      readonly hold: string;
      /** Who says so, one clause. */
      readonly by: string;
    }
  | { readonly state: 'unproven'; readonly why: string }
  /** Could not be looked at, or what is looked for does not exist. */
  | {
      readonly state: 'unknown';
      readonly why: string;
      /** True where a list could not be read, which is no trouble of this node. */
      readonly isUnread: boolean;
    };

/** An object that was looked for. */
export type Looked<T> =
  | { readonly state: 'seen'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly why: string };

/** What is around Nodes, as the caches have it now. */
export interface Surroundings {
  readonly daemonSet: (name: ObjectName) => Looked<DaemonSetFacts>;
  /** Pods of exactly this DaemonSet, by UID, that are bound to the node. */
  readonly daemonPods: (set: DaemonSetFacts, nodeName: string) => Looked<readonly DaemonPodFacts[]>;
  /** All of the cluster; unknown where no policy asks for them. */
  readonly daemonSets: () => Looked<readonly ObjectName[]>;
  readonly csiNode: (nodeName: string) => Looked<CsiNodeFacts>;
}

/** What a proof looks at. */
export interface Scene {
  readonly node: NodeFacts;
  readonly around: Surroundings;
  /** Wall clock, ms. */
  readonly nowMs: number;
  /** What happened on the machine no later than this was before its present boot; null for unknown. */
  readonly bootFloorMs: number | null;
  /** What Pods said on this machine before its present boot, or on another of its name. */
  readonly formerHolds: ReadonlySet<string>;
  /** A heartbeat that is older proves nothing, ms; null where age does not matter. */
  readonly freshnessMs: number | null;
}

export function unproven(why: string): Saying {
  return { state: 'unproven', why };
}

export function unknown(why: string): Saying {
  return { state: 'unknown', why, isUnread: false };
}

/** Of what could not be read. */
export function unread(why: string): Saying {
  return { state: 'unknown', why, isUnread: true };
}

/** Seconds or minutes, as a person says them. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
