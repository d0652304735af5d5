import { amount, always, type Fields, type FieldsOf, flag, text } from '../shape.ts';

export const TAG = { Key: text, Value: text } as const satisfies Fields;

const GROUP = { GroupId: text, GroupName: text } as const satisfies Fields;

/** An interface, by `describe-network-interfaces` and within `describe-instances`. */
export const NETWORK_INTERFACE = {
  Attachment: {
    DeviceIndex: amount,
    InstanceId: text,
    NetworkCardIndex: amount,
    Status: text,
  },
  AvailabilityZone: text,
  Description: text,
  Groups: [GROUP],
  InterfaceType: text,
  Ipv4Prefixes: [{ Ipv4Prefix: text }],
  Ipv6Addresses: [{ Ipv6Address: text }],
  Ipv6Prefixes: [{ Ipv6Prefix: text }],
  NetworkInterfaceId: always(text),
  OwnerId: text,
  PrivateDnsName: text,
  PrivateIpAddress: text,
  PrivateIpAddresses: [
    {
      Primary: flag,
      PrivateDnsName: text,
      PrivateIpAddress: text,
      Association: { PublicIp: text },
    },
  ],
  RequesterId: text,
  RequesterManaged: flag,
  SourceDestCheck: flag,
  /** `available`, `in-use`, `attaching` or `detaching`. */
  Status: text,
  SubnetId: text,
  TagSet: [TAG],
  VpcId: text,
} as const satisfies Fields;

export interface NetworkInterface extends FieldsOf<typeof NETWORK_INTERFACE> {}

/** A machine, by `aws ec2 describe-instances`. */
export const INSTANCE = {
  Architecture: text,
  IamInstanceProfile: { Arn: text, Id: text },
  ImageId: text,
  InstanceId: always(text),
  /** `spot`, `scheduled` or absent. */
  InstanceLifecycle: text,
  InstanceType: text,
  Ipv6Address: text,
  /** ISO 8601. */
  LaunchTime: text,
  MetadataOptions: {
    HttpEndpoint: text,
    HttpPutResponseHopLimit: amount,
    HttpTokens: text,
    State: text,
  },
  NetworkInterfaces: [NETWORK_INTERFACE],
  Placement: { AvailabilityZone: text, Tenancy: text },
  PlatformDetails: text,
  PrivateDnsName: text,
  PrivateDnsNameOptions: { EnableResourceNameDnsARecord: flag, HostnameType: text },
  PrivateIpAddress: text,
  PublicIpAddress: text,
  SecurityGroups: [GROUP],
  SourceDestCheck: flag,
  SpotInstanceRequestId: text,
  /** `pending`, `running`, `shutting-down`, `terminated`, `stopping` or `stopped`. */
  State: { Name: text },
  StateReason: { Code: text, Message: text },
  /** Such as `User initiated (2026-05-01 10:00:00 GMT)`. */
  StateTransitionReason: text,
  SubnetId: text,
  Tags: [TAG],
  VpcId: text,
} as const satisfies Fields;

export interface Instance extends FieldsOf<typeof INSTANCE> {}
export type Tag = FieldsOf<typeof TAG>;

const CHECK = { Status: text } as const satisfies Fields;

export const INSTANCE_STATUS = {
  InstanceId: text,
  InstanceState: { Name: text },
  InstanceStatus: CHECK,
  SystemStatus: CHECK,
  Events: [{ Code: text, Description: text, NotBefore: text }],
} as const satisfies Fields;

export interface InstanceStatus extends FieldsOf<typeof INSTANCE_STATUS> {}

const CARD = {
  MaximumNetworkInterfaces: amount,
  NetworkCardIndex: amount,
} as const satisfies Fields;

export const INSTANCE_TYPE = {
  BareMetal: flag,
  Hypervisor: text,
  InstanceType: always(text),
  MemoryInfo: { SizeInMiB: amount },
  NetworkInfo: {
    DefaultNetworkCardIndex: amount,
    Ipv4AddressesPerInterface: amount,
    MaximumNetworkCards: amount,
    MaximumNetworkInterfaces: amount,
    NetworkCards: [CARD],
  },
  ProcessorInfo: { SupportedArchitectures: [text] },
  VCpuInfo: { DefaultVCpus: amount },
} as const satisfies Fields;

export interface DescribedType extends FieldsOf<typeof INSTANCE_TYPE> {}

export const IMAGE = {
  Architecture: text,
  CreationDate: text,
  Description: text,
  ImageId: always(text),
  Name: text,
  PlatformDetails: text,
} as const satisfies Fields;

export interface Image extends FieldsOf<typeof IMAGE> {}

const BLOCK_DEVICE = {
  DeviceName: text,
  Ebs: { KmsKeyId: text, VolumeSize: amount },
} as const satisfies Fields;

export const LAUNCH_TEMPLATE_VERSION = {
  DefaultVersion: flag,
  LaunchTemplateId: text,
  LaunchTemplateName: text,
  VersionNumber: amount,
  LaunchTemplateData: {
    BlockDeviceMappings: [BLOCK_DEVICE],
    IamInstanceProfile: { Arn: text, Name: text },
    ImageId: text,
    InstanceMarketOptions: { MarketType: text, SpotOptions: { MaxPrice: text } },
    InstanceType: text,
    MetadataOptions: { HttpPutResponseHopLimit: amount, HttpTokens: text },
    NetworkInterfaces: [{ AssociatePublicIpAddress: flag, Groups: [text], SubnetId: text }],
    SecurityGroupIds: [text],
    SecurityGroups: [text],
    TagSpecifications: [{ ResourceType: text, Tags: [TAG] }],
  },
} as const satisfies Fields;

export interface LaunchTemplateVersion extends FieldsOf<typeof LAUNCH_TEMPLATE_VERSION> {}

export const LAUNCH_TEMPLATE = {
  DefaultVersionNumber: amount,
  LatestVersionNumber: amount,
  LaunchTemplateId: text,
  LaunchTemplateName: text,
} as const satisfies Fields;

export interface LaunchTemplate extends FieldsOf<typeof LAUNCH_TEMPLATE> {}

export const SPOT_REQUEST = {
  InstanceId: text,
  LaunchSpecification: { InstanceType: text },
  LaunchedAvailabilityZone: text,
  SpotInstanceRequestId: text,
  SpotPrice: text,
  State: text,
  Status: { Code: text, Message: text, UpdateTime: text },
} as const satisfies Fields;

export interface SpotRequest extends FieldsOf<typeof SPOT_REQUEST> {}

export const SPOT_PRICE = {
  AvailabilityZone: text,
  InstanceType: text,
  ProductDescription: text,
  SpotPrice: text,
  Timestamp: text,
} as const satisfies Fields;

export interface SpotPrice extends FieldsOf<typeof SPOT_PRICE> {}

/** Which profile is on an instance, by `describe-iam-instance-profile-associations`. */
export const PROFILE_ASSOCIATION = {
  AssociationId: text,
  IamInstanceProfile: { Arn: text, Id: text },
  InstanceId: text,
  State: text,
} as const satisfies Fields;

export interface ProfileAssociation extends FieldsOf<typeof PROFILE_ASSOCIATION> {}
