import { selects } from './label-selector.ts';
import { isOnNode } from './pods.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import type { PodDisruptionBudget } from '../../evidence/kube/workloads.ts';

/** True for a budget that lets no pod go now, of those that it has. */
function isExhausted({ value }: Seen<PodDisruptionBudget>): boolean {
  const expected = value.status?.expectedPods;
  return value.status?.disruptionsAllowed === 0 && expected !== 0;
}

/** Pods of DaemonSets stay; pods that are being deleted were evicted already. */
function isToBeEvicted({ value }: Seen<Pod>): boolean {
  const owners = value.metadata?.ownerReferences ?? [];
  const isOfSet = owners.some((owner) => owner.kind === 'DaemonSet');
  return !isOfSet && (value.metadata?.deletionTimestamp ?? null) === null;
}

/** A budget without a selector covers nothing (policy/v1: an empty one covers the namespace). */
function covers({ value }: Seen<PodDisruptionBudget>, pod: Seen<Pod>): boolean {
  const selector = value.spec?.selector;
  return (
    Boolean(selector) &&
    value.namespace === pod.value.namespace &&
    selects(selector, pod.value.labels)
  );
}

/** `disruptionsAllowed 0, 1 healthy of 1 that must be`. */
export function budgetWords({ value }: Seen<PodDisruptionBudget>): string {
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = value.status ?? {};
  return `disruptionsAllowed ${disruptionsAllowed ?? '?'}, ${currentHealthy ?? '?'} healthy of ${desiredHealthy ?? '?'} that must be`;
}

/** A pod that a drain would evict, and the budget that forbids it. */
export interface HeldPod {
  readonly pod: Seen<Pod>;
  readonly budget: Seen<PodDisruptionBudget>;
}

/** The first pod of a Node that no budget lets go, null when a drain could take all. */
export function heldPod(
  node: string,
  pods: readonly Seen<Pod>[],
  budgets: readonly Seen<PodDisruptionBudget>[],
): HeldPod | null {
  const exhausted = budgets.filter(isExhausted);
  for (const pod of pods) {
    if (!isOnNode(pod.value, node) || !isToBeEvicted(pod)) continue;
    const budget = exhausted.find((entry) => covers(entry, pod));
    if (budget !== undefined) return { pod, budget };
  }
  return null;
}
