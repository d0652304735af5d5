import type { Told } from '../evidence/shape.ts';
import type { Instance, InstanceStatus } from '../evidence/aws/instance.ts';
import { isSameList } from '../evidence/equal.ts';
import { factsByKind, partsOf } from '../evidence/fact-values.ts';
import { isHostKind, type KubeNode } from '../evidence/kinds.ts';
import type { MachineName } from '../evidence/names.ts';
import type { FactRecord, Observations } from '../evidence/observations.ts';
import { archiveLinks } from './archives.ts';
import { type Assembly, assemblyOf, type Group, groupOf, rootOf } from './gathering-names.ts';

/** What is known of machines, by machine; what they say themselves is placed later. */
export interface Placed {
  readonly observations: Observations;
  readonly assembly: Assembly;
  /** Facts about no machine. */
  readonly ofNobody: readonly FactRecord[];
  /** Whose facts with this list of names are; null for nobody's. */
  readonly homes: WeakMap<readonly MachineName[], string | null>;
  /** What machines say of themselves, which is not placed yet. */
  readonly own: readonly FactRecord[];
  readonly others: readonly FactRecord[];
}

/** Facts that are about a machine itself, so that having one makes it a subject. */
const OWN_FACTS: ReadonlySet<FactRecord['kind']> = new Set([
  'kube/Node',
  'aws/instance',
  'aws/instance-status',
  'kube/NodeClaim',
]);

/** An instance that somebody ended on purpose, and that therefore is nobody's concern. */
function isDismissed({ kind, value }: FactRecord): boolean {
  if (kind === 'aws/instance-status') return isGone((value as InstanceStatus).InstanceState?.Name);
  if (kind !== 'aws/instance') return false;
  const { State: state, StateReason: reason } = value as Instance;
  return isGone(state?.Name) && /^(?:$|Client\.User)/.test(reason?.Code ?? '');
}

function isGone(state: Told<string>): boolean {
  return state === 'terminated' || state === 'shutting-down';
}

/** What machines say of themselves, apart from what is known of them. */
function factsApart({ facts }: Observations): {
  readonly own: readonly FactRecord[];
  readonly others: readonly FactRecord[];
} {
  if (![...factsByKind(facts).keys()].some(isHostKind)) return { own: [], others: facts };
  return {
    own: facts.filter(({ kind }) => isHostKind(kind)),
    others: facts.filter(({ kind }) => !isHostKind(kind)),
  };
}

/** The key of the group whose facts with these names are. */
function homeOf(
  assembly: Assembly,
  homes: Placed['homes'],
  about: readonly MachineName[],
): string | null {
  const known = homes.get(about);
  if (known !== undefined) return known;
  const [name] = about;
  const root = name === undefined ? null : rootOf(assembly, name);
  if (root !== null) for (const other of about) groupOf(assembly, other);
  homes.set(about, root);
  return root;
}

function placedAnew(observations: Observations): Placed {
  const assembly = assemblyOf(observations);
  for (const link of observations.links) for (const name of link.names) groupOf(assembly, name);
  for (const name of archiveLinks(observations).flat()) groupOf(assembly, name);
  const { own, others } = factsApart(observations);
  const homes: Placed['homes'] = new WeakMap();
  const byRoot = Map.groupBy(others, ({ about }) => homeOf(assembly, homes, about));
  for (const [root, facts] of byRoot) {
    const group = root === null ? undefined : assembly.groups.get(root);
    if (group === undefined || root === null) continue;
    const primary = facts.some((fact) => OWN_FACTS.has(fact.kind) && !isDismissed(fact));
    assembly.groups.set(root, { ...group, facts, primary });
  }
  return { observations, assembly, homes, own, others, ofNobody: byRoot.get(null) ?? [] };
}

function areNamedAlike(one: readonly MachineName[], other: readonly MachineName[]): boolean {
  return (
    one === other ||
    (one.length === other.length &&
      one.every(({ kind, value }, index) => {
        const beside = other[index];
        return kind === beside?.kind && value === beside.value;
      }))
  );
}

/** What a Node says by which names are known to be one machine's. */
function linksOf({ name, internalIp, machineId, providerId }: KubeNode): readonly unknown[] {
  return [name, internalIp, machineId, providerId];
}

/** True where a fact has the place of the other, whatever it says beside. */
function isPlacedAlike(one: FactRecord, other: FactRecord): boolean {
  if (one === other) return true;
  if (one.kind !== other.kind || !areNamedAlike(one.about, other.about)) return false;
  if (isDismissed(one) !== isDismissed(other)) return false;
  return (
    one.kind !== 'kube/Node' ||
    isSameList(linksOf(one.value as KubeNode), linksOf(other.value as KubeNode))
  );
}

/** A fact, and the one that stands in its place now. */
type Replaced = readonly [before: FactRecord, now: FactRecord];

function replacedIn(
  before: readonly FactRecord[],
  now: readonly FactRecord[],
): readonly Replaced[] {
  if (before === now) return [];
  return now.flatMap((fact, index): readonly Replaced[] => {
    const known = before[index];
    return known === undefined || known === fact ? [] : [[known, fact]];
  });
}

/** Facts that are others than before, in parts that are; null where there are more or fewer. */
function replacedBetween(
  before: readonly FactRecord[],
  now: readonly FactRecord[],
): readonly Replaced[] | null {
  if (before.length !== now.length) return null;
  const [earlier, later] = [partsOf(before), partsOf(now)];
  const areSplitAlike =
    earlier.length === later.length &&
    later.every(({ length }, index) => length === earlier[index]?.length);
  if (!areSplitAlike) return replacedIn(before, now);
  return later.flatMap((part, index) => replacedIn(earlier[index] ?? [], part));
}

/** True where machines have the names that they had. */
function areNamedAsBefore(before: Observations, now: Observations): boolean {
  return (
    before.links.length === now.links.length &&
    before.documents.length === now.documents.length &&
    now.documents.every(({ container, machines }, index) => {
      const beside = before.documents[index];
      const isLoose = container === null && beside?.container === null;
      return isLoose && areNamedAlike(machines, beside.machines);
    }) &&
    now.links.every(({ names }, index) => areNamedAlike(names, before.links[index]?.names ?? []))
  );
}

/** What was replaced, each by a fact that has its place; null where any has another place. */
function replacedInPlace(before: Placed, now: Observations): readonly Replaced[] | null {
  const known = before.observations;
  if (before.own.length > 0 || !areNamedAsBefore(known, now)) return null;
  const replaced = replacedBetween(known.facts, now.facts);
  return replaced?.every(([one, other]) => isPlacedAlike(other, one)) === true ? replaced : null;
}

/** The same list with facts in the places of others; a fact that stands in it twice is one. */
function withReplaced(
  facts: readonly FactRecord[],
  now: ReadonlyMap<FactRecord, FactRecord>,
): readonly FactRecord[] | null {
  const hasTwice = new Set(facts).size < facts.length;
  return hasTwice ? null : facts.map((fact) => now.get(fact) ?? fact);
}

/** Facts at the places of those before them; only of whom something changed is gathered again. */
function placedAgain(
  before: Placed,
  observations: Observations,
  replaced: readonly Replaced[],
): Placed {
  const { assembly, homes } = before;
  const { facts } = observations;
  const byRoot = new Map<string | null, Map<FactRecord, FactRecord>>();
  for (const [known, fact] of replaced) {
    const root = homes.get(known.about) ?? null;
    homes.set(fact.about, root);
    byRoot.set(root, (byRoot.get(root) ?? new Map<FactRecord, FactRecord>()).set(known, fact));
  }
  const factsOf = (root: string | null, known: readonly FactRecord[]): readonly FactRecord[] => {
    const now = byRoot.get(root);
    if (now === undefined) return known;
    return (
      withReplaced(known, now) ?? facts.filter(({ about }) => (homes.get(about) ?? null) === root)
    );
  };
  const groups = new Map<string, Group>(assembly.groups);
  for (const root of byRoot.keys()) {
    const group = root === null ? undefined : groups.get(root);
    if (group !== undefined && root !== null)
      groups.set(root, { ...group, facts: factsOf(root, group.facts) });
  }
  return {
    ...before,
    observations,
    assembly: { ...assembly, groups },
    others: facts,
    ofNobody: factsOf(null, before.ofNobody),
  };
}

/**
 * Puts what is known of machines together by machine.
 *
 * @param before what was put together last, of which places are kept where no name changed
 */
export function placeFacts(observations: Observations, before: Placed | null): Placed {
  const replaced = before === null ? null : replacedInPlace(before, observations);
  return before === null || replaced === null
    ? placedAnew(observations)
    : placedAgain(before, observations, replaced);
}
