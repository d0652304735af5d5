import { BLOCK_WORDS, createCandidates, findCandidates, STEP_BYTES } from './find-candidates.ts';
import type { Candidates } from './find-candidates.ts';
import { findMiddles, mergeCandidates } from './find-middles.ts';
import type { GramIndex } from './gram-index.ts';
import { verifyCandidates } from './verify-candidates.ts';

const NEWLINE = 10;
const WORD_BYTES = 4;
const STEP_WORDS = STEP_BYTES / WORD_BYTES;
const BLOCK_BYTES = BLOCK_WORDS * WORD_BYTES;

/** A search reads on behind the text for at most two steps. */
const PADDING_BYTES = 3 * STEP_BYTES;

/** Memory for a piece of a log. */
export interface Text {
  readonly bytes: Uint8Array;
  /** How many of the bytes are text. */
  filled: number;
}

/** A line of the text in which literals were found. */
export interface MatchedLine {
  readonly start: number;
  /** Where its newline is, or where the text ends. */
  readonly end: number;
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

/** The sizes that a matcher works with, in bytes. */
export interface MatcherLimits {
  readonly textBytes: number;
  /** Only so much of a line is searched. */
  readonly lineBytes: number;
}

/** Finds the lines of one text after another that contain literals. */
export class LineMatcher {
  /** What is to be searched; room for `MatcherLimits.textBytes`. */
  readonly text: Text;
  readonly #words: Int32Array;
  readonly #table: MatchTable;
  readonly #lineBytesMax: number;
  readonly #aligned: Candidates = createCandidates();
  readonly #middles: Candidates = createCandidates();
  readonly #merged: Candidates = createCandidates();
  #candidates: Candidates = this.#aligned;
  /** By owner: the rank of the line in which it was last found. */
  readonly #foundIn: Int32Array;
  #lineRank = 0;
  #line: MatchedLine | null = null;
  #matched: MatchedLine[] = [];
  /** By block of the text: the newlines before it. */
  readonly #newlinesByBlock: Int32Array;
  /** A place in the text and the newlines before it. */
  #markAt = 0;
  #markNewlines = 0;

  constructor(table: MatchTable, limits: MatcherLimits) {
    const memory = new ArrayBuffer(limits.textBytes + PADDING_BYTES);
    this.text = { bytes: new Uint8Array(memory), filled: 0 };
    this.#words = new Int32Array(memory);
    this.#table = table;
    this.#lineBytesMax = limits.lineBytes;
    const lastOwner = table.owners.reduce((most, owner) => Math.max(most, owner), -1);
    this.#foundIn = new Int32Array(lastOwner + 1);
    this.#newlinesByBlock = new Int32Array(memory.byteLength / BLOCK_BYTES + 1);
  }

  /** Searches the first `limit` bytes of the text; no newline is between there and its end. */
  search(limit: number): SearchedText {
    const { bytes, filled } = this.text;
    const end = (Math.ceil(limit / STEP_BYTES) + 1) * STEP_WORDS;
    let newlines = 0;
    bytes.fill(0, filled, filled + PADDING_BYTES);
    this.#line = null;
    this.#matched = [];
    this.#markAt = 0;
    this.#markNewlines = 0;
    for (let block = 0; block < end; block += BLOCK_WORDS) {
      const blockEnd = Math.min(end, block + BLOCK_WORDS);
      this.#newlinesByBlock[block / BLOCK_WORDS] = newlines;
      newlines += this.#findCandidates(block, blockEnd);
      verifyCandidates(bytes, limit, this.#table.index, this.#candidates, this.#onLiteral);
    }
    return { lines: this.#matched, newlines };
  }

  /** Newlines of the text that was searched before the place `at`; cheapest in ascending order. */
  newlinesBefore(at: number): number {
    const block = Math.floor(at / BLOCK_BYTES);
    if (this.#markAt < block * BLOCK_BYTES || this.#markAt > at) {
      this.#markAt = block * BLOCK_BYTES;
      this.#markNewlines = this.#newlinesByBlock[block]!;
    }
    this.#markNewlines += this.#newlines(this.#markAt, at);
    this.#markAt = at;
    return this.#markNewlines;
  }

  #findCandidates(block: number, blockEnd: number): number {
    const words = this.#words;
    const { index } = this.#table;
    const newlines = findCandidates(words, block, blockEnd, index, this.#aligned);
    this.#candidates = this.#aligned;
    if (index.middleFilter === null) return newlines;
    findMiddles(words, block, blockEnd, index.middleFilter, this.#middles);
    if (this.#middles.count === 0) return newlines;
    mergeCandidates(this.#aligned, this.#middles, this.#merged);
    this.#candidates = this.#merged;
    return newlines;
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
    const { bytes, filled } = this.text;
    const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
    const newline = bytes.indexOf(NEWLINE, end);
    this.#lineRank++;
    const isTerminated = newline >= 0 && newline < filled;
    this.#line = { start, end: isTerminated ? newline : filled, owners: [] };
    return this.#line;
  }

  #newlines(from: number, to: number): number {
    const { bytes } = this.text;
    let count = 0;
    for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
    return count;
  }
}
