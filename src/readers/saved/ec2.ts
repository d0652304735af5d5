import { fields, type Kept, type KeptFields } from './keep.ts';
import { TAGGED } from './tags.ts';

const INTERFACE: KeptFields = {
  ...fields(
    'Attachment',
    'Description',
    'Groups',
    'InterfaceType',
    'Ipv4Prefixes',
    'Ipv6Prefixes',
    'Ipv6Addresses',
    'NetworkInterfaceId',
    'OwnerId',
    'PrivateDnsName',
    'PrivateIpAddress',
    'PrivateIpAddresses',
    'RequesterId',
    'RequesterManaged',
    'SourceDestCheck',
    'Status',
    'SubnetId',
    'VpcId',
    'AvailabilityZone',
  ),
  TagSet: TAGGED,
};

const INSTANCE: KeptFields = {
  ...fields(
    'Architecture',
    'ImageId',
    'InstanceId',
    'InstanceLifecycle',
    'InstanceType',
    'LaunchTime',
    'MetadataOptions',
    'PlatformDetails',
    'PrivateDnsName',
    'PrivateDnsNameOptions',
    'PrivateIpAddress',
    'PublicIpAddress',
    'SecurityGroups',
    'SourceDestCheck',
    'SpotInstanceRequestId',
    'State',
    'StateReason',
    'StateTransitionReason',
    'SubnetId',
    'VpcId',
    'Ipv6Address',
  ),
  IamInstanceProfile: fields('Arn', 'Id'),
  Placement: fields('AvailabilityZone', 'Tenancy'),
  NetworkInterfaces: [INTERFACE],
  Tags: TAGGED,
};

const LAUNCH_SETTINGS: KeptFields = {
  ...fields(
    'BlockDeviceMappings',
    'ImageId',
    'InstanceType',
    'MetadataOptions',
    'NetworkInterfaces',
    'PrivateDnsNameOptions',
    'SecurityGroupIds',
    'SecurityGroups',
  ),
  IamInstanceProfile: fields('Arn', 'Name'),
};

const RULE: Kept = [
  fields(
    'FromPort',
    'IpProtocol',
    'IpRanges',
    'Ipv6Ranges',
    'PrefixListIds',
    'ToPort',
    'UserIdGroupPairs',
  ),
];

/** Members of answers of EC2, with what causes read of each. */
export const EC2_MEMBERS: KeptFields = {
  Reservations: [{ Instances: [INSTANCE] }],
  Instances: [INSTANCE],
  NetworkInterfaces: [INTERFACE],
  InstanceStatuses: [
    fields('InstanceId', 'InstanceState', 'InstanceStatus', 'SystemStatus', 'Events'),
  ],
  Subnets: [
    {
      ...fields(
        'AvailabilityZone',
        'AvailableIpAddressCount',
        'CidrBlock',
        'Ipv6CidrBlockAssociationSet',
        'MapPublicIpOnLaunch',
        'AssignIpv6AddressOnCreation',
        'PrivateDnsNameOptionsOnLaunch',
        'SubnetId',
        'VpcId',
      ),
      Tags: TAGGED,
    },
  ],
  SecurityGroups: [
    {
      ...fields('GroupId', 'GroupName', 'VpcId'),
      IpPermissions: RULE,
      IpPermissionsEgress: RULE,
      Tags: TAGGED,
    },
  ],
  RouteTables: [
    {
      ...fields('Associations', 'RouteTableId', 'Routes', 'VpcId'),
    },
  ],
  Vpcs: [
    {
      ...fields('CidrBlock', 'CidrBlockAssociationSet', 'DhcpOptionsId', 'VpcId'),
      Tags: TAGGED,
    },
  ],
  VpcEndpoints: [
    fields(
      'Groups',
      'PrivateDnsEnabled',
      'RouteTableIds',
      'ServiceName',
      'State',
      'SubnetIds',
      'VpcEndpointId',
      'VpcEndpointType',
      'VpcId',
    ),
  ],
  NatGateways: [
    fields(
      'ConnectivityType',
      'FailureCode',
      'FailureMessage',
      'NatGatewayAddresses',
      'NatGatewayId',
      'State',
      'SubnetId',
      'VpcId',
    ),
  ],
  NetworkAcls: [fields('Associations', 'Entries', 'NetworkAclId', 'VpcId')],
  DhcpOptions: [fields('DhcpConfigurations', 'DhcpOptionsId')],
  InstanceTypes: [
    fields(
      'BareMetal',
      'Hypervisor',
      'InstanceType',
      'MemoryInfo',
      'NetworkInfo',
      'ProcessorInfo',
      'VCpuInfo',
    ),
  ],
  Images: [
    fields('Architecture', 'CreationDate', 'Description', 'ImageId', 'Name', 'PlatformDetails'),
  ],
  LaunchTemplates: [
    {
      ...fields('DefaultVersionNumber', 'LatestVersionNumber', 'LaunchTemplateId'),
      LaunchTemplateName: 'whole',
    },
  ],
  LaunchTemplateVersions: [
    {
      ...fields('DefaultVersion', 'LaunchTemplateId', 'LaunchTemplateName', 'VersionNumber'),
      LaunchTemplateData: LAUNCH_SETTINGS,
    },
  ],
  SpotInstanceRequests: [
    {
      ...fields(
        'InstanceId',
        'LaunchedAvailabilityZone',
        'SpotInstanceRequestId',
        'SpotPrice',
        'State',
        'Status',
      ),
      LaunchSpecification: fields('InstanceType'),
    },
  ],
};
