import { BLOCK_WORDS, createCandidates, findCandidates, STEP_BYTES } from './find-candidates.ts';
import type { Candidates } from './find-candidates.ts';
import { findMiddles, mergeCandidates } from './find-middles.ts';
import type { GramIndex } from './gram-index.ts';
import { verifyCandidates } from './verify-candidates.ts';

const NEWLINE = 10;

/** Zero bytes that must follow the text: a search reads on for at most two steps. */
export const PADDING_BYTES = 3 * STEP_BYTES;

/** A piece of a log in memory, a multiple of four bytes, looked at as bytes and as words. */
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

/** The lines with a literal in one text, in their order, and all its newlines. */
export interface SearchedText {
  readonly lines: readonly MatchedLine[];
  readonly newlines: number;
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
  readonly #aligned: Candidates = createCandidates();
  readonly #middles: Candidates = createCandidates();
  readonly #merged: Candidates = createCandidates();
  /** By owner: the rank of the line in which it was last found. */
  readonly #foundIn: Int32Array;
  #lineRank = 0;
  #line: MatchedLine | null = null;
  #matched: MatchedLine[] = [];
  /** A place in the text and the newlines before it. */
  #markAt = 0;
  #markNewlines = 0;

  /** Only the first `lineBytesMax` bytes of a line are searched. */
  constructor(table: MatchTable, text: Text, lineBytesMax: number) {
    this.#table = table;
    this.#text = text;
    this.#lineBytesMax = lineBytesMax;
    const lastOwner = table.owners.reduce((most, owner) => Math.max(most, owner), -1);
    this.#foundIn = new Int32Array(lastOwner + 1);
  }

  /** Searches the first `limit` bytes of the text; no newline is between there and its end. */
  search(limit: number): SearchedText {
    const { bytes, words } = this.#text;
    const end = (Math.ceil(limit / STEP_BYTES) + 1) * (STEP_BYTES / words.BYTES_PER_ELEMENT);
    let newlines = 0;
    this.#line = null;
    this.#matched = [];
    for (let block = 0; block < end; block += BLOCK_WORDS) {
      this.#markAt = block * words.BYTES_PER_ELEMENT;
      this.#markNewlines = newlines;
      const blockEnd = Math.min(end, block + BLOCK_WORDS);
      newlines += findCandidates(words, block, blockEnd, this.#table.index, this.#aligned);
      const candidates = this.#withMiddles(block, blockEnd);
      verifyCandidates(bytes, limit, this.#table.index, candidates, this.#onLiteral);
    }
    return { lines: this.#matched, newlines };
  }

  #withMiddles(block: number, blockEnd: number): Candidates {
    const { shortFilter } = this.#table.index;
    if (shortFilter === null) return this.#aligned;
    findMiddles(this.#text.words, block, blockEnd, shortFilter, this.#middles);
    if (this.#middles.count === 0) return this.#aligned;
    mergeCandidates(this.#aligned, this.#middles, this.#merged);
    return this.#merged;
  }

  readonly #onLiteral = (at: number, literal: number): void => {
    const { literalStarts } = this.#table.index;
    const owner = this.#table.owners[literal]!;
    if (this.#isInLine(at) && this.#foundIn[owner] === this.#lineRank) return;
    const end = at + literalStarts[literal + 1]! - literalStarts[literal]!;
    const line = this.#lineAround(at, end);
    if (end - line.start > this.#lineBytesMax) return;
    this.#foundIn[owner] = this.#lineRank;
    if (line.owners.length === 0) this.#matched.push(line);
    line.owners.push(owner);
  };

  #isInLine(at: number): boolean {
    return this.#line !== null && at < this.#line.end;
  }

  #lineAround(at: number, end: number): MatchedLine {
    if (this.#line !== null && at < this.#line.end) return this.#line;
    const { bytes, filled } = this.#text;
    const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
    const newline = bytes.indexOf(NEWLINE, end);
    const terminated = newline >= 0 && newline < filled;
    this.#markLineStart(start);
    this.#lineRank++;
    this.#line = {
      newlinesBefore: this.#markNewlines,
      start,
      end: terminated ? newline : filled,
      terminated,
      owners: [],
    };
    return this.#line;
  }

  /** Moves the mark to `lineStart`; it is within one block of it, or in the line that starts there. */
  #markLineStart(lineStart: number): void {
    this.#markNewlines += this.#newlines(this.#markAt, lineStart);
    this.#markNewlines -= this.#newlines(lineStart, this.#markAt);
    this.#markAt = lineStart;
  }

  #newlines(from: number, to: number): number {
    const { bytes } = this.#text;
    let count = 0;
    for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
    return count;
  }
}
