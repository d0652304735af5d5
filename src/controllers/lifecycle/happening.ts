/** What happens to machines and their Nodes. */
export const HAPPENING_KINDS = [
  'registered',
  'initialized',
  'ready',
  'not-ready',
  'cordoned',
  'uncordoned',
  'deletion-asked',
  'deleted',
  /** A new UID under a name that a Node had before. */
  're-created',
  /** Another instance under a name that a Node has or had. */
  'name-reused',
  'machine-without-node',
  'node-without-machine',
  'lease-without-node',
  'two-nodes-for-one-machine',
  'instance-ended',
] as const;

export type HappeningKind = (typeof HAPPENING_KINDS)[number];

/** One line that shows something. */
export interface Proof {
  /** The reader's name for the source. */
  readonly source: string;
  readonly locator: string;
  readonly excerpt: string;
  /** ms since the epoch, null when the source shows no time. */
  readonly atMs: number | null;
}

/** When it happened. */
export interface HappeningTime {
  /** ms since the epoch. */
  readonly atMs: number;
  /** What tells the time; `look` is the moment at which it was found. */
  readonly from: 'object' | 'event' | 'audit' | 'look';
  /** It cannot have happened before, ms since the epoch; null when that is not known. */
  readonly notBeforeMs: number | null;
}

/** How it was noticed. */
export interface Noticed {
  readonly how: 'live' | 'after-gap';
  /** When the list was read before the gap, ms since the epoch; null when it never was, and live. */
  readonly gapFromMs: number | null;
}

export const DELETERS = [
  'cloud-node-lifecycle',
  'karpenter',
  'cluster-autoscaler',
  'node-group-update',
  'spot-interruption',
  'rebalance',
  'scheduled-maintenance',
  'person',
  /** Another program with a user of its own. */
  'controller',
  'unknown',
] as const;

export type DeleterKind = (typeof DELETERS)[number];

/** Why the cloud controller deletes a Node. */
export const CLOUD_REASONS = [
  'instance-terminated',
  /** EC2 did not show it the instance of the providerID. */
  'instance-missing',
  'name-lookup-failed',
  'unknown',
] as const;

export type CloudReason = (typeof CLOUD_REASONS)[number];

/** What the cloud controller of the cluster does with a Node whose name EC2 does not know. */
export const CLOUD_BEHAVIORS = [
  'deletes-up-to-1.29',
  'keeps-from-1.30-to-1.34',
  'deletes-since-1.37',
] as const;

export type CloudBehavior = (typeof CLOUD_BEHAVIORS)[number];

/** Who or what made the Node go. */
export interface Deleter {
  readonly kind: DeleterKind;
  /** A `CloudReason`, the reason of Karpenter's disruption, or the code of the maintenance. */
  readonly reason: string | null;
  /** Of the cloud controller alone. */
  readonly behavior: CloudBehavior | null;
  /** The user of a person or a controller; null where only the program is known. */
  readonly user: string | null;
}

/** Whose request took the object away. */
export const HANDS = [
  'cloud-node-lifecycle',
  'karpenter',
  'cluster-autoscaler',
  'node-group-update',
  'person',
  'controller',
] as const;

export type Hand = (typeof HANDS)[number];

export const CONFIDENCES = ['definite', 'likely', 'possible', 'none'] as const;

export type Confidence = (typeof CONFIDENCES)[number];

/** What would tell who deleted it. */
export interface WouldTell {
  readonly text: string;
  readonly command: string | null;
}

/** Who deleted a Node, how sure that is, and by what it is known. */
export interface Attribution {
  readonly deleter: Deleter;
  /** null when nothing shows whose request it was. */
  readonly hand: Hand | null;
  /** `none` for an unknown deleter. */
  readonly confidence: Confidence;
  readonly proof: readonly Proof[];
  /** Empty where the deleter is known. */
  readonly wouldTell: readonly WouldTell[];
}

/** Something that happened to a machine or its Node. */
export interface Happening {
  readonly kind: HappeningKind;
  readonly time: HappeningTime;
  readonly noticed: Noticed;
  readonly node: string | null;
  readonly uid: string | null;
  readonly instanceId: string | null;
  /** What is special about it: a reason, a state, the other Node or instance; null without. */
  readonly detail: string | null;
  /** Of `re-created`: whether it is the same machine's. */
  readonly machine: 'same' | 'other' | 'unknown' | null;
  /** Of `deleted` alone. */
  readonly attribution: Attribution | null;
  readonly proof: readonly Proof[];
}

function orderKey({ time, node, uid, instanceId, kind }: Happening): readonly (string | number)[] {
  const place = HAPPENING_KINDS.indexOf(kind);
  return [time.atMs, node ?? '', uid ?? '', instanceId ?? '', place];
}

/** By time, then by whom it is about: the order of the facts does not matter. */
export function inOrder(happenings: readonly Happening[]): readonly Happening[] {
  return happenings.toSorted((a, b) => {
    const [left, right] = [orderKey(a), orderKey(b)];
    for (const [index, value] of left.entries()) {
      const other = right[index] ?? '';
      if (value !== other) return value < other ? -1 : 1;
    }
    return 0;
  });
}
