import type { Cluster, ScalingActivity, Update } from '../../evidence/aws/groups.ts';
import type { TrailEvent } from '../../evidence/aws/iam.ts';
import type { Instance, InstanceStatus } from '../../evidence/aws/instance.ts';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import type { Seen, WhyUnknown } from '../../evidence/fact.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import type { KubeEvent, NodeDeletionRequest } from '../../evidence/kube/event.ts';
import type { Lease, NodeClaim } from '../../evidence/kube/machines.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

/** A list as it was read: what a complete one lacks is not there. */
export interface Listed<T> {
  readonly items: readonly Seen<T>[];
  /** Why the list is not complete; what it lacks is unknown then. null for a complete list. */
  readonly unread: WhyUnknown | null;
}

export function complete<T>(items: readonly Seen<T>[]): Listed<T> {
  return { items, unread: null };
}

/** A list that nobody read, or of which a part failed. */
export function incomplete<T>(why: WhyUnknown, items: readonly Seen<T>[] = []): Listed<T> {
  return { items, unread: why };
}

/** Everything that is known at one moment. */
export interface LifecycleFacts {
  /** ms since the epoch. */
  readonly nowMs: number;
  /** False after a start, and where a watch was lost since the last look. */
  readonly isUnbroken: boolean;
  readonly nodes: Listed<KubeNode>;
  readonly leases: Listed<Lease>;
  readonly claims: Listed<NodeClaim>;
  readonly pods: Listed<Pod>;
  readonly events: Listed<KubeEvent>;
  readonly clusters: Listed<Cluster>;
  readonly instances: Listed<Instance>;
  readonly statuses: Listed<InstanceStatus>;
  readonly activities: Listed<ScalingActivity>;
  readonly updates: Listed<Update>;
  /** Of the API server's audit log. */
  readonly audits: Listed<NodeDeletionRequest>;
  /** Of CloudTrail. */
  readonly trail: Listed<TrailEvent>;
  /** What AWS reported since the last look; not given where nobody receives it. */
  readonly news?: readonly Seen<MachineNews>[];
}

export const LISTS = [
  'nodes',
  'leases',
  'claims',
  'pods',
  'events',
  'clusters',
  'instances',
  'statuses',
  'activities',
  'updates',
  'audits',
  'trail',
] as const;

export type ListName = (typeof LISTS)[number];

/** Why a list is not complete, null when it is. */
export function unreadOf(facts: LifecycleFacts, list: ListName): WhyUnknown | null {
  return facts[list].unread;
}
