import type { Seen } from '../evidence/fact.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import { isSameList } from '../evidence/equal.ts';
import { factsByKind, partsOf } from '../evidence/fact-values.ts';
import type { FactRecord } from '../evidence/observations.ts';

/** Facts by kind; a machine's own come first, then those of the whole cluster, which all share. */
export interface FactIndex {
  of<K extends FactKind>(kind: K): readonly FactRecord<K>[];
  /** The same as causes see them; made once, since every cause asks on every machine. */
  seen<K extends FactKind>(kind: K): readonly Seen<FactTypes[K]>[];
  has(kind: FactKind): boolean;
  /** Those of the machine itself; the same list as long as each is the same. */
  own<K extends FactKind>(kind: K): readonly FactRecord<K>[];
  readonly ownKinds: ReadonlySet<FactKind>;
  /** Those of the whole cluster; null for the cluster's own index. */
  readonly shared: FactIndex | null;
  /** The first object of these kinds that its source shows in part. */
  firstCut(kinds: readonly FactKind[]): FactRecord | null;
}

export const NO_FACTS: FactIndex = {
  of: () => [],
  seen: () => [],
  has: () => false,
  own: () => [],
  ownKinds: new Set(),
  shared: null,
  firstCut: () => null,
};

export function asSeen<K extends FactKind>(record: FactRecord<K>): Seen<FactTypes[K]> {
  return { state: 'seen', value: record.value, by: record.by, locator: record.locator };
}

function joined<T>(own: readonly T[], others: readonly T[]): readonly T[] {
  if (others.length === 0) return own;
  return own.length === 0 ? others : [...own, ...others];
}

/** Nodes do not count: they are shown in several forms anyway. */
function isCut({ kind, extent }: FactRecord): boolean {
  return kind !== 'kube/Node' && extent === 'part';
}

const CUTS = new WeakMap<readonly FactRecord[], readonly FactRecord[]>();

function cutsOfPart(facts: readonly FactRecord[]): readonly FactRecord[] {
  const known = CUTS.get(facts);
  if (known !== undefined) return known;
  const cuts = facts.filter(isCut);
  CUTS.set(facts, cuts);
  return cuts;
}

/** All objects that their source shows in part; every subject asks for them. */
function cutsIn(facts: readonly FactRecord[]): readonly FactRecord[] {
  return partsOf(facts).flatMap(cutsOfPart);
}

/** The first object that its source shows in part. */
export function firstCutIn(facts: readonly FactRecord[]): FactRecord | null {
  return cutsIn(facts)[0] ?? null;
}

const SEEN = new WeakMap<readonly FactRecord[], readonly Seen<unknown>[]>();

/** Facts as causes see them; made once of each list. */
export function allAsSeen<K extends FactKind>(
  records: readonly FactRecord<K>[],
): readonly Seen<FactTypes[K]>[] {
  const known = SEEN.get(records) ?? records.map(asSeen);
  SEEN.set(records, known);
  return known as readonly Seen<FactTypes[K]>[];
}

/** The facts of each kind; where each is the same as before, the same list. */
function listedByKind(
  facts: readonly FactRecord[],
  before: FactIndex,
): ReadonlyMap<FactKind, readonly FactRecord[]> {
  const byKind = new Map<FactKind, readonly FactRecord[]>();
  for (const [kind, records] of factsByKind(facts)) {
    const known = before.own(kind);
    byKind.set(kind, isSameList(records, known) ? known : records);
  }
  return byKind;
}

/**
 * Indexes facts; `shared` is not copied, so that a cluster's facts cost nothing a machine.
 *
 * @param before an index of the same machine, of which lists that did not change are kept
 */
export function indexFacts(
  own: readonly FactRecord[],
  shared: FactIndex = NO_FACTS,
  before: FactIndex = NO_FACTS,
): FactIndex {
  const byKind = listedByKind(own, before);
  const ofKind = new Map<FactKind, readonly FactRecord[]>();
  const seenByKind = new Map<FactKind, readonly Seen<unknown>[]>();
  const mine = <K extends FactKind>(kind: K): readonly FactRecord<K>[] =>
    (byKind.get(kind) ?? []) as readonly FactRecord<K>[];
  return {
    own: mine,
    ownKinds: new Set(byKind.keys()),
    shared,
    of<K extends FactKind>(kind: K): readonly FactRecord<K>[] {
      const known = ofKind.get(kind);
      if (known !== undefined) return known as readonly FactRecord<K>[];
      const made = joined(mine(kind), shared.of(kind));
      ofKind.set(kind, made);
      return made;
    },
    seen<K extends FactKind>(kind: K): readonly Seen<FactTypes[K]>[] {
      const known = seenByKind.get(kind);
      if (known !== undefined) return known as readonly Seen<FactTypes[K]>[];
      const made = joined(allAsSeen(mine(kind)), shared.seen(kind));
      seenByKind.set(kind, made);
      return made;
    },
    has: (kind) => byKind.has(kind) || shared.has(kind),
    firstCut: (kinds) =>
      cutsIn(own).find(({ kind }) => kinds.includes(kind)) ?? shared.firstCut(kinds),
  };
}

const NO_KINDS: ReadonlySet<FactKind> = new Set();

/** Kinds of which two indexes hold other facts of their own. */
export function kindsApart(one: FactIndex, other: FactIndex): ReadonlySet<FactKind> {
  if (one === other) return NO_KINDS;
  const kinds = [...one.ownKinds.union(other.ownKinds)];
  return new Set(kinds.filter((kind) => !isSameList(one.own(kind), other.own(kind))));
}
