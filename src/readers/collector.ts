import { counted } from '../domain/words.ts';
import { locatorAt } from '../evidence/fact.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import { classifyName, type MachineName } from '../evidence/names.ts';
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
import { type Captures, type Quote, QUOTES_MAX } from '../evidence/sighting.ts';
import { type LineSource, SOURCES } from '../evidence/source.ts';
import type { Moment, When } from '../evidence/time.ts';
import type { SignRow } from '../evidence/sign-row.ts';
import { type MutableDocument, newDocument } from './documents.ts';
import { createShare, type Share } from './sharing.ts';
import { createTroubled, type Troubled } from './troubled.ts';
import { createShortening, shownCount, type Shortening } from './shortening.ts';
import { capturesOf, quoteOf, rawQuote, type RawQuote, type ReadLine } from './quotes.ts';
import { acceptsSource } from './sign-table.ts';

/** Distinct sightings, facts and losses kept at most; beyond it, the loss is said once. */
export const HITS_MAX = 30_000;
export const FACTS_MAX = 200_000;
export const LOSSES_MAX = 200;
export const LINKS_MAX = 200_000;
export const LISTINGS_MAX = 10_000;
const ABOUT_MAX = 50_000;
const REMARKS = `remarks beyond the first ${LOSSES_MAX}`;
/** Expressions see this much of a line, which bounds what any of them can cost. */
const MATCH_CHARACTERS_MAX = 16_384;
const OWN_NAMES_MAX = 50;

interface MutableHit extends Omit<Hit, 'count' | 'first' | 'last' | 'quotes'> {
  count: number;
  first: RawQuote;
  last: RawQuote;
  /** Of the sighting that was read last, which need not be the latest. */
  readLine: number;
  readonly quotes: RawQuote[];
}

/** What the readers write into; bounded whatever the size of the input. */
export interface Collector {
  /** `isGiven` is true for what a person named, of which it is told when nothing in it is known. */
  openDocument(locator: string, container: string | null, isGiven?: boolean): number;
  sawSource(document: number, source: LineSource): void;
  sawMachine(document: number, machine: MachineName | null): void;
  countLines(document: number, lines: number): void;
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

export interface FactOrigin {
  readonly by: string;
  /** `whole` where nothing is said. */
  readonly extent?: Extent;
  readonly locator: string;
  readonly line: number;
  readonly about: readonly (MachineName | null)[];
  readonly when?: When | null;
}

/** A name that an object carries may hold a secret like any other text. */
function shownName(name: MachineName): MachineName {
  const value = redact(name.value);
  return value === name.value ? name : { kind: name.kind, value };
}

function machineOf(captures: Captures, line: ReadLine): MachineName | null {
  const named = captures['instance'] ?? captures['node'] ?? captures['self'];
  const captured = named === undefined ? null : classifyName(named);
  if (captured !== null) return captured;
  if (line.about !== null) return line.about;
  if (line.host === null || !hostCounts(line.source)) return null;
  return classifyName(line.host, 'host');
}

function hostCounts(source: LineSource): boolean {
  return SOURCES[source].onMachine || source === 'unknown';
}

interface State {
  readonly documents: MutableDocument[];
  readonly hits: Map<string, MutableHit>;
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

/** A kubelet speaks of no Node but its own, so its journal's host and that name are one machine. */
function linkHost(state: State, captures: Captures, line: ReadLine, document: number): void {
  const node = captures['node'];
  if (line.source !== 'kubelet' || line.host === null || node === undefined) return;
  const names = [classifyName(line.host, 'host'), classifyName(node, 'node')]
    .filter((name) => name !== null)
    .map(shownName);
  const key = names.map((name) => name.value).join(' ');
  if (names.length < 2 || state.linked.has(key)) return;
  state.linked.add(key);
  const proof = redact(`the kubelet on ${line.host} registers as ${node}`);
  state.links.push({ names, proof, locator: locatorIn(state, document, line.line) });
}

/** First, last and quotes are often the same one, and what was read is looked at more than once. */
function shownQuote(state: State, document: number, raw: RawQuote): Quote {
  const known = state.shown.get(raw);
  if (known !== undefined) return known;
  const made = quoteOf(raw, document, locatorIn(state, document, raw.line.line));
  state.shown.set(raw, made);
  return made;
}

function hitOf(state: State, { first, last, quotes, ...rest }: MutableHit): Hit {
  const { owner, sign, object, about, document, onMachine, count } = rest;
  const show = (quote: RawQuote): Quote => shownQuote(state, document, quote);
  const shown = { first: show(first), last: show(last), quotes: quotes.map(show) };
  return { owner, sign, object, about, document, onMachine, count, ...shown };
}

/** What a joined passage says was counted already when one of its own lines said it. */
function isRepeated(known: MutableHit, line: ReadLine): boolean {
  return line.lineEnd > line.line && known.readLine >= line.line;
}

/** A guess that the sign contradicts tells less than the sign. */
function isOnMachine(row: SignRow, { source, isKnown = true }: ReadLine): boolean {
  const isContradicted = !isKnown && source !== 'unknown' && !row.in.includes(source);
  const sources = isContradicted ? row.in : [source];
  return sources.every((one) => SOURCES[one].onMachine);
}

function addHit(
  state: State,
  document: number,
  row: SignRow,
  line: ReadLine,
  match: RegExpExecArray,
): void {
  const captures = capturesOf(match, line.text);
  const [about = null] = aboutOf(state, [machineOf(captures, line)]);
  linkHost(state, captures, line, document);
  if (captures['self'] !== undefined) addMachine(state, document, classifyName(captures['self']));
  const object = row.per.map((name) => captures[name] ?? '').join('\u0001');
  const key = [document, row.owner, row.name, about?.value ?? '', object].join('\u0000');
  const known = state.hits.get(key);
  const quote = rawQuote(line, match, captures);
  if (known !== undefined) {
    if (!isRepeated(known, line)) repeatHit(known, quote);
    return;
  }
  if (state.hits.size >= HITS_MAX)
    return state.shortening.count(`kinds of lines beyond the first ${shownCount(HITS_MAX)}`);
  state.hits.set(key, {
    owner: row.owner,
    sign: row.name,
    object,
    about,
    document,
    onMachine: isOnMachine(row, line) || line.host !== null,
    count: 1,
    first: quote,
    last: quote,
    readLine: line.line,
    quotes: [quote],
  });
}

/** Lists of events stand in the order of their names; every other document goes on with time. */
function isEarlier({ line }: RawQuote, than: RawQuote): boolean {
  const [one, other] = [line.when, than.line.when];
  if (line.source !== 'event' || one === null || other === null) return false;
  return one.clock === other.clock && one.yearless === other.yearless && one.ms < other.ms;
}

function repeatHit(known: MutableHit, quote: RawQuote): void {
  known.count += 1;
  known.readLine = quote.line.line;
  if (isEarlier(quote, known.first)) known.first = quote;
  if (!isEarlier(quote, known.last)) known.last = quote;
  if (known.quotes.length < QUOTES_MAX) known.quotes.push(quote);
}

function tryRows(state: State, document: number, given: ReadLine, rows: Iterable<SignRow>): void {
  const isShort = given.text.length <= MATCH_CHARACTERS_MAX;
  const line = isShort ? given : { ...given, text: given.text.slice(0, MATCH_CHARACTERS_MAX) };
  if (!isShort)
    state.shortening.count(
      `lines beyond their first ${shownCount(MATCH_CHARACTERS_MAX)} characters`,
    );
  const { isKnown = true } = line;
  for (const row of rows) {
    if (!acceptsSource(row, { source: line.source, isKnown })) continue;
    const match = row.pattern.exec(line.text);
    if (match !== null) addHit(state, document, row, line, match);
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
  if (state.about.size < ABOUT_MAX) state.about.set(key, about);
  return about;
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
  const locator = redact(printable(origin.locator));
  const { by, extent = 'whole' } = origin;
  state.facts.push({ kind: record.kind, value, by, extent, locator, moment, about });
}

/** Given documents of which nothing is known; files of an archive may be about anything. */
function silentDocuments(state: State): readonly InputLoss[] {
  const speaking = new Set([
    ...[...state.hits.values()].map(({ document }) => document),
    ...state.facts.map(({ moment }) => moment.at.document),
  ]);
  const told = new Set([...state.losses, ...state.listings].map(({ locator }) => locator));
  return state.documents.flatMap(({ locator, isGiven, sources, linesRead }, document) => {
    if (!isGiven || sources.size > 0 || speaking.has(document) || told.has(locator)) return [];
    const input = locator === '-' ? 'stdin' : locator;
    return [{ locator, what: `unrecognized input (${input}, ${counted(linesRead, 'line')})` }];
  });
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
  const hits = [...state.hits.values()].map((hit) => hitOf(state, hit));
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
    facts,
    links,
    listings,
    losses,
    troubled,
    collection: state.collection,
  };
}

/** An empty collector, for one pile of evidence. */
export function createCollector(): Collector {
  const state: State = {
    documents: [],
    hits: new Map(),
    facts: [],
    links: [],
    listings: [],
    losses: [],
    collection: null,
    shown: new WeakMap(),
    linked: new Set(),
    about: new Map(),
    shortening: createShortening(),
    troubled: createTroubled(),
    latest: null,
  };
  const { documents, links, listings, losses } = state;
  return {
    openDocument: (...given) => documents.push(newDocument(...given)) - 1,
    sawSource(document, source) {
      if (source !== 'unknown') documents[document]?.sources.add(source);
    },
    sawMachine: (document, machine) => addMachine(state, document, machine),
    countLines(document, lines) {
      const known = documents[document];
      if (known !== undefined) known.linesRead += lines;
    },
    sawZone(document, zoneOffsetMs) {
      const known = documents[document];
      if (known !== undefined) known.zoneOffsetMs ??= zoneOffsetMs;
    },
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
    share: createShare(),
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
