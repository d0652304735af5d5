import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { Observations, Refusal, Shortened } from '../../evidence/observations.ts';
import { skewOf } from '../../diagnosis/clock-skew.ts';
import type { CollectedDocument, CollectedEvidence } from '../document.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';
import { WATCHED_KINDS } from '../watched.ts';
import { type Chunk, joinedChunks, movedChunk, NOTHING_SAID, readChunk } from './chunk.ts';
import { createShelf, readObject, type Shelf, type ShelfState } from './shelf.ts';

/** What one round of questions to AWS, or to the machines, was answered. */
export interface Round {
  readonly said: Chunk;
  readonly refusals: readonly Refusal[];
  readonly shortened: readonly Shortened[];
}

export const NO_ROUND: Round = { said: NOTHING_SAID, refusals: [], shortened: [] };

/** Gathers what a collection is answered into one round. */
export function gatherRound(): CollectedEvidence & { readonly round: () => Round } {
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
      said: readChunk(contents),
      refusals,
      shortened: [...shortened].map(([what, count]) => ({ what, count })),
    }),
  };
}

/** Objects kept of one list at most: of Events there may be more than anybody reads. */
const OBJECTS_MAX = 200_000;
const EVENTS_MAX = 10_000;

export interface Moment {
  readonly nowMs: number;
  readonly cluster: string | null;
  /** How far the clock here is ahead of the API server's, ms; null when nobody knows. */
  readonly skewMs: number | null;
  /** What is known beforehand not to be answered. */
  readonly refusals: readonly Refusal[];
}

/** Everything known of a cluster, kept object by object, and given as one pile at any moment. */
export interface ResidentStore {
  /** @returns true when it says anything else than before; a heartbeat does not */
  put(planned: PlannedList, key: string, object: JsonObject): boolean;
  remove(planned: PlannedList, key: string): void;
  setState(planned: PlannedList, state: ShelfState): void;
  stateOf(planned: PlannedList): ShelfState;
  /** What AWS said; what was said before is forgotten. */
  setAws(round: Round): void;
  /** What machines that are not well were asked one by one. */
  setDetails(round: Round): void;
  /** providerIDs of the Nodes. */
  providerIds(): readonly string[];
  /** True when each list is whole, or known not to be had. */
  isSettled(): boolean;
  size(): number;
  observations(moment: Moment): Observations;
}

interface Marked {
  readonly mark: string;
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

export function createResidentStore(): ResidentStore {
  const shelves = KUBE_LISTS.map(createShelf);
  const marks = KUBE_LISTS.map(() => new Map<string, Marked>());
  const providers = new Map<string, string>();
  let aws = NO_ROUND;
  let details = NO_ROUND;
  let tooMany = 0;
  const at = (planned: PlannedList): number => KUBE_LISTS.indexOf(planned);
  const shelfOf = (planned: PlannedList): Shelf => {
    const shelf = shelves[at(planned)];
    if (shelf === undefined) throw new Error(`${planned.resource.plural} is in no planned list`);
    return shelf;
  };
  const noteProvider = ({ resource }: PlannedList, key: string, object: JsonObject): void => {
    const id = resource.kind === 'Node' ? textAt(object, 'spec.providerID') : null;
    if (id !== null && id.startsWith('aws:')) providers.set(key, id);
  };
  return {
    put(planned, key, object) {
      const shelf = shelfOf(planned);
      const known = marks[at(planned)];
      const most = planned.resource.kind === 'Event' ? EVENTS_MAX : OBJECTS_MAX;
      if (known?.has(key) === false && shelf.size >= most) {
        tooMany += 1;
        return false;
      }
      const said = readObject(planned, object);
      const mark = markOf(planned, object, said);
      const isNews = known?.get(key)?.mark !== mark;
      known?.set(key, { mark });
      noteProvider(planned, key, object);
      shelf.put(key, said);
      return isNews;
    },
    remove(planned, key) {
      marks[at(planned)]?.delete(key);
      if (planned.resource.kind === 'Node') providers.delete(key);
      shelfOf(planned).remove(key);
    },
    setState(planned, state) {
      shelfOf(planned).state = state;
    },
    stateOf: (planned) => shelfOf(planned).state,
    setAws(round) {
      aws = { ...round, said: movedChunk(round.said, shelves.length) };
    },
    setDetails(round) {
      details = round;
    },
    providerIds: () => [...providers.values()],
    isSettled: () => shelves.every(({ state }) => state !== 'loading'),
    size: () => shelves.reduce((sum, { size }) => sum + size, 0),
    observations({ nowMs, cluster, skewMs, refusals }) {
      const before = shelves.length + aws.said.documents.length;
      const chunks = [
        ...shelves.map((shelf) => shelf.chunk()),
        aws.said,
        movedChunk(details.said, before),
      ];
      const left = tooMany === 0 ? [] : [{ what: 'objects beyond those kept', count: tooMany }];
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
    },
  };
}
