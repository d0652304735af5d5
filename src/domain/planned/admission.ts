import type { Planned } from '../../evidence/planned.ts';
import type { WhyUnknown } from '../../evidence/fact.ts';
import type { FactKind } from '../../evidence/kinds.ts';
import { type PlannedGroup, plannedGroups, type PlannedRole } from './groups.ts';
import { type Lookup, lookedUp } from './indexed.ts';
import { ACCESS_POLICIES, ANY, ENTRIES, GROUPS_OF_CLUSTER, MAPPED, ROLES } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

type AwsAuthMap = Planned<'kube/aws-auth'>;

/** Whether the API server will know the machines of a group, and by what. */
export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown }
  /** The cluster reads access entries alone, and the role has none. */
  | { readonly kind: 'no-entry'; readonly cluster: Planned<'aws/cluster'> }
  /** The role has an entry with which nobody is a node. */
  | { readonly kind: 'wrong-entry'; readonly entry: Planned<'aws/access-entry'> }
  /** Nothing maps the role: no ConfigMap is written, and no entry where the cluster reads them. */
  | { readonly kind: 'no-map'; readonly cluster: Planned<'aws/cluster'>; readonly mode: string }
  /** The ConfigMap that is written lacks the role; `map` is null for the one that EKS writes. */
  | {
      readonly kind: 'not-in-map';
      readonly map: AwsAuthMap | null;
      readonly cluster: Planned<'aws/cluster'>;
    };

const ADMITTED: Admission = { kind: 'admitted' };

/** Types of access entries by which a machine of EC2 becomes a node. */
const NODE_TYPES: readonly string[] = ['EC2_LINUX', 'EC2_WINDOWS', 'EC2'];

/** How the machines of a group will be let in, after the mode of their cluster. */
export function admissionOf(plan: PlanFacts, group: PlannedGroup): Admission {
  const { cluster, clusterName, role } = group;
  const mode = cluster?.value.accessConfig?.authenticationMode ?? null;
  if (cluster === null || mode === null) return unknownMode(clusterName);
  const name = clusterName ?? '<cluster>';
  if (group.kind === 'NodeGroup' && mode !== 'CONFIG_MAP') return ADMITTED;
  if (role === null) return unknown('which role the machines run with', 'terraform plan');
  if (group.kind === 'NodeGroup') return managedByMap(plan, cluster, role);
  if (sharesManagedRole(plan, group, role)) return ADMITTED;
  if (group.kind === 'NodePool' && hasUnnamedEntry(plan))
    return unknown('which roles the access entries of the plan are for', 'terraform plan');
  return selfManaged(plan, { cluster, mode, name, role });
}

function unknown(detail: string, collect: string | null): Admission {
  return { kind: 'unknown', why: { reason: 'not-in-source', detail, collect } };
}

function unknownMode(cluster: string | null): Admission {
  return unknown(
    `how the cluster ${cluster ?? 'of this group'} lets nodes in (its authentication mode)`,
    `aws eks describe-cluster --name ${cluster ?? '<cluster>'} --query cluster.accessConfig`,
  );
}

/** EKS writes the role of a managed group into aws-auth, unless the plan writes the whole map. */
function managedByMap(
  plan: PlanFacts,
  cluster: Planned<'aws/cluster'>,
  role: PlannedRole,
): Admission {
  const maps = plan.list('kube/aws-auth');
  const doubt = plan.doubtOf('kube/aws-auth');
  if (maps.length === 0) return doubt === null ? ADMITTED : unknown(doubt.what, 'terraform plan');
  return inMaps(plan, maps, role, cluster);
}

/** EKS makes the mapping of a managed group's role, whoever else runs with it. */
function sharesManagedRole(plan: PlanFacts, group: PlannedGroup, role: PlannedRole): boolean {
  const shared = MANAGED_ROLES.get(plan) ?? managedRolesOf(plan);
  MANAGED_ROLES.set(plan, shared);
  return shared.has(JSON.stringify([group.clusterName, role.name]));
}

const MANAGED_ROLES = new WeakMap<PlanFacts, ReadonlySet<string>>();

function managedRolesOf(plan: PlanFacts): ReadonlySet<string> {
  const managed = plannedGroups(plan).filter(({ kind }) => kind === 'NodeGroup');
  return new Set(
    managed.flatMap(({ clusterName, role }) =>
      role === null ? [] : [JSON.stringify([clusterName, role.name])],
    ),
  );
}

/** Facts that name a role by its ARN, by what stands for it, or by its name. */
function ofRole<K extends FactKind>(
  plan: PlanFacts,
  by: Lookup<K>,
  { arn, name }: PlannedRole,
): readonly Planned<K>[] {
  return [...new Set([...lookedUp(plan, by, arn), ...lookedUp(plan, by, name)])];
}

/**
 * True where aws-auth alone decides whether the machines of a group are let in; null where nobody
 * can tell.
 */
export function isByMap(plan: PlanFacts, group: PlannedGroup): boolean | null {
  const { cluster, clusterName, role } = group;
  const mode = cluster?.value.accessConfig?.authenticationMode ?? null;
  if (mode === null || role === null || plan.doubtOf('kube/aws-auth') !== null) return null;
  if (mode === 'CONFIG_MAP') return true;
  if (mode === 'API' || group.kind === 'NodeGroup') return false;
  if (plan.doubtOf('aws/access-entry') !== null || cluster?.change !== 'create') return null;
  const entries = ofRole(plan, ENTRIES, role);
  return entries.every(({ value }) => !isOfCluster(value.clusterName, clusterName ?? ''));
}

/** True where an entry is for a role whose name nobody knows, which a manifest may mean. */
function hasUnnamedEntry(plan: PlanFacts): boolean {
  return plan.list('aws/access-entry').some(({ value }) => {
    const arn = value.principalArn ?? null;
    if (arn === null || arn.startsWith('arn:')) return arn === null;
    const [role] = lookedUp(plan, ROLES, arn);
    return role === undefined || role.value.RoleName === arn;
  });
}

interface Question {
  readonly cluster: Planned<'aws/cluster'>;
  readonly mode: string;
  readonly name: string;
  readonly role: PlannedRole;
}

function selfManaged(plan: PlanFacts, question: Question): Admission {
  const { mode, cluster } = question;
  const byEntry = mode === 'CONFIG_MAP' ? null : byEntries(plan, question);
  if (byEntry?.kind === 'admitted' || mode === 'API')
    return byEntry ?? { kind: 'no-entry', cluster };
  const byMap = byMaps(plan, question);
  // Of a map that is not seen nobody can say that it does not let the role in.
  if (byMap.kind === 'admitted' || byMap.kind === 'unknown' || byEntry === null) return byMap;
  return byEntry;
}

/** What access entries come to; null where it is known that the role has none. */
function byEntries(plan: PlanFacts, { cluster, name, role }: Question): Admission | null {
  const entries = ofRole(plan, ENTRIES, role).filter(({ value }) =>
    isOfCluster(value.clusterName, name),
  );
  const types = entries.map(({ value }) => value.type ?? null);
  if (types.some((type) => type !== null && NODE_TYPES.includes(type))) return ADMITTED;
  const doubt = plan.doubtOf('aws/access-entry');
  if (doubt !== null) return unknown(`${doubt.what} (${doubt.address})`, 'terraform plan');
  const [entry] = entries;
  if (entry !== undefined && types[0] === null)
    return unknown(`the type of the access entry ${entry.address}`, 'terraform plan');
  if (entry !== undefined)
    return isAdministrator(plan, name, role) ? ADMITTED : { kind: 'wrong-entry', entry };
  if (cluster.change === 'create') return null;
  return unknown(
    'whether an access entry lets the node role in, since the cluster exists already',
    `aws eks list-access-entries --cluster-name ${name}`,
  );
}

function isOfCluster(named: string | null | undefined, name: string): boolean {
  return named === undefined || named === null || named === name;
}

/** Whoever may do everything in the whole cluster may be a node too. */
function isAdministrator(plan: PlanFacts, name: string, role: PlannedRole): boolean {
  return ofRole(plan, ACCESS_POLICIES, role)
    .filter(({ value }) => isOfCluster(value.clusterName, name))
    .flatMap(({ value }) => value.associatedAccessPolicies ?? [])
    .some(
      ({ policyArn, accessScope }) =>
        policyArn?.endsWith('/AmazonEKSClusterAdminPolicy') === true &&
        accessScope?.type === 'cluster',
    );
}

function byMaps(plan: PlanFacts, { cluster, mode, name, role }: Question): Admission {
  const maps = plan.list('kube/aws-auth');
  if (maps.length > 0) return inMaps(plan, maps, role, cluster);
  const doubt = plan.doubtOf('kube/aws-auth');
  if (doubt !== null) return unknown(doubt.what, 'terraform plan');
  if (cluster.change !== 'create')
    return unknown(
      'whether aws-auth maps the node role, since the cluster exists already',
      'kubectl -n kube-system get configmap aws-auth -o yaml',
    );
  if (!plan.canWriteMaps)
    return unknown(
      'whether aws-auth maps the node role, which no template writes',
      'kubectl -n kube-system get configmap aws-auth -o yaml',
    );
  const hasManaged = [name, ANY].some((key) => lookedUp(plan, GROUPS_OF_CLUSTER, key).length > 0);
  return hasManaged && mode === 'CONFIG_MAP'
    ? { kind: 'not-in-map', map: null, cluster }
    : { kind: 'no-map', cluster, mode };
}

function inMaps(
  plan: PlanFacts,
  maps: readonly AwsAuthMap[],
  role: PlannedRole,
  cluster: Planned<'aws/cluster'>,
): Admission {
  if (ofRole(plan, MAPPED, role).length > 0) return ADMITTED;
  const doubt = plan.doubtOf('kube/aws-auth');
  if (doubt !== null) return unknown(doubt.what, 'terraform plan');
  const [map] = maps;
  const isClear = plan.list('aws/cluster').length === 1 && map?.value.malformed === null;
  if (map === undefined || !isClear)
    return unknown('which cluster this aws-auth is for, or what it maps', 'terraform plan');
  return { kind: 'not-in-map', map, cluster };
}
