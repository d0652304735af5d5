export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export type TaintEffect = (typeof TAINT_EFFECTS)[number];

export interface GateTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

/** The object or file that a policy was read from. */
export interface PolicySource {
  readonly kind: 'NodeGate' | 'NodeReadinessRule' | 'nidhogg';
  /** `metadata.name`; for nidhogg the DaemonSet as `namespace/name`. */
  readonly name: string;
  /** null where there is no object, as for a file. */
  readonly uid: string | null;
  readonly generation: number | null;
}

/** One requirement of a label selector of `meta/v1`. */
export type LabelRequirement =
  | {
      readonly key: string;
      readonly operator: 'In' | 'NotIn';
      readonly values: readonly string[];
    }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' };

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Which nodes a policy is for; `matchLabels` are requirements too. */
export interface NodeSelector {
  /** All of them must be met; none selects every node. */
  readonly requirements: readonly LabelRequirement[];
  /**
   * Also required: a node on which this DaemonSet would be placed. While the DaemonSet is missing
   * or not known every node counts, so that nothing opens. null for no such requirement.
   */
  readonly placedBy: ObjectName | null;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One thing that must be true of a node. */
export type Proof =
  /** Its Pod on this node is ready. */
  | ({ readonly kind: 'daemonset' } & ObjectName)
  | {
      readonly kind: 'condition';
      readonly type: string;
      readonly status: ConditionStatus;
      /** What a node without the condition counts as; null for unknown, which proves nothing. */
      readonly whenMissing: ConditionStatus | null;
    }
  /** The node's CSINode lists this driver. */
  | { readonly kind: 'csi-driver'; readonly name: string }
  | {
      readonly kind: 'label' | 'annotation';
      readonly key: string;
      /** null for any value. */
      readonly value: string | null;
    }
  /** Allocatable, and more than none. */
  | { readonly kind: 'resource'; readonly name: string };

export type ProofNeeds = { readonly all: readonly Proof[] } | { readonly any: readonly Proof[] };

/** An annotation that is written together with the removal of the taint; one that is there stays. */
export interface OpeningMark {
  readonly key: string;
  /** null for the time of the opening, `YYYY-MM-DDThh:mm:ssZ`. */
  readonly value: string | null;
}

/** How a node that was opened is treated when it loses a proof. */
export type GateMode =
  /** It stays open, for this Node UID and this boot. */
  | 'bootstrap-only'
  /** It is shut again. */
  | 'continuous';

/** What is done about Pods that came to a node before a gate opened it. */
export interface SlipInPolicy {
  /** `ignore` looks for none; `report` tells of them; `evict` has them replaced too. */
  readonly mode: 'ignore' | 'report' | 'evict';
  /** At most so many evictions of this gate an hour. */
  readonly perHour: number;
  /** At most so many of one workload an hour. */
  readonly perWorkload: number;
}

/** Where nothing else is said, nothing is evicted. */
export const SLIP_INS_REPORTED: SlipInPolicy = { mode: 'report', perHour: 20, perWorkload: 6 };

/** What all dialects compile to: one startup taint, and what must be true before it goes. */
export interface GatePolicy {
  readonly source: PolicySource;
  /**
   * Since when the policy exists, ms since the epoch: nodes older than that were in service before
   * it and are shut only within `blastShareMax`. null to treat every node as a new one.
   */
  readonly createdMs: number | null;
  readonly selects: NodeSelector;
  readonly taint: GateTaint;
  /** An empty list opens nothing. */
  readonly needs: ProofNeeds;
  /** How long the proofs must have held without interruption, ms. */
  readonly dwellMs: number;
  /** A condition whose last heartbeat is older proves nothing, ms; null where age does not matter. */
  readonly freshnessMs: number | null;
  readonly mode: GateMode;
  /** Put instead of the startup taint when an opened node loses a proof; null for the same taint. */
  readonly regressTaint: GateTaint | null;
  /** How long a proof must be lost before an opened node is shut again, ms. */
  readonly regressAfterMs: number;
  /** True where a restart of the kubelet shuts an opened node again; false where it is not given. */
  readonly shutsOnKubeletRestart?: boolean;
  /** 0 to 1: at most this share of the selected nodes is shut again at once. */
  readonly blastShareMax: number;
  /** A node that is still shut after so long is reported, never opened, ms; null for never. */
  readonly expiryMs: number | null;
  readonly isDryRun: boolean;
  /** True where a proof must be of the node's present boot, and a reboot shuts the node again. */
  readonly isBoundToBoot: boolean;
  readonly openingMarks: readonly OpeningMark[];
  /** Annotations that say, by being there, that a `bootstrap-only` policy is done with a node. */
  readonly completedBy: readonly string[];
  /** `SLIP_INS_REPORTED` where it is not given. */
  readonly slipIns?: SlipInPolicy;
  /** Startup taints of other programs that go once their owner is gone; none where it is not given. */
  readonly adoptTaints?: readonly Pick<GateTaint, 'key' | 'effect'>[];
  /** Why this policy cannot be followed, one sentence: its nodes stay shut. null where it can. */
  readonly refusedWhy: string | null;
}

/** A document that cannot be followed, or a part of it. */
export interface PolicyRefusal {
  readonly source: PolicySource;
  /** One sentence: the field, what is wrong, what to write instead. */
  readonly why: string;
}

/** A warning about a policy that is followed. */
export type PolicyWarning = PolicyRefusal;

/** Taints that go from every node on which no policy wants them. */
export interface TaintRelease {
  /** A key, or what keys begin with. */
  readonly key: string;
  readonly isPrefix: boolean;
  /** null for any. */
  readonly effect: TaintEffect | null;
}

/**
 * What a reader makes of one document. A refused one whose nodes and taint can be read is also
 * among the policies, with `refusedWhy`, so that its nodes stay shut.
 */
export interface PolicyReading {
  readonly policies: readonly GatePolicy[];
  readonly refusals: readonly PolicyRefusal[];
  readonly warnings: readonly PolicyWarning[];
  /** Left by what the document said before, or by a document that is being deleted. */
  readonly releases?: readonly TaintRelease[];
}
