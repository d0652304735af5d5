/** Calls of EC2 that read what is laid out: networks, volumes and launch templates. */
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import {
  listIn,
  needed,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { refused } from '../refusal.ts';
import type { Subnet } from '../state.ts';
import { type FilterPaths, type Listing, lists } from './filters.ts';
import { numberOf, templateOf } from './launch-templates.ts';
import { type Plain, plain } from './plain-listing.ts';
import { tagList } from './show.ts';

export function showSubnet(account: Account, subnet: Subnet, atMs: number): JsonObject {
  const { subnetId, zone, hostnameType } = subnet;
  return {
    AvailabilityZone: zone.name,
    AvailabilityZoneId: zone.id,
    AvailableIpAddressCount: account.books.get(subnetId)?.free ?? 0,
    CidrBlock: subnet.cidr,
    DefaultForAz: false,
    MapPublicIpOnLaunch: subnet.mapPublicIp,
    State: 'available',
    SubnetId: subnetId,
    VpcId: subnet.vpcId,
    OwnerId: account.accountId,
    AssignIpv6AddressOnCreation: false,
    Ipv6CidrBlockAssociationSet: [],
    Tags: [...tagList(account, subnetId, atMs)],
    SubnetArn: `arn:${account.partition}:ec2:${account.region}:${account.accountId}:subnet/${subnetId}`,
    EnableDns64: false,
    Ipv6Native: false,
    PrivateDnsNameOptionsOnLaunch: {
      HostnameType: hostnameType,
      EnableResourceNameDnsARecord: false,
      EnableResourceNameDnsAAAARecord: false,
    },
  };
}

const ASSOCIATED: FilterPaths = { 'vpc-id': 'VpcId' };

const SUBNETS: Listing = {
  member: 'Subnets',
  rows: ({ account, atMs }) =>
    account.subnets.valuesAt(atMs).map((one) => showSubnet(account, one, atMs)),
  filters: {
    'availability-zone': 'AvailabilityZone',
    'availability-zone-id': 'AvailabilityZoneId',
    'cidr-block': 'CidrBlock',
    state: 'State',
    'subnet-id': 'SubnetId',
    'vpc-id': 'VpcId',
  },
  ids: {
    member: 'SubnetIds',
    path: 'SubnetId',
    code: 'InvalidSubnetID.NotFound',
    words: 'subnet ID',
  },
};

/** The root volumes of machines; more are not kept. */
const VOLUMES: Listing = {
  member: 'Volumes',
  rows: ({ account, atMs }) => [
    ...account.instances
      .valuesAt(atMs)
      .filter(({ state }) => state !== 'terminated')
      .map((one) => rootVolume(account, one.instanceId, atMs)),
    ...account.plain.volume.valuesAt(atMs),
  ],
  filters: {
    'attachment.instance-id': 'Attachments[].InstanceId',
    'availability-zone': 'AvailabilityZone',
    status: 'State',
    'volume-id': 'VolumeId',
  },
  ids: { member: 'VolumeIds', path: 'VolumeId', code: 'InvalidVolume.NotFound', words: 'volume' },
};

function rootVolume(account: Account, instanceId: string, atMs: number): JsonObject {
  const instance = account.instances.at(instanceId, atMs);
  const AttachTime = isoMoment((instance?.launchedMs ?? 0) + 1000);
  return {
    AvailabilityZone: account.subnets.get(instance?.subnetId ?? '')?.zone.name ?? '',
    Attachments: [
      {
        AttachTime,
        Device: '/dev/xvda',
        InstanceId: instanceId,
        State: 'attached',
        VolumeId: instance?.rootVolumeId ?? '',
        DeleteOnTermination: true,
      },
    ],
    CreateTime: AttachTime,
    Encrypted: false,
    Size: 20,
    SnapshotId: '',
    State: 'in-use',
    VolumeId: instance?.rootVolumeId ?? '',
    Iops: 3000,
    Tags: [],
    VolumeType: 'gp3',
    MultiAttachEnabled: false,
    Throughput: 125,
  };
}

function vpcAttribute({ account, input }: Request): JsonObject {
  const VpcId = needed(input, 'VpcId');
  const name = needed(input, 'Attribute');
  if (account.plain.vpc.get(VpcId) === undefined)
    throw refused('InvalidVpcID.NotFound', `The vpc ID '${VpcId}' does not exist`);
  const member = name.charAt(0).toUpperCase() + name.slice(1);
  return { VpcId, [member]: { Value: account.vpcAttributes.get(`${VpcId} ${name}`) ?? false } };
}

function templateVersions(request: Request): JsonObject {
  const { account, input, atMs } = request;
  const named = textIn(input, 'LaunchTemplateId') ?? needed(input, 'LaunchTemplateName');
  const template = templateOf(account, named);
  const wanted = textsIn(input, 'Versions').map((one) => numberOf(template, one));
  const id = textAt(template, 'LaunchTemplateId') ?? '';
  const own = account.plain['launch-template-version']
    .valuesAt(atMs)
    .filter((one) => one['LaunchTemplateId'] === id)
    .toReversed();
  const found = own.filter(
    (one) => wanted.length === 0 || wanted.includes(textAt(one, 'VersionNumber') ?? ''),
  );
  return { LaunchTemplateVersions: found };
}

/** Gateways call their filter as they like. */
const NAT: Plain = {
  kind: 'natgateway',
  member: 'NatGateways',
  id: 'NatGatewayId',
  ids: 'NatGatewayIds',
  code: 'NatGatewayNotFound',
  words: 'Nat gateway',
  filters: {
    'vpc-id': 'VpcId',
    'subnet-id': 'SubnetId',
    state: 'State',
    'nat-gateway-id': 'NatGatewayId',
  },
};

/** DescribeNatGateways has its filters in a member of another name. */
function natGateways(): ReturnType<typeof lists> {
  const operation = lists(plain(NAT));
  return {
    ...operation,
    answer: (request) => {
      const filters = listIn(request.input, 'Filter');
      const input = filters.length === 0 ? request.input : { ...request.input, Filters: filters };
      return operation.answer({ ...request, input });
    },
  };
}

export const READ_NETWORK: Operations = {
  DescribeSubnets: lists(SUBNETS),
  DescribeVpcs: lists(
    plain({
      kind: 'vpc',
      member: 'Vpcs',
      id: 'VpcId',
      ids: 'VpcIds',
      code: 'InvalidVpcID.NotFound',
      words: 'vpc ID',
      filters: {
        cidr: 'CidrBlock',
        'dhcp-options-id': 'DhcpOptionsId',
        'is-default': 'IsDefault',
        state: 'State',
        'vpc-id': 'VpcId',
      },
    }),
  ),
  DescribeVpcAttribute: reads(vpcAttribute),
  DescribeDhcpOptions: lists(
    plain({
      kind: 'dhcp-options',
      member: 'DhcpOptions',
      id: 'DhcpOptionsId',
      ids: 'DhcpOptionsIds',
      code: 'InvalidDhcpOptionID.NotFound',
      words: 'dhcpOption ID',
      filters: { 'dhcp-options-id': 'DhcpOptionsId', key: 'DhcpConfigurations[].Key' },
    }),
  ),
  DescribeRouteTables: lists(
    plain({
      kind: 'route-table',
      member: 'RouteTables',
      id: 'RouteTableId',
      ids: 'RouteTableIds',
      code: 'InvalidRouteTableID.NotFound',
      words: 'routeTable ID',
      filters: {
        ...ASSOCIATED,
        'association.main': 'Associations[].Main',
        'association.subnet-id': 'Associations[].SubnetId',
        'route-table-id': 'RouteTableId',
        'route.nat-gateway-id': 'Routes[].NatGatewayId',
        'route.gateway-id': 'Routes[].GatewayId',
      },
    }),
    100,
  ),
  DescribeNetworkAcls: lists(
    plain({
      kind: 'network-acl',
      member: 'NetworkAcls',
      id: 'NetworkAclId',
      ids: 'NetworkAclIds',
      code: 'InvalidNetworkAclID.NotFound',
      words: 'networkAcl ID',
      filters: {
        ...ASSOCIATED,
        'association.subnet-id': 'Associations[].SubnetId',
        default: 'IsDefault',
        'network-acl-id': 'NetworkAclId',
      },
    }),
  ),
  DescribeSecurityGroups: lists(
    plain({
      kind: 'security-group',
      member: 'SecurityGroups',
      id: 'GroupId',
      ids: 'GroupIds',
      code: 'InvalidGroup.NotFound',
      words: 'security group',
      filters: {
        ...ASSOCIATED,
        'group-id': 'GroupId',
        'group-name': 'GroupName',
        description: 'Description',
      },
    }),
  ),
  DescribeInternetGateways: lists(
    plain({
      kind: 'internet-gateway',
      member: 'InternetGateways',
      id: 'InternetGatewayId',
      ids: 'InternetGatewayIds',
      code: 'InvalidInternetGatewayID.NotFound',
      words: 'internetGateway ID',
      filters: {
        'attachment.vpc-id': 'Attachments[].VpcId',
        'attachment.state': 'Attachments[].State',
        'internet-gateway-id': 'InternetGatewayId',
      },
    }),
  ),
  DescribeNatGateways: natGateways(),
  DescribeVpcEndpoints: lists(
    plain({
      kind: 'vpc-endpoint',
      member: 'VpcEndpoints',
      id: 'VpcEndpointId',
      ids: 'VpcEndpointIds',
      code: 'InvalidVpcEndpointId.NotFound',
      words: 'Vpc Endpoint Id',
      filters: {
        ...ASSOCIATED,
        'service-name': 'ServiceName',
        'vpc-endpoint-id': 'VpcEndpointId',
        'vpc-endpoint-state': 'State',
        'vpc-endpoint-type': 'VpcEndpointType',
      },
    }),
  ),
  DescribeKeyPairs: lists(
    plain({
      kind: 'key-pair',
      member: 'KeyPairs',
      id: 'KeyPairId',
      ids: 'KeyPairIds',
      code: 'InvalidKeyPair.NotFound',
      words: 'key pair',
      filters: { 'key-name': 'KeyName', 'key-pair-id': 'KeyPairId' },
    }),
  ),
  DescribeLaunchTemplates: lists(
    plain({
      kind: 'launch-template',
      member: 'LaunchTemplates',
      id: 'LaunchTemplateId',
      ids: 'LaunchTemplateIds',
      code: 'InvalidLaunchTemplateId.NotFound',
      words: 'launch template with ID',
      filters: { 'launch-template-name': 'LaunchTemplateName' },
    }),
    200,
  ),
  DescribeLaunchTemplateVersions: reads(templateVersions, {
    list: 'LaunchTemplateVersions',
    size: 'MaxResults',
    sizeMax: 200,
    sizeDefault: 200,
    token: ['NextToken', 'NextToken'],
  }),
  DescribeVolumes: lists(VOLUMES),
};
