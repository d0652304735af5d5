import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../../evidence/kinds.ts';
import { isoMs } from '../../evidence/time.ts';

/** What causes read of a Pod as `readers/kube/pod.ts` projects it. */
function statuses(pod: KubeObject): readonly Json[] {
  return [
    ...listAt(pod.body, 'status.initContainerStatuses'),
    ...listAt(pod.body, 'status.containerStatuses'),
  ];
}

/** True for a pod that is bound to this Node and has not ended. */
export function isOnNode(pod: KubeObject, node: string): boolean {
  const phase = textAt(pod.body, 'status.phase');
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  return !hasEnded && textAt(pod.body, 'spec.nodeName') === node;
}

export function isPodReady(pod: KubeObject): boolean {
  return podCondition(pod, 'Ready', 'status') === 'True';
}

/** Since when the pod is Ready or is not, ms since the epoch; null when it does not say. */
export function readyChangedMs(pod: KubeObject): number | null {
  return isoMs(podCondition(pod, 'Ready', 'lastTransitionTime') ?? '');
}

/** One field of a condition of the pod, null without the condition. */
export function podCondition(pod: KubeObject, type: string, field: string): string | null {
  const entry = listAt(pod.body, 'status.conditions').find((one) => textAt(one, 'type') === type);
  return entry === undefined ? null : textAt(entry, field);
}

/** `namespace/name` as people write it. */
export function podName(pod: KubeObject): string {
  return `${pod.namespace ?? 'default'}/${pod.name}`;
}

export function serviceAccountOf(pod: KubeObject): string {
  return textAt(pod.body, 'spec.serviceAccountName') ?? 'default';
}

/** The value of a variable in the first container that has it, null when none has. */
export function environmentOf(pod: KubeObject, name: string): string | null {
  const containers = [
    ...listAt(pod.body, 'spec.initContainers'),
    ...listAt(pod.body, 'spec.containers'),
  ];
  for (const container of containers) {
    const entry = listAt(container, 'env').find((one) => textAt(one, 'name') === name);
    if (entry !== undefined) return textAt(entry, 'value') ?? '';
  }
  return null;
}

/** True for a pod owned by this DaemonSet. */
export function isOfDaemonSet(pod: KubeObject, name: string): boolean {
  return listAt(pod.body, 'metadata.ownerReferences').some(
    (owner) => textAt(owner, 'kind') === 'DaemonSet' && textAt(owner, 'name') === name,
  );
}

/** True for a pod owned by whichever DaemonSet. */
export function isOfAnyDaemonSet(pod: KubeObject): boolean {
  return listAt(pod.body, 'metadata.ownerReferences').some(
    (owner) => textAt(owner, 'kind') === 'DaemonSet',
  );
}

/** Why a container waits (`CrashLoopBackOff`), null when none does. */
export function waitingReason(pod: KubeObject): string | null {
  for (const status of statuses(pod)) {
    const reason = textAt(status, 'state.waiting.reason');
    if (reason !== null) return reason;
  }
  return null;
}

/** What a container said when it last ended or waits, by its termination message; '' for nothing. */
export function complaintOf(pod: KubeObject): string {
  const paths = ['lastState.terminated', 'state.terminated', 'state.waiting'];
  const messages = statuses(pod).flatMap((status) =>
    paths.map((path) => textAt(status, `${path}.message`) ?? ''),
  );
  return messages.find((message) => message !== '') ?? '';
}

/** True for a pod whose container ends again and again. */
export function isCrashing(pod: KubeObject): boolean {
  if (isPodReady(pod)) return false;
  return statuses(pod).some((status) => {
    const restarts = Number(textAt(status, 'restartCount') ?? 0);
    const waiting = textAt(status, 'state.waiting.reason');
    return (
      waiting === 'CrashLoopBackOff' ||
      restarts >= 3 ||
      at(status, 'state.terminated') !== undefined
    );
  });
}

/** A stamp inside an object, ms since the epoch, null when it is missing or no time. */
export function msIn(value: Json | undefined, path: string): number | null {
  const text = textAt(value, path);
  return text === null ? null : isoMs(text);
}

/** When the pod's first container began to run, ms since the epoch. */
export function runningSinceMs(pod: KubeObject): number | null {
  for (const status of listAt(pod.body, 'status.containerStatuses')) {
    const since = msIn(status, 'state.running.startedAt');
    if (since !== null) return since;
  }
  return null;
}

/** A pod that waits for its sandbox: no address, nothing started, and not for its volumes. */
export function waitsForSandbox(pod: KubeObject): boolean {
  if (at(pod.body, 'spec.hostNetwork') === true) return false;
  if (textAt(pod.body, 'metadata.deletionTimestamp') !== null) return false;
  if (textAt(pod.body, 'status.podIP') !== null) return false;
  if (podCondition(pod, 'PodReadyToStartContainers', 'status') === 'True') return false;
  return statuses(pod).some((status) =>
    /^(?:ContainerCreating|PodInitializing)$/.test(textAt(status, 'state.waiting.reason') ?? ''),
  );
}

/** A healthy pod has its sandbox, and a daemon its first success, long before. */
export const POD_NORMAL_MS = 120_000;

/** True for a pod that has been on its Node for longer than a healthy one takes to come up. */
export function isSettled(pod: KubeObject, nowMs: number): boolean {
  const startedMs = msIn(pod.body, 'status.startTime');
  return startedMs !== null && nowMs - startedMs > POD_NORMAL_MS;
}

/** Whom the token is for that EKS's webhook puts into a pod for STS. */
export function tokenAudience(pod: KubeObject): string {
  const audience = listAt(pod.body, 'spec.volumes')
    .flatMap((volume) => listAt(volume, 'projected.sources'))
    .map((source) => textAt(source, 'serviceAccountToken.audience'))
    .find((text) => text !== null);
  return audience ?? 'sts.amazonaws.com';
}
