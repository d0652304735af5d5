import type { Candidates } from './find-candidates.ts';
import {
  BLOCK_WORDS,
  createCandidates,
  findCandidates,
  STEP_BYTES,
  stepOf,
} from './find-candidates.ts';
import { findCandidatesByHalves } from './find-candidates-by-halves.ts';
import { gramAt } from './gram-commonness.ts';
import type { GramIndex } from './gram-index.ts';
import { bucketOf } from './gram-index.ts';

const NEWLINE = 10;

/** Zero bytes that must follow the text: a search reads on for at most two steps. */
export const PADDING_BYTES = 3 * STEP_BYTES;

/** A piece of a log in memory that is a multiple of four bytes, looked at as bytes and as words. */
export interface Text {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** Bytes that are text; `PADDING_BYTES` zero bytes come after them. */
  filled: number;
}

/** A line of the text in which literals were found. */
export interface MatchedLine {
  /** Newlines of the text before it. */
  readonly newlinesBefore: number;
  readonly start: number;
  /** Where its newline is, or where the text ends. */
  readonly end: number;
  readonly terminated: boolean;
  /** Owners of the literals found, each once, in no order. */
  readonly owners: number[];
}

/** What is searched for: literals by their number, and whom each one belongs to. */
export interface MatchTable {
  readonly index: GramIndex;
  readonly owners: Int32Array;
}

/** Finds the lines of one text after another that contain literals. */
export class LineMatcher {
  readonly #table: MatchTable;
  readonly #text: Text;
  readonly #lineBytesMax: number;
  readonly #found: Candidates = createCandidates();
  /** By owner: the number of the line in which it was last found. */
  readonly #foundIn: Int32Array;
  #lineCount = 0;
  #line: MatchedLine | null = null;
  #limit = 0;
  #newlinesBeforeBlock = 0;
  #matched: MatchedLine[] = [];

  /** Only the first `lineBytesMax` bytes of a line are searched. */
  constructor(table: MatchTable, text: Text, lineBytesMax: number) {
    this.#table = table;
    this.#text = text;
    this.#lineBytesMax = lineBytesMax;
    this.#foundIn = new Int32Array(
      table.owners.reduce((most, owner) => Math.max(most, owner), 0) + 1,
    );
  }

  /**
   * Searches the first `limit` bytes of the text, with no newline between there and its end.
   * Gives the lines with a literal in their order, and the number of newlines.
   */
  search(limit: number): { readonly lines: readonly MatchedLine[]; readonly newlines: number } {
    const { words } = this.#text;
    const { index } = this.#table;
    const find = index.halfSteps ? findCandidatesByHalves : findCandidates;
    const end = (Math.ceil(limit / STEP_BYTES) + 1) * (STEP_BYTES / words.BYTES_PER_ELEMENT);
    this.#start(limit);
    for (let block = 0; block < end; block += BLOCK_WORDS) {
      const blockEnd = Math.min(end, block + BLOCK_WORDS);
      const newlines = find(words, block, blockEnd, index, this.#found);
      this.#verifyAll();
      this.#newlinesBeforeBlock += newlines;
    }
    return { lines: this.#matched, newlines: this.#newlinesBeforeBlock };
  }

  #start(limit: number): void {
    this.#limit = limit;
    this.#line = null;
    this.#matched = [];
    this.#newlinesBeforeBlock = 0;
  }

  #verifyAll(): void {
    const { count, offsets, newlines } = this.#found;
    for (let rank = 0; rank < count; rank++) this.#verify(offsets[rank]!, newlines[rank]!);
  }

  #verify(offset: number, newlines: number): void {
    const { buckets, entries } = this.#table.index;
    const gram = gramAt(this.#text.bytes, offset);
    for (let place = buckets[bucketOf(gram)]!; place >= 0; place = entries[place + 3]!) {
      if (entries[place] !== gram) continue;
      const literal = entries[place + 1]!;
      const at = offset - entries[place + 2]!;
      if (this.#isNew(at, literal)) this.#note(at, literal, stepOf(offset), newlines);
    }
  }

  /** Whether a literal begins at `at` that its line is not yet known to contain. */
  #isNew(at: number, literal: number): boolean {
    const { bytes } = this.#text;
    const wanted = this.#table.index.literals[literal]!;
    if (at < 0 || at + wanted.length > this.#limit) return false;
    if (this.#line !== null && at < this.#line.end) {
      if (this.#foundIn[this.#table.owners[literal]!] === this.#lineCount) return false;
    }
    for (let rank = 0; rank < wanted.length; rank++) {
      if (bytes[at + rank] !== wanted[rank]) return false;
    }
    return true;
  }

  #note(at: number, literal: number, step: number, newlines: number): void {
    const end = at + this.#table.index.literals[literal]!.length;
    const newlinesBeforeStep = this.#newlinesBeforeBlock + newlines;
    const line = this.#lineAround(at, end, step, newlinesBeforeStep);
    if (end - line.start > this.#lineBytesMax) return;
    const owner = this.#table.owners[literal]!;
    this.#foundIn[owner] = this.#lineCount;
    if (line.owners.length === 0) this.#matched.push(line);
    line.owners.push(owner);
  }

  #lineAround(at: number, end: number, step: number, newlinesBeforeStep: number): MatchedLine {
    if (this.#line !== null && at < this.#line.end) return this.#line;
    const { bytes, filled } = this.#text;
    const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
    const newline = bytes.indexOf(NEWLINE, end);
    const terminated = newline >= 0 && newline < filled;
    this.#lineCount++;
    this.#line = {
      newlinesBefore: newlinesBeforeStep + this.#newlines(step, start) - this.#newlines(end, step),
      start,
      end: terminated ? newline : filled,
      terminated,
      owners: [],
    };
    return this.#line;
  }

  #newlines(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at++) if (this.#text.bytes[at] === NEWLINE) count++;
    return count;
  }
}
