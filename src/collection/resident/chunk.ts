import { alignClocks } from '../../diagnosis/clocks.ts';
import { joinedFacts } from '../../evidence/fact-values.ts';
import type { Json } from '../../evidence/json.ts';
import type { Collection, FactRecord, Hit, Observations } from '../../evidence/observations.ts';
import type { Quote } from '../../evidence/sighting.ts';
import { SIGN_TABLE } from '../../engine/signs.ts';
import type { Moment } from '../../evidence/time.ts';
import type { Common } from '../../readers/collector.ts';
import type { Share } from '../../readers/sharing.ts';
import { createReading } from '../../readers/reading.ts';
import { speaksOfTrouble } from '../../readers/troubled.ts';

/** What some documents said, kept apart so that a change of one leaves the others as they are. */
export type Chunk = Omit<Observations, 'collection'>;

export const NOTHING_SAID: Chunk = {
  documents: [],
  hits: [],
  facts: [],
  links: [],
  listings: [],
  losses: [],
  troubled: [],
};

/** Reads contents as a look reads them; the documents are counted from 0. */
export function readChunk(
  contents: readonly { readonly locator: string; readonly content: Json | string }[],
  common?: Common,
): Chunk {
  const reading = createReading(SIGN_TABLE, undefined, common);
  for (const { locator, content } of contents) reading.take(locator, content);
  const { collection: _, ...chunk } = reading.finish();
  // A reading of one small document takes each of its lines for a paste.
  return { ...chunk, troubled: chunk.troubled.filter(({ text }) => speaksOfTrouble(text)) };
}

const NONE: readonly never[] = [];

function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NONE : list;
}

function sharedFact<F extends FactRecord>(fact: F, share: Share): F {
  const { kind, by, moment } = fact;
  const isTimeless = moment.when === null;
  return {
    ...fact,
    kind: share(kind),
    by: share(by),
    moment: isTimeless ? (share(moment as unknown as Json) as unknown as Moment) : moment,
  };
}

/** The same chunk of which what many objects have is kept once: there are as many chunks as objects. */
export function sharedChunk(chunk: Chunk, { share }: Common): Chunk {
  const documents = share(chunk.documents as unknown as Json);
  return {
    documents: documents as unknown as Chunk['documents'],
    hits: orNone(chunk.hits),
    facts: orNone(chunk.facts.map((fact) => sharedFact(fact, share))),
    links: orNone(chunk.links),
    listings: orNone(chunk.listings),
    losses: orNone(chunk.losses),
    troubled: orNone(chunk.troubled),
  };
}

/** The same chunk where so many documents come before its own. */
export function movedChunk(chunk: Chunk, before: number): Chunk {
  if (before === 0) return chunk;
  return {
    ...chunk,
    hits: chunk.hits.map((hit) => movedHit(hit, before)),
    facts: chunk.facts.map((fact) => movedFact(fact, before)),
    troubled: chunk.troubled.map((line) => ({ ...line, document: line.document + before })),
  };
}

function moved<T extends Pick<FactRecord, 'moment'>>(value: T, before: number): T {
  const { moment } = value;
  const at = { ...moment.at, document: moment.at.document + before };
  return { ...value, moment: { ...moment, at } };
}

function movedFact(fact: FactRecord, before: number): FactRecord {
  return moved(fact, before);
}

function movedHit(hit: Hit, before: number): Hit {
  // First, last and quotes are often the same one.
  const known = new Map<Quote, Quote>();
  const show = (quote: Quote): Quote => {
    const made = known.get(quote) ?? moved(quote, before);
    known.set(quote, made);
    return made;
  };
  return {
    ...hit,
    document: hit.document + before,
    first: show(hit.first),
    last: show(hit.last),
    quotes: hit.quotes.map(show),
  };
}

/** Of things that say the same as before, those of before. */
function keptOnes<T>(now: readonly T[], before: readonly T[]): readonly T[] {
  const known = new Map(before.map((one) => [JSON.stringify(one), one]));
  return now.map((one) => known.get(JSON.stringify(one)) ?? one);
}

/** The same chunk; what it says as one before it did is the very same. */
export function keptChunk(chunk: Chunk, before: Chunk): Chunk {
  if (before.facts.length + before.hits.length === 0) return chunk;
  const { facts, hits } = chunk;
  return {
    ...chunk,
    facts: keptOnes(facts, before.facts),
    hits: keptOnes(hits, before.hits),
  };
}

/** All chunks as one pile; their documents stand at the places that the chunks were moved to. */
export function joinedChunks(
  chunks: readonly Chunk[],
  collection: Collection | null,
): Observations {
  return alignClocks({
    documents: chunks.flatMap(({ documents }) => documents),
    hits: chunks.flatMap(({ hits }) => hits),
    facts: joinedFacts(chunks.map(({ facts }) => facts)),
    links: chunks.flatMap(({ links }) => links),
    listings: chunks.flatMap(({ listings }) => listings),
    losses: chunks.flatMap(({ losses }) => losses),
    troubled: chunks.flatMap(({ troubled }) => troubled),
    collection,
  });
}
