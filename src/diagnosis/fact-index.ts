import type { Seen } from '../evidence/fact.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { FactRecord } from '../evidence/observations.ts';

/** Facts by kind; a machine's own come first, then those of the whole cluster, which all share. */
export interface FactIndex {
  of<K extends FactKind>(kind: K): readonly FactRecord<K>[];
  /** The same as causes see them; made once, since every cause asks on every machine. */
  seen<K extends FactKind>(kind: K): readonly Seen<FactTypes[K]>[];
  has(kind: FactKind): boolean;
  /** The first object of these kinds that its source shows in part. */
  firstCut(kinds: readonly FactKind[]): FactRecord | null;
}

export const NO_FACTS: FactIndex = {
  of: () => [],
  seen: () => [],
  has: () => false,
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

const CUTS = new WeakMap<readonly FactRecord[], FactRecord | null>();

/** The first object that its source shows in part; every subject asks for it. */
export function firstCutIn(facts: readonly FactRecord[]): FactRecord | null {
  const known = CUTS.get(facts);
  if (known !== undefined) return known;
  const cut = facts.find(isCut) ?? null;
  CUTS.set(facts, cut);
  return cut;
}

/** Indexes facts; `shared` is not copied, so that a cluster's facts cost nothing a machine. */
export function indexFacts(own: readonly FactRecord[], shared: FactIndex = NO_FACTS): FactIndex {
  const byKind = Map.groupBy(own, (fact) => fact.kind);
  const cuts = own.filter(isCut);
  const seenByKind = new Map<FactKind, readonly Seen<unknown>[]>();
  const mine = <K extends FactKind>(kind: K): readonly FactRecord<K>[] =>
    (byKind.get(kind) ?? []) as readonly FactRecord[] as readonly FactRecord<K>[];
  return {
    of: (kind) => joined(mine(kind), shared.of(kind)),
    seen<K extends FactKind>(kind: K): readonly Seen<FactTypes[K]>[] {
      const known = seenByKind.get(kind);
      if (known !== undefined) return known as readonly Seen<FactTypes[K]>[];
      const made = joined(mine(kind).map(asSeen), shared.seen(kind));
      seenByKind.set(kind, made);
      return made;
    },
    has: (kind) => byKind.has(kind) || shared.has(kind),
    firstCut: (kinds) => cuts.find(({ kind }) => kinds.includes(kind)) ?? shared.firstCut(kinds),
  };
}
