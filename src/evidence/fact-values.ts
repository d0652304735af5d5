import type { FactKind, FactTypes } from './kinds.ts';
import type { FactRecord, Observations } from './observations.ts';

type ByKind = ReadonlyMap<FactKind, readonly FactRecord[]>;

const BY_KIND = new WeakMap<readonly FactRecord[], ByKind>();

type Parts = readonly (readonly FactRecord[])[];

/** Of a list that was joined, the lists that it was joined of. */
const PARTS = new WeakMap<readonly FactRecord[], Parts>();

/** All facts of several lists; what is asked of a list that was joined before is asked once. */
export function joinedFacts(lists: Parts): readonly FactRecord[] {
  const facts = lists.flat();
  PARTS.set(
    facts,
    lists.filter(({ length }) => length > 0),
  );
  return facts;
}

/** The lists of which a list was joined; of any other the list itself. */
export function partsOf(facts: readonly FactRecord[]): Parts {
  return PARTS.get(facts) ?? [facts];
}

/** By kind; a kind that only one part has is the list of that part. */
function joinedByKind(parts: Parts): ByKind {
  const all = new Map<FactKind, readonly FactRecord[]>();
  for (const part of parts)
    for (const [kind, records] of factsByKind(part)) {
      const known = all.get(kind);
      all.set(kind, known === undefined ? records : known.concat(records));
    }
  return all;
}

/** All facts by kind, in the order in which they were read; made once of each list. */
export function factsByKind(facts: readonly FactRecord[]): ByKind {
  const known = BY_KIND.get(facts);
  if (known !== undefined) return known;
  const parts = PARTS.get(facts);
  const made = parts === undefined ? Map.groupBy(facts, ({ kind }) => kind) : joinedByKind(parts);
  BY_KIND.set(facts, made);
  return made;
}

/** The facts of one kind, in the order in which they were read. */
export function factsOfKind<K extends FactKind>(
  facts: readonly FactRecord[],
  wanted: K,
): readonly FactRecord<K>[] {
  return (factsByKind(facts).get(wanted) ?? []) as unknown as readonly FactRecord<K>[];
}

/** The values of all facts of one kind, in the order in which they were read. */
export function factValues<K extends FactKind>(
  { facts }: Observations,
  wanted: K,
): readonly FactTypes[K][] {
  return factsOfKind(facts, wanted).map(({ value }) => value);
}

/** True when a complete list of the kind was read, so that what it lacks is not there. */
export function isListed({ listings }: Observations, wanted: FactKind): boolean {
  return listings.some(({ kind }) => kind === wanted);
}
