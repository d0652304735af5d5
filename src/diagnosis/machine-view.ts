import type { AutoScalingGroup } from '../evidence/aws/groups.ts';
import type { InstanceProfile } from '../evidence/aws/iam.ts';
import type { Instance } from '../evidence/aws/instance.ts';
import type { NetworkAcl } from '../evidence/aws/network.ts';
import { absent, type Seen } from '../evidence/fact.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { Planned } from '../evidence/planned.ts';
import { roleName } from '../domain/nodes/fleet.ts';
import type { PlannedGroup, PlannedRole } from '../domain/planned/groups.ts';
import { lookedUp } from '../domain/planned/indexed.ts';
import { VPC_ATTRIBUTES, ENDPOINTS, SECURITY_GROUPS, SUBNETS } from '../domain/planned/lookups.ts';
import { controlGroups, machineOf, type PlannedMachine } from '../domain/planned/machine.ts';
import { routingOf } from '../domain/planned/ways.ts';
import type { View } from './cause.ts';
import type { PlanView } from './plan-view.ts';

/** An hour after the machine started, when it would be a Node if nothing kept it from that. */
const NOW_MS = 3_600_000;

interface Question {
  readonly plan: PlanView;
  readonly group: PlannedGroup;
  readonly machine: PlannedMachine;
}

type Lists = { readonly [K in FactKind]?: (question: Question) => readonly Seen<FactTypes[K]>[] };

/** What a look at the cloud would show around one machine of a group. */
const LISTS: Lists = {
  'aws/auto-scaling-group': ({ group }) => ofKind(group.fact, 'aws/auto-scaling-group'),
  'aws/cluster': ({ group }) => (group.cluster === null ? [] : [group.cluster]),
  'aws/image': ({ machine }) => (machine.image === null ? [] : [machine.image]),
  'aws/instance': (question) => [instanceOf(question)],
  'aws/instance-profile': ({ plan, group }) => profileOf(plan, group),
  'aws/nat-gateway': ({ plan, machine }) =>
    routesOf(plan, machine).flatMap((one) => one.natGateways),
  'aws/network-acl': openAcl,
  'aws/node-group': ({ group }) => ofKind(group.fact, 'aws/node-group'),
  'aws/route-table': ({ plan, machine }) => routesOf(plan, machine).flatMap((one) => one.tables),
  'aws/security-group': securityGroupsOf,
  'aws/subnet': subnetsOf,
  'aws/user-data': ({ group, machine: { userData } }) =>
    userData === null
      ? []
      : [{ ...userData, value: { ...userData.value, instanceId: group.name } }],
  'aws/vpc-attribute': ({ plan, machine }) => lookedUp(plan, VPC_ATTRIBUTES, machine.vpc),
  'aws/vpc-endpoint': ({ plan, machine }) => lookedUp(plan, ENDPOINTS, machine.vpc),
  'kube/aws-auth': ({ plan }) => plan.list('kube/aws-auth'),
};

const ALLOWED = { CidrBlock: '0.0.0.0/0', Protocol: '-1', RuleAction: 'allow', RuleNumber: 100 };

/** The ACL that a new VPC comes with lets everything pass. */
function openAcl({ plan, machine: { subnets } }: Question): readonly Seen<NetworkAcl>[] {
  const [subnet] = subnets;
  if (subnet?.change !== 'create' || plan.doubtOf('aws/network-acl') !== null) return [];
  const value = {
    NetworkAclId: 'default',
    Associations: [{ SubnetId: subnet.value.SubnetId }],
    Entries: [true, false].map((Egress) => ({ ...ALLOWED, Egress })),
  } as unknown as NetworkAcl;
  return [{ state: 'seen', by: subnet.by, locator: subnet.locator, value }];
}

function ofKind<K extends FactKind>(fact: Planned, kind: K): readonly Planned<K>[] {
  return fact.kind === kind ? [fact as Planned<K>] : [];
}

function routesOf(
  plan: PlanView,
  { subnets }: PlannedMachine,
): readonly ReturnType<typeof routingOf>[] {
  return subnets
    .slice(0, 1)
    .map(({ value }) => routingOf(plan, value.SubnetId ?? '', value.VpcId ?? null));
}

function instanceOf({ plan, group, machine }: Question): Seen<Instance> {
  const { value, locator, by } = group.fact;
  const [subnet] = machine.subnets;
  const own = group.template?.value.LaunchTemplateData?.NetworkInterfaces?.[0];
  const isPublic = own?.AssociatePublicIpAddress ?? subnet?.value.MapPublicIpOnLaunch ?? undefined;
  const tags = (value as AutoScalingGroup).Tags ?? [];
  const cluster = `kubernetes.io/cluster/${group.clusterName ?? ''}`;
  const instance: Partial<Instance> = {
    InstanceId: group.name,
    IamInstanceProfile: { Arn: profileArn(plan, group), Id: null },
    ImageId: machine.image?.value.ImageId,
    InstanceType: machine.types[0] ?? null,
    LaunchTime: new Date(0).toISOString(),
    SecurityGroups: (machine.securityGroups ?? []).map((GroupId) => ({ GroupId, GroupName: null })),
    State: { Name: 'running' },
    SubnetId: subnet?.value.SubnetId,
    Tags: [...tags, { Key: cluster, Value: 'owned' }],
    VpcId: machine.vpc,
    // Its address is not known before, and that it has one is.
    ...(isPublic === true ? { PublicIpAddress: 'known after apply' } : {}),
  };
  return { state: 'seen', by, locator, value: instance as Instance };
}

/** A profile that this plan makes is in the account whose profile of this name aws-auth maps. */
function profileArn(plan: PlanView, { profile, name }: PlannedGroup): string {
  const { Arn: arn, InstanceProfileName: named } = profile?.value ?? {};
  if (arn?.startsWith('arn:') === true) return arn;
  const mapped = plan
    .list('kube/aws-auth')
    .flatMap(({ value }) => value.roles)
    .find((entry) => entry.arn.endsWith(`:instance-profile/${named ?? ''}`));
  return mapped?.arn ?? arn ?? `the instance profile of ${name}`;
}

/** The profile with its role, whose ARN the plan may show in aws-auth alone. */
function profileOf(plan: PlanView, group: PlannedGroup): readonly Seen<InstanceProfile>[] {
  const { role, fact, profile } = group;
  if (role === null) return [];
  const Arn = arnOf(plan, role);
  const Roles = [{ Arn, RoleName: role.name }];
  const value = { Arn: profileArn(plan, group), Roles } as unknown as InstanceProfile;
  const { by, locator } = profile ?? fact;
  return [{ state: 'seen', by, locator, value }];
}

/** A role that this plan makes is in the account whose role of this name aws-auth maps. */
function arnOf(plan: PlanView, { arn, name }: PlannedRole): string | null {
  if (arn?.startsWith('arn:') === true) return arn;
  const mapped = plan
    .list('kube/aws-auth')
    .flatMap(({ value }) => value.roles)
    .find((entry) => entry.arn.includes(':role/') && roleName(entry.arn) === name);
  return mapped?.arn.replace(/:role\/.*\//, ':role/') ?? arn;
}

function securityGroupsOf({
  plan,
  group,
  machine,
}: Question): readonly Planned<'aws/security-group'>[] {
  if (plan.doubtOf('aws/security-group') !== null) return [];
  const endpoints = lookedUp(plan, ENDPOINTS, machine.vpc);
  const ids = new Set([
    ...(machine.securityGroups ?? []),
    ...(controlGroups(group) ?? []),
    ...endpoints.flatMap(({ value }) => (value.Groups ?? []).map((one) => one.GroupId ?? '')),
  ]);
  return [...ids].flatMap((id) => lookedUp(plan, SECURITY_GROUPS, id));
}

function subnetsOf({ plan, group, machine }: Question): readonly Planned<'aws/subnet'>[] {
  const ofCluster = group.cluster?.value.resourcesVpcConfig?.subnetIds ?? [];
  const more = ofCluster.flatMap((id) => lookedUp(plan, SUBNETS, id));
  return [...new Set([...machine.subnets, ...more])];
}

/** In a plan the sentence about machines that run is one about those that will. */
function planWords(excerpt: string): string {
  if (/^\S+ runs and has no Node$/.test(excerpt))
    return excerpt.replace(/ runs .*/, ' launches there');
  return excerpt.replace(
    /^machines (\S+) run with (.*?)(?: and have no Node)?$/,
    '$1 runs with $2',
  );
}

/**
 * A group of a plan in the form in which causes look at a machine: launched as the plan says, and
 * without a Node after an hour. No program said anything yet.
 */
export function machineView<K extends FactKind, S extends string>(
  plan: PlanView,
  group: PlannedGroup,
): View<K, S> {
  const question = { plan, group, machine: machineOf(plan, group) };
  const list = <N extends FactKind>(kind: N): readonly Seen<FactTypes[N]>[] =>
    LISTS[kind]?.(question) ?? [];
  return {
    names: [group.name],
    instanceId: group.name,
    node: null,
    read: (kind) => list(kind)[0] ?? absent('terraform show'),
    list,
    everywhere: list,
    isComplete: () => false,
    isCut: () => false,
    machinesWithoutNode: () => [group.name],
    machinesWithLogs: () => ({ all: 0, unjoined: 0 }),
    knowsNode: () => false,
    wasRefused: () => false,
    sign: () => null,
    anySign: () => false,
    clusterSign: () => null,
    shows: (symptom) => symptom === 'machine-without-node',
    isLive: true,
    nowMs: NOW_MS,
    quote: (fact, excerpt) => plan.quote(fact as Planned, planWords(excerpt)),
  };
}
