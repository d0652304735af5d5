import type { Told } from '../evidence/shape.ts';
import { factsOfKind } from '../evidence/fact-values.ts';
import type { FactTypes, FactKind } from '../evidence/kinds.ts';
import { capacityOf } from '../domain/instances/launch.ts';
import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { isoMs } from '../evidence/time.ts';
import { seenHit } from './seen-hit.ts';
import type { NodeGroup, AutoScalingGroup, ScalingActivity } from '../evidence/aws/groups.ts';
import type { Instance } from '../evidence/aws/instance.ts';

/** Activities under way; the machines they launch may still come. */
const UNDER_WAY = /^(?:Pending|Waiting|PreInService|InProgress|MidLifecycleAction)/;
const REASON_CHARACTERS_MAX = 240;

/** The gap of each group that wants more machines than it has, as collected from a live cluster. */
export function groupSymptoms(observations: Observations): readonly Hit[] {
  if (observations.collection === null) return [];
  const nodeGroups = latest(observations, 'aws/node-group', (one) => one.nodegroupName);
  const groups = latest(observations, 'aws/auto-scaling-group', (one) => one.AutoScalingGroupName);
  return [
    ...groups.flatMap((group) => gapOfScaling(group, nodeGroups, observations)),
    ...nodeGroups
      .filter((nodeGroup) => !groups.some((group) => isOwner(nodeGroup.value, group.value)))
      .flatMap((nodeGroup) => gapOfNodeGroup(nodeGroup, observations)),
  ];
}

function recordsOf<K extends FactKind>({ facts }: Observations, kind: K): readonly FactRecord<K>[] {
  return factsOfKind(facts, kind);
}

/** Each object once, as it was read last. */
function latest<K extends 'aws/node-group' | 'aws/auto-scaling-group'>(
  observations: Observations,
  kind: K,
  nameOf: (value: FactTypes[K]) => Told<string>,
): readonly FactRecord<K>[] {
  const records = recordsOf(observations, kind);
  return [...new Map(records.map((fact) => [nameOf(fact.value) ?? '', fact])).values()];
}

function tagOf(resource: AutoScalingGroup | Instance, key: string): string | null {
  const tag = (resource.Tags ?? []).find((entry) => entry.Key === key);
  return tag === undefined ? null : (tag.Value ?? null);
}

/** True for the managed node group that EKS made the group for, by its tag or by what EKS says. */
function isOwner(nodeGroup: NodeGroup, group: AutoScalingGroup): boolean {
  const name = group.AutoScalingGroupName ?? null;
  return (
    tagOf(group, 'eks:nodegroup-name') === (nodeGroup.nodegroupName ?? null) ||
    (nodeGroup.resources?.autoScalingGroups ?? []).some((one) => (one.name ?? null) === name)
  );
}

function gapOfScaling(
  group: FactRecord<'aws/auto-scaling-group'>,
  nodeGroups: readonly FactRecord<'aws/node-group'>[],
  observations: Observations,
): readonly Hit[] {
  const name = group.value.AutoScalingGroupName ?? '';
  const desired = group.value.DesiredCapacity ?? 0;
  const present = capacityOf(group.value, /^(?:InService|Pending)/) ?? desired;
  // A group has a status only while it is being deleted.
  if (desired <= present || (group.value.Status ?? null) !== null) return [];
  const activities = recordsOf(observations, 'aws/scaling-activity')
    .map(({ value }) => value)
    .filter((entry) => entry.AutoScalingGroupName === name);
  if (activities.some((entry) => UNDER_WAY.test(entry.StatusCode ?? ''))) return [];
  const owner = nodeGroups.find((nodeGroup) => isOwner(nodeGroup.value, group.value))?.value;
  const ownerName = owner?.nodegroupName ?? tagOf(group.value, 'eks:nodegroup-name');
  const who = ownerName === null ? name : `${name} (node group ${ownerName})`;
  const why =
    activityWords(activities) ?? issueWords(owner) ?? 'none of its activities gives a reason';
  const words = `Auto Scaling group ${who} has ${present} of ${desired} machines; ${why}`;
  return [seenHit(group, 'symptom:group-cannot-launch', words)];
}

/** A node group whose Auto Scaling group nobody could read: its instances are counted. */
function gapOfNodeGroup(
  nodeGroup: FactRecord<'aws/node-group'>,
  observations: Observations,
): readonly Hit[] {
  const isListed = observations.listings.some(({ kind }) => kind === 'aws/instance');
  const name = nodeGroup.value.nodegroupName ?? '';
  const desired = nodeGroup.value.scalingConfig?.desiredSize ?? 0;
  const ids = recordsOf(observations, 'aws/instance')
    .map(({ value }) => value)
    .filter((instance) => tagOf(instance, 'eks:nodegroup-name') === name)
    .filter((instance) => /^(?:pending|running)$/.test(instance.State?.Name ?? ''))
    .map((instance) => instance.InstanceId ?? null);
  const present = new Set(ids).size;
  const status = nodeGroup.value.status ?? '';
  const isSettled = status === 'ACTIVE' || status === 'DEGRADED' || status === 'CREATE_FAILED';
  if (!isListed || !isSettled || desired <= present) return [];
  const why = issueWords(nodeGroup.value) ?? 'its health does not mention it';
  const words = `node group ${name} has ${present} of ${desired} machines; ${why}`;
  return [seenHit(nodeGroup, 'symptom:group-cannot-launch', words)];
}

/** Why the last activity failed, null when it did not. */
function activityWords(activities: ScalingActivity[]): string | null {
  const [last] = activities.toSorted((a, b) => startOf(b) - startOf(a));
  const status = last?.StatusCode ?? null;
  if (status !== 'Failed' && status !== 'Cancelled') return null;
  const reason = last?.StatusMessage ?? last?.Description ?? '';
  return `its last activity ${status}: ${reason.slice(0, REASON_CHARACTERS_MAX)}`;
}

function startOf(activity: ScalingActivity): number {
  return isoMs(activity.StartTime ?? '') ?? 0;
}

function issueWords(nodeGroup: NodeGroup | undefined): string | null {
  const [issue] = nodeGroup?.health?.issues ?? [];
  if (issue === undefined) return null;
  const message = (issue.message ?? '').slice(0, REASON_CHARACTERS_MAX);
  return `EKS says ${issue.code ?? ''}: ${message}`;
}
