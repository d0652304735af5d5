import { isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { Planned } from '../../evidence/planned.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import type { ClusterFile, GroupEntry } from './file.ts';
import type { NodeRole } from './roles.ts';

/** A group with the role of its machines. */
export interface Roled {
  readonly entry: GroupEntry;
  readonly role: NodeRole;
}

/** Entries and mappings of a file are not looked at beyond these. */
const ENTRIES_MAX = 1000;

/** Everything by which the cluster will know its nodes, eksctl's own entries too. */
export function accessResources(file: ClusterFile, groups: readonly Roled[]): readonly Resource[] {
  const listed = listAt(file.document, 'accessConfig.accessEntries').slice(0, ENTRIES_MAX);
  const principals = new Set(listed.map((one) => textAt(one, 'principalARN')));
  const own = groups.filter(({ entry, role }) => !entry.isManaged && !principals.has(role.arn));
  const made = file.mode === 'CONFIG_MAP' ? [] : own;
  return [
    ...listed.flatMap((one, index) => entryOf(file, one, `accessConfig.accessEntries[${index}]`)),
    ...made.map(({ entry, role }) => madeEntry(file, entry, role)),
    ...mapOf(file),
  ];
}

function entryOf(file: ClusterFile, listed: Json, address: string): readonly Resource[] {
  const principal = textAt(listed, 'principalARN');
  const cluster = { cluster_name: file.name ?? 'metadata', principal_arn: principal };
  const values = said({
    ...cluster,
    kubernetes_groups: listAt(listed, 'kubernetesGroups'),
    type: textAt(listed, 'type') ?? 'STANDARD',
    user_name: textAt(listed, 'kubernetesUsername') ?? undefined,
  });
  const policies = listAt(listed, 'accessPolicies').slice(0, ENTRIES_MAX);
  return [
    written('aws_eks_access_entry', address, values),
    ...policies.map((policy, index) =>
      written('aws_eks_access_policy_association', `${address}.accessPolicies[${index}]`, {
        ...cluster,
        policy_arn: textAt(policy, 'policyARN'),
        access_scope: [{ type: textAt(policy, 'accessScope.type') }],
      }),
    ),
  ];
}

function madeEntry(file: ClusterFile, { path, family }: GroupEntry, { arn }: NodeRole): Resource {
  return written('aws_eks_access_entry', `${path}.iam`, {
    cluster_name: file.name ?? 'metadata',
    principal_arn: arn,
    type: family === 'windows' ? 'EC2_WINDOWS' : 'EC2_LINUX',
  });
}

const NODE_GROUPS = ['system:bootstrappers', 'system:nodes'];
const NODE_USER = 'system:node:{{EC2PrivateDNSName}}';

/** The ConfigMap with the identities of the file, where it has some or nothing else lets nodes in. */
function mapOf({ document, mode }: ClusterFile): readonly Resource[] {
  const listed = listAt(document, 'iamIdentityMappings').filter(isObject);
  if (listed.length === 0 && mode !== 'CONFIG_MAP') return [];
  const entries = listed.slice(0, ENTRIES_MAX).flatMap((one) => {
    const arn = textAt(one, 'arn');
    if (arn === null || /:user\//.test(arn)) return [];
    const mapped = { rolearn: arn, groups: listAt(one, 'groups') };
    const username = textAt(one, 'username');
    return [username === null ? mapped : { ...mapped, username }];
  });
  const metadata = [{ name: 'aws-auth', namespace: 'kube-system' }];
  const maps = { mapRoles: JSON.stringify(entries) };
  return [written('kubernetes_config_map', 'iamIdentityMappings', { metadata, data: maps })];
}

/** The map with the roles that eksctl and EKS write into it, whose ARNs are not made yet. */
export function withNodes(
  facts: readonly Planned[],
  { mode }: ClusterFile,
  groups: readonly Roled[],
): readonly Planned[] {
  if (mode !== 'CONFIG_MAP') return facts;
  const nodes = groups.map(({ role }) => ({
    arn: role.arn,
    username: NODE_USER,
    groups: NODE_GROUPS,
  }));
  return facts.map((fact) => {
    if (fact.kind !== 'kube/aws-auth') return fact;
    const { value } = fact as Planned<'kube/aws-auth'>;
    return { ...fact, value: { ...value, roles: [...nodes, ...value.roles] } };
  });
}
