import type { GramIndex } from './gram-index.ts';
import { HASH_FACTOR, SECOND_SHIFT } from './gram-index.ts';

/** Bytes looked at together, so that newlines cost one test for all of them. */
export const STEP_BYTES = 16;
/** Words in one call: their bytes stay in the first-level cache until candidates are verified. */
export const BLOCK_WORDS = 2048;

const JUST_ABOVE_NEWLINE = 0x0b0b0b0b;
const TOP_BITS = 0x80808080 | 0;

/** The places of one block at which a literal may be, in the order of the text. */
export interface Candidates {
  count: number;
  /** Bytes from the start of the text to a word that may be a literal's gram. */
  readonly offsets: Int32Array;
  /** Newlines from the start of the block to the step that `stepOf` names. */
  readonly newlines: Int32Array;
}

/** Room for the candidates of one block, at most two a word. */
export function createCandidates(): Candidates {
  const room = BLOCK_WORDS * 2;
  return { count: 0, offsets: new Int32Array(room), newlines: new Int32Array(room) };
}

/** Where the step began in which a candidate was found: when the word after it was read. */
export function stepOf(offset: number): number {
  return (offset + 4) & -STEP_BYTES;
}

/** How many of the four bytes of `word` are newlines; no byte disturbs its neighbour's count. */
export function newlinesInWord(word: number): number {
  const other = word ^ 0x0a0a0a0a;
  const nonZero = ((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other;
  const ones = (~nonZero >>> 7) & 0x01010101;
  return Math.imul(ones, 0x01010101) >>> 24;
}

/**
 * Finds the candidates among the words from `start` up to `end`, multiples of four, and returns the
 * number of newlines there. A candidate is noted when the word after it is read, so the last word's
 * is left to the next block; `words` must go on with at least one more step at the end of the text.
 */
export function findCandidates(
  words: Int32Array,
  start: number,
  end: number,
  index: GramIndex,
  found: Candidates,
): number {
  const factor = HASH_FACTOR;
  const secondShift = SECOND_SHIFT;
  const aboveNewline = JUST_ABOVE_NEWLINE;
  const topBits = TOP_BITS;
  const { filter, filterShift: shift } = index;
  const { offsets, newlines } = found;
  let count = 0;
  let lines = 0;
  let before = start === 0 ? 0 : filter[Math.imul(words[start - 1]!, factor) >>> shift]!;
  for (let at = start; at < end; at += 4) {
    const a = words[at]!;
    const b = words[at + 1]!;
    const c = words[at + 2]!;
    const d = words[at + 3]!;
    const first = filter[Math.imul(a, factor) >>> shift]!;
    const second = filter[Math.imul(b, factor) >>> shift]!;
    const third = filter[Math.imul(c, factor) >>> shift]!;
    const fourth = filter[Math.imul(d, factor) >>> shift]!;
    if ((before & (first >>> secondShift)) !== 0) {
      newlines[count] = lines;
      offsets[count++] = at * 4 - 4;
    }
    if ((first & (second >>> secondShift)) !== 0) {
      newlines[count] = lines;
      offsets[count++] = at * 4;
    }
    if ((second & (third >>> secondShift)) !== 0) {
      newlines[count] = lines;
      offsets[count++] = at * 4 + 4;
    }
    if ((third & (fourth >>> secondShift)) !== 0) {
      newlines[count] = lines;
      offsets[count++] = at * 4 + 8;
    }
    before = fourth;
    const newline =
      (a - aboveNewline) | (b - aboveNewline) | (c - aboveNewline) | (d - aboveNewline);
    if ((newline & topBits) !== 0) {
      lines += newlinesInWord(a) + newlinesInWord(b) + newlinesInWord(c) + newlinesInWord(d);
    }
  }
  found.count = count;
  return lines;
}
