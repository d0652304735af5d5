/** VPCs with what belongs to them, made by the hand that lays the world out. */
import { cidrOf } from '../../../domain/network/cidr.ts';
import type { JsonObject } from '../../../evidence/json.ts';
import { ec2Domain } from '../../../domain/naming/ec2-names.ts';
import { type Account, isoMoment, type PlainKind } from '../account.ts';
import { AddressBook } from '../addresses.ts';
import { createInterface, subnetOf } from './interfaces.ts';
import type { HostnameType, Subnet, Tags, Zone } from '../state.ts';

export function put(account: Account, kind: PlainKind, id: string, value: JsonObject): string {
  account.plain[kind].set(id, value, account.kernel.nowMs());
  return id;
}

export function setTags(account: Account, resourceId: string, tags: Tags): void {
  if (Object.keys(tags).length === 0) return;
  const before = account.tags.get(resourceId) ?? {};
  account.tags.set(resourceId, { ...before, ...tags }, account.kernel.nowMs());
}

export interface NewVpc {
  /** `10.0.0.0/16` */
  readonly cidr: string;
  readonly tags?: Tags;
  /** False gives instances no private DNS names; true unless given. */
  readonly hasHostnames?: boolean;
  readonly hasDnsSupport?: boolean;
  /** `domain-name` of the DHCP option set; EC2's own unless given, none when null. */
  readonly domainName?: string | null;
  readonly domainNameServers?: readonly string[];
}

/** A VPC with a DHCP option set, a main route table, a default ACL and a default group. */
export function createVpc(account: Account, wanted: NewVpc): string {
  const VpcId = account.ids.resource('vpc');
  const { cidr, hasHostnames = true, hasDnsSupport = true } = wanted;
  put(account, 'vpc', VpcId, {
    CidrBlock: cidr,
    DhcpOptionsId: createDhcpOptions(account, wanted),
    State: 'available',
    VpcId,
    OwnerId: account.accountId,
    InstanceTenancy: 'default',
    CidrBlockAssociationSet: [
      {
        AssociationId: account.ids.resource('vpc-cidr-assoc'),
        CidrBlock: cidr,
        CidrBlockState: { State: 'associated' },
      },
    ],
    IsDefault: false,
  });
  setTags(account, VpcId, wanted.tags ?? {});
  account.vpcAttributes.set(`${VpcId} enableDnsHostnames`, hasHostnames);
  account.vpcAttributes.set(`${VpcId} enableDnsSupport`, hasDnsSupport);
  createRouteTable(account, { VpcId, cidr, isMain: true, subnetIds: [], gatewayId: null });
  createNetworkAcl(account, VpcId);
  createSecurityGroup(account, {
    vpcId: VpcId,
    name: 'default',
    description: 'default VPC security group',
  });
  return VpcId;
}

/** A set of DHCP options; null for a domain leaves it out. */
export function createDhcpOptions(
  account: Account,
  options: Pick<NewVpc, 'domainName' | 'domainNameServers'>,
): string {
  const { domainName = ec2Domain(account.region) } = options;
  const { domainNameServers = ['AmazonProvidedDNS'] } = options;
  const DhcpOptionsId = account.ids.resource('dopt');
  const of = (Key: string, values: readonly string[]): JsonObject => ({
    Key,
    Values: values.map((Value) => ({ Value })),
  });
  return put(account, 'dhcp-options', DhcpOptionsId, {
    DhcpConfigurations: [
      ...(domainName === null ? [] : [of('domain-name', [domainName])]),
      ...(domainNameServers.length === 0 ? [] : [of('domain-name-servers', domainNameServers)]),
    ],
    DhcpOptionsId,
    OwnerId: account.accountId,
  });
}

export interface NewSubnet {
  readonly vpcId: string;
  /** `us-west-2a` */
  readonly zone: string;
  readonly cidr: string;
  readonly mapPublicIp?: boolean;
  readonly hostnameType?: HostnameType;
  readonly tags?: Tags;
}

/** @throws RangeError for a block that is none, or a zone that the region has not */
export function createSubnet(account: Account, wanted: NewSubnet): string {
  const block = cidrOf(wanted.cidr);
  if (block === null) throw new RangeError(`${wanted.cidr} is no block of addresses`);
  const subnet: Subnet = {
    subnetId: account.ids.resource('subnet'),
    vpcId: wanted.vpcId,
    zone: zoneOf(account, wanted.zone),
    cidr: wanted.cidr,
    mapPublicIp: wanted.mapPublicIp ?? false,
    hostnameType: wanted.hostnameType ?? 'ip-name',
  };
  account.books.set(subnet.subnetId, new AddressBook(block));
  account.subnets.set(subnet.subnetId, subnet, account.kernel.nowMs());
  setTags(account, subnet.subnetId, wanted.tags ?? {});
  return subnet.subnetId;
}

function zoneOf({ zones, region }: Account, name: string): Zone {
  const zone = zones.find((one) => one.name === name);
  if (zone === undefined) throw new RangeError(`${region} has no zone ${name}`);
  return zone;
}

export interface NewRouteTable {
  readonly VpcId: string;
  /** Of the VPC, which is routed locally. */
  readonly cidr: string;
  readonly isMain: boolean;
  readonly subnetIds: readonly string[];
  /** `igw-…` or `nat-…` for all other addresses; null for none. */
  readonly gatewayId: string | null;
}

export function createRouteTable(account: Account, wanted: NewRouteTable): string {
  const RouteTableId = account.ids.resource('rtb');
  const { VpcId, gatewayId } = wanted;
  const association = (of: JsonObject, Main: boolean): JsonObject => ({
    Main,
    RouteTableAssociationId: account.ids.resource('rtbassoc'),
    RouteTableId,
    ...of,
    AssociationState: { State: 'associated' },
  });
  const gateway = gatewayId?.startsWith('nat-') === true ? 'NatGatewayId' : 'GatewayId';
  const others =
    gatewayId === null
      ? []
      : [
          {
            DestinationCidrBlock: '0.0.0.0/0',
            [gateway]: gatewayId,
            ...ACTIVE,
            Origin: 'CreateRoute',
          },
        ];
  const local = { DestinationCidrBlock: wanted.cidr, GatewayId: 'local', ...ACTIVE };
  return put(account, 'route-table', RouteTableId, {
    Associations: [
      ...(wanted.isMain ? [association({}, true)] : []),
      ...wanted.subnetIds.map((SubnetId) => association({ SubnetId }, false)),
    ],
    PropagatingVgws: [],
    RouteTableId,
    Routes: [{ ...local, Origin: 'CreateRouteTable' }, ...others],
    VpcId,
    OwnerId: account.accountId,
  });
}

const ACTIVE = { State: 'active' };
/** The last rule of every ACL, which none can remove (Amazon VPC user guide). */
const LAST_RULE = 32_767;

function createNetworkAcl(account: Account, VpcId: string): string {
  const NetworkAclId = account.ids.resource('acl');
  const entry = (Egress: boolean, RuleAction: string, RuleNumber: number): JsonObject => ({
    CidrBlock: '0.0.0.0/0',
    Egress,
    Protocol: '-1',
    RuleAction,
    RuleNumber,
  });
  return put(account, 'network-acl', NetworkAclId, {
    Associations: [],
    Entries: [true, false].flatMap((egress) => [
      entry(egress, 'allow', 100),
      entry(egress, 'deny', LAST_RULE),
    ]),
    IsDefault: true,
    NetworkAclId,
    VpcId,
    OwnerId: account.accountId,
  });
}

export interface NewSecurityGroup {
  readonly vpcId: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: Tags;
  /** Rules as `IpPermissions` has them; all traffic within the group unless given. */
  readonly ingress?: readonly JsonObject[];
  readonly egress?: readonly JsonObject[];
}

export const EVERYWHERE: JsonObject = {
  IpProtocol: '-1',
  UserIdGroupPairs: [],
  IpRanges: [{ CidrIp: '0.0.0.0/0' }],
  Ipv6Ranges: [],
  PrefixListIds: [],
};

export function createSecurityGroup(account: Account, wanted: NewSecurityGroup): string {
  const GroupId = account.ids.resource('sg');
  const inside: JsonObject = {
    ...EVERYWHERE,
    UserIdGroupPairs: [{ UserId: account.accountId, GroupId }],
    IpRanges: [],
  };
  put(account, 'security-group', GroupId, {
    GroupId,
    IpPermissionsEgress: [...(wanted.egress ?? [EVERYWHERE])],
    VpcId: wanted.vpcId,
    OwnerId: account.accountId,
    GroupName: wanted.name,
    Description: wanted.description ?? wanted.name,
    IpPermissions: [...(wanted.ingress ?? [inside])],
  });
  setTags(account, GroupId, wanted.tags ?? {});
  return GroupId;
}

export function createInternetGateway(account: Account, VpcId: string): string {
  const InternetGatewayId = account.ids.resource('igw');
  return put(account, 'internet-gateway', InternetGatewayId, {
    Attachments: [{ State: 'available', VpcId }],
    InternetGatewayId,
    OwnerId: account.accountId,
  });
}

export interface NewImage {
  /** `amazon-eks-node-al2023-x86_64-standard-1.34-v20260910` */
  readonly name: string;
  readonly architecture?: 'x86_64' | 'arm64';
  /** True asks for tokens, as the images of AL2023 do. */
  readonly isImdsV2?: boolean;
  readonly ownerId?: string;
}

export function createImage(account: Account, wanted: NewImage): string {
  const ImageId = account.ids.resource('ami');
  return put(account, 'image', ImageId, {
    Architecture: wanted.architecture ?? 'x86_64',
    CreationDate: '2026-01-15T00:00:00.000Z',
    ImageId,
    ImageLocation: `amazon/${wanted.name}`,
    ImageType: 'machine',
    Public: true,
    OwnerId: wanted.ownerId ?? '602401143452',
    PlatformDetails: 'Linux/UNIX',
    UsageOperation: 'RunInstances',
    State: 'available',
    BlockDeviceMappings: [
      {
        Ebs: { DeleteOnTermination: true, VolumeSize: 20, VolumeType: 'gp3', Encrypted: false },
        DeviceName: '/dev/xvda',
      },
    ],
    Description: wanted.name,
    EnaSupport: true,
    Hypervisor: 'xen',
    ImageOwnerAlias: 'amazon',
    Name: wanted.name,
    RootDeviceName: '/dev/xvda',
    RootDeviceType: 'ebs',
    SriovNetSupport: 'simple',
    VirtualizationType: 'hvm',
    ...(wanted.isImdsV2 === true ? { ImdsSupport: 'v2.0' } : {}),
  });
}

/** A gateway with an interface of its own in a public subnet. */
export function createNatGateway(account: Account, SubnetId: string): string {
  const NatGatewayId = account.ids.resource('nat');
  const made = createInterface(account, {
    subnetId: SubnetId,
    description: `Interface for NAT Gateway ${NatGatewayId}`,
    groupIds: [],
    interfaceType: 'nat_gateway',
  });
  return put(account, 'natgateway', NatGatewayId, {
    CreateTime: isoMoment(account.kernel.nowMs()),
    NatGatewayAddresses: [
      {
        AllocationId: account.ids.resource('eipalloc'),
        NetworkInterfaceId: made.networkInterfaceId,
        PrivateIp: made.addresses[0] ?? '',
        PublicIp: '54.70.1.10',
        IsPrimary: true,
        Status: 'succeeded',
      },
    ],
    NatGatewayId,
    State: 'available',
    SubnetId,
    VpcId: subnetOf(account, SubnetId).vpcId,
    ConnectivityType: 'public',
  });
}

export interface NewEndpoint {
  readonly vpcId: string;
  /** `sts`, `ec2`, `ecr.api`, … */
  readonly service: string;
  readonly subnetIds: readonly string[];
  readonly groupIds?: readonly string[];
}

export function createVpcEndpoint(account: Account, wanted: NewEndpoint): string {
  const VpcEndpointId = account.ids.resource('vpce');
  const isGateway = wanted.service === 's3' || wanted.service === 'dynamodb';
  return put(account, 'vpc-endpoint', VpcEndpointId, {
    VpcEndpointId,
    VpcEndpointType: isGateway ? 'Gateway' : 'Interface',
    VpcId: wanted.vpcId,
    ServiceName: `com.amazonaws.${account.region}.${wanted.service}`,
    State: 'available',
    RouteTableIds: [],
    SubnetIds: [...wanted.subnetIds],
    Groups: (wanted.groupIds ?? []).map((GroupId) => ({ GroupId, GroupName: GroupId })),
    PrivateDnsEnabled: !isGateway,
    RequesterManaged: false,
    NetworkInterfaceIds: [],
    DnsEntries: [],
    CreationTimestamp: isoMoment(account.kernel.nowMs()),
    OwnerId: account.accountId,
  });
}
