import { roleName } from '../nodes/fleet.ts';
import { lookup } from './indexed.ts';

/** Where nobody can tell to which cluster a thing belongs, it may be of any. */
export const ANY = '?';

export const CLUSTERS = lookup('aws/cluster', 'name', ({ name }) => [name]);
export const GROUPS_OF_CLUSTER = lookup('aws/node-group', 'cluster', ({ clusterName }) => [
  clusterName ?? ANY,
]);
export const ROLES = lookup('aws/role', 'arn', ({ Arn: arn }) => [arn]);
export const ROLES_BY_NAME = lookup('aws/role', 'name', ({ RoleName: name }) => [name]);
export const TEMPLATES = lookup('aws/launch-template-version', 'id', ({ LaunchTemplateId: id }) => [
  id,
]);
export const CONFIGURATIONS = lookup(
  'aws/launch-configuration',
  'name',
  ({ LaunchConfigurationName: name }) => [name],
);
export const PROFILES_BY_ARN = lookup('aws/instance-profile', 'arn', ({ Arn: arn }) => [arn]);
export const PROFILES_BY_NAME = lookup(
  'aws/instance-profile',
  'name',
  ({ InstanceProfileName: name }) => [name],
);
export const USER_DATA = lookup('aws/user-data', 'template', ({ instanceId }) => [instanceId]);
export const KUBEADM = lookup('kube/kubeadm', 'template', ({ template }) => [template]);
/** What is given for a control plane, all under one key. */
export const CONTROL_PLANES = lookup('kube/kubeadm', 'control plane', ({ controlPlane }) => [
  controlPlane === null ? null : 'any',
]);
export const DAEMON_SETS = lookup('kube/DaemonSet', 'name', ({ name }) => [name]);
export const NODE_POOLS = lookup('kube/NodePool', 'name', ({ name }) => [name]);
export const DEPLOYMENTS = lookup('kube/Deployment', 'name', ({ name }) => [name]);
export const POLICIES_OF_ROLE = lookup('aws/attached-policies', 'role', ({ RoleName: name }) => [
  name,
]);
export const INLINE_OF_ROLE = lookup('aws/role-policies', 'role', ({ RoleName: name }) => [name]);
export const INLINE_DOCUMENTS = lookup('aws/role-policy', 'role', ({ RoleName: name }) => [name]);
export const SUBNETS = lookup('aws/subnet', 'id', ({ SubnetId: id }) => [id]);
export const VPCS = lookup('aws/vpc', 'id', ({ VpcId: id }) => [id]);
export const VPC_ATTRIBUTES = lookup('aws/vpc-attribute', 'vpc', ({ VpcId: id }) => [id]);
export const OPTIONS = lookup('aws/dhcp-options', 'id', ({ DhcpOptionsId: id }) => [id]);
export const ENDPOINTS = lookup('aws/vpc-endpoint', 'vpc', ({ VpcId: id }) => [id]);
export const NAT_GATEWAYS = lookup('aws/nat-gateway', 'id', ({ NatGatewayId: id }) => [id]);
export const SECURITY_GROUPS = lookup('aws/security-group', 'id', ({ GroupId: id }) => [id]);
export const IMAGES = lookup('aws/image', 'id', ({ ImageId: id }) => [id]);
export const ADDONS = lookup('aws/addon', 'cluster', ({ clusterName }) => [clusterName ?? ANY]);

/** Route tables by the subnets that they are for, and the main one of each VPC. */
export const TABLES = lookup('aws/route-table', 'place', ({ Associations: all, VpcId: vpc }) =>
  (all ?? []).map(({ Main: isMain, SubnetId: id }) => (isMain === true ? `main ${vpc}` : id)),
);

/** Entries by the name of their role, which an ARN and an address end with. */
export const ENTRIES = lookup('aws/access-entry', 'principal', ({ principalArn: arn }) => [
  arn,
  arn?.startsWith('arn:') === true ? roleName(arn) : null,
]);
export const ACCESS_POLICIES = lookup(
  'aws/access-policies',
  'principal',
  ({ principalArn: arn }) => [arn, arn?.startsWith('arn:') === true ? roleName(arn) : null],
);

/** Maps of aws-auth by the roles in them. */
export const MAPPED = lookup('kube/aws-auth', 'role', ({ roles }) =>
  roles.flatMap(({ arn }) => (arn.startsWith('arn:') ? [arn, roleName(arn)] : [arn])),
);

export const ENTRIES_OF_CLUSTER = lookup('aws/access-entry', 'cluster', ({ clusterName }) => [
  clusterName,
]);
export const IDENTITIES = lookup('aws/pod-identity-association', 'cluster', ({ clusterName }) => [
  clusterName ?? ANY,
]);
export const KEYS = lookup('aws/kms-key', 'id', ({ KeyId: id }) => [id]);
export const KEY_POLICIES = lookup('aws/kms-key-policy', 'id', ({ KeyId: id }) => [id]);
