import type { Fact, Seen } from '../evidence/fact.ts';
import type { FactTypes, KubeNode } from '../evidence/kinds.ts';
import { type Attached, attachedOf, isFull } from './attached.ts';
import { networkModeOf } from './cni-settings.ts';
import { type EniBudget, eniBudget } from './eni.ts';
import { knownType } from './known-type.ts';
import type { NetworkMode } from './mode.ts';
import { isReadyPod, placeOf, podsOfSet, waitingPods } from '../domain/pods/pods-seen.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import type { Instance } from '../evidence/aws/instance.ts';
import type { DaemonSet } from '../evidence/kube/workloads.ts';

/** The kinds of facts that show a shortage; causes that ask for it need them. */
export const SHORTAGE_KINDS = [
  'kube/Node',
  'kube/Pod',
  'kube/DaemonSet',
  'aws/instance',
  'aws/instance-type',
] as const;

type Kind = (typeof SHORTAGE_KINDS)[number];

/** What is asked about one machine: the part of a cause's view that is read here. */
export interface ShortageView {
  readonly instanceId: string | null;
  /** When it was collected, ms since the epoch; null when nobody knows. */
  readonly nowMs: number | null;
  read<N extends Kind>(kind: N): Fact<FactTypes[N]>;
  list<N extends Kind>(kind: N): readonly Seen<FactTypes[N]>[];
}

/** A Node whose VPC CNI works and has no address left for pods that wait. */
export interface AddressShortage {
  readonly node: Seen<KubeNode>;
  readonly instance: Seen<Instance>;
  readonly daemonSet: Seen<DaemonSet>;
  readonly waiting: readonly Seen<Pod>[];
  readonly mode: NetworkMode;
  readonly attached: Attached;
  readonly typeName: string;
  /** null when nobody knows the limits of the type. */
  readonly budget: EniBudget | null;
  /** No interface and no slot is left on the instance; null when its limits are not known. */
  readonly isFull: boolean | null;
}

/** Warm addresses that no pod of the Node has; more than pods need means another reason. */
function spareAddresses(attached: Attached, pods: readonly Seen<Pod>[], node: string): number {
  const used = new Set(
    pods.filter((pod) => placeOf(pod) === node).map((pod) => pod.value.status?.podIP ?? null),
  );
  return attached.secondary.filter((address) => !used.has(address)).length;
}

function cniOf(view: ShortageView, node: string): Seen<DaemonSet> | null {
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  if (daemonSet === undefined) return null;
  const own = podsOfSet(view.list('kube/Pod'), 'aws-node').filter((pod) => placeOf(pod) === node);
  return own.every(isReadyPod) ? daemonSet : null;
}

function ownInstance(view: ShortageView): Seen<Instance> | undefined {
  const instances = view.list('aws/instance');
  return instances.find(({ value }) => (value.InstanceId ?? null) === view.instanceId);
}

/**
 * The shortage that objects and answers show, null where nothing waits for an address.
 *
 * @param isTold the CNI has refused an address by words, so that pods need not have waited for long
 */
export function addressShortage(view: ShortageView, isTold = false): AddressShortage | null {
  const node = view.read('kube/Node');
  const instance = ownInstance(view);
  if (node.state !== 'seen' || instance === undefined) return null;
  const { name } = node.value;
  const pods = view.list('kube/Pod');
  const waiting = waitingPods(pods, name, isTold ? { nowMs: Number.POSITIVE_INFINITY } : view);
  const daemonSet = waiting.length === 0 ? null : cniOf(view, name);
  if (daemonSet === null) return null;
  const mode = networkModeOf(daemonSet.value);
  const attached = attachedOf(instance.value, !mode.customNetworking);
  if (mode.addressing === 'secondary' && spareAddresses(attached, pods, name) > 0) return null;
  const typeName = instance.value.InstanceType ?? '';
  const described = view.list('aws/instance-type').map(({ value }) => value);
  const type = knownType(typeName, described);
  const budget = type === null ? null : eniBudget(type, mode);
  const full = budget === null ? null : isFull(attached, budget, mode.maxEni);
  return { node, instance, daemonSet, waiting, mode, attached, typeName, budget, isFull: full };
}
