import type { JsonObject } from '../../evidence/json.ts';
import type { DocumentSummary, Refusal } from '../../evidence/observations.ts';
import type { Common } from '../../readers/collector.ts';
import { distinctLines } from '../../readers/troubled.ts';
import { listOf } from '../document.ts';
import { kubectlOf, lean } from '../kubernetes.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';
import { type Chunk, movedChunk, NOTHING_SAID, readChunk, sharedChunk } from './chunk.ts';
import { sameHits } from './same-hits.ts';

/** How a list is known: whole, not yet, or not as it is now. */
export type ShelfState = 'loading' | 'whole' | Refusal;

/** All objects of one planned list, each read once. */
export interface Shelf {
  readonly planned: PlannedList;
  readonly size: number;
  /** The state of the list; what is not whole is unknown. */
  state: ShelfState;
  /** @param key `namespace/name`, or the name alone */
  put(key: string, said: Chunk): void;
  remove(key: string): void;
  chunk(): Chunk;
}

/** Where the documents of a planned list stand in the pile. */
function placeOf(planned: PlannedList): number {
  return KUBE_LISTS.indexOf(planned);
}

/** What one object says, at its list's place in the pile; null for one that says nothing. */
export function readObject(planned: PlannedList, object: JsonObject, common?: Common): Chunk {
  const content = listOf(planned.resource.kind, [lean(planned, object)], 'part');
  const said = movedChunk(
    readChunk([{ locator: kubectlOf(planned), content }], common),
    placeOf(planned),
  );
  return common === undefined ? said : sharedChunk(said, common);
}

/** What the end of a list proves: that there is no more of it. */
function wholeList(planned: PlannedList): Chunk['listings'] {
  const { resource, namespace } = planned;
  const list = listOf(resource.kind, [], 'complete');
  const annotations = { rollcall: 'complete', 'rollcall-namespace': namespace };
  const content = namespace === null ? list : { ...list, metadata: { annotations } };
  return readChunk([{ locator: kubectlOf(planned), content }]).listings;
}

function summaryOf(planned: PlannedList, said: readonly Chunk[]): DocumentSummary {
  const documents = said.flatMap((chunk) => chunk.documents);
  return {
    locator: kubectlOf(planned),
    container: null,
    machines: [],
    sources: [...new Set(documents.flatMap(({ sources }) => sources))],
    linesRead: 0,
    zoneOffsetMs: null,
  };
}

function joined(planned: PlannedList, said: readonly Chunk[]): Chunk {
  return {
    documents: [summaryOf(planned, said)],
    hits: sameHits(said.flatMap(({ hits }) => hits)),
    facts: said.flatMap(({ facts }) => facts),
    links: said.flatMap(({ links }) => links),
    listings: wholeList(planned),
    losses: said.flatMap(({ losses }) => losses),
    troubled: distinctLines(said.flatMap(({ troubled }) => troubled)),
  };
}

/** As the API server lists them: the order of machines decides which of them stand for the others. */
function inOrder(objects: ReadonlyMap<string, Chunk>, keys: readonly string[]): readonly Chunk[] {
  return keys.flatMap((key) => objects.get(key) ?? []);
}

export function createShelf(planned: PlannedList): Shelf {
  const objects = new Map<string, Chunk>();
  let keys: readonly string[] | null = null;
  let made: Chunk | null = null;
  let state: ShelfState = 'loading';
  const unknown = { ...NOTHING_SAID, documents: [summaryOf(planned, [])] };
  return {
    planned,
    get size() {
      return objects.size;
    },
    get state() {
      return state;
    },
    set state(now) {
      state = now;
    },
    put(key, said) {
      if (!objects.has(key)) keys = null;
      objects.set(key, said);
      made = null;
    },
    remove(key) {
      if (!objects.delete(key)) return;
      keys = null;
      made = null;
    },
    chunk() {
      if (state !== 'whole') return unknown;
      keys ??= [...objects.keys()].toSorted();
      made ??= joined(planned, inOrder(objects, keys));
      return made;
    },
  };
}
