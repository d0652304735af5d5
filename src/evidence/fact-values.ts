import type { FactKind, FactTypes } from './kinds.ts';
import type { Observations } from './observations.ts';

/** The values of all facts of one kind, in the order in which they were read. */
export function factValues<K extends FactKind>(
  { facts }: Observations,
  wanted: K,
): readonly FactTypes[K][] {
  return facts.flatMap(({ kind, value }) => (kind === wanted ? [value as FactTypes[K]] : []));
}

/** True when a complete list of the kind was read, so that what it lacks is not there. */
export function isListed({ listings }: Observations, wanted: FactKind): boolean {
  return listings.some(({ kind }) => kind === wanted);
}
