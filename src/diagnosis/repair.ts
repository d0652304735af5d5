import { runningSinceMs } from '../domain/pods/pods.ts';
import type { KubeNode } from '../evidence/kinds.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import { isoTime } from '../evidence/time.ts';

/**
 * What a guarded repair may do about one object that a finding names. Only a definite finding names
 * one, and whoever acts on it reads the object again first.
 */
export type Repair = PodToReplace | NodeToDelete;

/** A Pod that works without its own identity and goes on so, whatever is put right around it. */
export interface PodToReplace {
  readonly kind: 'replace-pod';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /**
   * What makes it well: another Pod, as it was made without what it needs; or also another start of
   * its containers, which ask for credentials again.
   */
  readonly by: 'new-pod' | 'new-start';
  /** Since when its first container runs, RFC 3339; null where nothing says so. */
  readonly since: string | null;
  /** What shows it, one clause. */
  readonly says: string;
}

/** A Pod as a repair names it; nothing where the evidence does not show which one it is. */
export function replacing(pod: Pod, by: PodToReplace['by'], says: string): readonly PodToReplace[] {
  const { namespace, name, uid } = pod;
  if (namespace === null || uid === null) return [];
  const sinceMs = runningSinceMs(pod);
  const since = sinceMs === null ? null : isoTime({ ms: sinceMs, yearless: false, clock: 'utc' });
  return [{ kind: 'replace-pod', namespace, name, uid, by, since, says }];
}

/** A Node to which no kubelet reports, as its machine has another one or is gone. */
export interface NodeToDelete {
  readonly kind: 'delete-node';
  readonly name: string;
  readonly uid: string;
  /** The Node that its machine has now; null where the machine is gone. */
  readonly nowAs: string | null;
  /** What shows it, one clause. */
  readonly says: string;
}

/** A Node as a repair names it; nothing where the evidence does not show which one it is. */
export function deleting(
  { name, uid }: Pick<KubeNode, 'name' | 'uid'>,
  nowAs: string | null,
  says: string,
): readonly NodeToDelete[] {
  return uid === null ? [] : [{ kind: 'delete-node', name, uid, nowAs, says }];
}
