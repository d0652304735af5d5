import { at, listAt, textAt } from '../../evidence/json.ts';
import type { Stage } from '../faults/contract.ts';
import { isControlPlane } from '../faults/targets.ts';
import type { KubeObject } from '../kube/contract.ts';
import { isReady, nodeView } from '../platform/objects/node.ts';
import { type PodView, podView } from '../platform/objects/pod.ts';
import { CLOUD_CONTROLLER } from '../town/system-pods.ts';
import type { KnownTruth, Truths } from './truths.ts';

type Scene = Pick<Stage, 'town' | 'people'>;

/** What is true of every node for a while after it came, or came again, before its agents have done their work. */
const COMING = [
  'service-ip-unreachable-for-cni',
  'service-ip-unreachable-for-calico',
  'kube-proxy-not-working',
  'cni-configuration-missing',
  'premature-calico-readiness',
  'calico-dataplane-not-ready',
];
/** Beyond the warm-up of its pod network, ms. */
const COMING_MS = 90_000;

/** What is true of a machine that boots, or whose Node is new, from that moment on. */
export function comingTruth({ town }: Scene, instanceId: string, fromMs: number): KnownTruth {
  const untilMs = fromMs + town.setting.cluster.podNetworkWarmUpMs + COMING_MS;
  return { causes: COMING, machines: [instanceId], of: 'course', fromMs, untilMs };
}

/** What a node lacks that has no slot for the pod of such a DaemonSet. */
const LACKING: Readonly<Record<string, string>> = {
  'aws-node': 'cni-pod-not-scheduled',
  'calico-node': 'cni-pod-not-scheduled',
  'kube-proxy': 'kube-proxy-not-working',
};

/** Whether every slot of a Node is taken, by whatever runs or ends there. */
function isFull({ people }: Scene, nodeName: string): boolean {
  const slots = Number(textAt(people.get('Node', nodeName), 'status.allocatable.pods') ?? Infinity);
  const here = people.list('Pod').map(podView);
  return here.filter(({ spec, isOver }) => spec.nodeName === nodeName && !isOver).length >= slots;
}

/** What is true of the machine whose Node has no slot for a DaemonSet's pod; null for other pods. */
export function unplacedTruth(scene: Scene, pod: KubeObject): KnownTruth | null {
  const { spec, owner }: PodView = podView(pod);
  if (spec.pinnedTo === null || spec.nodeName !== '') return null;
  const machine = scene.town.yard.machineOfNode(spec.pinnedTo);
  if (machine === null || !isFull(scene, spec.pinnedTo)) return null;
  const lacking = LACKING[owner?.name ?? ''];
  const causes = ['allocatable-too-small', ...(lacking === undefined ? [] : [lacking])];
  const fromMs = scene.town.kernel.nowMs();
  return { causes, machines: [machine.instanceId], of: 'course', fromMs };
}

/**
 * What is true of all machines for which pods are placed, where every slot of them is taken, a pod
 * waits for one, and none of them is without a Ready Node; null for other pods.
 */
export function crowdedTruth(scene: Scene, pod: KubeObject): KnownTruth | null {
  const { town, people } = scene;
  const waits = listAt(pod, 'status.conditions').some((one) =>
    /Too many pods/.test(textAt(one, 'message') ?? ''),
  );
  if (!waits || podView(pod).spec.nodeName !== '') return null;
  const machines = town.yard
    .machines()
    .map((machine) => machine.instanceId)
    .filter((id) => town.cloud.instance(id)?.state === 'running' && !isControlPlane(scene, id));
  const nodes = people.list('Node').filter((node) => {
    const machine = town.yard.machineOfNode(textAt(node, 'metadata.name') ?? '');
    return machine !== null && machines.includes(machine.instanceId) && isReady(nodeView(node));
  });
  const areAllFull = nodes.every((node) => isFull(scene, textAt(node, 'metadata.name') ?? ''));
  if (nodes.length < machines.length || !areAllFull) return null;
  const fromMs = town.kernel.nowMs();
  return { causes: ['allocatable-too-small'], machines, of: 'course', fromMs };
}

/** What is true of a machine whose kubelet refused a pod for want of a slot; null for other pods. */
export function refusedTruth({ town }: Scene, pod: KubeObject): KnownTruth | null {
  if (textAt(pod, 'status.reason') !== 'OutOfpods') return null;
  const machine = town.yard.machineOfNode(podView(pod).spec.nodeName);
  if (machine === null) return null;
  const fromMs = town.kernel.nowMs();
  const machines = [machine.instanceId];
  return { causes: ['allocatable-too-small'], machines, of: 'course', fromMs };
}

/** A cloud controller is a pod: while none of them is Ready there is none. */
function lacksCloudController({ town, people }: Scene): boolean {
  const pods = people
    .list('Pod')
    .filter((pod) => (textAt(pod, 'metadata.name') ?? '').startsWith(`${CLOUD_CONTROLLER}-`));
  const { kind, cloudController } = town.setting.cluster;
  const hasOne = kind === 'kubeadm' && cloudController !== 'none';
  return hasOne && !pods.some((pod) => podView(pod).isReady);
}

/** Subnets whose machines and pods have taken the last address, without anybody's doing. */
function fullSubnets({ cloud, admin }: Scene['town']): ReadonlySet<string> {
  const call = { service: 'ec2', operation: 'DescribeSubnets', input: {} } as const;
  const answer = cloud.answer(admin.identity, call);
  const subnets = answer.ok ? listAt(answer.output, 'Subnets') : [];
  const full = subnets.filter((one) => at(one, 'AvailableIpAddressCount') === 0);
  return new Set(full.flatMap((one) => textAt(one, 'SubnetId') ?? []));
}

/** What may be said of the machines of a subnet without addresses, also after it has some again. */
const FULL_SUBNET = ['subnet-out-of-pod-addresses', 'subnet-full-at-launch'];

/** Writes down what a world came to by itself: what is seen at this moment, and is true of it. */
export function addMoment(scene: Scene, truths: Truths): void {
  const { town } = scene;
  const nowMs = town.kernel.nowMs();
  const full = fullSubnets(town);
  const pinched = town.yard
    .machines()
    .map(({ instanceId }) => instanceId)
    .filter((id) => full.has(town.cloud.instance(id)?.subnetId ?? ''));
  if (full.size > 0)
    truths.add({ causes: FULL_SUBNET, machines: pinched, of: 'course', fromMs: nowMs });
  for (const machine of town.yard.machines())
    truths.add(comingTruth(scene, machine.instanceId, machine.bootedMs()));
  if (!lacksCloudController(scene)) return;
  const causes = ['no-cloud-controller-manager'];
  truths.add({ causes, machines: null, of: 'course', fromMs: nowMs, untilMs: nowMs });
}
