import type { Seen } from '../../evidence/fact.ts';
import { at, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../../evidence/kinds.ts';
import { isPodReady, isSettled, podName, waitsForSandbox } from './pods.ts';

export type SeenObject = Seen<KubeObject>;

/** The Node on which a pod is placed, null for one that waits to be placed. */
export function placeOf(pod: SeenObject): string | null {
  return textAt(pod.value.body, 'spec.nodeName');
}

export function isReadyPod(pod: SeenObject): boolean {
  return isPodReady(pod.value);
}

function isDeleted(pod: SeenObject): boolean {
  return textAt(pod.value.body, 'metadata.deletionTimestamp') !== null;
}

function isOld(pod: SeenObject, nowMs: number | null): boolean {
  return nowMs !== null && isSettled(pod.value, nowMs);
}

/** Pods of a Node that have waited in ContainerCreating for more than two minutes. */
export function waitingPods(
  pods: readonly SeenObject[],
  node: string | null,
  nowMs: number | null,
): readonly SeenObject[] {
  return pods.filter(
    (pod) =>
      node !== null && placeOf(pod) === node && waitsForSandbox(pod.value) && isOld(pod, nowMs),
  );
}

/** The pods of a DaemonSet; its controller and `kubectl` name them after it. */
export function podsOfSet(pods: readonly SeenObject[], daemonSet: string): readonly SeenObject[] {
  return pods.filter((pod) => {
    const owners = listAt(pod.value.body, 'metadata.ownerReferences');
    return owners.length === 0
      ? new RegExp(`^${daemonSet}-[a-z0-9]{5}$`).test(pod.value.name)
      : owners.some(
          (owner) => textAt(owner, 'kind') === 'DaemonSet' && textAt(owner, 'name') === daemonSet,
        );
  });
}

/** Pods that are there for more than two minutes and are not Ready. */
export function unreadyPods(
  pods: readonly SeenObject[],
  nowMs: number | null,
): readonly SeenObject[] {
  return pods.filter((pod) => !isReadyPod(pod) && !isDeleted(pod) && isOld(pod, nowMs));
}

/** What a container of a pod that is not Ready is at: `waiting CrashLoopBackOff, 7 restarts`. */
export function stateWords(pod: SeenObject): string {
  const status = listAt(pod.value.body, 'status.containerStatuses').find(
    (entry) => at(entry, 'ready') !== true,
  );
  const waiting = textAt(status, 'state.waiting.reason');
  const ended = textAt(status, 'state.terminated.reason');
  const state =
    waiting !== null ? `waiting ${waiting}` : ended !== null ? `ended ${ended}` : 'not Ready';
  return `${state}, ${textAt(status, 'restartCount') ?? '0'} restarts`;
}

/** `pod NAMESPACE/NAME on NODE`. */
export function podWords(pod: SeenObject): string {
  return `pod ${podName(pod.value)} on ${placeOf(pod) ?? 'no Node'}`;
}

/** A pod that waits, with since when and what Kubernetes calls it. */
export function waitingWords(pod: SeenObject): string {
  const since = textAt(pod.value.body, 'status.startTime') ?? 'an unknown time';
  return `${podWords(pod)} waits in ContainerCreating since ${since}`;
}
