import { cidrOf, sizeOf } from './cidr.ts';
import type { NetworkInterface } from '../../evidence/aws/instance.ts';
import { isoMs } from '../../evidence/time.ts';

/** Who made a network interface. */
export type EniOwner =
  | 'cni'
  | 'cni-trunk'
  | 'cni-branch'
  | 'instance'
  | 'cluster'
  | 'load-balancer'
  | 'nat-gateway'
  | 'vpc-endpoint'
  | 'lambda'
  | 'efs'
  | 'rds'
  | 'transit-gateway'
  | 'other';

/** Who owns an interface, and what it takes of its subnet. */
export interface OwnedInterface {
  readonly id: string;
  readonly subnetId: string | null;
  readonly owner: EniOwner;
  readonly status: string | null;
  /** The instance that it is attached to, or that it was made for. */
  readonly instanceId: string | null;
  readonly isAttached: boolean;
  /** Cluster by its tags, null when no tag says so. */
  readonly cluster: string | null;
  /** Tag `node.k8s.amazonaws.com/createdAt`, ms since the epoch; null without one. */
  readonly createdMs: number | null;
  /** Addresses taken from the subnet: the primary one, secondary ones and those of prefixes. */
  readonly addresses: number;
  readonly secondaryAddresses: number;
  /** /28 and /80 blocks. */
  readonly prefixes: number;
  readonly isManagedElsewhere: boolean;
}

const CREATED_TAG = 'node.k8s.amazonaws.com/createdAt';
/** The instance for which the CNI made an interface; it is on each that it makes. */
export const INSTANCE_TAG = 'node.k8s.amazonaws.com/instance_id';
const CREATOR_TAG = 'eks:eni:owner';
const NO_MANAGE_TAG = 'node.k8s.amazonaws.com/no_manage';
const CLUSTER_TAGS = ['cluster.k8s.amazonaws.com/name', 'eks:cluster-name'];
const CLUSTER_PREFIX = 'kubernetes.io/cluster/';

/** By `InterfaceType`, then by the words of `Description` (EC2 and the services that write them). */
const BY_TYPE: Readonly<Record<string, EniOwner>> = {
  trunk: 'cni-trunk',
  branch: 'cni-branch',
  lambda: 'lambda',
  natGateway: 'nat-gateway',
  nat_gateway: 'nat-gateway',
  vpc_endpoint: 'vpc-endpoint',
  gateway_load_balancer_endpoint: 'vpc-endpoint',
  network_load_balancer: 'load-balancer',
  gateway_load_balancer: 'load-balancer',
  load_balancer: 'load-balancer',
  transit_gateway: 'transit-gateway',
};

const BY_DESCRIPTION: readonly (readonly [RegExp, EniOwner])[] = [
  [/^aws-K8S-i-/, 'cni'],
  [/^aws-k8s-trunk-eni/, 'cni-trunk'],
  [/^aws-k8s-branch-eni/, 'cni-branch'],
  [/^Amazon EKS /, 'cluster'],
  [/^ELB /, 'load-balancer'],
  [/^Interface for NAT Gateway /, 'nat-gateway'],
  [/^VPC Endpoint Interface /, 'vpc-endpoint'],
  [/^AWS Lambda VPC ENI/, 'lambda'],
  [/^EFS mount target /, 'efs'],
  [/^RDSNetworkInterface/, 'rds'],
];

const BY_REQUESTER: Readonly<Record<string, EniOwner>> = {
  'amazon-elb': 'load-balancer',
  'amazon-rds': 'rds',
};

function tagsOf(item: NetworkInterface): ReadonlyMap<string, string> {
  const tags = item.TagSet ?? [];
  return new Map(tags.map(({ Key: key, Value: value }) => [key ?? '', value ?? '']));
}

function ownerOf(item: NetworkInterface, tags: ReadonlyMap<string, string>): EniOwner {
  const description = item.Description ?? '';
  const type = item.InterfaceType ?? '';
  const requester = item.RequesterId ?? '';
  const byDescription = BY_DESCRIPTION.find(([pattern]) => pattern.test(description))?.[1];
  const byType = Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  const byRequester = Object.hasOwn(BY_REQUESTER, requester) ? BY_REQUESTER[requester] : undefined;
  const named = byType ?? byDescription ?? byRequester;
  if (named !== undefined) return named;
  if (tags.has(INSTANCE_TAG)) return 'cni';
  return hasInstance(item) ? 'instance' : 'other';
}

function hasInstance(item: NetworkInterface): boolean {
  return typeof item.Attachment?.InstanceId === 'string';
}

const INSTANCE_IN_DESCRIPTION = /^aws-K8S-(i-[0-9a-f]{8,17})$/;

function instanceOf(item: NetworkInterface, tags: ReadonlyMap<string, string>): string | null {
  const described = INSTANCE_IN_DESCRIPTION.exec(item.Description ?? '')?.[1];
  return item.Attachment?.InstanceId ?? described ?? tags.get(INSTANCE_TAG) ?? null;
}

function clusterOf(tags: ReadonlyMap<string, string>): string | null {
  for (const tag of CLUSTER_TAGS) if (tags.has(tag)) return tags.get(tag) ?? null;
  const tag = [...tags.keys()].find((key) => key.startsWith(CLUSTER_PREFIX));
  return tag?.slice(CLUSTER_PREFIX.length) ?? null;
}

/** The CNI writes RFC 3339; what only looks like a time, such as a year, says nothing of an age. */
function timeOf(text: string | undefined): number | null {
  return Number.isNaN(Date.parse(text ?? '')) ? null : isoMs(text);
}

/** What marks an interface as made by whom and for what, each mark for itself. */
export interface InterfaceMarks {
  /** All clusters that its tags name, once each. */
  readonly clusters: readonly string[];
  /** The instance in a description of the CNI; null where it has another description. */
  readonly describedInstance: string | null;
  /** The instance in the tag of the CNI. */
  readonly taggedInstance: string | null;
  /** Tag `eks:eni:owner`; amazon-vpc-cni-k8s writes it from 1.20 on. */
  readonly creator: string | null;
}

/** The marks of an item of DescribeNetworkInterfaces. */
export function marksOf(item: NetworkInterface): InterfaceMarks {
  const tags = tagsOf(item);
  const named = CLUSTER_TAGS.flatMap((tag) => tags.get(tag) ?? []);
  const prefixed = [...tags.keys()]
    .filter((key) => key.startsWith(CLUSTER_PREFIX))
    .map((key) => key.slice(CLUSTER_PREFIX.length));
  return {
    clusters: [...new Set([...named, ...prefixed])],
    describedInstance: INSTANCE_IN_DESCRIPTION.exec(item.Description ?? '')?.[1] ?? null,
    taggedInstance: tags.get(INSTANCE_TAG) ?? null,
    creator: tags.get(CREATOR_TAG) ?? null,
  };
}

function prefixAddresses(item: NetworkInterface): number {
  const blocks = (item.Ipv4Prefixes ?? []).map((one) => cidrOf(one.Ipv4Prefix ?? ''));
  return blocks.reduce((sum, block) => sum + (block === null ? 0 : sizeOf(block)), 0);
}

/** An item of DescribeNetworkInterfaces, null when it has no id. */
export function interfaceOf(item: NetworkInterface): OwnedInterface | null {
  const id = item.NetworkInterfaceId;
  if (id === undefined) return null;
  const tags = tagsOf(item);
  const listed = item.PrivateIpAddresses?.length ?? 0;
  const single = Math.max(listed, typeof item.PrivateIpAddress === 'string' ? 1 : 0);
  return {
    id,
    subnetId: item.SubnetId ?? null,
    owner: ownerOf(item, tags),
    status: item.Status ?? null,
    instanceId: instanceOf(item, tags),
    isAttached: hasInstance(item),
    cluster: clusterOf(tags),
    createdMs: timeOf(tags.get(CREATED_TAG)),
    addresses: single + prefixAddresses(item),
    secondaryAddresses: Math.max(0, single - 1),
    prefixes: (item.Ipv4Prefixes?.length ?? 0) + (item.Ipv6Prefixes?.length ?? 0),
    isManagedElsewhere: tags.get(NO_MANAGE_TAG) === 'true',
  };
}

export interface OwnerShare {
  readonly owner: EniOwner;
  readonly interfaces: number;
  readonly addresses: number;
}

/** Who holds how many addresses, most first. */
export function byOwner(interfaces: readonly OwnedInterface[]): readonly OwnerShare[] {
  const owners = new Set(interfaces.map(({ owner }) => owner));
  const shares = [...owners].map((owner) => {
    const own = interfaces.filter((one) => one.owner === owner);
    const addresses = own.reduce((sum, one) => sum + one.addresses, 0);
    return { owner, interfaces: own.length, addresses };
  });
  return shares.toSorted((a, b) => b.addresses - a.addresses || (a.owner < b.owner ? -1 : 1));
}

/** An instance whose interfaces hold nothing that a pod could have. */
export interface InstanceWithoutPodAddresses {
  readonly instanceId: string;
  readonly interfaces: number;
}

/**
 * Machines of the cluster that hold no secondary address and no prefix. With the targets of the
 * manifest ipamd takes some within seconds of its start, so there it does not run, may not call
 * EC2, finds the subnet full, or does not know the instance type.
 */
export function withoutPodAddresses(
  interfaces: readonly OwnedInterface[],
  machines: ReadonlySet<string>,
): readonly InstanceWithoutPodAddresses[] {
  const attached = Map.groupBy(
    interfaces.filter(({ isAttached }) => isAttached),
    ({ instanceId }) => instanceId ?? '',
  );
  return [...attached]
    .filter(([instanceId]) => machines.has(instanceId))
    .filter(([, own]) => own.every((one) => one.secondaryAddresses + one.prefixes === 0))
    .map(([instanceId, own]) => ({ instanceId, interfaces: own.length }));
}
