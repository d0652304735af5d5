import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { EventText } from '../../platform/running/event-correlator.ts';

/** For these the kubelet makes room, by evicting others (kubelet, preemption). */
const CRITICAL = /^system-(?:node|cluster)-critical$/;

/**
 * Why a kubelet does not take a pod in, null when it does (kubelet 1.34, `canAdmitPod`): the
 * scheduler counts slots as well, and a pod that names its node passes it by.
 *
 * @param used pods that have a slot
 */
export function refusalOf(
  pod: JsonObject,
  { used, capacity }: { readonly used: number; readonly capacity: number },
): EventText | null {
  const isLeaving = textAt(pod, 'metadata.deletionTimestamp') !== null;
  const isCritical = CRITICAL.test(textAt(pod, 'spec.priorityClassName') ?? '');
  if (used < capacity || isLeaving || isCritical) return null;
  return {
    type: 'Warning',
    reason: 'OutOfpods',
    message: `Node didn't have enough resource: pods, requested: 1, used: ${used}, capacity: ${capacity}`,
  };
}
