import { at, listAt, textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { FaultScene } from '../faults/contract.ts';
import type { TrueState } from './judge.ts';

/** Taints that only ask pods to stay away. */
const PREFERENCE = 'PreferNoSchedule';
/** Of machines that are not meant for other pods. */
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** A pod that is not started so long after it was bound is stuck: the kubelet tries each 15 s, ms. */
const STARTS_WITHIN_MS = 2 * 60_000;

/** Nodes on which a pod waits for its network that should long have started, with since when, ms. */
export function stuckNodes({
  people,
  simulated,
}: Pick<FaultScene, 'simulated' | 'people'>): ReadonlyMap<string, number> {
  const nowMs = simulated.kernel.nowMs();
  const stuck = new Map<string, number>();
  for (const pod of people.list('Pod')) {
    const boundMs = isoMs(textAt(pod, 'status.startTime') ?? '');
    const isWaiting =
      textAt(pod, 'status.phase') === 'Pending' && textAt(pod, 'status.podIP') === null;
    if (!isWaiting || at(pod, 'spec.hostNetwork') === true || boundMs === null) continue;
    const node = textAt(pod, 'spec.nodeName') ?? '';
    if (nowMs - boundMs > STARTS_WITHIN_MS)
      stuck.set(node, Math.min(boundMs, stuck.get(node) ?? Infinity));
  }
  return stuck;
}

/** Whether any pod could have an address: the VPC CNI gives out those that EC2 put on the machine. */
export function hasPodAddresses(
  { setting, cloud }: FaultScene['simulated'],
  instanceId: string,
): boolean {
  if (setting.cluster.podNetwork !== 'vpc-cni') return true;
  const interfaces = cloud.instance(instanceId)?.interfaces ?? [];
  return interfaces.some(({ addresses, prefixes }) => addresses.length > 1 || prefixes.length > 0);
}

/** Whether the scheduler would put pods there, and the kubelet run them. */
export function takesPods(node: KubeObject): boolean {
  const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  const taints = listAt(node, 'spec.taints').filter(
    (one) => textAt(one, 'effect') !== PREFERENCE && textAt(one, 'key') !== CONTROL_PLANE,
  );
  const isCordoned = at(node, 'spec.unschedulable') === true;
  return textAt(ready, 'status') === 'True' && taints.length === 0 && !isCordoned;
}

/** The Node of a machine: the one that its kubelet goes by, and which names its instance or none. */
export function nodeOfInstance(
  nodes: readonly KubeObject[],
  instanceId: string,
  nodeName: string | null,
): KubeObject | null {
  const byId = nodes.find((one) => (textAt(one, 'spec.providerID') ?? '').endsWith(instanceId));
  return byId ?? nodes.find((one) => textAt(one, 'metadata.name') === nodeName) ?? null;
}

/**
 * How every machine truly is.
 *
 * @param struck instance ids of machines that a fault has broken
 */
export function trueStates(
  { simulated, people }: Pick<FaultScene, 'simulated' | 'people'>,
  struck: ReadonlySet<string>,
): readonly TrueState[] {
  const nodes = people.list('Node');
  const stuck = stuckNodes({ simulated, people });
  return simulated.hypervisor.machines().map((machine) => {
    const { instanceId } = machine;
    const name = machine.nodeName();
    const node = nodeOfInstance(nodes, instanceId, name);
    const isWell =
      machine.isOn() &&
      node !== null &&
      takesPods(node) &&
      hasPodAddresses(simulated, instanceId) &&
      !stuck.has(textAt(node, 'metadata.name') ?? '');
    return {
      instanceId,
      node: textAt(node, 'metadata.name') ?? name,
      isUsable: isWell && !struck.has(instanceId),
    };
  });
}
