import type { AutoScalingGroup, NodeGroup } from '../../evidence/aws/groups.ts';
import type { LaunchTemplateVersion } from '../../evidence/aws/instance.ts';
import type { KubeadmGiven } from '../../evidence/kubeadm.ts';
import type { Planned } from '../../evidence/planned.ts';
import type { Told } from '../../evidence/shape.ts';
import { clusterGiven } from '../../evidence/user-data.ts';
import { roleName } from '../nodes/fleet.ts';
import { lookedUp } from './indexed.ts';
import {
  CLUSTERS,
  CONFIGURATIONS,
  POLICIES_OF_ROLE,
  PROFILES_BY_ARN,
  PROFILES_BY_NAME,
  ROLES,
  ROLES_BY_NAME,
  TEMPLATES,
  USER_DATA,
} from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** A node role of a plan; `arn` is its address where the ARN is known after apply. */
export interface PlannedRole {
  readonly arn: string | null;
  readonly name: string;
}

/** Machines that a plan has as nodes of one cluster. */
export interface PlannedGroup {
  readonly kind: 'NodeGroup' | 'AutoScalingGroup' | 'NodePool' | 'Kubeadm';
  readonly name: string;
  readonly fact:
    | Planned<'aws/node-group'>
    | Planned<'aws/auto-scaling-group'>
    | Planned<'kube/kubeadm'>;
  /** null where nothing tells it. */
  readonly clusterName: string | null;
  /** The cluster, where this plan shows it. */
  readonly cluster: Planned<'aws/cluster'> | null;
  readonly role: PlannedRole | null;
  /** null where some of them are known after apply. */
  readonly subnets: readonly string[] | null;
  /** null where it has none, or where nobody can tell which. */
  readonly template: Planned<'aws/launch-template-version'> | null;
  readonly profile: Planned<'aws/instance-profile'> | null;
  /** How many machines it starts with, null when that is not told. */
  readonly desired: number | null;
}

const GROUPS = new WeakMap<PlanFacts, readonly PlannedGroup[]>();

/** Every group of a plan whose machines are to be nodes. */
export function plannedGroups(plan: PlanFacts): readonly PlannedGroup[] {
  const groups = GROUPS.get(plan) ?? groupsIn(plan);
  GROUPS.set(plan, groups);
  return groups;
}

function groupsIn(plan: PlanFacts): readonly PlannedGroup[] {
  const managed = plan.list('aws/node-group').map((fact) => managedGroup(plan, fact));
  const own = plan.list('aws/auto-scaling-group').flatMap((fact) => {
    const group = scalingGroup(plan, fact);
    return group === null ? [] : [group];
  });
  const files = plan.list('kube/kubeadm').filter(({ value }) => value.template === null);
  return [...managed, ...own, ...files.map(kubeadmGroup)];
}

/** Machines of which nothing is shown but what kubeadm is given there. */
function kubeadmGroup(fact: Planned<'kube/kubeadm'>): PlannedGroup {
  const { controlPlane, registrations }: KubeadmGiven = fact.value;
  const named = registrations.map(({ name }) => name ?? null).find((name) => name !== null);
  const clusterName = controlPlane?.clusterName ?? null;
  return {
    kind: 'Kubeadm',
    name: named ?? clusterName ?? 'new machines',
    fact,
    clusterName,
    cluster: null,
    role: null,
    subnets: null,
    template: null,
    profile: null,
    desired: null,
  };
}

function clusterNamed(plan: PlanFacts, name: string | null): Planned<'aws/cluster'> | null {
  return lookedUp(plan, CLUSTERS, name)[0] ?? null;
}

function managedGroup(plan: PlanFacts, fact: Planned<'aws/node-group'>): PlannedGroup {
  const { value }: { readonly value: NodeGroup } = fact;
  const clusterName = value.clusterName ?? null;
  return {
    kind: 'NodeGroup',
    name: value.nodegroupName ?? fact.address,
    fact,
    clusterName,
    cluster: clusterNamed(plan, clusterName),
    role: roleOf(plan, value.nodeRole ?? null),
    subnets: value.subnets ?? null,
    template: lookedUp(plan, TEMPLATES, value.launchTemplate?.id)[0] ?? null,
    profile: null,
    desired: value.scalingConfig?.desiredSize ?? null,
  };
}

function roleOf(plan: PlanFacts, arn: string | null): PlannedRole | null {
  if (arn === null) return null;
  const [known] = lookedUp(plan, ROLES, arn);
  return { arn, name: known?.value.RoleName ?? roleName(arn) };
}

function scalingGroup(
  plan: PlanFacts,
  fact: Planned<'aws/auto-scaling-group'>,
): PlannedGroup | null {
  const { value }: { readonly value: AutoScalingGroup } = fact;
  const template = templateOf(plan, value);
  const profile = profileNamed(plan, profileOf(plan, value, template));
  const role = profileRole(plan, profile);
  const isPool = isOfKarpenter(value);
  const clusterName = isPool
    ? onlyCluster(plan)
    : (clusterByTag(value) ?? clusterByUserData(plan, template) ?? clusterByPolicy(plan, role));
  // Karpenter launches nothing but nodes, whichever their cluster.
  if (clusterName === null && !isPool) return null;
  return {
    kind: isPool ? 'NodePool' : 'AutoScalingGroup',
    name: value.AutoScalingGroupName ?? fact.address,
    fact,
    clusterName,
    cluster: clusterNamed(plan, clusterName),
    role,
    subnets: subnetsOf(value),
    template,
    profile,
    desired: value.DesiredCapacity ?? value.MinSize ?? null,
  };
}

function subnetsOf({ VPCZoneIdentifier: zones }: AutoScalingGroup): readonly string[] | null {
  return zones === undefined || zones === null ? null : zones.split(',').filter((id) => id !== '');
}

type Template = Planned<'aws/launch-template-version'> | null;

function templateOf(plan: PlanFacts, { LaunchTemplate: named }: AutoScalingGroup): Template {
  return lookedUp(plan, TEMPLATES, named?.LaunchTemplateId)[0] ?? null;
}

interface NamedProfile {
  readonly Arn: Told<string>;
  readonly Name: Told<string>;
}

function profileOf(
  plan: PlanFacts,
  group: AutoScalingGroup,
  template: Template,
): NamedProfile | null {
  const launch: LaunchTemplateVersion['LaunchTemplateData'] = template?.value.LaunchTemplateData;
  if (launch?.IamInstanceProfile !== undefined) return launch.IamInstanceProfile;
  const [old] = lookedUp(plan, CONFIGURATIONS, group.LaunchConfigurationName);
  const profile = old?.value.IamInstanceProfile ?? null;
  return profile === null ? null : { Arn: null, Name: profile };
}

function profileNamed(
  plan: PlanFacts,
  named: NamedProfile | null,
): Planned<'aws/instance-profile'> | null {
  const [byArn] = lookedUp(plan, PROFILES_BY_ARN, named?.Arn);
  return byArn ?? lookedUp(plan, PROFILES_BY_NAME, named?.Name)[0] ?? null;
}

/** Instance profiles have one role; of one that is not in the plan nobody knows which. */
function profileRole(
  plan: PlanFacts,
  profile: Planned<'aws/instance-profile'> | null,
): PlannedRole | null {
  const role = (profile?.value.Roles ?? [])[0];
  if (role === undefined) return null;
  const name = role.RoleName ?? roleName(role.Arn ?? '');
  // A manifest names a role that a plan beside it makes.
  const arn = role.Arn ?? lookedUp(plan, ROLES_BY_NAME, name)[0]?.value.Arn ?? null;
  return { arn, name };
}

function isOfKarpenter({ Tags: tags }: AutoScalingGroup): boolean {
  return (tags ?? []).some(({ Key: key }) => key === 'karpenter.sh/nodepool');
}

/** The cluster that a plan shows; null where it shows none or several. */
function onlyCluster(plan: PlanFacts): string | null {
  const [cluster, ...others] = plan.list('aws/cluster');
  return others.length > 0 ? null : (cluster?.value.name ?? null);
}

const CLUSTER_TAG = /^kubernetes\.io\/cluster\/(.+)$/;

function clusterByTag({ Tags: tags }: AutoScalingGroup): string | null {
  for (const { Key: key, Value: value } of tags ?? []) {
    const tagged = CLUSTER_TAG.exec(key ?? '')?.[1] ?? null;
    if (tagged !== null) return tagged;
    if (/^(?:aws:)?eks:(?:eks-)?cluster-name$/.test(key ?? '')) return value ?? null;
  }
  return null;
}

function clusterByUserData(plan: PlanFacts, template: Template): string | null {
  const [given] = lookedUp(plan, USER_DATA, template?.value.LaunchTemplateId);
  return given === undefined ? null : (clusterGiven(given.value)?.name ?? null);
}

/** Only nodes of EKS have this policy, and where there is one cluster they are its. */
function clusterByPolicy(plan: PlanFacts, role: PlannedRole | null): string | null {
  const [cluster, ...others] = plan.list('aws/cluster');
  if (cluster === undefined || others.length > 0 || role === null) return null;
  const isNode = lookedUp(plan, POLICIES_OF_ROLE, role.name).some(({ value }) =>
    (value.AttachedPolicies ?? []).some(({ PolicyName: name }) =>
      /^AmazonEKSWorkerNode(?:Minimal)?Policy$/.test(name ?? ''),
    ),
  );
  return isNode ? (cluster.value.name ?? null) : null;
}

/** True where an ARN, or the address that stands for it, is that of a role. */
export function isRole(arn: string | null | undefined, role: PlannedRole): boolean {
  if (arn === undefined || arn === null) return false;
  return arn === role.arn || (arn.startsWith('arn:') && roleName(arn) === role.name);
}
