import { isSameList } from '../evidence/equal.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { Hit, Observations } from '../evidence/observations.ts';
import type { Elsewhere } from './cause.ts';
import { type FactIndex, firstCutIn, kindsApart, NO_FACTS } from './fact-index.ts';
import { hitsOf, type Subject } from './subject.ts';
import { fleetOf } from './view.ts';

/** What one look at everything showed. */
export interface World {
  readonly observations: Observations;
  readonly subjects: readonly Subject[];
}

/** What is otherwise than at the look before. */
export interface Changes {
  /** Nothing that was concluded before may be kept. */
  readonly isAll: boolean;
  /** Kinds of which the facts of nobody changed, which every subject sees. */
  readonly shared: ReadonlySet<FactKind>;
  readonly elsewhere: ReadonlySet<Elsewhere>;
}

export const ALL_CHANGED: Changes = { isAll: true, shared: new Set(), elsewhere: new Set() };

function clusterOf({ subjects }: World): Subject | undefined {
  return subjects.findLast(({ kind }) => kind === 'Cluster');
}

/** The facts that all subjects share. */
function sharedBy({ subjects }: World): FactIndex {
  return subjects[0]?.facts.shared ?? NO_FACTS;
}

function inOneOrder(all: readonly string[]): readonly string[] {
  return [...new Set(all)].toSorted();
}

/**
 * What was listed and what was refused, on which any conclusion may rest; it seldom changes.
 * Answers come in any order, and of one list in any number of pages.
 */
function frameOf({ listings, collection, facts }: Observations): string {
  const refusals = collection?.refusals.map(({ call, failure, permission }) =>
    [call, failure, permission].join(' '),
  );
  const listed = listings.map(({ kind, by, locator }) => [kind, by, locator].join(' '));
  const cut = firstCutIn(facts)?.locator ?? null;
  return JSON.stringify([inOneOrder(listed), inOneOrder(refusals ?? []), collection?.cluster, cut]);
}

function fleetIn({ subjects, observations }: World): string {
  const areAllListed = observations.listings.some(({ kind }) => kind === 'kube/Node');
  return JSON.stringify(fleetOf(subjects, areAllListed));
}

function milestonesOf({ hits }: Subject): readonly Hit[] {
  return hits.filter(({ owner }) => owner.startsWith('milestone:'));
}

/** Causes whose reading of the cluster's lines is otherwise than before. */
function clusterChanges(
  before: Subject | undefined,
  now: Subject | undefined,
  causes: Iterable<string>,
): readonly Elsewhere[] {
  if (before === undefined || now === undefined) return [];
  const isOver = !isSameList(milestonesOf(before), milestonesOf(now));
  return [...causes]
    .filter((id) => isOver || !isSameList(hitsOf(before, id), hitsOf(now, id)))
    .map((id): Elsewhere => `cluster ${id}`);
}

/**
 * What changed from one look to the next.
 *
 * @param clusterReaders ids of causes that read how their signs stand on the cluster
 */
export function changesBetween(
  before: World | null,
  now: World,
  clusterReaders: ReadonlySet<string>,
): Changes {
  // Of what others collected each pile is another.
  if (before === null || now.observations.collection === null) return ALL_CHANGED;
  if (frameOf(before.observations) !== frameOf(now.observations)) return ALL_CHANGED;
  const [cluster, known] = [clusterOf(now), clusterOf(before)];
  if ((cluster === undefined) !== (known === undefined)) return ALL_CHANGED;
  const kinds = kindsApart(known?.facts ?? NO_FACTS, cluster?.facts ?? NO_FACTS);
  const elsewhere = new Set<Elsewhere>([...kinds].map((kind): Elsewhere => `all ${kind}`));
  for (const one of clusterChanges(known, cluster, clusterReaders)) elsewhere.add(one);
  if (fleetIn(before) !== fleetIn(now)) elsewhere.add('fleet');
  const isOther = !isSameList(before.observations.hits, now.observations.hits);
  if (kinds.size > 0 || isOther) elsewhere.add('everything');
  return { isAll: false, shared: kindsApart(sharedBy(before), sharedBy(now)), elsewhere };
}
