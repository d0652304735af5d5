import type { MachineName } from '../../evidence/names.ts';
import { type Likely, settledSource } from '../line/origin.ts';
import { parseWhen } from '../line/timestamps.ts';
import type { ReadLine } from '../quotes.ts';
import {
  createFoundLinesScanner,
  type FoundLines,
  type LineScanner,
} from '../scan/anchor-scanner.ts';
import type { MatchedLine } from '../scan/line-matcher.ts';
import { LONG_LINES } from '../shortening.ts';
import {
  COUNTED_MAX,
  type FoundLink,
  HITS_LEFT_OUT,
  HITS_MAX,
  type Sighted,
  Sightings,
} from '../sightings.ts';
import { acceptsSource, type SignTable } from '../sign-table.ts';
import { AnchorSets, type AnchorSetRows } from './anchor-sets.ts';
import { FamiliarLine, headLength } from './familiar-line.ts';
import { type Examined, LineExaminer, type MatchingRow } from './line-examiner.ts';
import { LineGrams } from '../scan/line-grams.ts';
import type { LogFindings } from './log.ts';
import { mayMatch, type TriedRow } from './tried-row.ts';

const FAMILIAR_MAX = 8;
/** Of lines that are like none before, one in this many becomes familiar. */
const MET_PER_FAMILIAR = 8;

/** A line of a large log that rows match. */
interface FoundLine {
  readonly line: MatchedLine;
  readonly examined: Examined;
}

function readLineOf(found: FoundLines, line: MatchedLine, examined: Examined): ReadLine | null {
  const { text, origin } = examined;
  if (origin === null) return null;
  const lineNumber = found.lineNumber(line);
  return {
    text,
    source: origin.source,
    isKnown: origin.isKnown,
    line: lineNumber,
    lineEnd: lineNumber,
    // Only quotes are asked when they were said, and of many lines few are quoted.
    get when() {
      return parseWhen(text);
    },
    host: origin.host,
    about: null,
    isState: false,
  };
}

/** Values that tell the machine and the object of a sighting; null where the line leaves one open. */
function namesIn(tried: TriedRow, { captures }: Sighted): readonly string[] | null {
  const objects = tried.objects.map((name) => captures[name]);
  const machines = ['instance', 'node', 'self'].flatMap((name) => captures[name] ?? []);
  const named = objects.filter((name) => name !== undefined);
  if (named.length < objects.length || (tried.namesMachine && machines.length === 0)) return null;
  return [...named, ...machines];
}

/** Reads one log of any length; only lines that contain an anchor are looked at again. */
export class LogReader {
  readonly #scanner: LineScanner;
  readonly #sets: AnchorSets;
  readonly #examiner: LineExaminer;
  readonly #grams = new LineGrams();
  readonly #links: FoundLink[] = [];
  readonly #machines: MachineName[] = [];
  readonly #shortened = new Map<string, number>();
  readonly #sightings: Sightings;
  /** Those that have unread lines in the piece at hand. */
  readonly #waiting: FamiliarLine[] = [];

  constructor(table: SignTable, likely: Likely) {
    this.#sets = new AnchorSets(table);
    this.#examiner = new LineExaminer(likely);
    this.#scanner = createFoundLinesScanner(table.anchorSet, (found) => this.#readPiece(found));
    this.#sightings = new Sightings({
      hasRoom: () => this.#hasRoom(),
      link: (link) => this.#links.push(link),
      sawMachine: (name) => {
        if (name !== null) this.#machines.push(name);
      },
    });
  }

  /** Takes the next bytes, any number of them; they are copied. */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** What the log said. Nothing may be pushed afterwards. */
  end(): LogFindings {
    this.#scanner.end();
    return {
      lines: this.#scanner.lines,
      sources: [...this.#examiner.sources],
      hits: [...this.#sightings.hits],
      links: this.#links,
      machines: this.#machines,
      shortened: [...this.#shortened].map(([what, count]) => ({ what, count })),
    };
  }

  #hasRoom(): boolean {
    if (this.#sightings.hits.size < HITS_MAX) return true;
    this.#shorten(HITS_LEFT_OUT);
    return false;
  }

  #shorten(what: string): void {
    this.#shortened.set(what, (this.#shortened.get(what) ?? 0) + 1);
  }

  #readPiece(found: FoundLines): void {
    for (const line of found.lines) this.#read(found, line);
    const last = this.#waiting.splice(0).flatMap((familiar) => this.#lastOf(found, familiar));
    for (const { line, examined } of last.toSorted(
      (one, other) => one.line.start - other.line.start,
    ))
      this.#addLate(found, line, examined);
  }

  #read(found: FoundLines, line: MatchedLine): void {
    const set = this.#sets.of(line.owners);
    const familiar = set.familiar.find((one) => one.fits(found.bytes, line));
    if (familiar === undefined) return this.#meet(found, line, set);
    if (familiar.open.length > 0) this.#tryOpen(found, line, familiar);
    this.#leaveUnread(line, familiar);
  }

  #leaveUnread(line: MatchedLine, familiar: FamiliarLine): void {
    if (familiar.repeated.length === 0) return;
    if (familiar.unread.length === 0) this.#waiting.push(familiar);
    familiar.unread.push(line);
  }

  #tryOpen(found: FoundLines, line: MatchedLine, familiar: FamiliarLine): void {
    const likely = this.#likely(found, line, familiar.open);
    if (likely.length === 0) return;
    const same = familiar.sameTail(found.bytes, line);
    if (same !== null) return this.#leaveUnread(line, same);
    const examined = this.#examiner.examine(found.text(line), likely);
    if (examined === null) return;
    const repeated = this.#add(found, line, examined, familiar);
    if (repeated.length === examined.matching.length)
      familiar.keepTail(found.bytes, line, repeated);
  }

  /** Those that the words of the line do not rule out. */
  #likely(
    { bytes }: FoundLines,
    line: MatchedLine,
    rows: readonly TriedRow[],
  ): readonly TriedRow[] {
    this.#grams.note(bytes, line);
    return rows.filter((tried) => mayMatch(tried, this.#grams));
  }

  /** Reads a line that is like none before, so that later ones like it need less. */
  #meet(found: FoundLines, line: MatchedLine, set: AnchorSetRows): void {
    const examined = this.#examiner.examine(found.text(line), set.rows);
    if (examined === null) return;
    const isToBeKnown = ++set.met % MET_PER_FAMILIAR === 0 && !examined.isWrapped;
    const familiar = isToBeKnown ? this.#familiarOf(found, line, examined, set) : null;
    this.#add(found, line, examined, familiar);
    if (familiar === null) return;
    if (set.familiar.length === FAMILIAR_MAX) set.familiar.pop();
    set.familiar.unshift(familiar);
  }

  #familiarOf(
    { bytes }: FoundLines,
    line: MatchedLine,
    { text, prefix }: Examined,
    { rows }: AnchorSetRows,
  ): FamiliarLine | null {
    const start = line.start;
    const end = start + headLength(bytes, line, prefix.isTagged);
    const settled = settledSource(text, prefix);
    const isSettled = settled !== null && this.#examiner.sources.has(settled);
    const known = { source: settled ?? 'unknown', isKnown: true };
    const open = isSettled ? rows.filter(({ row }) => acceptsSource(row, known)) : rows;
    const familiar = new FamiliarLine(bytes.slice(start, end), open);
    const isOfHost = prefix.host === null || familiar.fix(prefix.host, bytes, { start, end });
    return isOfHost ? familiar : null;
  }

  /** Returns the rows that were seen as often as anybody asks. */
  #add(
    found: FoundLines,
    line: MatchedLine,
    examined: Examined,
    familiar: FamiliarLine | null,
  ): readonly TriedRow[] {
    const readLine = examined.matching.length === 0 ? null : readLineOf(found, line, examined);
    if (readLine === null) return [];
    if (examined.isCut) this.#shorten(LONG_LINES);
    const repeated: TriedRow[] = [];
    for (const { tried, match } of examined.matching) {
      const sighted = this.#sightings.add(tried.row, readLine, match);
      const isMore = sighted === null || sighted.hit.count < COUNTED_MAX;
      if (isMore || familiar === null || readLine.source === 'event') continue;
      repeated.push(tried);
      const names = namesIn(tried, sighted);
      if (names?.every((name) => familiar.fix(name, found.bytes, line)) === true)
        familiar.repeats(tried);
    }
    return repeated;
  }

  #addLate(found: FoundLines, line: MatchedLine, examined: Examined): void {
    const readLine = readLineOf(found, line, examined);
    if (readLine === null) return;
    if (examined.isCut) this.#shorten(LONG_LINES);
    for (const { tried, match } of examined.matching)
      this.#sightings.addLate(tried.row, readLine, match);
  }

  /** Of the unread lines the last that each of the repeated rows matches. */
  #lastOf(found: FoundLines, familiar: FamiliarLine): readonly FoundLine[] {
    const last: FoundLine[] = [];
    let left = familiar.repeated;
    for (const line of familiar.unread.splice(0).toReversed()) {
      if (left.length === 0) break;
      const likely = this.#likely(found, line, left);
      const examined =
        likely.length === 0 ? null : this.#examiner.examine(found.text(line), likely);
      if (examined === null || examined.matching.length === 0) continue;
      last.push({ line, examined });
      left = left.filter((tried) => !isAmong(examined.matching, tried));
    }
    return last;
  }
}

function isAmong(matching: readonly MatchingRow[], tried: TriedRow): boolean {
  return matching.some((one) => one.tried === tried);
}
