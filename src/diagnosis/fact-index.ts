import type { FactKind } from '../evidence/kinds.ts';
import type { FactRecord } from '../evidence/observations.ts';

/** Facts by kind; a machine's own come first, then those of the whole cluster, which all share. */
export interface FactIndex {
  of<K extends FactKind>(kind: K): readonly FactRecord<K>[];
  has(kind: FactKind): boolean;
}

export const NO_FACTS: FactIndex = { of: () => [], has: () => false };

/** Indexes facts; `shared` is not copied, so that a cluster's facts cost nothing a machine. */
export function indexFacts(own: readonly FactRecord[], shared: FactIndex = NO_FACTS): FactIndex {
  const byKind = Map.groupBy(own, (fact) => fact.kind);
  return {
    of<K extends FactKind>(kind: K): readonly FactRecord<K>[] {
      const mine = (byKind.get(kind) ?? []) as readonly FactRecord[] as readonly FactRecord<K>[];
      const others = shared.of(kind);
      if (others.length === 0) return mine;
      return mine.length === 0 ? others : [...mine, ...others];
    },
    has: (kind) => byKind.has(kind) || shared.has(kind),
  };
}
