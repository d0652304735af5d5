/** By what a machine of a role becomes a node. */
export const NODE_TYPES = ['linux', 'windows', 'auto', 'hybrid'] as const;
export type NodeType = (typeof NODE_TYPES)[number];

/** An entry of `mapRoles`. */
export interface RoleMapping {
  /** Without its path, as the authenticator sees it. */
  readonly arn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

const ROLE =
  /^arn:(?<partition>aws(?:-[a-z]+)*):iam::(?<account>\d{12}):role\/(?<path>(?:[!-.0-~]+\/)*)(?<name>[\w+=,.@-]{1,64})$/;
const ROLE_LENGTH_MAX = 700;

/** The parts of a role's ARN; null for anything else: a session, a profile, a pattern. */
export function rolePartsOf(arn: string): { readonly plain: string; readonly name: string } | null {
  const parts = arn.length > ROLE_LENGTH_MAX ? undefined : ROLE.exec(arn)?.groups;
  if (parts === undefined || arn.includes('*')) return null;
  const { partition = '', account = '', name = '' } = parts;
  return { plain: `arn:${partition}:iam::${account}:role/${name}`, name };
}

const PRIVATE_DNS_NAME = 'system:node:{{EC2PrivateDNSName}}';
const SESSION_NAME = 'system:node:{{SessionName}}';
const GROUPS = ['system:bootstrappers', 'system:nodes'];

const USERNAMES: Readonly<Record<NodeType, string>> = {
  linux: PRIVATE_DNS_NAME,
  windows: PRIVATE_DNS_NAME,
  auto: SESSION_NAME,
  hybrid: SESSION_NAME,
};

/** What makes a node of a machine of this role, and nothing more (EKS user guide, aws-auth). */
export function mappingOf(plainArn: string, type: NodeType): RoleMapping {
  const groups = type === 'windows' ? [...GROUPS, 'eks:kube-proxy-windows'] : GROUPS;
  return { arn: plainArn, username: USERNAMES[type], groups };
}

/** Types of access entries (EKS API reference, CreateAccessEntry). */
export const ENTRY_TYPES: Readonly<Record<NodeType, string>> = {
  linux: 'EC2_LINUX',
  windows: 'EC2_WINDOWS',
  auto: 'EC2',
  hybrid: 'HYBRID_LINUX',
};
