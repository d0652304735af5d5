import type { FactKind, FactTypes } from './kinds.ts';
import type { FactRecord, Observations } from './observations.ts';

type ByKind = ReadonlyMap<FactKind, readonly FactRecord[]>;

const BY_KIND = new WeakMap<readonly FactRecord[], ByKind>();

/** All facts by kind, in the order in which they were read; made once of each list. */
export function factsByKind(facts: readonly FactRecord[]): ByKind {
  const known = BY_KIND.get(facts);
  if (known !== undefined) return known;
  const made = Map.groupBy(facts, ({ kind }) => kind);
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
