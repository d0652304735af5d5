import { at, listAt, textAt } from '../../evidence/json.ts';
import { selects } from './label-selector.ts';
import { isOnNode } from './pods.ts';
import type { SeenObject } from './pods-seen.ts';

/** True for a budget that lets no pod go now, of those that it has. */
function isExhausted({ value }: SeenObject): boolean {
  const expected = at(value.body, 'status.expectedPods');
  return at(value.body, 'status.disruptionsAllowed') === 0 && expected !== 0;
}

/** Pods of DaemonSets stay; pods that are being deleted were evicted already. */
function isToBeEvicted({ value }: SeenObject): boolean {
  const owners = listAt(value.body, 'metadata.ownerReferences');
  const isOfSet = owners.some((owner) => textAt(owner, 'kind') === 'DaemonSet');
  return !isOfSet && textAt(value.body, 'metadata.deletionTimestamp') === null;
}

/** A budget without a selector covers nothing (policy/v1: an empty one covers the namespace). */
function covers({ value }: SeenObject, pod: SeenObject): boolean {
  const selector = at(value.body, 'spec.selector');
  return (
    selector !== undefined &&
    value.namespace === pod.value.namespace &&
    selects(selector, pod.value.labels)
  );
}

/** `disruptionsAllowed 0, 1 healthy of 1 that must be`. */
export function budgetWords({ value }: SeenObject): string {
  const [allowed, healthy, desired] = [
    'disruptionsAllowed',
    'currentHealthy',
    'desiredHealthy',
  ].map((path) => textAt(value.body, `status.${path}`) ?? '?');
  return `disruptionsAllowed ${allowed}, ${healthy} healthy of ${desired} that must be`;
}

/** A pod that a drain would evict, and the budget that forbids it. */
export interface HeldPod {
  readonly pod: SeenObject;
  readonly budget: SeenObject;
}

/** The first pod of a Node that no budget lets go, null when a drain could take all. */
export function heldPod(
  node: string,
  pods: readonly SeenObject[],
  budgets: readonly SeenObject[],
): HeldPod | null {
  const exhausted = budgets.filter(isExhausted);
  for (const pod of pods) {
    if (!isOnNode(pod.value, node) || !isToBeEvicted(pod)) continue;
    const budget = exhausted.find((entry) => covers(entry, pod));
    if (budget !== undefined) return { pod, budget };
  }
  return null;
}
