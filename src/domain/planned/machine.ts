import { type Planned, UNKNOWN_GROUP } from '../../evidence/planned.ts';
import type { AutoScalingGroup, NodeGroup } from '../../evidence/aws/groups.ts';
import { familyOf, type ImageFamily } from '../instances/launch.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { IMAGES, SECURITY_GROUPS, SUBNETS, USER_DATA } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** What each machine of a group will be launched with. */
export interface PlannedMachine {
  /** The image that the template names; null where EKS or nobody seen chooses it. */
  readonly image: Planned<'aws/image'> | null;
  /** Name of the image, or the AMI type by which EKS chooses one. */
  readonly imageName: string | null;
  readonly family: ImageFamily | null;
  /** True where the template names the image, so that nothing is added to its user data. */
  readonly isOwnImage: boolean;
  readonly userData: Planned<'aws/user-data'> | null;
  /** Instance types that it may be; empty where they are not told. */
  readonly types: readonly string[];
  /** Ids of its security groups; null where nobody can tell them. */
  readonly securityGroups: readonly string[] | null;
  /** The subnets that the plan shows. */
  readonly subnets: readonly Planned<'aws/subnet'>[];
  /** The VPC of all these subnets; null where it is not shown. */
  readonly vpc: string | null;
}

const MACHINES = new WeakMap<PlannedGroup, PlannedMachine>();

/** What the machines of a group will be launched with, as far as the plan shows it. */
export function machineOf(plan: PlanFacts, group: PlannedGroup): PlannedMachine {
  const known = MACHINES.get(group) ?? madeMachine(plan, group);
  MACHINES.set(group, known);
  return known;
}

function madeMachine(plan: PlanFacts, group: PlannedGroup): PlannedMachine {
  const { template } = group;
  const imageId = template?.value.LaunchTemplateData?.ImageId ?? null;
  const image = lookedUp(plan, IMAGES, imageId)[0] ?? null;
  const amiType = group.kind === 'NodeGroup' ? (managed(group).amiType ?? null) : null;
  const imageName = image?.value.Name ?? (imageId === null ? amiType : null);
  const subnets = (group.subnets ?? []).flatMap((id) => lookedUp(plan, SUBNETS, id).slice(0, 1));
  const vpcs = new Set(subnets.map(({ value }) => value.VpcId ?? ''));
  const [vpc = ''] = vpcs;
  return {
    image,
    imageName,
    family: imageName === null ? null : familyIn(imageName),
    isOwnImage: imageId !== null || group.kind !== 'NodeGroup',
    userData: lookedUp(plan, USER_DATA, template?.value.LaunchTemplateId)[0] ?? null,
    types: typesOf(group),
    securityGroups: securityGroupsOf(group),
    subnets,
    vpc: vpcs.size === 1 && vpc !== '' ? vpc : null,
  };
}

function managed({ fact }: PlannedGroup): NodeGroup {
  return fact.value as NodeGroup;
}

/** AMI types say the family with underscores: `AL2023_x86_64_STANDARD`, `BOTTLEROCKET_ARM_64`. */
function familyIn(name: string): ImageFamily | null {
  if (name.startsWith('AL2_')) return 'al2';
  const ImageId = '';
  return familyOf({ ImageId, Name: name.replaceAll('_', ' ') } as Parameters<typeof familyOf>[0]);
}

function typesOf(group: PlannedGroup): readonly string[] {
  const own = group.template?.value.LaunchTemplateData?.InstanceType ?? null;
  const named =
    group.kind === 'NodeGroup'
      ? (managed(group).instanceTypes ?? [])
      : overridesOf(group.fact.value as AutoScalingGroup);
  return named.length > 0 ? named : own === null ? [] : [own];
}

function overridesOf({ MixedInstancesPolicy: policy }: AutoScalingGroup): readonly string[] {
  return (policy?.LaunchTemplate?.Overrides ?? [])
    .map(({ InstanceType: type }) => type ?? null)
    .filter((type) => type !== null);
}

/** A managed group without groups in its template gets the one that EKS made for the cluster. */
function securityGroupsOf(group: PlannedGroup): readonly string[] | null {
  const { kind, template, cluster } = group;
  const launch = template?.value.LaunchTemplateData;
  const inside = (launch?.NetworkInterfaces ?? []).flatMap(({ Groups: ids }) => ids ?? []);
  const own = [...(launch?.SecurityGroupIds ?? []), ...inside].map(String);
  if (own.length > 0) return [...new Set(own)];
  if (kind !== 'NodeGroup') return null;
  if (template === null && managed(group).launchTemplate !== null) return null;
  const given = cluster?.value.resourcesVpcConfig?.clusterSecurityGroupId ?? null;
  return given === null ? null : [given];
}

/** The plan's facts of these security groups; null unless it shows all of them whole. */
export function groupsNamed(
  plan: PlanFacts,
  ids: readonly string[] | null,
): readonly Planned<'aws/security-group'>[] | null {
  if (ids === null || ids.length === 0 || plan.doubtOf('aws/security-group') !== null) return null;
  const groups = ids.flatMap((id) => lookedUp(plan, SECURITY_GROUPS, id).slice(0, 1));
  return groups.length === ids.length ? groups : null;
}

/** Security groups by which the control plane is known in the VPC; null where they are not told. */
export function controlGroups({ cluster }: PlannedGroup): readonly string[] | null {
  const network = cluster?.value.resourcesVpcConfig;
  const own = network?.clusterSecurityGroupId ?? null;
  const more = (network?.securityGroupIds ?? []).map(String);
  return own === null || more.includes(UNKNOWN_GROUP) ? null : [own, ...more];
}

/**
 * True where the user data of the template is all that the machines of a group get; null where it
 * is known after apply. EKS adds its own part to that of other managed groups.
 */
export function hasOwnUserData(plan: PlanFacts, group: PlannedGroup): boolean | null {
  const { isOwnImage, userData } = machineOf(plan, group);
  if (!isOwnImage) return false;
  return userData === null ? null : true;
}

/** What names the types of a group: a pool itself, its template for others that have one. */
export function launchedBy({ kind, template, fact }: PlannedGroup): Planned {
  return kind === 'NodePool' ? fact : (template ?? fact);
}
