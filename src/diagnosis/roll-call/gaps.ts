import { isTerminated } from '../../domain/nodes/fleet.ts';
import { type Json, listAt, textAt } from '../../evidence/json.ts';
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

function numberAt(value: Json, path: string): number | null {
  const text = textAt(value, path);
  const found = text === null ? Number.NaN : Number(text);
  return Number.isInteger(found) && found >= 0 ? found : null;
}

/** States that count towards the desired size; instances that leave or stand by do not. */
const PRESENT = /^(?:InService|Pending)/;

function sizesOfAutoScaling(groups: readonly Json[]): readonly GroupSize[] {
  return groups.flatMap((value): GroupSize[] => {
    const name = textAt(value, 'AutoScalingGroupName');
    const desired = numberAt(value, 'DesiredCapacity');
    if (name === null || desired === null) return [];
    // What counts vCPUs or memory cannot be told from a full group.
    const present = capacityOf(value, PRESENT) ?? desired;
    const group = groupOf({ ...tagsOf(value), 'aws:autoscaling:groupName': name });
    const names = [name, ...(group.name === null ? [] : [group.name])];
    return [{ group, names, desired, present }];
  });
}

/** A managed node group names the Auto Scaling groups that EKS made for it. */
function scalingGroupsOf(group: Json): readonly string[] {
  return listAt(group, 'resources.autoScalingGroups').map((entry) => textAt(entry, 'name') ?? '');
}

/** A managed node group whose Auto Scaling group nobody could read: its instances are counted. */
function sizesOfNodeGroups(
  groups: readonly Json[],
  known: readonly GroupSize[],
  present: ReadonlyMap<string, number>,
): readonly GroupSize[] {
  const told = new Set(known.flatMap(({ names }) => names));
  return groups.flatMap((value): GroupSize[] => {
    const name = textAt(value, 'nodegroupName');
    const desired = numberAt(value, 'scalingConfig.desiredSize');
    if (name === null || desired === null) return [];
    if ([name, ...scalingGroupsOf(value)].some((alias) => told.has(alias))) return [];
    if (textAt(value, 'status') === 'DELETING') return [];
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

function latestBy(observations: Observations, kind: string, field: string): readonly Json[] {
  const latest = new Map<string, Json>();
  for (const fact of observations.facts) {
    const value = fact.value as Json;
    if (fact.kind === kind) latest.set(textAt(value, field) ?? '', value);
  }
  return [...latest.values()];
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
    latestBy(observations, 'aws/auto-scaling-group', 'AutoScalingGroupName'),
  );
  const isListed = observations.listings.some(({ kind }) => kind === 'aws/instance');
  const present = countPresent([...groups.keys()], groups);
  const byNodeGroup = isListed
    ? sizesOfNodeGroups(
        latestBy(observations, 'aws/node-group', 'nodegroupName'),
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
