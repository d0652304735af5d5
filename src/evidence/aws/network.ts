import { isObject, textAt } from '../json.ts';
import { amount, always, type Fields, type FieldsOf, flag, type Leaf, text } from '../shape.ts';
import { TAG } from './instance.ts';

export const SUBNET = {
  AssignIpv6AddressOnCreation: flag,
  AvailabilityZone: text,
  AvailabilityZoneId: text,
  AvailableIpAddressCount: amount,
  CidrBlock: text,
  Ipv6CidrBlockAssociationSet: [{ Ipv6CidrBlock: text }],
  MapPublicIpOnLaunch: flag,
  PrivateDnsNameOptionsOnLaunch: { HostnameType: text },
  SubnetId: always(text),
  Tags: [TAG],
  VpcId: text,
} as const satisfies Fields;

export interface Subnet extends FieldsOf<typeof SUBNET> {}

const RULE = {
  FromPort: amount,
  /** `tcp`, `udp`, `icmp`, a number, or -1 for all. */
  IpProtocol: text,
  IpRanges: [{ CidrIp: text }],
  Ipv6Ranges: [{ CidrIpv6: text }],
  PrefixListIds: [{ PrefixListId: text }],
  ToPort: amount,
  UserIdGroupPairs: [{ GroupId: text, UserId: text, VpcId: text }],
} as const satisfies Fields;

export type SecurityRule = FieldsOf<typeof RULE>;

export const SECURITY_GROUP = {
  GroupId: always(text),
  GroupName: text,
  IpPermissions: [RULE],
  IpPermissionsEgress: [RULE],
  Tags: [TAG],
  VpcId: text,
} as const satisfies Fields;

export interface SecurityGroup extends FieldsOf<typeof SECURITY_GROUP> {}

const ROUTE = {
  DestinationCidrBlock: text,
  DestinationIpv6CidrBlock: text,
  DestinationPrefixListId: text,
  EgressOnlyInternetGatewayId: text,
  GatewayId: text,
  InstanceId: text,
  NatGatewayId: text,
  NetworkInterfaceId: text,
  /** `active` or `blackhole`. */
  State: text,
  TransitGatewayId: text,
  VpcPeeringConnectionId: text,
} as const satisfies Fields;

export type Route = FieldsOf<typeof ROUTE>;

export const ROUTE_TABLE = {
  Associations: [{ Main: flag, SubnetId: text }],
  RouteTableId: always(text),
  Routes: [ROUTE],
  VpcId: text,
} as const satisfies Fields;

export interface RouteTable extends FieldsOf<typeof ROUTE_TABLE> {}

export const VPC = {
  CidrBlock: text,
  CidrBlockAssociationSet: [{ CidrBlock: text, CidrBlockState: { State: text } }],
  DhcpOptionsId: text,
  Tags: [TAG],
  VpcId: always(text),
} as const satisfies Fields;

export interface Vpc extends FieldsOf<typeof VPC> {}

/** One answer of `describe-vpc-attribute`, which shows one attribute. */
export const VPC_ATTRIBUTE = {
  EnableDnsHostnames: { Value: flag },
  EnableDnsSupport: { Value: flag },
  VpcId: text,
} as const satisfies Fields;

export interface VpcAttribute extends FieldsOf<typeof VPC_ATTRIBUTE> {}

export const VPC_ENDPOINT = {
  Groups: [{ GroupId: text }],
  PrivateDnsEnabled: flag,
  RouteTableIds: [text],
  ServiceName: text,
  State: text,
  SubnetIds: [text],
  VpcEndpointId: always(text),
  /** `Interface`, `Gateway` or another. */
  VpcEndpointType: text,
  VpcId: text,
} as const satisfies Fields;

export interface VpcEndpoint extends FieldsOf<typeof VPC_ENDPOINT> {}

export const NAT_GATEWAY = {
  ConnectivityType: text,
  FailureCode: text,
  FailureMessage: text,
  NatGatewayAddresses: [{ PublicIp: text }],
  NatGatewayId: always(text),
  State: text,
  SubnetId: text,
  VpcId: text,
} as const satisfies Fields;

export interface NatGateway extends FieldsOf<typeof NAT_GATEWAY> {}

const ACL_ENTRY = {
  CidrBlock: text,
  Egress: flag,
  Ipv6CidrBlock: text,
  PortRange: { From: amount, To: amount },
  /** A number, -1 for all. */
  Protocol: text,
  /** `allow` or `deny`. */
  RuleAction: text,
  RuleNumber: amount,
} as const satisfies Fields;

export type NetworkAclEntry = FieldsOf<typeof ACL_ENTRY>;

export const NETWORK_ACL = {
  Associations: [{ SubnetId: text }],
  Entries: [ACL_ENTRY],
  NetworkAclId: always(text),
  VpcId: text,
} as const satisfies Fields;

export interface NetworkAcl extends FieldsOf<typeof NETWORK_ACL> {}

/** EC2 puts a value into an object; others write it as it is. */
const attributeValue: Leaf<string> = {
  take: (value) => (isObject(value) ? (textAt(value, 'Value') ?? undefined) : text.take(value)),
};

export const DHCP_OPTIONS = {
  DhcpConfigurations: [{ Key: text, Values: [attributeValue] }],
  DhcpOptionsId: always(text),
} as const satisfies Fields;

export interface DhcpOptions extends FieldsOf<typeof DHCP_OPTIONS> {}

/** Zones of Route 53 that a VPC answers from, with the question they answer. */
export const VPC_HOSTED_ZONES = {
  HostedZoneSummaries: [{ HostedZoneId: text, Name: text }],
  VPCId: text,
} as const satisfies Fields;

export interface VpcHostedZones extends FieldsOf<typeof VPC_HOSTED_ZONES> {}

/** An answer of `aws route53 list-resource-record-sets`. */
export const RECORD_SETS = {
  ResourceRecordSets: [{ Name: text, ResourceRecords: [{ Value: text }], Type: text }],
} as const satisfies Fields;

export interface RecordSets extends FieldsOf<typeof RECORD_SETS> {}
