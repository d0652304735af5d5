import { groupOfInstance } from '../domain/instances/launch.ts';
import type { Quote } from '../evidence/sighting.ts';
import type { SubjectReport } from './document.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';

/** How lines made from answers and objects begin when they speak of a group of machines. */
const GROUPS = [
  { kind: 'NodeGroup', line: /^node group (\S+) (?:issue|has)\b/ },
  {
    kind: 'AutoScalingGroup',
    line: /^Auto Scaling group (\S+) (?:activity\b|(?:\(node group (\S+)\) )?has\b)/,
  },
  { kind: 'NodePool', line: /^NodePool (\S+) condition\b/ },
] as const;

interface Grouped {
  readonly kind: SubjectReport['kind'];
  readonly name: string;
  /** All names in the line: a managed node group is an Auto Scaling group too. */
  readonly names: readonly string[];
}

function groupIn({ excerpt }: Quote): Grouped | null {
  for (const { kind, line } of GROUPS) {
    const [, name, owner = name] = line.exec(excerpt) ?? [];
    if (name !== undefined && owner !== undefined) return { kind, name, names: [name, owner] };
  }
  return null;
}

function groupOf({ cause, match }: FoundCause): Grouped | null {
  const [first] = match.proof;
  return cause.scope !== 'group' || first === undefined ? null : groupIn(first);
}

/**
 * What was found of a named group, or stands open of one, becomes that group's own subject. A gap
 * that a launch cause of the group, of the cluster or of one of the group's machines explains is
 * none of its own.
 */
export function splitGroups(
  cluster: Standing,
  machines: readonly Standing[] = [],
): readonly Standing[] {
  const groups = new Map<string, Standing>();
  const standingOf = ({ kind, name }: Grouped): Standing =>
    groups.get(`${kind} ${name}`) ?? {
      ...cluster,
      founds: [],
      symptoms: [],
      subject: { ...cluster.subject, kind, name },
    };
  const put = (group: Grouped, standing: Standing): void => {
    groups.set(`${group.kind} ${group.name}`, standing);
  };
  for (const found of cluster.founds) {
    const group = groupOf(found);
    if (group === null) continue;
    const known = standingOf(group);
    put(group, { ...known, founds: [...known.founds, found] });
  }
  for (const { group, symptom } of cluster.symptoms.flatMap(gapsOf)) {
    if (isExplained(group, cluster, machines)) continue;
    const known = standingOf(group);
    put(group, { ...known, symptoms: [...known.symptoms, symptom] });
  }
  return [...groups.values(), withoutGroups(cluster)];
}

function withoutGroups(cluster: Standing): Standing {
  return {
    ...cluster,
    founds: cluster.founds.filter((found) => groupOf(found) === null),
    symptoms: cluster.symptoms.filter((open) => gapsOf(open).length === 0),
  };
}

function gapsOf(
  open: OpenSymptom,
): readonly { readonly group: Grouped; readonly symptom: OpenSymptom }[] {
  if (open.symptom.id !== 'group-cannot-launch') return [];
  return open.proof.flatMap((quote) => {
    const group = groupIn(quote);
    return group === null ? [] : [{ group, symptom: { ...open, proof: [quote] } }];
  });
}

function isExplained(group: Grouped, { founds }: Standing, machines: readonly Standing[]): boolean {
  const isOwn = (found: FoundCause): boolean => {
    const named = groupOf(found)?.names ?? [found.match.details['group'] ?? ''];
    return named.every((name) => name === '' || group.names.includes(name));
  };
  return (
    founds.some((found) => found.cause.stage === 'launched' && isOwn(found)) ||
    machines.some((machine) => isMissedBy(group, machine))
  );
}

/** A machine of the group whose launch or end is explained already. */
function isMissedBy(group: Grouped, { subject, founds }: Standing): boolean {
  if (!founds.some(({ cause }) => cause.stage === 'launched')) return false;
  return subject.facts
    .of('aws/instance')
    .filter(({ value }) => (value.InstanceId ?? null) === subject.instanceId)
    .some(({ value }) => group.names.includes(groupOfInstance(value) ?? '-'));
}
