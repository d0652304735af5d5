import type { AwsKind } from '../../evidence/aws/shapes.ts';

/** Which member of an answer holds facts of which kind, and the command that prints it. */
export interface AnswerShape {
  readonly path: string;
  readonly kind: AwsKind;
  readonly call: string;
}

/** Top-level fields by which an answer of the AWS command line is known. */
export const LISTS: readonly AnswerShape[] = [
  {
    path: 'InstanceStatuses',
    kind: 'aws/instance-status',
    call: 'aws ec2 describe-instance-status',
  },
  { path: 'Subnets', kind: 'aws/subnet', call: 'aws ec2 describe-subnets' },
  {
    path: 'NetworkInterfaces',
    kind: 'aws/network-interface',
    call: 'aws ec2 describe-network-interfaces',
  },
  { path: 'DhcpOptions', kind: 'aws/dhcp-options', call: 'aws ec2 describe-dhcp-options' },
  { path: 'VpcEndpoints', kind: 'aws/vpc-endpoint', call: 'aws ec2 describe-vpc-endpoints' },
  { path: 'SecurityGroups', kind: 'aws/security-group', call: 'aws ec2 describe-security-groups' },
  { path: 'RouteTables', kind: 'aws/route-table', call: 'aws ec2 describe-route-tables' },
  {
    path: 'NatGateways',
    kind: 'aws/nat-gateway',
    call: 'aws ec2 describe-nat-gateways',
  },
  { path: 'NetworkAcls', kind: 'aws/network-acl', call: 'aws ec2 describe-network-acls' },
  { path: 'Vpcs', kind: 'aws/vpc', call: 'aws ec2 describe-vpcs' },
  { path: 'InstanceTypes', kind: 'aws/instance-type', call: 'aws ec2 describe-instance-types' },
  { path: 'Images', kind: 'aws/image', call: 'aws ec2 describe-images' },
  {
    path: 'associations',
    kind: 'aws/pod-identity-association',
    call: 'aws eks list-pod-identity-associations',
  },
  {
    path: 'LaunchTemplateVersions',
    kind: 'aws/launch-template-version',
    call: 'aws ec2 describe-launch-template-versions',
  },
  {
    path: 'AutoScalingGroups',
    kind: 'aws/auto-scaling-group',
    call: 'aws autoscaling describe-auto-scaling-groups',
  },
  {
    path: 'Activities',
    kind: 'aws/scaling-activity',
    call: 'aws autoscaling describe-scaling-activities',
  },
  {
    path: 'LifecycleHooks',
    kind: 'aws/lifecycle-hook',
    call: 'aws autoscaling describe-lifecycle-hooks',
  },
  {
    path: 'SpotInstanceRequests',
    kind: 'aws/spot-request',
    call: 'aws ec2 describe-spot-instance-requests',
  },
  { path: 'SpotPriceHistory', kind: 'aws/spot-price', call: 'aws ec2 describe-spot-price-history' },
  {
    path: 'IamInstanceProfileAssociations',
    kind: 'aws/profile-association',
    call: 'aws ec2 describe-iam-instance-profile-associations',
  },
  {
    path: 'LaunchTemplates',
    kind: 'aws/launch-template',
    call: 'aws ec2 describe-launch-templates',
  },
  {
    path: 'LaunchConfigurations',
    kind: 'aws/launch-configuration',
    call: 'aws autoscaling describe-launch-configurations',
  },
  {
    path: 'InstanceRefreshes',
    kind: 'aws/instance-refresh',
    call: 'aws autoscaling describe-instance-refreshes',
  },
  { path: 'insights', kind: 'aws/insight', call: 'aws eks list-insights' },
  {
    path: 'authorizationData',
    kind: 'aws/registry-authorization',
    call: 'aws ecr get-authorization-token',
  },
];

export const SINGLES: readonly AnswerShape[] = [
  { path: 'cluster', kind: 'aws/cluster', call: 'aws eks describe-cluster' },
  { path: 'nodegroup', kind: 'aws/node-group', call: 'aws eks describe-nodegroup' },
  { path: 'accessEntry', kind: 'aws/access-entry', call: 'aws eks describe-access-entry' },
  { path: 'accessEntries', kind: 'aws/access-entry-list', call: 'aws eks list-access-entries' },
  { path: 'InstanceProfile', kind: 'aws/instance-profile', call: 'aws iam get-instance-profile' },
  { path: 'Role', kind: 'aws/role', call: 'aws iam get-role' },
  { path: 'addon', kind: 'aws/addon', call: 'aws eks describe-addon' },
  { path: 'insight', kind: 'aws/insight', call: 'aws eks describe-insight' },
  { path: 'KeyMetadata', kind: 'aws/kms-key', call: 'aws kms describe-key' },
  {
    path: 'association',
    kind: 'aws/pod-identity-association',
    call: 'aws eks describe-pod-identity-association',
  },
  {
    path: 'OpenIDConnectProviderList',
    kind: 'aws/oidc-providers',
    call: 'aws iam list-open-id-connect-providers',
  },
];

/** Answers that are one fact as a whole, together with what was asked. */
export const WHOLES: readonly AnswerShape[] = [
  {
    path: 'AttachedPolicies',
    kind: 'aws/attached-policies',
    call: 'aws iam list-attached-role-policies',
  },
  { path: 'PolicyNames', kind: 'aws/role-policies', call: 'aws iam list-role-policies' },
  { path: 'PolicyVersion', kind: 'aws/policy-version', call: 'aws iam get-policy-version' },
  {
    path: 'associatedAccessPolicies',
    kind: 'aws/access-policies',
    call: 'aws eks list-associated-access-policies',
  },
  {
    path: 'EnableDnsHostnames',
    kind: 'aws/vpc-attribute',
    call: 'aws ec2 describe-vpc-attribute',
  },
  { path: 'EnableDnsSupport', kind: 'aws/vpc-attribute', call: 'aws ec2 describe-vpc-attribute' },
  { path: 'UserId', kind: 'aws/caller', call: 'aws sts get-caller-identity' },
  {
    path: 'HostedZoneSummaries',
    kind: 'aws/vpc-hosted-zones',
    call: 'aws route53 list-hosted-zones-by-vpc',
  },
];

/** An answer that is one fact as a whole, known by several members together. */
export interface PartedShape extends Omit<AnswerShape, 'path'> {
  readonly paths: readonly string[];
}

export const PARTED: readonly PartedShape[] = [
  { paths: ['update.id', 'update.status'], kind: 'aws/update', call: 'aws eks describe-update' },
  {
    paths: ['Url', 'ThumbprintList'],
    kind: 'aws/oidc-provider',
    call: 'aws iam get-open-id-connect-provider',
  },
  {
    paths: ['RoleName', 'PolicyName', 'PolicyDocument'],
    kind: 'aws/role-policy',
    call: 'aws iam get-role-policy',
  },
];

/** The answer of KMS names no key; the question does. */
export const KEY_POLICY = { kind: 'aws/kms-key-policy', call: 'aws kms get-key-policy' } as const;
export const TRAIL = { kind: 'aws/trail-event', call: 'aws cloudtrail lookup-events' } as const;

export const INSTANCES = { kind: 'aws/instance', call: 'aws ec2 describe-instances' } as const;

const MEMBERS = [
  ...[...LISTS, ...SINGLES, ...WHOLES].map(({ path }) => path),
  ...PARTED.flatMap(({ paths }) => paths.map((path) => path.split('.')[0] ?? path)),
  'Reservations',
];

const MEMBER = new RegExp(`^(?:${[...new Set(MEMBERS)].join('|')}):\\s*(?<empty>\\[\\])?\\s*$`);
/** The command line sorts members, and puts no blank before the dashes of a list. */
const BELOW = /^(?:- |  )(?:- )?[A-Za-z]\w*:(?:\s|$)/;
const BESIDE = /^(?:$|\w+:)/;
/** Members that are lists of names and not of objects. */
const NAMES = /^(?:accessEntries|PolicyNames):\s*$/;
const OF_INSTANCE = /^InstanceId: i-[0-9a-f]{8,17}\s*$/;

/** True for two lines with which an answer in YAML begins (`aws … --output yaml`). */
export function beginsYamlAnswer(line: string, next: string): boolean {
  if (OF_INSTANCE.test(line)) return /^(?:UserData|Output):/.test(next);
  const start = MEMBER.exec(line);
  if (start === null) return false;
  if (NAMES.test(line)) return /^(?: {2})?- /.test(next);
  return (start.groups?.['empty'] === undefined ? BELOW : BESIDE).test(next);
}
