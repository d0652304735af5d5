import type { Seen } from '../../evidence/fact.ts';
import { isoMs, type Timed } from '../../evidence/time.ts';
import type { Condition } from '../../evidence/kube/object.ts';
import type { ContainerStatus, Pod } from '../../evidence/kube/pod.ts';

/** What causes read of a Pod as `readers/kube/pod.ts` projects it. */
function statuses(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

/** True for a pod that is bound to this Node and has not ended. */
export function isOnNode(pod: Pod, node: string): boolean {
  const phase = pod.status?.phase ?? null;
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  return !hasEnded && pod.spec?.nodeName === node;
}

export function isPodReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready', 'status') === 'True';
}

/** Since when the pod is Ready or is not, ms since the epoch; null when it does not say. */
export function readyChangedMs(pod: Pod): number | null {
  return isoMs(podCondition(pod, 'Ready', 'lastTransitionTime') ?? '');
}

/** One field of a condition of the pod, null without the condition. */
export function podCondition(pod: Pod, type: string, field: keyof Condition): string | null {
  return pod.status?.conditions?.find((one) => one.type === type)?.[field] ?? null;
}

/** `namespace/name` as people write it. */
export function podName(pod: Pod): string {
  return `${pod.namespace ?? 'default'}/${pod.name}`;
}

export function serviceAccountOf(pod: Pod): string {
  return pod.spec?.serviceAccountName ?? 'default';
}

/** The value of a variable in the first container that has it, null when none has. */
export function environmentOf(pod: Pod, name: string): string | null {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  for (const container of containers) {
    const entry = (container.env ?? []).find((one) => one.name === name);
    if (entry !== undefined) return entry.value ?? '';
  }
  return null;
}

/** True for a pod owned by this DaemonSet. */
export function isOfDaemonSet(pod: Pod, name: string): boolean {
  return (pod.metadata?.ownerReferences ?? []).some(
    (owner) => owner.kind === 'DaemonSet' && owner.name === name,
  );
}

/** True for a pod owned by whichever DaemonSet. */
export function isOfAnyDaemonSet(pod: Pod): boolean {
  return (pod.metadata?.ownerReferences ?? []).some((owner) => owner.kind === 'DaemonSet');
}

/** Why a container waits (`CrashLoopBackOff`), null when none does. */
export function waitingReason(pod: Pod): string | null {
  for (const status of statuses(pod)) {
    const reason = status.state?.waiting?.reason ?? null;
    if (reason !== null) return reason;
  }
  return null;
}

/** What a container said when it last ended or waits, by its termination message; '' for nothing. */
export function complaintOf(pod: Pod): string {
  const messages = statuses(pod).flatMap(({ state, lastState }) => [
    lastState?.terminated?.message,
    state?.terminated?.message,
    state?.waiting?.message,
  ]);
  return messages.find(Boolean) ?? '';
}

/** True for a pod whose container ends again and again. */
export function isCrashing(pod: Pod): boolean {
  if (isPodReady(pod)) return false;
  return statuses(pod).some(
    ({ restartCount, state }) =>
      state?.waiting?.reason === 'CrashLoopBackOff' ||
      (restartCount ?? 0) >= 3 ||
      Boolean(state?.terminated),
  );
}

/** When the pod's first container began to run, ms since the epoch. */
export function runningSinceMs(pod: Pod): number | null {
  for (const status of pod.status?.containerStatuses ?? []) {
    const since = isoMs(status.state?.running?.startedAt);
    if (since !== null) return since;
  }
  return null;
}

/** A pod that waits for its sandbox: no address, nothing started, and not for its volumes. */
export function waitsForSandbox(pod: Pod): boolean {
  if (pod.spec?.hostNetwork === true) return false;
  if ((pod.metadata?.deletionTimestamp ?? null) !== null) return false;
  if ((pod.status?.podIP ?? null) !== null) return false;
  if (podCondition(pod, 'PodReadyToStartContainers', 'status') === 'True') return false;
  return statuses(pod).some((status) =>
    /^(?:ContainerCreating|PodInitializing)$/.test(status.state?.waiting?.reason ?? ''),
  );
}

/** A healthy pod has its sandbox, and a daemon its first success, long before. */
export const POD_NORMAL_MS = 120_000;

/** True for a pod that has been on its Node for longer than a healthy one takes to come up. */
export function isSettled(pod: Pod, nowMs: number): boolean {
  const startedMs = isoMs(pod.status?.startTime);
  return startedMs !== null && nowMs - startedMs > POD_NORMAL_MS;
}

/** The same of a pod as it is seen; false where nobody knows the present. */
export function hasSettled({ value }: Seen<Pod>, { nowMs }: Timed): boolean {
  return nowMs !== null && isSettled(value, nowMs);
}

/** Whom the token is for that EKS's webhook puts into a pod for STS. */
export function tokenAudience(pod: Pod): string {
  const audience = (pod.spec?.volumes ?? [])
    .flatMap((volume) => volume.projected?.sources ?? [])
    .map((source) => source.serviceAccountToken?.audience ?? null)
    .find((text) => text !== null);
  return audience ?? 'sts.amazonaws.com';
}
