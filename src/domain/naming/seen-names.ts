import type { Told } from '../../evidence/shape.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn, ipInName } from '../../evidence/names.ts';
import { acceptanceOf } from './acceptance.ts';
import type { Vpc, DhcpOptions } from '../../evidence/aws/network.ts';
import type { Instance } from '../../evidence/aws/instance.ts';
import type { Timed } from '../../evidence/time.ts';
import type { DaemonSet, Deployment } from '../../evidence/kube/workloads.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import { isPodReady } from '../pods/pods.ts';

/** Set by a kubelet with an external cloud provider, removed by the cloud controller alone. */
export const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/** A cloud controller that works initialises a Node within seconds. */
const INITIALISATION_NORMAL_MS = 120_000;

/** How a Node is called, against the private DNS name that EC2 has for its instance. */
export type NameDifference = 'none' | 'no-domain' | 'other-domain' | 'resource-name' | 'other-host';

function hostOf(name: string): string {
  return name.split('.')[0] ?? name;
}

/** Tells two names of one instance apart by host part and domain. */
export function nameDifference(node: string, ec2Name: string): NameDifference {
  if (node === ec2Name.toLowerCase()) return 'none';
  if (hostOf(node) === hostOf(ec2Name)) return node.includes('.') ? 'other-domain' : 'no-domain';
  const [a, b] = [instanceIdIn(node), instanceIdIn(ec2Name)];
  const [idAgainstAddress, addressAgainstId] = [
    a !== null && ipInName(ec2Name) !== null,
    b !== null && ipInName(node) !== null,
  ];
  return idAgainstAddress || addressAgainstId ? 'resource-name' : 'other-host';
}

/** All private addresses of an instance, those of further interfaces too. */
export function addressesOf(instance: Instance): readonly string[] {
  const further = (instance.NetworkInterfaces ?? []).flatMap((entry) =>
    (entry.PrivateIpAddresses ?? []).map((one) => one.PrivateIpAddress ?? null),
  );
  return [instance.PrivateIpAddress ?? null, ...further].filter((one) => one !== null);
}

/** The instance that the Node's providerID names, else the one with its address, running first. */
export function instanceOfNode(
  node: KubeNode,
  instances: readonly Seen<Instance>[],
): Seen<Instance> | null {
  const named = node.providerId === null ? null : instanceIdIn(node.providerId);
  if (named !== null) return instances.find(({ value }) => value.InstanceId === named) ?? null;
  const address = node.internalIp ?? ipInName(node.name);
  const having = instances.filter(({ value }) => addressesOf(value).includes(address ?? ''));
  const running = having.find(({ value }) => value.State?.Name === 'running');
  return running ?? having[0] ?? null;
}

const CONTROLLER = /cloud-controller-manager|(?:^|-)ccm(?:-|$)/;

/** True for the names of cloud controllers and their pods. */
export function isCloudController(name: string): boolean {
  return CONTROLLER.test(name);
}

function readyReplicas(status: Deployment['status'] | DaemonSet['status']): Told<number> {
  return status && 'readyReplicas' in status ? status.readyReplicas : null;
}

/** A DaemonSet or Deployment of a cloud controller with a ready pod, null when none is seen. */
export function runningController(
  workloads: readonly Seen<DaemonSet | Deployment>[],
): Seen<DaemonSet | Deployment> | null {
  const ready = workloads.find(({ value }) => {
    const { status } = value;
    const count = status && 'numberReady' in status ? status.numberReady : readyReplicas(status);
    return isCloudController(value.name) && (count ?? 0) > 0;
  });
  return ready ?? null;
}

/** The release by the tag of a cloud controller's image, null when none of the images shows one. */
export function controllerReleaseIn(images: readonly string[]): string | null {
  const image = images.find(isCloudController);
  return /:(v?\d+\.\d+[^:@]*)(?:@|$)/.exec(image ?? '')?.[1] ?? null;
}

/** A cloud controller that runs, by its workload or by a pod of it, and the release of its image. */
interface RunningController {
  readonly release: string | null;
}

function controllerIn({ workloads, pods }: NamesSeen): RunningController | null {
  const workload = runningController(workloads)?.value;
  const pod = pods.find(({ value }) => isCloudController(value.name) && isPodReady(value))?.value;
  if (workload === undefined && pod === undefined) return null;
  const { containers } = workload?.spec?.template?.spec ?? pod?.spec ?? {};
  return { release: controllerReleaseIn((containers ?? []).map(({ image }) => image ?? '')) };
}

/** EKS runs the cloud controller out of sight. */
export function isEksNode(node: KubeNode): boolean {
  const keys = Object.keys(node.labels);
  return (
    node.kubeletVersion?.includes('-eks-') === true ||
    keys.some((key) => key.startsWith('eks.amazonaws.com/'))
  );
}

/** True when the Node has waited for its cloud controller for longer than is normal. */
export function waitsForController(node: KubeNode, time: Timed): boolean {
  const isTainted = (node.taints ?? []).some(({ key }) => key === UNINITIALIZED);
  if (!isTainted) return false;
  const { nowMs } = time;
  const age = nowMs === null || node.createdMs === null ? null : nowMs - node.createdMs;
  return age === null || age >= INITIALISATION_NORMAL_MS;
}

export interface NamesSeen {
  readonly nodes: readonly Seen<KubeNode>[];
  readonly instances: readonly Seen<Instance>[];
  /** DaemonSets and Deployments of the cluster. */
  readonly workloads: readonly Seen<DaemonSet | Deployment>[];
  /** Pods of the cluster, for a look that lists no workloads. */
  readonly pods: readonly Seen<Pod>[];
  readonly time: Timed;
}

export interface RefusedName {
  readonly node: Seen<KubeNode>;
  readonly instance: Seen<Instance>;
  readonly instanceId: string;
  readonly ec2Name: string;
  readonly difference: NameDifference;
}

/**
 * A Node that stays uninitialized because the cloud controller, which runs, looks its instance up
 * by a name that EC2 does not have; null when the name is right, or something else is to blame.
 */
export function refusedName(seen: NamesSeen): RefusedName | null {
  const node = seen.nodes.find(({ value }) => waitsForController(value, seen.time));
  if (node === undefined) return null;
  const controller = controllerIn(seen);
  if (controller === null && !isEksNode(node.value)) return null;
  const instance = instanceOfNode(node.value, seen.instances);
  if (instance === null) return null;
  const instanceId = instance.value.InstanceId ?? '';
  const ec2Name = instance.value.PrivateDnsName ?? '';
  const acceptance = acceptanceOf(node.value.name, {
    image: null,
    cloudProvider: { kind: 'external', controllerVersion: controller?.release ?? null },
    kubeletVersion: node.value.kubeletVersion,
    instanceId,
    privateDnsName: ec2Name,
    providerId: node.value.providerId,
  });
  if (acceptance.state !== 'refused' || ec2Name === '') return null;
  return {
    node,
    instance,
    instanceId,
    ec2Name,
    difference: nameDifference(node.value.name, ec2Name),
  };
}

/** The two sentences that show a refused name, as they are quoted. */
export function wordsOfRefused({
  node,
  instanceId,
  ec2Name,
}: RefusedName): readonly [string, string] {
  return [
    `Node ${node.value.name} has no spec.providerID and keeps the taint ${UNINITIALIZED}`,
    `${instanceId} PrivateDnsName ${ec2Name}`,
  ];
}

export interface DomainSeen {
  readonly options: Seen<DhcpOptions>;
  readonly optionsId: string;
  readonly vpc: string;
  /** `domain-name` as it is set, the empty text when it is not. */
  readonly domain: string;
}

/** The DHCP option set of the VPC in which an instance is, null when it was not seen. */
export function dhcpDomainOf(
  instance: Instance,
  vpcs: readonly Seen<Vpc>[],
  all: readonly Seen<DhcpOptions>[],
): DomainSeen | null {
  const vpc = instance.VpcId ?? '';
  const owner = vpcs.find(({ value }) => value.VpcId === vpc);
  const optionsId = owner?.value.DhcpOptionsId ?? '';
  const options = all.find(({ value }) => value.DhcpOptionsId === optionsId);
  if (options === undefined || optionsId === '') return null;
  const entry = (options.value.DhcpConfigurations ?? []).find((one) => one.Key === 'domain-name');
  const values = entry?.Values ?? [];
  return { options, optionsId, vpc, domain: values.join(' ').trim() };
}

export interface ForeignProvider {
  readonly node: Seen<KubeNode>;
  /** The instance that the providerID names. */
  readonly named: string;
  /** That instance as EC2 has it, null when it is not among those seen. */
  readonly namedInstance: Seen<Instance> | null;
  /** The running instance that has the Node's address. */
  readonly actual: Seen<Instance>;
  readonly actualId: string;
}

function isRunningAt(instance: Seen<Instance> | null, address: string | null): boolean {
  if (instance === null || address === null) return false;
  const isRunning = instance.value.State?.Name === 'running';
  return isRunning && addressesOf(instance.value).includes(address);
}

/** A Node whose providerID names another instance than the one that has its address. */
export function foreignProvider(
  nodes: readonly Seen<KubeNode>[],
  instances: readonly Seen<Instance>[],
): ForeignProvider | null {
  for (const node of nodes) {
    const named = instanceIdIn(node.value.providerId ?? '');
    const actual = instances.find((one) => isRunningAt(one, node.value.internalIp));
    const actualId = actual?.value.InstanceId ?? null;
    if (named === null || actual === undefined || actualId === null || named === actualId) continue;
    const namedInstance = instances.find(({ value }) => value.InstanceId === named) ?? null;
    // Two machines of two VPCs may have one address; then each Node is whose its providerID says.
    if (isRunningAt(namedInstance, node.value.internalIp)) continue;
    return { node, named, namedInstance, actual, actualId };
  }
  return null;
}
