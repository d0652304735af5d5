import { runningSinceMs } from '../domain/pods/pods.ts';
import type { KubeNode } from '../evidence/kinds.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import { isoTime } from '../evidence/time.ts';

/**
 * What a guarded repair may do about one object that a finding names. Only a definite finding names
 * one, and whoever acts on it reads the object again first.
 */
export type Repair = PodToReplace | NodeToDelete | KubeletToRestart | MachineToReplace;

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

/** A machine whose kubelet runs and has no Node, which it makes only when it starts. */
export interface KubeletToRestart {
  readonly kind: 'restart-kubelet';
  readonly instanceId: string;
  /** The Node that it makes. */
  readonly node: string;
  /** What shows it, one clause. */
  readonly says: string;
}

/** A kubelet as a repair names it; nothing where the evidence does not show its instance. */
export function restarting(
  instanceId: string | null,
  node: string,
  says: string,
): readonly KubeletToRestart[] {
  return instanceId === null ? [] : [{ kind: 'restart-kubelet', instanceId, node, says }];
}

/** A machine that only another one mends. */
export interface MachineToReplace {
  readonly kind: 'replace-machine';
  readonly instanceId: string;
  /** null where it has none. */
  readonly node: string | null;
  /** True where a Node that is Ready shows that it is over. */
  readonly isOverOnceReady: boolean;
  /** What shows it, one clause. */
  readonly says: string;
}

/** A machine as a repair names it; nothing where the evidence does not show its instance. */
export function replacingMachine(
  { instanceId, node }: { readonly instanceId: string | null; readonly node: string | null },
  isOverOnceReady: boolean,
  says: string,
): readonly MachineToReplace[] {
  if (instanceId === null) return [];
  return [{ kind: 'replace-machine', instanceId, node, isOverOnceReady, says }];
}
