import type { Subnet } from '../../evidence/aws/network.ts';
import { isListed } from '../../evidence/fact-values.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import type { Observations } from '../../evidence/observations.ts';
import { capacityOf, type Capacity } from '../capacity.ts';
import { addressOf, cidrOf, sizeOf } from '../../domain/network/cidr.ts';
import { isUnknownType } from '../instance-type.ts';
import type { SubnetState } from '../subnet.ts';
import { isAtLeast } from '../../domain/version.ts';
import { type CniSetup, cniSetupOf } from './aws-node.ts';
import type { GroupName, NodeCapacity } from './document.ts';
import { byId, interfacesOf, subnetStates, typeNamed, valuesOf } from './facts.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import type { NetworkInterface, Instance } from '../../evidence/aws/instance.ts';

/** Everything that the rows of a cluster are made from, put in order once. */
export interface ClusterView {
  readonly observations: Observations;
  readonly cni: CniSetup;
  readonly nodes: readonly KubeNode[];
  readonly instances: ReadonlyMap<string, Instance>;
  readonly states: readonly SubnetState[];
  readonly subnetItems: ReadonlyMap<string, Subnet>;
  readonly interfaces: readonly NetworkInterface[] | null;
  /** Interfaces by the instance that they are attached to. */
  readonly attached: ReadonlyMap<string, readonly NetworkInterface[]>;
  /** Pods outside the host network by Node; null when pods were not listed. */
  readonly pods: ReadonlyMap<string, readonly Pod[]> | null;
  readonly podAddresses: readonly number[];
}

function isNetworkPod(object: Pod): boolean {
  const phase = object.status?.phase ?? null;
  return object.spec?.hostNetwork !== true && phase !== 'Succeeded' && phase !== 'Failed';
}

/** Puts what was read in order. */
export function clusterView(observations: Observations): ClusterView {
  const pods = valuesOf(observations, 'kube/Pod').filter(isNetworkPod);
  const interfaces = interfacesOf(observations);
  const nodes = new Map(valuesOf(observations, 'kube/Node').map((node) => [node.name, node]));
  return {
    observations,
    cni: cniSetupOf(observations),
    nodes: [...nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    instances: byId(valuesOf(observations, 'aws/instance'), (one) => one.InstanceId),
    states: subnetStates(observations),
    subnetItems: byId(valuesOf(observations, 'aws/subnet'), (one) => one.SubnetId),
    interfaces,
    attached: Map.groupBy(interfaces ?? [], (item) => item.Attachment?.InstanceId ?? ''),
    pods: isListed(observations, 'kube/Pod')
      ? Map.groupBy(pods, ({ spec }) => spec?.nodeName ?? '')
      : null,
    podAddresses: pods.flatMap(({ status }) => addressOf(status?.podIP ?? '') ?? []),
  };
}

/** The instance behind a Node: by its providerID, else by its address. */
export function instanceOf(view: ClusterView, node: KubeNode): Instance | null {
  const id = instanceIdIn(node.providerId ?? '');
  if (id !== null) return view.instances.get(id) ?? null;
  const found = [...view.instances.values()].find(
    (item) => node.internalIp !== null && item.PrivateIpAddress === node.internalIp,
  );
  return found ?? null;
}

function tagOf(item: Instance | Subnet | null, key: string): string | null {
  return item?.Tags?.find((one) => one.Key === key)?.Value ?? null;
}

/** The group that made a Node, by its labels, else by the tag of its instance. */
export function groupOf(node: KubeNode, instance: Instance | null): GroupName {
  const managed = node.labels['eks.amazonaws.com/nodegroup'];
  if (managed !== undefined) return { kind: 'NodeGroup', name: managed };
  const pool = node.labels['karpenter.sh/nodepool'];
  if (pool !== undefined) return { kind: 'NodePool', name: pool };
  const scaling = tagOf(instance, 'aws:autoscaling:groupName');
  return scaling === null
    ? { kind: 'none', name: '' }
    : { kind: 'AutoScalingGroup', name: scaling };
}

/** First release of amazon-vpc-cni-k8s that takes further subnets by their tag (release notes). */
const DISCOVERY_SINCE = '1.18.0';
const CNI_ROLE_TAG = 'kubernetes.io/role/cni';

function customSubnets(view: ClusterView, node: KubeNode, zone: string | null): readonly string[] {
  const label = node.labels['k8s.amazonaws.com/eniConfig'];
  const annotation = node.annotations['k8s.amazonaws.com/eniConfig'];
  const wanted = annotation ?? label;
  const configs = valuesOf(view.observations, 'kube/ENIConfig');
  const ids = configs
    .filter(({ name }) => wanted === undefined || name === wanted)
    .flatMap(({ spec }) => spec?.subnet ?? []);
  return ids.filter((id) => {
    const item = view.subnetItems.get(id);
    return item === undefined || zone === null || item.AvailabilityZone === zone;
  });
}

/** The subnets from which the pods of a Node get their addresses. */
export function podSubnets(
  view: ClusterView,
  node: KubeNode,
  instance: Instance | null,
): readonly string[] {
  const zone = (instance ?? {}).Placement?.AvailabilityZone ?? null;
  const { mode } = view.cni;
  if (mode.customNetworking) return customSubnets(view, node, zone);
  const own = (instance ?? {}).SubnetId ?? null;
  const discovers = isAtLeast(mode.cniVersion, DISCOVERY_SINCE) === true;
  const tagged = [...view.subnetItems.values()].filter(
    (item) => discovers && tagOf(item, CNI_ROLE_TAG) === '1' && item.AvailabilityZone === zone,
  );
  const ids = [own, ...tagged.map((item) => item.SubnetId ?? null)];
  return [...new Set(ids.filter((id) => id !== null))];
}

/** EC2 gives prefixes of IPv4 as /28 blocks only. */
const BLOCK_LENGTH = 28;

/** Addresses that an interface holds for pods and that no pod of the list has. */
export function warmOn(item: NetworkInterface, podAddresses: ReadonlySet<number>): number {
  const single = (item.PrivateIpAddresses ?? []).filter((one) => {
    const address = addressOf(one.PrivateIpAddress ?? '');
    return one.Primary === false && address !== null && !podAddresses.has(address);
  }).length;
  const blocks = (item.Ipv4Prefixes ?? [])
    .map((one) => cidrOf(one.Ipv4Prefix ?? ''))
    .filter((block) => block !== null)
    .filter(({ prefixLength }) => prefixLength === BLOCK_LENGTH);
  const inBlocks = blocks.map((block) => {
    const addresses = Array.from({ length: sizeOf(block) }, (_, index) => block.first + index);
    return addresses.filter((address) => !podAddresses.has(address)).length;
  });
  return single + inBlocks.reduce((sum, count) => sum + count, 0);
}

function podsOn(view: ClusterView, node: KubeNode): readonly Pod[] | null {
  return view.pods === null ? null : (view.pods.get(node.name) ?? []);
}

function warmOf(view: ClusterView, node: KubeNode, id: string | null): number | null {
  const pods = podsOn(view, node);
  if (pods === null || view.interfaces === null || id === null) return null;
  const used = new Set(pods.flatMap(({ status }) => addressOf(status?.podIP ?? '') ?? []));
  const own = view.attached.get(id) ?? [];
  return own.reduce((sum: number, item) => sum + warmOn(item, used), 0);
}

/** The arithmetic of a Node's type; null without the VPC CNI or when its type is not known. */
export function capacityOfNode(
  view: ClusterView,
  node: KubeNode,
  subnets: readonly string[] | null,
): Capacity | null {
  const type = typeText(view, node);
  if (type === null || view.cni.state === 'absent') return null;
  const states =
    subnets === null ? null : view.states.filter(({ subnet }) => subnets.includes(subnet.id));
  return capacityOf({
    type: typeNamed(view.observations, type),
    mode: view.cni.mode,
    targets: view.cni.targets,
    subnets: states === null || states.length === 0 ? null : states,
    maxPodsConfigured: maxPodsOf(node),
  });
}

/** The instance type by EC2, else by the label. */
export function typeText(view: ClusterView, node: KubeNode): string | null {
  const instance = instanceOf(view, node);
  const label = node.labels['node.kubernetes.io/instance-type'];
  return instance?.InstanceType ?? label ?? null;
}

function maxPodsOf({ capacity, allocatable }: KubeNode): number | null {
  const text = capacity['pods'] ?? allocatable['pods'] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

function problemOf(capacity: Capacity | null): string | null {
  if (capacity === null) return null;
  if (isUnknownType(capacity.type) || capacity.factor === 'unknown-to-cni')
    return capacity.sentence;
  return capacity.mismatch?.kind === 'above-addresses' ? capacity.mismatch.sentence : null;
}

/** Interfaces of an instance; null when they were not listed. */
function attachedTo(view: ClusterView, instanceId: string | null): number | null {
  if (view.interfaces === null || instanceId === null) return null;
  return view.attached.get(instanceId)?.length ?? 0;
}

function limitsOf(capacity: Capacity | null) {
  const maxPods = capacity?.maxPods;
  return {
    addressPods: maxPods?.allowed ?? null,
    recommended: maxPods?.recommended ?? null,
    enis: maxPods?.budget.enis ?? null,
  };
}

/** The row of one Node. */
export function nodeRow(view: ClusterView, node: KubeNode): NodeCapacity {
  const instance = instanceOf(view, node);
  const instanceId = instance?.InstanceId ?? instanceIdIn(node.providerId ?? '');
  const capacity = capacityOfNode(view, node, null);
  const limits = limitsOf(capacity);
  const zoneLabel = node.labels['topology.kubernetes.io/zone'];
  return {
    name: node.name,
    instanceId,
    instanceType: typeText(view, node),
    group: groupOf(node, instance),
    zone: instance?.Placement?.AvailabilityZone ?? zoneLabel ?? null,
    subnets: podSubnets(view, node, instance),
    maxPods: maxPodsOf(node),
    addressPods: limits.addressPods,
    recommended: limits.recommended,
    pods: podsOn(view, node)?.length ?? null,
    enis: {
      attached: attachedTo(view, instanceId),
      limit: limits.enis,
    },
    warm: warmOf(view, node, instanceId),
    problem: problemOf(capacity),
  };
}
