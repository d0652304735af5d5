import { classifyName, type MachineName } from '../evidence/names.ts';
import type { Hit } from '../evidence/observations.ts';
import { redact } from '../evidence/redact.ts';
import { type Captures, QUOTES_MAX } from '../evidence/sighting.ts';
import type { SignRow } from '../evidence/sign-row.ts';
import { SOURCES } from '../evidence/source.ts';
import { capturesOf, rawQuote, type RawQuote, type ReadLine } from './quotes.ts';
import { shownCount } from './shortening.ts';

/** Distinct sightings kept at most; beyond it, the loss is said once. */
export const HITS_MAX = 30_000;
/** Sightings are counted up to here: no sign and no symptom asks for more. */
export const COUNTED_MAX = 64;
/** Names remembered at most, so that they are made fit to be shown once. */
const NAMES_MAX = 50_000;
export const HITS_LEFT_OUT = `kinds of lines beyond the first ${shownCount(HITS_MAX)}`;

/** A hit whose quotes are not yet made fit to be shown. */
export interface RawHit extends Omit<Hit, 'count' | 'first' | 'last' | 'quotes' | 'document'> {
  /** At most COUNTED_MAX. */
  count: number;
  first: RawQuote;
  last: RawQuote;
  /** Of the sighting that was read last, which need not be the latest. */
  readLine: number;
  readonly quotes: RawQuote[];
}

/** Two names of one machine that a line of its kubelet shows. */
export interface FoundLink {
  readonly names: readonly MachineName[];
  readonly proof: string;
  readonly line: number;
}

/** Told what lines say beside their sightings. */
export interface SightingsSink {
  /** False when no other kind of sighting is to be kept. */
  hasRoom(): boolean;
  link(link: FoundLink): void;
  sawMachine(name: MachineName | null): void;
}

/** What a row found in a line. */
export interface Sighted {
  readonly hit: RawHit;
  readonly captures: Captures;
}

/** A name that an object carries may hold a secret like any other text. */
export function shownName(name: MachineName): MachineName {
  const value = redact(name.value);
  return value === name.value ? name : { kind: name.kind, value };
}

function machineOf(captures: Captures, line: ReadLine): MachineName | null {
  const named = captures['instance'] ?? captures['node'] ?? captures['self'];
  const captured = named === undefined ? null : classifyName(named);
  if (captured !== null) return captured;
  if (line.about !== null) return line.about;
  if (line.host === null || !hostCounts(line)) return null;
  return classifyName(line.host, 'host');
}

function hostCounts({ source }: ReadLine): boolean {
  return SOURCES[source].onMachine || source === 'unknown';
}

/**
 * Where the words of a line name no program, or one that does not say this, those of the expression
 * do: what only programs of machines print was printed on one.
 */
function isOnMachine(row: SignRow, { source }: ReadLine): boolean {
  if (source === 'unknown') return row.in.every((speaker) => SOURCES[speaker].onMachine);
  if (row.in.includes(source)) return SOURCES[source].onMachine;
  return row.in.some((speaker) => SOURCES[speaker].onMachine);
}

/** A kubelet speaks of no Node but its own, so its journal's host and that name are one machine. */
function linkOf(captures: Captures, line: ReadLine): FoundLink | null {
  const node = captures['node'];
  if (line.source !== 'kubelet' || line.host === null || node === undefined) return null;
  const names = [classifyName(line.host, 'host'), classifyName(node, 'node')]
    .filter((name) => name !== null)
    .map(shownName);
  if (names.length < 2) return null;
  return {
    names,
    proof: redact(`the kubelet on ${line.host} registers as ${node}`),
    line: line.line,
  };
}

/** What a joined passage says was counted already when one of its own lines said it. */
function isRepeated(known: RawHit, line: ReadLine): boolean {
  return line.lineEnd > line.line && known.readLine >= line.line;
}

/** Lists of events stand in the order of their names; every other document goes on with time. */
function isEarlier({ line }: RawQuote, than: RawQuote): boolean {
  if (line.source !== 'event') return false;
  const [one, other] = [line.when, than.line.when];
  if (one === null || other === null) return false;
  return one.clock === other.clock && one.yearless === other.yearless && one.ms < other.ms;
}

function repeatHit(known: RawHit, quote: RawQuote): void {
  known.count = Math.min(COUNTED_MAX, known.count + 1);
  known.readLine = quote.line.line;
  if (isEarlier(quote, known.first)) known.first = quote;
  if (!isEarlier(quote, known.last)) known.last = quote;
  if (known.quotes.length < QUOTES_MAX) known.quotes.push(quote);
}

/** The sightings of one document. */
export class Sightings {
  readonly #sink: SightingsSink;
  readonly #hits = new Map<string, RawHit>();
  readonly #linked = new Set<string>();
  readonly #shownNames = new Map<string, MachineName>();

  constructor(sink: SightingsSink) {
    this.#sink = sink;
  }

  /** In the order in which they were first seen, by what tells them apart. */
  get hits(): ReadonlyMap<string, RawHit> {
    return this.#hits;
  }

  /** Adds what a row's expression found in a line; null where there is no room for it. */
  add(row: SignRow, line: ReadLine, match: RegExpExecArray): Sighted | null {
    return this.#add(row, line, match, false);
  }

  /** As `add`, of a line of a log of which later ones may have been added before. */
  addLate(row: SignRow, line: ReadLine, match: RegExpExecArray): void {
    this.#add(row, line, match, true);
  }

  #add(row: SignRow, line: ReadLine, match: RegExpExecArray, isLate: boolean): Sighted | null {
    const captures = capturesOf(match, line.text);
    const about = this.#shown(machineOf(captures, line));
    this.#link(captures, line);
    if (captures['self'] !== undefined) this.#sink.sawMachine(classifyName(captures['self']));
    const object = row.per.map((name) => captures[name] ?? '').join('\u0001');
    const key = [row.owner, row.name, about?.value ?? '', object].join('\u0000');
    const known = this.#hits.get(key);
    if (known !== undefined) {
      const isTold = isLate ? known.readLine >= line.line : isRepeated(known, line);
      if (!isTold) repeatHit(known, rawQuote(line, match, captures));
      return { hit: known, captures };
    }
    const quote = rawQuote(line, match, captures);
    if (!this.#sink.hasRoom()) return null;
    const hit: RawHit = {
      owner: row.owner,
      sign: row.name,
      object,
      about,
      onMachine: line.host !== null || isOnMachine(row, line),
      count: 1,
      first: quote,
      last: quote,
      readLine: line.line,
      quotes: [quote],
    };
    this.#hits.set(key, hit);
    return { hit, captures };
  }

  /** Adds sightings of a later part of the same document. */
  append(key: string, later: RawHit): void {
    const known = this.#hits.get(key);
    if (known === undefined) {
      if (this.#sink.hasRoom()) this.#hits.set(key, later);
      return;
    }
    known.count = Math.min(COUNTED_MAX, known.count + later.count);
    known.readLine = later.readLine;
    if (isEarlier(later.first, known.first)) known.first = later.first;
    if (!isEarlier(later.last, known.last)) known.last = later.last;
    known.quotes.push(...later.quotes.slice(0, QUOTES_MAX - known.quotes.length));
  }

  #shown(name: MachineName | null): MachineName | null {
    if (name === null) return null;
    const key = `${name.kind} ${name.value}`;
    const known = this.#shownNames.get(key) ?? shownName(name);
    if (this.#shownNames.size < NAMES_MAX) this.#shownNames.set(key, known);
    return known;
  }

  #link(captures: Captures, line: ReadLine): void {
    const pair = `${line.host ?? ''} ${captures['node'] ?? ''}`;
    if (this.#linked.has(pair)) return;
    const link = linkOf(captures, line);
    if (link === null) return;
    this.#sink.link(link);
    if (this.#linked.size < NAMES_MAX) this.#linked.add(pair);
  }
}

/** The same hit in a log of which this many lines come before. */
export function shiftedHit(hit: RawHit, lines: number): RawHit {
  if (lines === 0) return hit;
  const known = new Map<RawQuote, RawQuote>();
  const shifted = (quote: RawQuote): RawQuote => {
    const { line, lineEnd } = quote.line;
    const moved = known.get(quote) ?? {
      ...quote,
      line: { ...quote.line, line: line + lines, lineEnd: lineEnd + lines },
    };
    known.set(quote, moved);
    return moved;
  };
  return {
    ...hit,
    first: shifted(hit.first),
    last: shifted(hit.last),
    readLine: hit.readLine + lines,
    quotes: hit.quotes.map(shifted),
  };
}
