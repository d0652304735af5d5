/** Calls of Auto Scaling. */
import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import { filtered } from '../ec2/filters.ts';
import { templateOf } from '../ec2/launch-templates.ts';
import {
  flagIn,
  listIn,
  needed,
  numberIn,
  objectIn,
  type Operation,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { refused } from '../refusal.ts';
import type { AutoScalingGroup, Member } from '../state.ts';
import { changeGroup, createGroup, groupOf, remove } from './groups.ts';

function templateReference(account: Account, group: AutoScalingGroup): JsonObject {
  const template = templateOf(account, group.launchTemplateId);
  return {
    LaunchTemplateId: group.launchTemplateId,
    LaunchTemplateName: textAt(template, 'LaunchTemplateName') ?? '',
    Version: group.launchTemplateVersion,
  };
}

function showMember(account: Account, group: AutoScalingGroup, member: Member): JsonObject {
  const instance = account.instances.get(member.instanceId);
  const template = templateReference(account, group);
  const launched = textAt(instance?.launchTemplate ?? {}, 'Version') ?? '1';
  return {
    InstanceId: member.instanceId,
    InstanceType: instance?.instanceType ?? '',
    AvailabilityZone: account.subnets.get(instance?.subnetId ?? '')?.zone.name ?? '',
    LifecycleState: member.lifecycleState,
    HealthStatus: member.healthStatus,
    LaunchTemplate: { ...template, Version: launched },
    ProtectedFromScaleIn: member.isProtected,
  };
}

/** A mixed group has its template within its policy. */
function sourceOf(account: Account, group: AutoScalingGroup): JsonObject {
  const template = templateReference(account, group);
  if (group.instanceTypes.length === 0 && !group.isSpot) return { LaunchTemplate: template };
  return {
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: template,
        Overrides: group.instanceTypes.map((InstanceType) => ({ InstanceType })),
      },
      InstancesDistribution: {
        OnDemandAllocationStrategy: 'prioritized',
        OnDemandBaseCapacity: 0,
        OnDemandPercentageAboveBaseCapacity: group.isSpot ? 0 : 100,
        SpotAllocationStrategy: 'price-capacity-optimized',
      },
    },
  };
}

function showGroup(account: Account, group: AutoScalingGroup): JsonObject {
  const zones = group.subnetIds.map((id) => account.subnets.get(id)?.zone.name ?? '');
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    ...sourceOf(account, group),
    MinSize: group.minSize,
    MaxSize: group.maxSize,
    DesiredCapacity: group.desiredCapacity,
    DefaultCooldown: 300,
    AvailabilityZones: [...new Set(zones)],
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: 'EC2',
    HealthCheckGracePeriod: 15,
    Instances: group.members.map((one) => showMember(account, group, one)),
    CreatedTime: isoMoment(group.createdMs),
    SuspendedProcesses: group.suspended.map((ProcessName) => ({
      ProcessName,
      SuspensionReason: 'User suspended',
    })),
    VPCZoneIdentifier: group.subnetIds.join(','),
    EnabledMetrics: [],
    Tags: Object.entries(group.tags).map(([Key, Value]) => ({
      ResourceId: group.name,
      ResourceType: 'auto-scaling-group',
      Key,
      Value,
      PropagateAtLaunch: true,
    })),
    TerminationPolicies: ['Default'],
    NewInstancesProtectedFromScaleIn: false,
    CapacityRebalance: group.isSpot,
  };
}

function describeGroups({ account, input, atMs }: Request): JsonObject {
  const names = textsIn(input, 'AutoScalingGroupNames');
  const groups = account.groups
    .valuesAt(atMs)
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map((group) => showGroup(account, group));
  return { AutoScalingGroups: [...filtered(groups, input, {})] };
}

function describeActivities({ account, input, atMs }: Request): JsonObject {
  const name = textIn(input, 'AutoScalingGroupName');
  if (name !== undefined) groupOf(account, name);
  const activities = account.plain['scaling-activity']
    .valuesAt(atMs)
    .filter((one) => name === undefined || one['AutoScalingGroupName'] === name)
    .toReversed();
  return { Activities: activities };
}

function describeMembers({ account, input, atMs }: Request): JsonObject {
  const ids = textsIn(input, 'InstanceIds');
  const rows = account.groups.valuesAt(atMs).flatMap((group) =>
    group.members
      .filter(({ instanceId }) => ids.length === 0 || ids.includes(instanceId))
      .map((member) => ({
        ...showMember(account, group, member),
        AutoScalingGroupName: group.name,
      })),
  );
  return { AutoScalingInstances: rows };
}

function checkSize({ minSize, maxSize, desiredCapacity }: AutoScalingGroup): void {
  if (desiredCapacity >= minSize && desiredCapacity <= maxSize) return;
  const [side, limit] = desiredCapacity > maxSize ? ['above max', maxSize] : ['below min', minSize];
  const message = `New SetDesiredCapacity value ${desiredCapacity} is ${side} value ${limit} for the AutoScalingGroup.`;
  throw refused('ValidationError', message);
}

function setDesired({ account, input }: Request): JsonObject {
  const name = needed(input, 'AutoScalingGroupName', 'ValidationError');
  const desiredCapacity = numberIn(input, 'DesiredCapacity') ?? 0;
  checkSize({ ...groupOf(account, name), desiredCapacity });
  changeGroup(account, name, { desiredCapacity });
  return {};
}

/** A desired size outside the new limits moves to the nearer one. */
function updateGroup({ account, input }: Request): JsonObject {
  const name = needed(input, 'AutoScalingGroupName', 'ValidationError');
  const before = groupOf(account, name);
  const minSize = numberIn(input, 'MinSize') ?? before.minSize;
  const maxSize = numberIn(input, 'MaxSize') ?? before.maxSize;
  const asked = numberIn(input, 'DesiredCapacity');
  const desiredCapacity = asked ?? Math.min(Math.max(before.desiredCapacity, minSize), maxSize);
  const template = objectIn(input, 'LaunchTemplate');
  const zones = textIn(input, 'VPCZoneIdentifier');
  const launchTemplateId = textIn(template, 'LaunchTemplateId');
  const after: AutoScalingGroup = {
    ...before,
    minSize,
    maxSize,
    desiredCapacity,
    launchTemplateVersion: textIn(template, 'Version') ?? before.launchTemplateVersion,
    ...(launchTemplateId === undefined ? {} : { launchTemplateId }),
    ...(zones === undefined ? {} : { subnetIds: zones.split(',') }),
  };
  checkSize(after);
  changeGroup(account, name, after);
  return {};
}

function createOne({ account, input }: Request): JsonObject {
  const name = needed(input, 'AutoScalingGroupName', 'ValidationError');
  if (account.groups.get(name) !== undefined) {
    const message = 'AutoScalingGroup by this name already exists - A group with the name exists';
    throw refused('AlreadyExists', message);
  }
  const given = objectIn(input, 'LaunchTemplate');
  const named = textIn(given, 'LaunchTemplateId') ?? textIn(given, 'LaunchTemplateName') ?? '';
  const template = templateOf(account, named);
  const minSize = numberIn(input, 'MinSize') ?? 0;
  const tags = listIn(input, 'Tags').filter(isObject);
  createGroup(account, {
    name,
    launchTemplateId: textAt(template, 'LaunchTemplateId') ?? '',
    launchTemplateVersion: textIn(given, 'Version') ?? '$Default',
    subnetIds: (textIn(input, 'VPCZoneIdentifier') ?? '').split(',').filter((one) => one !== ''),
    minSize,
    maxSize: numberIn(input, 'MaxSize') ?? minSize,
    desiredCapacity: numberIn(input, 'DesiredCapacity') ?? minSize,
    tags: Object.fromEntries(
      tags.map((one) => [textAt(one, 'Key') ?? '', textAt(one, 'Value') ?? '']),
    ),
  });
  return {};
}

function terminateMember({ account, input }: Request): JsonObject {
  const instanceId = needed(input, 'InstanceId', 'ValidationError');
  const name = account.memberOf.get(instanceId)?.group;
  if (name === undefined) {
    const message = `Instance Id not found - No managed instance found for instance ID: ${instanceId}`;
    throw refused('ValidationError', message);
  }
  const group = groupOf(account, name);
  if (flagIn(input, 'ShouldDecrementDesiredCapacity') === true)
    changeGroup(account, name, { desiredCapacity: Math.max(0, group.desiredCapacity - 1) });
  const cause = `instance ${instanceId} was taken out of service in response to a user request.`;
  const activityId = remove(account, groupOf(account, name), instanceId, cause);
  return { Activity: account.plain['scaling-activity'].get(activityId) ?? {} };
}

function setHealth({ account, input }: Request): JsonObject {
  const instanceId = needed(input, 'InstanceId', 'ValidationError');
  const healthStatus = textIn(input, 'HealthStatus') === 'Unhealthy' ? 'Unhealthy' : 'Healthy';
  const group = groupOf(account, account.memberOf.get(instanceId)?.group ?? '');
  const members = group.members.map((one) =>
    one.instanceId === instanceId ? ({ ...one, healthStatus } as const) : one,
  );
  changeGroup(account, group.name, { members });
  return {};
}

/** Stops what a group does by itself, or lets it go on. */
function suspension(isSuspended: boolean): Operation {
  return reads(({ account, input }) => {
    const name = needed(input, 'AutoScalingGroupName', 'ValidationError');
    const { suspended } = groupOf(account, name);
    const named = textsIn(input, 'ScalingProcesses');
    const chosen = named.length === 0 ? ['Launch', 'Terminate'] : named;
    const others = suspended.filter((one) => !chosen.includes(one));
    changeGroup(account, name, { suspended: isSuspended ? [...others, ...chosen] : others });
    return {};
  });
}

function hooksOf({ account, input }: Request): JsonObject {
  const { hooks } = groupOf(account, needed(input, 'AutoScalingGroupName', 'ValidationError'));
  return { LifecycleHooks: [...hooks] };
}

function paged(list: string, answer: Operation['answer'], size = 'MaxRecords', sizeDefault = 50) {
  return reads(answer, {
    list,
    size,
    sizeMax: 100,
    sizeDefault,
    token: ['NextToken', 'NextToken'] as const,
  });
}

export const AUTO_SCALING: Operations = {
  DescribeAutoScalingGroups: paged('AutoScalingGroups', describeGroups),
  DescribeAutoScalingInstances: paged('AutoScalingInstances', describeMembers),
  DescribeScalingActivities: paged('Activities', describeActivities, 'MaxRecords', 100),
  DescribeLaunchConfigurations: paged('LaunchConfigurations', () => ({ LaunchConfigurations: [] })),
  DescribeLifecycleHooks: reads(hooksOf),
  SetDesiredCapacity: reads(setDesired),
  UpdateAutoScalingGroup: reads(updateGroup),
  CreateAutoScalingGroup: reads(createOne),
  TerminateInstanceInAutoScalingGroup: reads(terminateMember),
  SetInstanceHealth: reads(setHealth),
  SuspendProcesses: suspension(true),
  ResumeProcesses: suspension(false),
};
