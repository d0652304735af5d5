import { checksumOf } from '../../evidence/checksum.ts';
import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { Observations, Refusal, Shortened } from '../../evidence/observations.ts';
import { skewOf } from '../../diagnosis/clock-skew.ts';
import type { Common } from '../../readers/collector.ts';
import type { CollectedDocument, CollectedEvidence } from '../document.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';
import { WATCHED_KINDS } from '../watched.ts';
import {
  type Chunk,
  joinedChunks,
  keptChunk,
  movedChunk,
  NOTHING_SAID,
  readChunk,
} from './chunk.ts';
import { leaseSum, renewedLease } from './renewed-lease.ts';
import { createShelf, readObject, type Shelf, type ShelfState } from './shelf.ts';

/** What one round of questions to AWS, or to the machines, was answered. */
export interface Round {
  readonly said: Chunk;
  readonly refusals: readonly Refusal[];
  readonly shortened: readonly Shortened[];
  /** Tells whether another round was answered the same. */
  readonly sum: string;
}

export const NO_ROUND: Round = { said: NOTHING_SAID, refusals: [], shortened: [], sum: '' };

/** In which order the answers came says nothing, and would make each fact another one. */
function inOneOrder(contents: readonly CollectedDocument[]): readonly CollectedDocument[] {
  return contents
    .map((document) => ({ document, text: JSON.stringify([document.locator, document.content]) }))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ document }) => document);
}

/** What was said is read again only where it is said otherwise than before. */
function readRound(
  contents: readonly CollectedDocument[],
  before: Round,
): Pick<Round, 'said' | 'sum'> {
  const ordered = inOneOrder(contents);
  const sum = ordered
    .map(({ locator, content }) => checksumOf(JSON.stringify([locator, content])))
    .join(' ');
  if (sum === before.sum) return before;
  return { said: keptChunk(readChunk(ordered), before.said), sum };
}

/**
 * Gathers what a collection is answered into one round.
 *
 * @param before the round before this one, of which is kept what is said again
 */
export function gatherRound(
  before: Round = NO_ROUND,
): CollectedEvidence & { readonly round: () => Round } {
  const contents: CollectedDocument[] = [];
  const refusals: Refusal[] = [];
  const shortened = new Map<string, number>();
  return {
    add: (document) => void contents.push(document),
    refuse(refusal) {
      if (!refusals.some(({ call }) => call === refusal.call)) refusals.push(refusal);
    },
    shorten: (what, count) => void shortened.set(what, (shortened.get(what) ?? 0) + count),
    round: () => ({
      ...readRound(contents, before),
      refusals,
      shortened: [...shortened].map(([what, count]) => ({ what, count })),
    }),
  };
}

/** Objects kept of one list at most: of Events there may be more than anybody reads. */
const OBJECTS_MAX = 200_000;
const EVENTS_MAX = 10_000;

/** How many objects are kept of a list. */
export function mostOf({ resource }: PlannedList): number {
  return resource.kind === 'Event' ? EVENTS_MAX : OBJECTS_MAX;
}

export interface Moment {
  readonly nowMs: number;
  readonly cluster: string | null;
  /** How far the clock here is ahead of the API server's, ms; null when nobody knows. */
  readonly skewMs: number | null;
  /** What is known beforehand not to be answered. */
  readonly refusals: readonly Refusal[];
}

/** One object of a list, read once. */
export interface ListedObject {
  readonly said: Chunk;
  /** Objects with equal marks say the same. */
  readonly mark: string;
  /** Of a Node on EC2. */
  readonly providerId: string | null;
  /** Of a Lease: equal where it was only renewed. */
  readonly leaseSum: string | null;
}

/**
 * Reads an object of a planned list; the object itself need not be kept.
 *
 * @param before the object as it was read last, of which a Lease that was renewed keeps the rest
 */
export function readListed(
  planned: PlannedList,
  object: JsonObject,
  common?: Common,
  before: ListedObject | null = null,
): ListedObject {
  const { kind } = planned.resource;
  const sum = kind === 'Lease' ? leaseSum(object) : null;
  const isRenewed = sum !== null && before?.leaseSum === sum;
  const said =
    (isRenewed ? renewedLease(object, before.said) : null) ?? readObject(planned, object, common);
  const id = kind === 'Node' ? textAt(object, 'spec.providerID') : null;
  return {
    said,
    // Two that collide delay news until the next judgement that is due anyway.
    mark: checksumOf(markOf(planned, object, said)),
    providerId: id?.startsWith('aws:') === true ? id : null,
    leaseSum: sum,
  };
}

/** Everything known of a cluster, kept object by object, and given as one pile at any moment. */
export interface ResidentStore {
  /** @returns true when it says anything else than before; a heartbeat does not */
  put(planned: PlannedList, key: string, listed: ListedObject): boolean;
  remove(planned: PlannedList, key: string): void;
  /** Makes room for newer objects; that there are more is in each pile from then on. */
  forget(planned: PlannedList, key: string): void;
  setState(planned: PlannedList, state: ShelfState): void;
  stateOf(planned: PlannedList): ShelfState;
  /** What AWS said; what was said before is forgotten. */
  setAws(round: Round): void;
  /** The latest rounds. */
  readonly rounds: Rounds;
  /** What machines that are not well were asked one by one. */
  setDetails(round: Round): void;
  /** providerIDs of the Nodes. */
  providerIds(): readonly string[];
  /** True when each list is whole, or known not to be had. */
  isSettled(): boolean;
  size(): number;
  observations(moment: Moment): Observations;
}

function markOf(planned: PlannedList, object: JsonObject, said: Chunk): string {
  const watched = WATCHED_KINDS.find(
    ({ resource }) =>
      resource.kind === planned.resource.kind && resource.group === planned.resource.group,
  );
  if (watched !== undefined) return watched.markOf(object);
  // A renewed Lease is a heartbeat: it is read when something else asks.
  if (planned.resource.kind === 'Lease') return '';
  return JSON.stringify(said.facts.map(({ value }) => value));
}

/** Lists that are not whole, as a look tells that they were refused. */
function refusalsOf(shelves: readonly Shelf[]): readonly Refusal[] {
  return shelves.flatMap(({ state }) => (typeof state === 'object' ? [state] : []));
}

/** One planned list with what tells a heartbeat from news. */
interface Kept {
  readonly shelf: Shelf;
  /** By key: equal marks say the same. */
  readonly marks: Map<string, string>;
}

/** Takes an object in; false when it says nothing new, null when there is no room for it. */
function putInto(
  { shelf, marks }: Kept,
  key: string,
  { said, mark }: ListedObject,
): boolean | null {
  if (!marks.has(key) && shelf.size >= mostOf(shelf.planned)) return null;
  const isNews = marks.get(key) !== mark;
  marks.set(key, mark);
  shelf.put(key, said);
  return isNews;
}

/** The lists by their plan. */
function createKept(): {
  readonly all: readonly Kept[];
  readonly of: (planned: PlannedList) => Kept;
} {
  const all = KUBE_LISTS.map((planned) => ({ shelf: createShelf(planned), marks: new Map() }));
  return {
    all,
    of(planned) {
      const kept = all[KUBE_LISTS.indexOf(planned)];
      if (kept === undefined) throw new Error(`${planned.resource.plural} is in no planned list`);
      return kept;
    },
  };
}

/** The rounds beside the lists of Kubernetes. */
export interface Rounds {
  readonly aws: Round;
  readonly details: Round;
}

/** Rounds at their places in the pile; one that is the same stays the same objects. */
function createPlaces(): (round: Round, before: number) => Chunk {
  let known: { readonly said: Chunk; readonly before: number; readonly moved: Chunk } | null = null;
  return ({ said }, before) => {
    if (known?.said !== said || known.before !== before)
      known = {
        said,
        before,
        moved: keptChunk(movedChunk(said, before), known?.moved ?? NOTHING_SAID),
      };
    return known.moved;
  };
}

function pileOf(
  shelves: readonly Shelf[],
  { aws, details }: Rounds,
  { nowMs, cluster, skewMs, refusals }: Moment,
  leftOut: number,
  said: readonly Chunk[],
): Observations {
  const chunks = [...shelves.map((shelf) => shelf.chunk()), ...said];
  const left = leftOut === 0 ? [] : [{ what: 'objects beyond those kept', count: leftOut }];
  return joinedChunks(chunks, {
    atMs: nowMs,
    cluster,
    asked: [],
    refusals: [
      ...skewOf(skewMs),
      ...refusals,
      ...refusalsOf(shelves),
      ...aws.refusals,
      ...details.refusals,
    ],
    shortened: [...aws.shortened, ...details.shortened, ...left],
  });
}

export function createResidentStore(): ResidentStore {
  const kept = createKept();
  const shelves = kept.all.map(({ shelf }) => shelf);
  const providers = new Map<string, string>();
  let rounds: Rounds = { aws: NO_ROUND, details: NO_ROUND };
  let leftOut = 0;
  const [placeAws, placeDetails] = [createPlaces(), createPlaces()];
  const remove = (planned: PlannedList, key: string): void => {
    const { shelf, marks } = kept.of(planned);
    marks.delete(key);
    if (planned.resource.kind === 'Node') providers.delete(key);
    shelf.remove(key);
  };
  return {
    put(planned, key, listed) {
      const isNews = putInto(kept.of(planned), key, listed);
      if (isNews === null) leftOut += 1;
      if (listed.providerId !== null) providers.set(key, listed.providerId);
      return isNews === true;
    },
    remove,
    forget(planned, key) {
      remove(planned, key);
      leftOut += 1;
    },
    setState(planned, state) {
      kept.of(planned).shelf.state = state;
    },
    stateOf: (planned) => kept.of(planned).shelf.state,
    setAws(round) {
      rounds = { ...rounds, aws: round };
    },
    get rounds() {
      return rounds;
    },
    setDetails(round) {
      rounds = { ...rounds, details: round };
    },
    providerIds: () => [...providers.values()],
    isSettled: () => shelves.every(({ state }) => state !== 'loading'),
    size: () => shelves.reduce((sum, { size }) => sum + size, 0),
    observations(moment) {
      const aws = placeAws(rounds.aws, shelves.length);
      const details = placeDetails(rounds.details, shelves.length + aws.documents.length);
      return pileOf(shelves, rounds, moment, leftOut, [aws, details]);
    },
  };
}
