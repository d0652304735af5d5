import type { Seen } from './fact.ts';
import { at, listAt, textAt } from './json.ts';
import type { KubeObject } from './kinds.ts';
import { isoMs } from './time.ts';

export type SeenObject = Seen<KubeObject>;

/** A healthy pod has its sandbox, and a daemon its first success, long before. */
export const POD_NORMAL_MS = 120_000;

/** The Node on which a pod is placed, null for one that waits to be placed. */
export function placeOf(pod: SeenObject): string | null {
  return textAt(pod.value.body, 'spec.nodeName');
}

function conditionOf(pod: SeenObject, type: string): string | null {
  const conditions = listAt(pod.value.body, 'status.conditions');
  const found = conditions.find((entry) => textAt(entry, 'type') === type);
  return textAt(found, 'status');
}

export function isReadyPod(pod: SeenObject): boolean {
  return conditionOf(pod, 'Ready') === 'True';
}

function isDeleted(pod: SeenObject): boolean {
  return textAt(pod.value.body, 'metadata.deletionTimestamp') !== null;
}

/** How long a pod has been on its Node, ms; null when the source does not say. */
function ageOf(pod: SeenObject, nowMs: number): number | null {
  const since = isoMs(textAt(pod.value.body, 'status.startTime') ?? '');
  return since === null ? null : nowMs - since;
}

function isOld(pod: SeenObject, nowMs: number | null): boolean {
  return nowMs !== null && (ageOf(pod, nowMs) ?? 0) > POD_NORMAL_MS;
}

/** True for a pod of whose containers none was ever made. */
function waitsForSandbox(pod: SeenObject): boolean {
  const { body } = pod.value;
  if (at(body, 'spec.hostNetwork') === true || textAt(body, 'status.podIP') !== null) return false;
  if (conditionOf(pod, 'PodReadyToStartContainers') === 'True') return false;
  return listAt(body, 'status.containerStatuses').some((status) =>
    /^(?:ContainerCreating|PodInitializing)$/.test(textAt(status, 'state.waiting.reason') ?? ''),
  );
}

/** Pods of a Node that have waited in ContainerCreating for more than two minutes. */
export function waitingPods(
  pods: readonly SeenObject[],
  node: string | null,
  nowMs: number | null,
): readonly SeenObject[] {
  return pods.filter(
    (pod) =>
      node !== null &&
      placeOf(pod) === node &&
      !isDeleted(pod) &&
      waitsForSandbox(pod) &&
      isOld(pod, nowMs),
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
  return `pod ${pod.value.namespace ?? 'default'}/${pod.value.name} on ${placeOf(pod) ?? 'no Node'}`;
}

/** A pod that waits, with since when and what Kubernetes calls it. */
export function waitingWords(pod: SeenObject): string {
  const since = textAt(pod.value.body, 'status.startTime') ?? 'an unknown time';
  return `${podWords(pod)} waits in ContainerCreating since ${since}`;
}
