import type { PodFacts } from './pod.ts';
import { workloadOf } from './slip-in.ts';

/** The Pod that the same controller made since, a ready one first; null where it has made none. */
export function replacementAmong(
  pods: readonly PodFacts[],
  before: ReadonlySet<string>,
  evicted: PodFacts,
): PodFacts | null {
  const made = pods.filter(
    (pod) => !before.has(pod.uid) && workloadOf(pod) === workloadOf(evicted),
  );
  return made.find(({ isReady }) => isReady) ?? made[0] ?? null;
}
