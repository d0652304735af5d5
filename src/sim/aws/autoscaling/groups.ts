/** Auto Scaling groups: they look at what they have and launch or end what differs. */
import { type Account, arnOf, drawMs } from '../account.ts';
import { launch, terminate } from '../ec2/instances.ts';
import { launchOf } from '../ec2/write-instances.ts';
import { refusalOf, refused } from '../refusal.ts';
import type { AutoScalingGroup, Instance, Member, Tags } from '../state.ts';
import type { AwsEvent, AwsRefusal } from '../contract.ts';
import { beginActivity, endActivity } from './activities.ts';

export interface NewGroup {
  readonly name: string;
  readonly launchTemplateId: string;
  /** `$Default` unless given. */
  readonly launchTemplateVersion?: string;
  readonly subnetIds: readonly string[];
  readonly desiredCapacity: number;
  readonly minSize?: number;
  readonly maxSize?: number;
  readonly instanceTypes?: readonly string[];
  readonly isSpot?: boolean;
  /** All of them are put on its instances. */
  readonly tags?: Tags;
}

/** From a change of the desired size to the first launch: a few seconds. */
const LOOK_MEDIAN_MS = 3000;
/** Until the health check of EC2 tells the group that a machine is gone. */
const HEALTH_MEDIAN_MS = 35_000;
/** A launch that failed is tried again after so long, twice as long each time up to the last. */
const RETRY_MS = 30_000;
const RETRY_MAX_MS = 600_000;
/** Launched at once in one look. */
const BATCH = 20;

/** @returns its name; the first look comes by itself */
export function createGroup(account: Account, wanted: NewGroup): string {
  const { name, desiredCapacity } = wanted;
  const arn = arnOf(
    account,
    'autoscaling',
    `autoScalingGroup:${account.ids.uuid()}:autoScalingGroupName/${name}`,
  );
  const group: AutoScalingGroup = {
    name,
    arn,
    minSize: wanted.minSize ?? 0,
    maxSize: wanted.maxSize ?? Math.max(desiredCapacity, 10),
    desiredCapacity,
    subnetIds: wanted.subnetIds,
    launchTemplateId: wanted.launchTemplateId,
    launchTemplateVersion: wanted.launchTemplateVersion ?? '$Default',
    instanceTypes: wanted.instanceTypes ?? [],
    isSpot: wanted.isSpot ?? false,
    createdMs: account.kernel.nowMs(),
    members: [],
    suspended: [],
    tags: wanted.tags ?? {},
    hooks: [],
  };
  account.groups.set(name, group, account.kernel.nowMs());
  planLook(account, name, drawMs(account, 'aws/groups', LOOK_MEDIAN_MS, 0.4));
  return name;
}

/** @throws RefusedError as Auto Scaling words it */
export function groupOf(account: Account, name: string): AutoScalingGroup {
  const group = account.groups.get(name);
  if (group !== undefined) return group;
  throw refused('ValidationError', `AutoScalingGroup name not found - null`);
}

export function changeGroup(
  account: Account,
  name: string,
  changed: Partial<AutoScalingGroup>,
): void {
  account.groups.change(name, account.kernel.nowMs(), (before) => ({ ...before, ...changed }));
  planLook(account, name, drawMs(account, 'aws/groups', LOOK_MEDIAN_MS, 0.4));
}

/** At most one look of a group is planned, the earliest that was wanted. */
function planLook(account: Account, name: string, delayMs: number): void {
  const atMs = account.kernel.nowMs() + delayMs;
  const planned = account.looks.get(name);
  if (planned !== undefined && planned.atMs <= atMs) return;
  planned?.timer.cancel();
  const timer = account.kernel.after(delayMs, () => {
    account.looks.delete(name);
    look(account, name);
  });
  account.looks.set(name, { atMs, timer });
}

function look(account: Account, name: string): void {
  const group = account.groups.get(name);
  if (group === undefined) return;
  for (const member of group.members)
    if (isLost(account, member)) loseMember(account, name, member);
  const members = groupOf(account, name).members.filter(isActive);
  const lacking = group.desiredCapacity - members.length;
  if (lacking > 0 && !group.suspended.includes('Launch')) grow(account, name, lacking);
  if (lacking < 0 && !group.suspended.includes('Terminate')) shrink(account, name, -lacking);
}

function isActive({ lifecycleState }: Member): boolean {
  return lifecycleState === 'Pending' || lifecycleState === 'InService';
}

/** Gone or going without the group's doing. */
function isLost(account: Account, member: Member): boolean {
  if (!isActive(member)) return false;
  const state = account.instances.get(member.instanceId)?.state;
  const isWell = state === 'pending' || state === 'running';
  return !isWell || member.healthStatus === 'Unhealthy';
}

function setMembers(
  account: Account,
  name: string,
  changed: (members: readonly Member[]) => readonly Member[],
): void {
  account.groups.change(name, account.kernel.nowMs(), (before) => ({
    ...before,
    members: changed(before.members),
  }));
}

function loseMember(account: Account, name: string, { instanceId, healthStatus }: Member): void {
  const group = groupOf(account, name);
  const cause =
    healthStatus === 'Unhealthy'
      ? 'an instance was taken out of service in response to a user health-check.'
      : 'an instance was taken out of service in response to an EC2 health check indicating it has been terminated or stopped.';
  remove(account, group, instanceId, cause);
}

/** Ends an instance of the group, with the activity that says why. */
export function remove(
  account: Account,
  group: AutoScalingGroup,
  instanceId: string,
  cause: string,
): string {
  const description = `Terminating EC2 instance: ${instanceId}`;
  const activityId = beginActivity(account, group, {
    description,
    cause,
    statusCode: 'InProgress',
  });
  account.memberOf.set(instanceId, { group: group.name, activityId });
  setMembers(account, group.name, (members) =>
    members.map((one) =>
      one.instanceId === instanceId ? { ...one, lifecycleState: 'Terminating' } : one,
    ),
  );
  if (account.instances.get(instanceId)?.state === 'terminated') left(account, instanceId);
  else refusalOf(() => terminate(account, instanceId));
  return activityId;
}

function grow(account: Account, name: string, lacking: number): void {
  for (let step = 0; step < Math.min(lacking, BATCH); step++) {
    const refusal = launchMember(account, name);
    if (refusal === null) continue;
    const failures = (account.failures.get(name) ?? 0) + 1;
    account.failures.set(name, failures);
    planLook(account, name, Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MAX_MS));
    return;
  }
  account.failures.delete(name);
  if (lacking > BATCH) planLook(account, name, LOOK_MEDIAN_MS);
}

/** The places to try: the subnet with the fewest members first, and there each type. */
function places(
  account: Account,
  group: AutoScalingGroup,
): readonly { readonly subnetId: string; readonly instanceType: string | null }[] {
  const counts = new Map(group.subnetIds.map((id) => [id, 0]));
  for (const { instanceId } of group.members.filter(isActive)) {
    const id = account.instances.get(instanceId)?.subnetId ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const subnets = group.subnetIds.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  const types = group.instanceTypes.length > 0 ? group.instanceTypes : [null];
  return subnets.flatMap((subnetId) => types.map((instanceType) => ({ subnetId, instanceType })));
}

function launchMember(account: Account, name: string): AwsRefusal | null {
  const group = groupOf(account, name);
  let last: AwsRefusal | null = null;
  for (const place of places(account, group)) {
    const refusal = refusalOf(() => join(account, group, launchAt(account, group, place)));
    if (refusal === null) return null;
    last = refusal;
  }
  const refusal = last ?? { code: 'ValidationError', message: 'No subnet is given.', status: 400 };
  failLaunch(account, group, refusal);
  return refusal;
}

function launchAt(
  account: Account,
  group: AutoScalingGroup,
  { subnetId, instanceType }: { readonly subnetId: string; readonly instanceType: string | null },
): Instance {
  const LaunchTemplate = {
    LaunchTemplateId: group.launchTemplateId,
    Version: group.launchTemplateVersion,
  };
  const wanted = launchOf(account, {
    LaunchTemplate,
    SubnetId: subnetId,
    ...(instanceType === null ? {} : { InstanceType: instanceType }),
  });
  return launch(account, {
    ...wanted,
    isSpot: group.isSpot || wanted.isSpot === true,
    tags: { ...wanted.tags, ...group.tags, 'aws:autoscaling:groupName': group.name },
  });
}

function differs(group: AutoScalingGroup): string {
  const have = group.members.filter(isActive).length;
  const [what, change] =
    have < group.desiredCapacity
      ? ['started', 'increasing']
      : ['selected for termination', 'shrinking'];
  return (
    `an instance was ${what} in response to a difference between desired and actual capacity, ` +
    `${change} the capacity from ${have} to ${group.desiredCapacity}.`
  );
}

function join(account: Account, group: AutoScalingGroup, { instanceId, subnetId }: Instance): void {
  const activityId = beginActivity(account, group, {
    description: `Launching a new EC2 instance: ${instanceId}`,
    cause: differs(group),
    statusCode: 'InProgress',
    details: {
      'Subnet ID': subnetId,
      'Availability Zone': account.subnets.get(subnetId)?.zone.name ?? '',
    },
  });
  account.memberOf.set(instanceId, { group: group.name, activityId });
  setMembers(account, group.name, (members) => [
    ...members,
    { instanceId, lifecycleState: 'Pending', healthStatus: 'Healthy', isProtected: false },
  ]);
}

/** As activities word a launch that EC2 refused. */
function failLaunch(account: Account, group: AutoScalingGroup, refusal: AwsRefusal): void {
  const isShort = refusal.code === 'InsufficientInstanceCapacity';
  const which = group.isSpot ? 'Spot' : 'On-Demand';
  const why = isShort
    ? `Could not launch ${which} Instances. ${refusal.code} - ${refusal.message}`
    : refusal.message;
  const statusMessage = `${why} Launching EC2 instance failed.`;
  beginActivity(account, group, {
    description: `Launching a new EC2 instance.  Status Reason: ${statusMessage}`,
    cause: differs(group),
    statusCode: 'Failed',
    statusMessage,
  });
}

/** The oldest of the zone with most members goes first (Auto Scaling user guide). */
function shrink(account: Account, name: string, surplus: number): void {
  for (let step = 0; step < surplus; step++) {
    const group = groupOf(account, name);
    const active = group.members.filter((one) => isActive(one) && !one.isProtected);
    const zoneOf = (one: Member): string => account.instances.get(one.instanceId)?.subnetId ?? '';
    const size = (one: Member): number =>
      active.filter((other) => zoneOf(other) === zoneOf(one)).length;
    const [first] = active.toSorted((a, b) => size(b) - size(a));
    if (first === undefined) return;
    remove(account, group, first.instanceId, differs(group));
  }
}

/** What the group makes of what becomes of its instances. */
export function followInstances(account: Account): (event: AwsEvent) => void {
  return ({ kind, instanceId }) => {
    const membership = account.memberOf.get(instanceId);
    if (membership === undefined) return;
    if (kind === 'instance-running') served(account, instanceId, membership);
    if (kind === 'instance-terminated') left(account, instanceId);
    if (kind === 'instance-stopping' || kind === 'instance-stopped')
      planLook(account, membership.group, drawMs(account, 'aws/groups', HEALTH_MEDIAN_MS, 0.3));
  };
}

interface Membership {
  readonly group: string;
  readonly activityId: string;
}

function served(account: Account, instanceId: string, { group, activityId }: Membership): void {
  setMembers(account, group, (members) =>
    members.map((one) =>
      one.instanceId === instanceId ? { ...one, lifecycleState: 'InService' } : one,
    ),
  );
  endActivity(account, activityId);
}

/** An instance that is gone leaves the group as soon as the group has seen it. */
function left(account: Account, instanceId: string): void {
  const membership = account.memberOf.get(instanceId);
  const group = account.groups.get(membership?.group ?? '');
  const member = group?.members.find((one) => one.instanceId === instanceId);
  if (membership === undefined || group === undefined || member === undefined) return;
  if (isActive(member)) {
    planLook(account, group.name, drawMs(account, 'aws/groups', HEALTH_MEDIAN_MS, 0.3));
    return;
  }
  endActivity(account, membership.activityId);
  account.memberOf.delete(instanceId);
  setMembers(account, group.name, (members) =>
    members.filter((one) => one.instanceId !== instanceId),
  );
  planLook(account, group.name, LOOK_MEDIAN_MS);
}
