import { counted } from '../domain/words.ts';
import { locatorAt } from '../evidence/fact.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { MachineName } from '../evidence/names.ts';
import type {
  Collection,
  DocumentSummary,
  Extent,
  FactRecord,
  Hit,
  InputLoss,
  Listing,
  NameLink,
  Observations,
} from '../evidence/observations.ts';
import { printable, redact, redactValue } from '../evidence/redact.ts';
import type { Quote } from '../evidence/sighting.ts';
import type { LineSource } from '../evidence/source.ts';
import type { Moment, When } from '../evidence/time.ts';
import type { SignRow } from '../evidence/sign-row.ts';
import { type MutableDocument, newDocument } from './documents.ts';
import { matchOf } from './line/denial.ts';
import type { LogFindings } from './log/log.ts';
import { MATCH_CHARACTERS_MAX, quoteOf, type RawQuote, type ReadLine } from './quotes.ts';
import { createShare, type Share } from './sharing.ts';
import { createShortening, LONG_LINES, shownCount, type Shortening } from './shortening.ts';
import {
  type FoundLink,
  HITS_LEFT_OUT,
  HITS_MAX,
  type RawHit,
  shiftedHit,
  shownName,
  Sightings,
  type SightingsSink,
} from './sightings.ts';
import { createTroubled, type Troubled } from './troubled.ts';
import { acceptsSource } from './sign-table.ts';

/** Facts and losses kept at most; beyond it, the loss is said once. */
export const FACTS_MAX = 200_000;
export const LOSSES_MAX = 200;
export const LINKS_MAX = 200_000;
export const LISTINGS_MAX = 10_000;
const ABOUT_MAX = 50_000;
const REMARKS = `remarks beyond the first ${LOSSES_MAX}`;
const OWN_NAMES_MAX = 50;

interface CollectedDocument extends MutableDocument {
  readonly sightings: Sightings;
}

/** What the readers write into; bounded whatever the size of the input. */
export interface Collector {
  /** `isGiven` is true for what a person named, of which it is told when nothing in it is known. */
  openDocument(locator: string, container: string | null, isGiven?: boolean): number;
  sawSource(document: number, source: LineSource): void;
  sawMachine(document: number, machine: MachineName | null): void;
  countLines(document: number, lines: number): void;
  /** Adds what the lines said that follow those that were counted. */
  addLog(document: number, log: LogFindings): void;
  /** What `zoneOffsetMs` of an observed document means; null is no news. */
  sawZone(document: number, zoneOffsetMs: number | null): void;
  tryRows(document: number, line: ReadLine, rows: Iterable<SignRow>): void;
  /** Keeps a line that speaks of trouble. */
  sawLine(document: number, line: ReadLine): void;
  fact<K extends FactKind>(document: number, kind: K, value: FactTypes[K], rest: FactOrigin): void;
  hasFact(document: number, kind: FactKind): boolean;
  link(names: readonly (MachineName | null)[], proof: string, locator: string): void;
  listing(kind: FactKind, by: string, locator: string): void;
  loss(loss: InputLoss): void;
  collected(collection: Collection): void;
  locatorOf(document: number): string;
  /** The place of a line that was read; several may be at one place of what was given. */
  locatorAt(document: number, line: number): string;
  /** Tells that what is read are not the document's own lines, and where each of them is. */
  renumber(document: number, lineNumbers: readonly number[]): void;
  /** Equal parts of objects, kept once. */
  readonly share: Share;
  finish(): Observations;
}

/** Equal parts, kept once; readings that follow each other may have them in common. */
export interface Common {
  readonly share: Share;
  readonly about: Map<string, readonly MachineName[]>;
}

export function createCommon(): Common {
  return { share: createShare(), about: new Map() };
}

export interface FactOrigin {
  readonly by: string;
  /** `whole` where nothing is said. */
  readonly extent?: Extent;
  readonly locator: string;
  readonly line: number;
  readonly about: readonly (MachineName | null)[];
  readonly when?: When | null;
}

interface State {
  readonly documents: CollectedDocument[];
  /** Kinds of sightings that are kept. */
  hits: number;
  readonly facts: FactRecord[];
  readonly links: NameLink[];
  readonly listings: Listing[];
  readonly losses: InputLoss[];
  collection: Collection | null;
  /** Quotes as they were shown by an earlier look. */
  readonly shown: WeakMap<RawQuote, Quote>;
  /** Pairs of host and Node name that are linked already. */
  readonly linked: Set<string>;
  readonly about: Map<string, readonly MachineName[]>;
  readonly shortening: Shortening;
  readonly troubled: Troubled;
  latest: Moment | null;
}

function locatorIn(state: State, document: number, line: number): string {
  const known = state.documents[document];
  return locatorAt(known?.locator ?? '', known?.lineNumbers?.[line - 1] ?? line);
}

function addMachine(state: State, document: number, machine: MachineName | null): void {
  const machines = state.documents[document]?.machines;
  if (machine === null || machines === undefined || machines.size >= OWN_NAMES_MAX) return;
  const name = shownName(machine);
  machines.set(name.value, name);
}

/** A pair of names is linked once, however many documents show it. */
function addLink(state: State, document: number, { names, proof, line }: FoundLink): void {
  const key = names.map((name) => name.value).join(' ');
  if (state.linked.has(key)) return;
  state.linked.add(key);
  state.links.push({ names, proof, locator: locatorIn(state, document, line) });
}

/** Takes what one document says into the whole. */
function sinkOf(state: State, document: number): SightingsSink {
  return {
    hasRoom() {
      const hasRoom = state.hits < HITS_MAX;
      if (hasRoom) state.hits += 1;
      else state.shortening.count(HITS_LEFT_OUT);
      return hasRoom;
    },
    link: (link) => addLink(state, document, link),
    sawMachine: (name) => addMachine(state, document, name),
  };
}

/** First, last and quotes are often the same one, and what was read is looked at more than once. */
function shownQuote(state: State, document: number, raw: RawQuote): Quote {
  const known = state.shown.get(raw);
  if (known !== undefined) return known;
  const made = quoteOf(raw, document, locatorIn(state, document, raw.line.line));
  state.shown.set(raw, made);
  return made;
}

function hitOf(state: State, document: number, raw: RawHit): Hit {
  const { owner, sign, object, about, onMachine, count, first, last, quotes } = raw;
  const show = (quote: RawQuote): Quote => shownQuote(state, document, quote);
  const shown = { first: show(first), last: show(last), quotes: quotes.map(show) };
  return { owner, sign, object, about, document, onMachine, count, ...shown };
}

function sawSource(state: State, document: number, source: LineSource): void {
  if (source !== 'unknown') state.documents[document]?.sources.add(source);
}

/** Adds what a log said that was read elsewhere; its lines follow those that were counted. */
function addLog(state: State, document: number, log: LogFindings): void {
  const known = state.documents[document];
  if (known === undefined) return;
  const before = known.linesRead;
  known.linesRead += log.lines;
  for (const source of log.sources) sawSource(state, document, source);
  for (const name of log.machines) addMachine(state, document, name);
  for (const link of log.links) addLink(state, document, { ...link, line: link.line + before });
  for (const { what, count } of log.shortened) state.shortening.count(what, count);
  for (const [key, hit] of log.hits) known.sightings.append(key, shiftedHit(hit, before));
}

function tryRows(state: State, document: number, given: ReadLine, rows: Iterable<SignRow>): void {
  const isShort = given.text.length <= MATCH_CHARACTERS_MAX;
  const line = isShort ? given : { ...given, text: given.text.slice(0, MATCH_CHARACTERS_MAX) };
  if (!isShort) state.shortening.count(LONG_LINES);
  const { isKnown = true } = line;
  for (const row of rows) {
    if (!acceptsSource(row, { source: line.source, isKnown })) continue;
    const match = matchOf(row, line.text);
    if (match !== null) state.documents[document]?.sightings.add(row, line, match);
  }
}

/** One for all facts of a place that tells no time: 1,000 pods of an answer. */
function momentOf(state: State, document: number, { when = null, line }: FactOrigin): Moment {
  const { latest } = state;
  if (when === null && latest?.at.document === document && latest.at.line === line) return latest;
  const moment = { when, at: { document, line }, isState: true };
  if (when === null) state.latest = moment;
  return moment;
}

/** One list for all that is about one machine: its pods, its lines. */
function aboutOf(state: State, given: FactOrigin['about']): readonly MachineName[] {
  const names = given.filter((name) => name !== null);
  const key = names.map(({ kind, value }) => `${kind} ${value}`).join('\u0000');
  const known = state.about.get(key);
  if (known !== undefined) return known;
  const about = names.map(shownName);
  if (state.about.size >= ABOUT_MAX) state.about.clear();
  state.about.set(key, about);
  return about;
}

/** The document's part is shown already, and the same for all that the document holds. */
function shownLocator(state: State, document: number, locator: string): string {
  const shown = state.documents[document]?.locator ?? '';
  if (!locator.startsWith(`${shown}#`)) return redact(printable(locator));
  return shown + redact(printable(locator.slice(shown.length)));
}

function addFact(
  state: State,
  document: number,
  record: Pick<FactRecord, 'kind' | 'value'>,
  origin: FactOrigin,
): void {
  if (state.facts.length >= FACTS_MAX)
    return state.shortening.count(`objects beyond the first ${shownCount(FACTS_MAX)}`);
  const moment = momentOf(state, document, origin);
  const about = aboutOf(state, origin.about);
  const value = redactValue(record.value);
  const locator = shownLocator(state, document, origin.locator);
  const { by, extent = 'whole' } = origin;
  state.facts.push({ kind: record.kind, value, by, extent, locator, moment, about });
}

/** Given documents of which nothing is known; files of an archive may be about anything. */
function silentDocuments(state: State): readonly InputLoss[] {
  const speaking = new Set(state.facts.map(({ moment }) => moment.at.document));
  const told = new Set([...state.losses, ...state.listings].map(({ locator }) => locator));
  return state.documents.flatMap(
    ({ locator, isGiven, sources, linesRead, sightings }, document) => {
      const isSilent = sources.size === 0 && sightings.hits.size === 0 && !speaking.has(document);
      if (!isGiven || !isSilent || told.has(locator)) return [];
      const input = locator === '-' ? 'stdin' : locator;
      return [{ locator, what: `unrecognized input (${input}, ${counted(linesRead, 'line')})` }];
    },
  );
}

function finish(state: State): Observations {
  const documents = state.documents.map(
    ({ locator, container, linesRead, zoneOffsetMs, machines, sources }): DocumentSummary => ({
      locator,
      container,
      machines: [...machines.values()],
      sources: [...sources],
      linesRead,
      zoneOffsetMs,
    }),
  );
  const hits = state.documents.flatMap(({ sightings }, document) =>
    [...sightings.hits.values()].map((hit) => hitOf(state, document, hit)),
  );
  const { facts, links, listings } = state;
  const silent = silentDocuments(state);
  const told = [...state.losses, ...silent].slice(0, LOSSES_MAX);
  const more = { what: REMARKS, count: state.losses.length + silent.length - told.length };
  const before = state.collection?.shortened ?? [];
  const losses = [...told, ...state.shortening.told([...before, more])];
  const troubled = state.troubled.lines();
  return {
    documents,
    hits,
    // Reading may go on, and what is made of these lists is remembered by them.
    facts: [...facts],
    links: [...links],
    listings: [...listings],
    losses,
    troubled,
    collection: state.collection,
  };
}

function openDocument(state: State, ...given: Parameters<typeof newDocument>): number {
  const document = state.documents.length;
  const sightings = new Sightings(sinkOf(state, document));
  state.documents.push({ ...newDocument(...given), sightings });
  return document;
}

/** An empty collector, for one pile of evidence. */
export function createCollector({ share, about }: Common = createCommon()): Collector {
  const state: State = {
    documents: [],
    hits: 0,
    facts: [],
    links: [],
    listings: [],
    losses: [],
    collection: null,
    shown: new WeakMap(),
    linked: new Set(),
    about,
    shortening: createShortening(),
    troubled: createTroubled(),
    latest: null,
  };
  const { documents, links, listings, losses } = state;
  return {
    openDocument: (...given) => openDocument(state, ...given),
    sawSource: (document, source) => sawSource(state, document, source),
    sawMachine: (document, machine) => addMachine(state, document, machine),
    countLines(document, lines) {
      const known = documents[document];
      if (known !== undefined) known.linesRead += lines;
    },
    sawZone(document, zoneOffsetMs) {
      const known = documents[document];
      if (known !== undefined) known.zoneOffsetMs ??= zoneOffsetMs;
    },
    addLog: (document, log) => addLog(state, document, log),
    tryRows: (document, line, rows) => tryRows(state, document, line, rows),
    sawLine: (document, line) => state.troubled.add(document, line),
    fact: (document, kind, value, origin) => addFact(state, document, { kind, value }, origin),
    hasFact: (document, kind) =>
      state.facts.some((fact) => fact.kind === kind && fact.moment.at.document === document),
    link(names, proof, locator) {
      const known = names.filter((name) => name !== null).map(shownName);
      if (known.length < 2) return;
      if (links.length < LINKS_MAX) links.push(redactValue({ names: known, proof, locator }));
      else state.shortening.count(`names beyond the first ${shownCount(LINKS_MAX)}`);
    },
    listing(kind, by, locator) {
      if (listings.length < LISTINGS_MAX) listings.push({ kind, by, locator });
    },
    loss(entry) {
      if (losses.length < LOSSES_MAX) losses.push(redactValue(entry));
      else state.shortening.count(REMARKS);
    },
    collected(collection) {
      state.collection = both(state.collection, redactValue(collection));
    },
    locatorOf: (document) => documents[document]?.locator ?? '',
    locatorAt: (document, line) => locatorIn(state, document, line),
    renumber(document, lineNumbers) {
      const known = documents[document];
      if (known !== undefined) known.lineNumbers = lineNumbers;
    },
    share,
    finish: () => finish(state),
  };
}

/** Of two collections one that was asked about all machines is about all. */
function both(before: Collection | null, collection: Collection): Collection {
  if (before === null) return collection;
  const isOfAll = before.asked.length === 0 || collection.asked.length === 0;
  const asked = isOfAll ? [] : [...new Set([...before.asked, ...collection.asked])];
  return { ...collection, asked };
}
