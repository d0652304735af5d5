import type { CloudProvider, ImageFamily, ImageOptions } from '../../../capacity/naming/input.ts';
import type { NamesSeen } from '../../../capacity/naming/names-table.ts';
import { isAtLeast } from '../../../capacity/version.ts';
import { type Json, listAt, textAt } from '../../../evidence/json.ts';
import type { FactTypes, KubeNode, KubeObject } from '../../../evidence/kinds.ts';
import { instanceIdIn, ipInName } from '../../../evidence/names.ts';
import type { Observations } from '../../../evidence/observations.ts';

/** What `rollcall name` reads; its permissions are those of the calls that show these. */
export const NAMING_KINDS = [
  'kube/Node',
  'kube/Pod',
  'kube/Deployment',
  'kube/DaemonSet',
  'kube/ConfigMap',
  'kube/CSINode',
  'kube/CertificateSigningRequest',
  'kube/aws-auth',
  'aws/instance',
  'aws/image',
  'aws/subnet',
  'aws/network-interface',
  'aws/vpc',
  'aws/vpc-attribute',
  'aws/dhcp-options',
  'aws/cluster',
  'aws/access-entry',
  'aws/instance-profile',
] as const;

type NamingKind = (typeof NAMING_KINDS)[number];

/** The values of one kind, in the order in which they were read. */
export function namingValues<K extends NamingKind>(
  { facts }: Observations,
  kind: K,
): readonly FactTypes[K][] {
  return facts.flatMap((fact) => (fact.kind === kind ? [fact.value as FactTypes[K]] : []));
}

function wasListed({ listings }: Observations, kind: NamingKind): boolean {
  return listings.some((listing) => listing.kind === kind);
}

/** A machine: its instance, and the Nodes that may be its own. */
export interface Machine {
  readonly instance: Json | null;
  readonly node: KubeNode | null;
}

function instancesOf(observations: Observations): readonly Json[] {
  const items = namingValues(observations, 'aws/instance');
  return [...new Map(items.map((item) => [textAt(item, 'InstanceId') ?? '', item])).values()];
}

/** The Nodes that were seen, each once. */
export function nodesOf(observations: Observations): readonly KubeNode[] {
  const nodes = namingValues(observations, 'kube/Node');
  return [...new Map(nodes.map((node) => [node.name, node])).values()];
}

/** The address of a Node, as it says it or as its name spells it. */
export function addressOfNode(node: KubeNode): string | null {
  return node.internalIp ?? ipInName(node.name);
}

function isInstanceOf(instance: Json, node: KubeNode): boolean {
  const id = textAt(instance, 'InstanceId');
  const named = instanceIdIn(`${node.providerId ?? ''} ${node.name}`);
  if (named !== null) return named === id;
  if (node.name === textAt(instance, 'PrivateDnsName')?.toLowerCase()) return true;
  return (
    addressOfNode(node) !== null && addressOfNode(node) === textAt(instance, 'PrivateIpAddress')
  );
}

function namesOfInstance(instance: Json): readonly (string | null)[] {
  return ['InstanceId', 'PrivateDnsName', 'PrivateIpAddress'].map((path) => textAt(instance, path));
}

function isRunning(instance: Json): boolean {
  return !['terminated', 'shutting-down'].includes(textAt(instance, 'State.Name') ?? '');
}

/** True while the kubelet itself says that the Node is Ready or is not: a silent one is Unknown. */
export function isReportedTo(node: KubeNode): boolean {
  const isOwnFalse = node.conditions.some(
    ({ type, status }) => type === 'Ready' && status === 'False',
  );
  return node.ready === true || isOwnFalse;
}

/** Ready Nodes first, then those reported to, then the youngest: so the machine is called today. */
function currentNode(instance: Json, nodes: readonly KubeNode[]): KubeNode | null {
  const own = nodes.filter((node) => isInstanceOf(instance, node));
  const sorted = own.toSorted(
    (a, b) =>
      Number(b.ready === true) - Number(a.ready === true) ||
      Number(isReportedTo(b)) - Number(isReportedTo(a)) ||
      (b.createdMs ?? 0) - (a.createdMs ?? 0),
  );
  return sorted[0] ?? null;
}

function isSameMachine(a: KubeNode, b: KubeNode): boolean {
  const [idA, idB] = [a, b].map(({ providerId }) => instanceIdIn(providerId ?? ''));
  if (idA !== null && idB !== null) return idA === idB;
  return addressOfNode(a) !== null && addressOfNode(a) === addressOfNode(b);
}

/** Where AWS said nothing: the Ready one of the Nodes with the same address. */
function withoutInstance(asked: KubeNode, nodes: readonly KubeNode[]): Machine {
  const ready = nodes.find((node) => node.ready === true && isSameMachine(asked, node));
  return { instance: null, node: asked.ready === true ? asked : (ready ?? asked) };
}

/** The machine of that name; null when nothing is called so. */
export function machineNamed(observations: Observations, name: string): Machine | null {
  const wanted = name.toLowerCase();
  const nodes = nodesOf(observations);
  const asked = nodes.find((node) => node.name === wanted || addressOfNode(node) === wanted);
  const instances = instancesOf(observations);
  const instance =
    instances.find((item) => namesOfInstance(item).some((one) => one?.toLowerCase() === wanted)) ??
    instances.find((item) => asked !== undefined && isRunning(item) && isInstanceOf(item, asked));
  if (instance === undefined) return asked === undefined ? null : withoutInstance(asked, nodes);
  return { instance, node: currentNode(instance, nodes) };
}

/** Every machine: running instances with their Nodes, and Nodes without an instance. */
export function machinesOf(observations: Observations): readonly Machine[] {
  const nodes = nodesOf(observations);
  const instances = instancesOf(observations).filter(isRunning);
  const own = instances.map((instance) => ({ instance, node: currentNode(instance, nodes) }));
  const alone = nodes.filter((node) => !instances.some((item) => isInstanceOf(item, node)));
  return [...own, ...alone.map((node) => ({ instance: null, node }))];
}

/** Words by which images and systems are known; the first that fits decides. */
const FAMILIES: readonly (readonly [RegExp, ImageFamily])[] = [
  [/bottlerocket/i, 'bottlerocket'],
  [/amazon-eks-node-al2023|amazon linux 2023/i, 'al2023'],
  [/^amazon-eks-(?:gpu-|arm64-)?node-\d/i, 'al2'],
  [/windows/i, 'windows'],
  [/^rhcos|red hat enterprise linux coreos/i, 'openshift4'],
  [/flatcar/i, 'flatcar'],
  [/ubuntu/i, 'ubuntu'],
  [/^rhel|red hat enterprise linux/i, 'rhel'],
];

/** The family of an image by its name or by the system that a Node reports. */
export function familyOf(words: string | null, isEks: boolean): ImageFamily | null {
  if (words === null || words.trim() === '') return null;
  const found = FAMILIES.find(([pattern]) => pattern.test(words))?.[1];
  // Only EKS puts bootstrap programs into Amazon Linux; elsewhere its hostname decides.
  if (/amazon linux/i.test(words) && !isEks) return 'other';
  if (/^amazon linux 2$/i.test(words.trim())) return isEks ? 'al2' : 'other';
  return found ?? 'other';
}

/** True when the cluster is one of EKS. */
export function isEksCluster(observations: Observations): boolean {
  const labelled = nodesOf(observations).some(({ labels }) =>
    Object.keys(labels).some((key) => key.startsWith('eks.amazonaws.com/')),
  );
  return labelled || namingValues(observations, 'aws/cluster').length > 0;
}

function imageOf(observations: Observations, { instance, node }: Machine): ImageFamily | null {
  const compute = node?.labels['eks.amazonaws.com/compute-type'];
  if (compute === 'fargate') return 'fargate';
  if (compute === 'hybrid') return 'hybrid';
  if (compute === 'auto') return 'eks-auto';
  if (node?.labels['kops.k8s.io/instancegroup'] !== undefined) return 'kops';
  const id = textAt(instance ?? {}, 'ImageId');
  const image = namingValues(observations, 'aws/image').find(
    (one) => textAt(one, 'ImageId') === id,
  );
  const isEks = isEksCluster(observations);
  const byName = familyOf(textAt(image, 'Name'), isEks);
  const bySystem = familyOf(node?.osImage ?? null, isEks);
  return byName === 'other' ? (bySystem ?? byName) : (byName ?? bySystem);
}

function containersOf({ body }: KubeObject): readonly Json[] {
  return [...listAt(body, 'spec.template.spec.containers'), ...listAt(body, 'spec.containers')];
}

const CONTROLLER = /aws-cloud-controller-manager|cloud-controller-manager-aws/;

function controllerVersion(containers: readonly Json[]): string | null | undefined {
  const image = containers
    .map((one) => textAt(one, 'image') ?? '')
    .find((text) => CONTROLLER.test(text) || /\/cloud-controller-manager:/.test(text));
  return image === undefined ? undefined : (/:([\w.-]{1,128})(?:@|$)/.exec(image)?.[1] ?? null);
}

function flagsOf(containers: readonly Json[], program: string): readonly string[] {
  return containers
    .filter((one) => textAt(one, 'name') === program)
    .flatMap((one) => [...listAt(one, 'command'), ...listAt(one, 'args')].map(String));
}

/** The control plane of EKS is not to be seen; since 1.27 no kubelet knows the in-process provider. */
function eksProvider(observations: Observations): CloudProvider | null {
  const versions = nodesOf(observations).map(({ kubeletVersion }) => kubeletVersion);
  const isNew = versions.some((version) => isAtLeast(version, '1.27.0') === true);
  return isNew ? { kind: 'external', controllerVersion: null } : null;
}

/** Who decides about the cloud side of Nodes; null when that was not to be seen. */
export function cloudProviderOf(observations: Observations): CloudProvider | null {
  const programs = (['kube/DaemonSet', 'kube/Deployment', 'kube/Pod'] as const).flatMap((kind) =>
    namingValues(observations, kind).flatMap(containersOf),
  );
  const version = controllerVersion(programs);
  if (version !== undefined) return { kind: 'external', controllerVersion: version };
  if (isEksCluster(observations)) return eksProvider(observations);
  const flags = flagsOf(programs, 'kube-controller-manager');
  if (flags.includes('--cloud-provider=aws')) return { kind: 'in-tree' };
  const isSeen = flags.length > 0 && wasListed(observations, 'kube/Pod');
  return isSeen && !flags.includes('--cloud-provider=external') ? { kind: 'none' } : null;
}

function attributeOf(
  observations: Observations,
  vpcId: string | null,
  name: 'EnableDnsHostnames' | 'EnableDnsSupport',
): boolean | undefined {
  const values = namingValues(observations, 'aws/vpc-attribute').filter(
    (item) => vpcId !== null && textAt(item, 'VpcId') === vpcId,
  );
  const value = values.map((item) => textAt(item, `${name}.Value`)).find((one) => one !== null);
  return value === undefined ? undefined : value === 'true';
}

/** `domain-name` of the options of a VPC; null without one, undefined when not looked at. */
function dhcpDomainOf(observations: Observations, vpcId: string | null): string | null | undefined {
  const vpc = namingValues(observations, 'aws/vpc').find((one) => textAt(one, 'VpcId') === vpcId);
  const id = textAt(vpc, 'DhcpOptionsId');
  const options = namingValues(observations, 'aws/dhcp-options').find(
    (one) => id !== null && textAt(one, 'DhcpOptionsId') === id,
  );
  if (options === undefined) return undefined;
  const entry = listAt(options, 'DhcpConfigurations').find(
    (one) => textAt(one, 'Key') === 'domain-name',
  );
  const values = listAt(entry, 'Values').map(
    (one) => textAt(one, 'Value') ?? (typeof one === 'string' ? one : ''),
  );
  return values.length === 0 ? null : values.join(' ');
}

/** What a VPC gives to the names of its machines. */
export function vpcNames(
  observations: Observations,
  vpcId: string | null,
): Pick<NamesSeen, 'dhcpDomain' | 'dnsHostnames' | 'dnsSupport'> {
  const dhcpDomain = dhcpDomainOf(observations, vpcId);
  const dnsHostnames = attributeOf(observations, vpcId, 'EnableDnsHostnames');
  const dnsSupport = attributeOf(observations, vpcId, 'EnableDnsSupport');
  return {
    ...(dhcpDomain === undefined ? {} : { dhcpDomain }),
    ...(dnsHostnames === undefined ? {} : { dnsHostnames }),
    ...(dnsSupport === undefined ? {} : { dnsSupport }),
  };
}

/** `eu-west-1` of the zone `eu-west-1a`. */
export function regionOfZone(zone: string | null): string | null {
  return /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/.exec(zone ?? '')?.[1] ?? null;
}

/** `ip-name` or `resource-name` at a path, undefined for anything else. */
export function namingTypeAt(item: Json | null, path: string): NamesSeen['hostnameType'] {
  const text = textAt(item ?? {}, path);
  return text === 'ip-name' || text === 'resource-name' ? text : undefined;
}

function instanceNames(instance: Json): Partial<NamesSeen> {
  const text = (path: string): string | null => textAt(instance, path);
  const region = regionOfZone(text('Placement.AvailabilityZone'));
  const hostnameType = namingTypeAt(instance, 'PrivateDnsNameOptions.HostnameType');
  const [instanceId, privateIp] = [text('InstanceId'), text('PrivateIpAddress')];
  const tags = listAt(instance, 'Tags').map((tag) => textAt(tag, 'Key') ?? '');
  return {
    ...(instanceId === null ? {} : { instanceId }),
    ...(privateIp === null ? {} : { privateIp }),
    ...(region === null ? {} : { region }),
    ...(hostnameType === undefined ? {} : { hostnameType }),
    privateDnsName: text('PrivateDnsName'),
    clusterTag: tags.some((key) => key.startsWith('kubernetes.io/cluster/')),
  };
}

/** Everything that the APIs know of the names of a machine. */
export function namesSeen(
  observations: Observations,
  machine: Machine,
  identity: Partial<NamesSeen>,
  options: ImageOptions,
): NamesSeen {
  const { instance, node } = machine;
  const own = instance === null ? {} : instanceNames(instance);
  return {
    image: imageOf(observations, machine),
    cloudProvider: cloudProviderOf(observations),
    kubeletVersion: node?.kubeletVersion ?? null,
    options,
    ...own,
    ...vpcNames(observations, textAt(instance ?? {}, 'VpcId')),
    ...(node === null
      ? wasListed(observations, 'kube/Node')
        ? { nodeName: null }
        : {}
      : { nodeName: node.name, providerId: node.providerId }),
    ...identity,
  };
}
