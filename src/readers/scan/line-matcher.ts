import type { Candidates } from './find-candidates.ts';
import {
  BLOCK_WORDS,
  createCandidates,
  findCandidates,
  STEP_BYTES,
  stepOf,
} from './find-candidates.ts';
import { findCandidatesByHalves } from './find-candidates-by-halves.ts';
import type { GramIndex } from './gram-index.ts';
import { verifyCandidates } from './verify-candidates.ts';

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
    const { bytes, words } = this.#text;
    const { index } = this.#table;
    const find = index.halfSteps ? findCandidatesByHalves : findCandidates;
    const end = (Math.ceil(limit / STEP_BYTES) + 1) * (STEP_BYTES / words.BYTES_PER_ELEMENT);
    this.#restart();
    for (let block = 0; block < end; block += BLOCK_WORDS) {
      const blockEnd = Math.min(end, block + BLOCK_WORDS);
      const newlines = find(words, block, blockEnd, index, this.#found);
      verifyCandidates(bytes, limit, index, this.#found, this.#onLiteral);
      this.#newlinesBeforeBlock += newlines;
    }
    return { lines: this.#matched, newlines: this.#newlinesBeforeBlock };
  }

  #restart(): void {
    this.#line = null;
    this.#matched = [];
    this.#newlinesBeforeBlock = 0;
  }

  readonly #onLiteral = (at: number, literal: number, rank: number): void => {
    const { literalStarts } = this.#table.index;
    const owner = this.#table.owners[literal]!;
    if (this.#line !== null && at < this.#line.end) {
      if (this.#foundIn[owner] === this.#lineCount) return;
    }
    const end = at + literalStarts[literal + 1]! - literalStarts[literal]!;
    const line = this.#lineAround(at, end, rank);
    if (end - line.start > this.#lineBytesMax) return;
    this.#foundIn[owner] = this.#lineCount;
    if (line.owners.length === 0) this.#matched.push(line);
    line.owners.push(owner);
  };

  #lineAround(at: number, end: number, rank: number): MatchedLine {
    if (this.#line !== null && at < this.#line.end) return this.#line;
    const { bytes, filled } = this.#text;
    const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
    const newline = bytes.indexOf(NEWLINE, end);
    const terminated = newline >= 0 && newline < filled;
    const newlinesBefore = this.#newlinesBefore(start, end, rank);
    this.#lineCount++;
    this.#line = {
      newlinesBefore,
      start,
      end: terminated ? newline : filled,
      terminated,
      owners: [],
    };
    return this.#line;
  }

  /** Newlines before a line, known up to the step of one of its candidates, which may begin it. */
  #newlinesBefore(lineStart: number, literalEnd: number, rank: number): number {
    const step = stepOf(this.#found.offsets[rank]!);
    const beforeStep = this.#newlinesBeforeBlock + this.#found.newlines[rank]!;
    return beforeStep + this.#newlines(step, lineStart) - this.#newlines(literalEnd, step);
  }

  #newlines(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at++) if (this.#text.bytes[at] === NEWLINE) count++;
    return count;
  }
}
