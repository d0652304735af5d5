import type { Seen } from '../evidence/fact.ts';
import { type Json, textAt } from '../evidence/json.ts';
import type { KubeNode } from '../evidence/kinds.ts';
import { type Attached, attachedOf, isFull } from '../capacity/attached.ts';
import { networkModeOf } from '../capacity/cni-settings.ts';
import { type EniBudget, eniBudget } from '../capacity/eni.ts';
import { knownType } from '../capacity/known-type.ts';
import type { NetworkMode } from '../capacity/mode.ts';
import type { View } from './cause.ts';
import { isReadyPod, placeOf, podsOfSet, type SeenObject, waitingPods } from './pods-seen.ts';

export const SHORTAGE_NEEDS = [
  'kube/Node',
  'kube/Pod',
  'kube/DaemonSet',
  'aws/instance',
  'aws/instance-type',
] as const;

type ShortageView = View<(typeof SHORTAGE_NEEDS)[number], never>;

/** A Node whose VPC CNI works and has no address left for pods that wait. */
export interface AddressShortage {
  readonly node: Seen<KubeNode>;
  readonly instance: Seen<Json>;
  readonly daemonSet: SeenObject;
  readonly waiting: readonly SeenObject[];
  readonly mode: NetworkMode;
  readonly attached: Attached;
  readonly typeName: string;
  /** null when nobody knows the limits of the type. */
  readonly budget: EniBudget | null;
  /** No interface and no slot is left on the instance; null when its limits are not known. */
  readonly isFull: boolean | null;
}

/** Warm addresses that no pod of the Node has; more than pods need means another reason. */
function spareAddresses(attached: Attached, pods: readonly SeenObject[], node: string): number {
  const used = new Set(
    pods
      .filter((pod) => placeOf(pod) === node)
      .map((pod) => textAt(pod.value.body, 'status.podIP')),
  );
  return attached.secondary.filter((address) => !used.has(address)).length;
}

function cniOf(view: ShortageView, node: string): SeenObject | null {
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  if (daemonSet === undefined) return null;
  const own = podsOfSet(view.list('kube/Pod'), 'aws-node').filter((pod) => placeOf(pod) === node);
  return own.every(isReadyPod) ? daemonSet : null;
}

/** The shortage that objects and answers show, null where nothing waits for an address. */
export function addressShortage(view: ShortageView): AddressShortage | null {
  const node = view.read('kube/Node');
  const instance = view.list('aws/instance').find(
    ({ value }) => textAt(value, 'InstanceId') === view.instanceId,
  );
  if (node.state !== 'seen' || instance === undefined) return null;
  const pods = view.list('kube/Pod');
  const waiting = waitingPods(pods, node.value.name, view.nowMs);
  const daemonSet = waiting.length === 0 ? null : cniOf(view, node.value.name);
  if (daemonSet === null) return null;
  const mode = networkModeOf(daemonSet.value.body);
  const attached = attachedOf(instance.value, !mode.customNetworking);
  if (mode.addressing === 'secondary' && spareAddresses(attached, pods, node.value.name) > 0)
    return null;
  const typeName = textAt(instance.value, 'InstanceType') ?? '';
  const described = view.list('aws/instance-type').map(({ value }) => value);
  const type = knownType(typeName, described);
  const budget = type === null ? null : eniBudget(type, mode);
  const full = budget === null ? null : isFull(attached, budget, mode.maxEni);
  return {
    node,
    instance,
    daemonSet,
    waiting,
    mode,
    attached,
    typeName,
    budget,
    isFull: full,
  };
}
