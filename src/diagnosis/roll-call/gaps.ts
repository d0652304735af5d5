import type { Told } from '../../evidence/shape.ts';
import type { AutoScalingGroup, NodeGroup } from '../../evidence/aws/groups.ts';
import { factValues } from '../../evidence/fact-values.ts';
import { isTerminated } from '../../domain/nodes/fleet.ts';
import { capacityOf } from '../../domain/instances/launch.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { DiagnosisDocument } from '../document.ts';
import { groupOf, tagsOf } from './attributes.ts';
import type { GroupGap, MachineGroup } from './document.ts';
import { type Findings, headlineOf } from './headline.ts';
import type { CalledMachine } from './machines.ts';

/** How many machines a group wants and has, by what AWS answered of it. */
interface GroupSize {
  readonly group: MachineGroup;
  /** All names of the group: a managed node group is an Auto Scaling group too. */
  readonly names: readonly string[];
  readonly desired: number;
  readonly present: number;
}

function countOf(told: Told<number>): number | null {
  return typeof told === 'number' && Number.isInteger(told) && told >= 0 ? told : null;
}

/** States that count towards the desired size; instances that leave or stand by do not. */
const PRESENT = /^(?:InService|Pending)/;

function sizesOfAutoScaling(groups: readonly AutoScalingGroup[]): readonly GroupSize[] {
  return groups.flatMap((value): GroupSize[] => {
    const { AutoScalingGroupName: name } = value;
    const desired = countOf(value.DesiredCapacity);
    if (name === undefined || desired === null) return [];
    // What counts vCPUs or memory cannot be told from a full group.
    const present = capacityOf(value, PRESENT) ?? desired;
    const group = groupOf({ ...tagsOf(value), 'aws:autoscaling:groupName': name });
    const names = [name, ...(group.name === null ? [] : [group.name])];
    return [{ group, names, desired, present }];
  });
}

/** A managed node group names the Auto Scaling groups that EKS made for it. */
function scalingGroupsOf({ resources }: NodeGroup): readonly string[] {
  return (resources?.autoScalingGroups ?? []).map(({ name }) => name ?? '');
}

/** A managed node group whose Auto Scaling group nobody could read: its instances are counted. */
function sizesOfNodeGroups(
  groups: readonly NodeGroup[],
  known: readonly GroupSize[],
  present: ReadonlyMap<string, number>,
): readonly GroupSize[] {
  const told = new Set(known.flatMap(({ names }) => names));
  return groups.flatMap((value): GroupSize[] => {
    const { nodegroupName: name, scalingConfig } = value;
    const desired = countOf(scalingConfig?.desiredSize);
    if (name === undefined || desired === null) return [];
    if ([name, ...scalingGroupsOf(value)].some((alias) => told.has(alias))) return [];
    if (value.status === 'DELETING') return [];
    const group: MachineGroup = { kind: 'NodeGroup', name };
    return [{ group, names: [name], desired, present: present.get(keyOf(group)) ?? 0 }];
  });
}

export function keyOf({ kind, name }: MachineGroup): string {
  return `${kind} ${name ?? ''}`;
}

function countPresent(
  machines: readonly CalledMachine[],
  groups: ReadonlyMap<CalledMachine, MachineGroup>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const machine of machines) {
    const group = groups.get(machine);
    if (group === undefined || machine.instance === null || isTerminated(machine.instance))
      continue;
    counts.set(keyOf(group), (counts.get(keyOf(group)) ?? 0) + 1);
  }
  return counts;
}

/** Each object once, as it was read last. */
function latestBy<T>(values: readonly T[], nameOf: (value: T) => Told<string>): readonly T[] {
  return [...new Map(values.map((value) => [nameOf(value) ?? '', value])).values()];
}

function gapOf(size: GroupSize, document: DiagnosisDocument, findings: Findings): GroupGap {
  const { group, names, desired, present } = size;
  const subject = document.subjects.find(
    ({ kind, name }) => kind !== 'Machine' && kind !== 'Cluster' && names.includes(name),
  );
  return {
    group,
    desired,
    present,
    verdict: subject?.verdict === 'not-usable' ? 'not-usable' : 'cannot-tell',
    headline: subject === undefined ? null : headlineOf(subject, findings),
  };
}

/**
 * Groups that want more machines than they have. They are no rows: a row is a machine or a claim
 * for one, and what a group lacks has neither name nor instance, so nothing of it could be told
 * apart. A node group whose instances nobody listed has no known gap.
 */
export function gapsOf(
  observations: Observations,
  document: DiagnosisDocument,
  findings: Findings,
  groups: ReadonlyMap<CalledMachine, MachineGroup>,
): readonly GroupGap[] {
  const byScaling = sizesOfAutoScaling(
    latestBy(factValues(observations, 'aws/auto-scaling-group'), (one) => one.AutoScalingGroupName),
  );
  const isListed = observations.listings.some(({ kind }) => kind === 'aws/instance');
  const present = countPresent([...groups.keys()], groups);
  const byNodeGroup = isListed
    ? sizesOfNodeGroups(
        latestBy(factValues(observations, 'aws/node-group'), (one) => one.nodegroupName),
        byScaling,
        present,
      )
    : [];
  return [...byScaling, ...byNodeGroup]
    .filter((size) => size.desired > size.present)
    .map((size) => gapOf(size, document, findings));
}

/** The gap in words: `NodeGroup workers has 3 of 5 machines`. */
export function gapSentence({ group, desired, present, headline }: GroupGap): string {
  const why = headline === null ? '' : `: ${headline.cause}`;
  return `${group.kind} ${group.name ?? ''} has ${present} of ${desired} machines${why}`;
}
