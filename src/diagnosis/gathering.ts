import type { MachineName } from '../evidence/names.ts';
import type { DocumentSummary, FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { type Placed, placeFacts } from './gathering-facts.ts';
import {
  type Assembly,
  copyOf,
  emptyGroup,
  type Group,
  groupOf,
  isOneMachine,
} from './gathering-names.ts';
import { podPlaces } from './pod-places.ts';
import { isInTrouble } from './subject.ts';

/** A pile by machine; what names no machine is the cluster's. */
export interface Gathered {
  readonly machines: readonly Group[];
  readonly cluster: Group;
  /** All facts that a cluster is judged by. */
  readonly facts: readonly FactRecord[];
}

/** Puts everything seen together by machine. */
export type Gatherer = (observations: Observations) => Gathered;

/** A gatherer that remembers where facts had their places last. */
export function createGatherer(): Gatherer {
  let placed: Placed | null = null;
  return (observations) => {
    placed = placeFacts(observations, placed);
    return gathered(placed, observations);
  };
}

function gathered(placed: Placed, observations: Observations): Gathered {
  const { own, others, ofNobody } = placed;
  const assembly = copyOf(placed.assembly);
  const cluster = { ...emptyGroup(true), facts: ofNobody };
  placeHits(assembly, cluster, observations);
  const homeless = placeOwnFacts(assembly, own, observations);
  const machines = [...assembly.groups.values()].filter(
    (group) => group.primary || group.hits.length > 0,
  );
  // What no machine is known to have said is of one without a name, where no other fails.
  const isAll = homeless.length === 0 || machines.some(isInTrouble);
  return { machines, cluster, facts: isAll ? others : [...others, ...homeless] };
}

/** The machine whose archive or file this is, when it says so itself. */
function ownerOf(document: DocumentSummary, all: readonly DocumentSummary[]): MachineName | null {
  const own = document.machines[0];
  if (own !== undefined) return isOneMachine(document.machines) ? own : null;
  if (document.container === null) return null;
  const sibling = all.find(
    (other) => other.container === document.container && other.machines.length > 0,
  );
  return sibling?.machines[0] ?? null;
}

function placeHits(assembly: Assembly, cluster: Group, observations: Observations): void {
  const homeless: Hit[] = [];
  const places = podPlaces(observations);
  for (const hit of observations.hits) {
    if (places.isHealed(hit)) continue;
    const name = places.nodeOf(hit.about) ?? ownName(hit, observations);
    const group = name === null ? null : groupOf(assembly, name);
    if (group === null) homeless.push(hit);
    else addHit(group, hit);
  }
  const only = onlyMachine(assembly);
  for (const hit of homeless) {
    const inDocument = onlyMachineOf(assembly, hit.document);
    const home = hit.onMachine ? (inDocument ?? only) : null;
    addHit(home ?? cluster, hit);
  }
}

/**
 * Gives each machine what it says of itself: to the one with logs beside it, to the owner of the
 * archive, to the machine that it names, or to the only one that can be meant; the rest is nobody's.
 */
function placeOwnFacts(
  assembly: Assembly,
  own: readonly FactRecord[],
  { documents }: Observations,
): readonly FactRecord[] {
  const only = own.length === 0 ? null : onlyMachine(assembly);
  const inArchive = new Map<string, Group | null>();
  const added = new Map<Group, FactRecord[]>();
  const homeless = own.filter((fact) => {
    const place = fact.moment.at.document;
    const document = documents[place];
    const container = document?.container ?? null;
    if (container !== null && !inArchive.has(container))
      inArchive.set(container, onlyMachineIn(assembly, container, documents));
    const owner = document === undefined ? null : ownerOf(document, documents);
    const group =
      inArchive.get(container ?? '') ??
      onlyMachineOf(assembly, place) ??
      (owner === null ? null : groupOf(assembly, owner)) ??
      knownGroup(assembly, fact.about) ??
      (fact.about.length === 0 ? only : null);
    if (group === null) return true;
    const facts = added.get(group) ?? [];
    facts.push(fact);
    added.set(group, facts);
    return false;
  });
  for (const [group, facts] of added) group.facts = [...group.facts, ...facts];
  return homeless;
}

function knownGroup(assembly: Assembly, names: readonly MachineName[]): Group | null {
  const { groups, unions, keysOf } = assembly;
  const known = names.flatMap(keysOf).map((key) => groups.get(unions.find(key)));
  return known.find((group) => group !== undefined) ?? null;
}

/** The one machine with logs in an archive. */
function onlyMachineIn(
  assembly: Assembly,
  container: string,
  documents: readonly DocumentSummary[],
): Group | null {
  const own = [...assembly.groups.values()].filter((group) =>
    [...group.documents].some((index) => documents[index]?.container === container),
  );
  return own.length === 1 ? (own[0] ?? null) : null;
}

function ownName(hit: Hit, observations: Observations): MachineName | null {
  const document = observations.documents[hit.document];
  return hit.onMachine && document !== undefined ? ownerOf(document, observations.documents) : null;
}

function addHit(group: Group, hit: Hit): void {
  group.hits.push(hit);
  if (hit.onMachine) {
    group.documents.add(hit.document);
    group.primary = true;
  }
}

/** The one machine that nameless logs can be of: the only one here that is in trouble. */
function onlyMachine(assembly: Assembly): Group | null {
  const all = [...assembly.groups.values()];
  const own = all.filter((group) => group.documents.size > 0);
  const known = own.length > 0 ? own : all.filter((group) => group.primary);
  const troubled = known.filter(isInTrouble);
  return troubled.length === 1 ? (troubled[0] ?? null) : null;
}

function onlyMachineOf(assembly: Assembly, document: number): Group | null {
  const own = [...assembly.groups.values()].filter((group) => group.documents.has(document));
  return own.length === 1 ? (own[0] ?? null) : null;
}
