import type { ActRule, Deed } from '../../capacity/spot/act-rules.ts';
import type { SpotNode } from '../../domain/nodes/spot-node.ts';
import type { PodFacts } from '../slip-ins/pod.ts';

/** The NodeClaim by which Karpenter made a Node. */
export interface NodeClaim {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isLeaving: boolean;
}

/** The Auto Scaling group of an instance. */
export interface GroupMember {
  readonly group: string;
  /** `InService`, `Terminating:Wait`. */
  readonly state: string;
}

/** What rules are asked about; null is unknown. */
export interface SpotSight {
  /** All Nodes of Spot Instances. */
  readonly nodes: readonly SpotNode[] | null;
  /** Instances that EC2 takes within two minutes, by its own word. */
  readonly marked: ReadonlySet<string>;
  /** Dollars an hour by pool; a pool without is unknown. */
  readonly prices: ReadonlyMap<string, number>;
  /** Pods by the UID of their Node, of the Nodes on which rules act. */
  readonly pods: ReadonlyMap<string, readonly PodFacts[]>;
  /** By the name of the Node. */
  readonly claims: ReadonlyMap<string, NodeClaim> | null;
  /** By instance id, of the Nodes on which rules act. */
  readonly members: ReadonlyMap<string, GroupMember> | null;
}

/** A Node on which a rule began to act; it is noted before anything is written. */
export interface BegunAct {
  readonly rule: string;
  readonly uid: string;
  readonly node: string;
  /** By the wall clock, ms, as other starts of the program read it. */
  readonly atMs: number;
}

interface OnNode {
  readonly rule: ActRule;
  readonly node: SpotNode;
  /** What is shown that the rule acts on, one sentence. */
  readonly because: string;
}

/** One write that is due. */
export type SpotStep = OnNode &
  (
    | { readonly kind: 'cordon' }
    | { readonly kind: 'evict'; readonly pod: PodFacts }
    | { readonly kind: 'delete-claim'; readonly claim: NodeClaim }
    | { readonly kind: 'terminate'; readonly group: string }
  );

/** Why a rule that is about a Node does nothing there. */
export interface KeptNode {
  readonly rule: string;
  readonly node: string;
  readonly why: string;
}

export interface SpotDecision {
  /** With what begins now; to be noted before the steps are taken. */
  readonly begun: readonly BegunAct[];
  readonly steps: readonly SpotStep[];
  readonly kept: readonly KeptNode[];
}

/** True for a deed that empties the Node before anything else. */
export function drains(deed: Deed): boolean {
  return deed !== 'cordon';
}
