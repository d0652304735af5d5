import type { Seen } from '../../evidence/fact.ts';
import { hasSettled, isPodReady, podName, waitsForSandbox } from './pods.ts';
import type { Timed } from '../../evidence/time.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

/** The Node on which a pod is placed, null for one that waits to be placed. */
export function placeOf(pod: Seen<Pod>): string | null {
  return pod.value.spec?.nodeName ?? null;
}

export function isReadyPod(pod: Seen<Pod>): boolean {
  return isPodReady(pod.value);
}

function isDeleted(pod: Seen<Pod>): boolean {
  return (pod.value.metadata?.deletionTimestamp ?? null) !== null;
}

type Passes = (pod: Pod) => boolean;

const PASSING = new WeakMap<readonly Seen<Pod>[], Map<Passes, readonly Seen<Pod>[]>>();

/**
 * Pods that pass, gone through once of each list: of a cluster's thousands of pods the list stays the
 * same while other objects change.
 *
 * @param passes the same function each time, which looks at nothing but the pod
 */
export function podsThat(pods: readonly Seen<Pod>[], passes: Passes): readonly Seen<Pod>[] {
  const known = PASSING.get(pods) ?? new Map<Passes, readonly Seen<Pod>[]>();
  const passing = known.get(passes) ?? pods.filter(({ value }) => passes(value));
  PASSING.set(pods, known.set(passes, passing));
  return passing;
}

/** Pods of a Node that have waited in ContainerCreating for more than two minutes. */
export function waitingPods(
  pods: readonly Seen<Pod>[],
  node: string | null,
  time: Timed,
): readonly Seen<Pod>[] {
  return pods.filter(
    (pod) =>
      node !== null && placeOf(pod) === node && waitsForSandbox(pod.value) && hasSettled(pod, time),
  );
}

/** The pods of a DaemonSet; its controller and `kubectl` name them after it. */
export function podsOfSet(pods: readonly Seen<Pod>[], daemonSet: string): readonly Seen<Pod>[] {
  return pods.filter((pod) => {
    const owners = pod.value.metadata?.ownerReferences ?? [];
    return owners.length === 0
      ? new RegExp(`^${daemonSet}-[a-z0-9]{5}$`).test(pod.value.name)
      : owners.some((owner) => owner.kind === 'DaemonSet' && owner.name === daemonSet);
  });
}

/** Pods that are there for more than two minutes and are not Ready. */
export function unreadyPods(pods: readonly Seen<Pod>[], time: Timed): readonly Seen<Pod>[] {
  return pods.filter((pod) => !isReadyPod(pod) && !isDeleted(pod) && hasSettled(pod, time));
}

/** What a container of a pod that is not Ready is at: `waiting CrashLoopBackOff, 7 restarts`. */
export function stateWords(pod: Seen<Pod>): string {
  const status = (pod.value.status?.containerStatuses ?? []).find((entry) => entry.ready !== true);
  const waiting = status?.state?.waiting?.reason ?? null;
  const ended = status?.state?.terminated?.reason ?? null;
  const state =
    waiting !== null ? `waiting ${waiting}` : ended !== null ? `ended ${ended}` : 'not Ready';
  return `${state}, ${status?.restartCount ?? '0'} restarts`;
}

/** `pod NAMESPACE/NAME on NODE`. */
export function podWords(pod: Seen<Pod>): string {
  return `pod ${podName(pod.value)} on ${placeOf(pod) ?? 'no Node'}`;
}

/** A pod that waits, with since when and what Kubernetes calls it. */
export function waitingWords(pod: Seen<Pod>): string {
  const since = pod.value.status?.startTime ?? 'an unknown time';
  return `${podWords(pod)} has been in ContainerCreating since ${since}`;
}
