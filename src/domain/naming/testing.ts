/** Evidence as tests of this folder need it: facts alone, in the order in which they were read. */
import type { FactKind, FactTypes } from '../../evidence/kinds.ts';
import type { FactRecord, Listing, Observations } from '../../evidence/observations.ts';

/** A fact of one kind, without a place that matters. */
export function factOf<K extends FactKind>(kind: K, value: FactTypes[K]): FactRecord {
  const moment = { when: null, at: { document: 0, line: 1 }, isState: true };
  const record = { kind, value, by: 'test', extent: 'whole', locator: 'test:1', moment, about: [] };
  return record as unknown as FactRecord;
}

/** Evidence of these facts, and of complete lists. */
export function observed(
  facts: readonly FactRecord[],
  listings: readonly Listing[] = [],
): Observations {
  const nothing = { documents: [], hits: [], links: [], losses: [], troubled: [] };
  return { ...nothing, facts, listings, collection: null };
}
