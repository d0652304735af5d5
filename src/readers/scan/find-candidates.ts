import type { GramIndex } from './gram-index.ts';
import { HASH_FACTOR, SECOND_SHIFT } from './gram-index.ts';

/** Bytes looked at together, so that newlines cost one test for all of them. */
export const STEP_BYTES = 16;
/** Words in one call: they stay in the first-level cache until their candidates are verified. */
export const BLOCK_WORDS = 1024;

const NEWLINES = 0x0a0a0a0a;
const JUST_ABOVE_NEWLINES = 0x0b0b0b0b;
const TOP_BITS = 0x80808080 | 0;
const LOWER_BITS = 0x7f7f7f7f;
const LOWEST_BITS = 0x01010101;

/** Places in the text at which a gram of a literal may be, in bytes from its start, ascending. */
export interface Candidates {
  count: number;
  readonly offsets: Int32Array;
}

/** Room for the candidates of one block. */
export function createCandidates(): Candidates {
  return { count: 0, offsets: new Int32Array(BLOCK_WORDS * 2) };
}

/** How many of the four bytes of `word` are newlines; no byte disturbs its neighbour's count. */
function newlinesInWord(word: number): number {
  const other = word ^ NEWLINES;
  const differs = ((other & LOWER_BITS) + LOWER_BITS) | other;
  return Math.imul((~differs >>> 7) & LOWEST_BITS, LOWEST_BITS) >>> 24;
}

/**
 * Finds the candidates among the words from `start` up to `end`, multiples of four, and returns the
 * number of newlines there. A candidate is noted when the word after it is read, so the last word's
 * is left to the next block; the words must go on with at least one more step after the text.
 *
 * Subtracting 0x0b from each byte sets the top bit of a newline's: the sieve that saves counting in
 * most steps. Constants are local, since the engine reads a module's own at every turn of the loop.
 */
export function findCandidates(
  words: Int32Array,
  start: number,
  end: number,
  index: GramIndex,
  found: Candidates,
): number {
  const factor = HASH_FACTOR;
  const second = SECOND_SHIFT;
  const sieve = JUST_ABOVE_NEWLINES;
  const topBits = TOP_BITS;
  const { filter, filterShift: shift } = index;
  const { offsets } = found;
  let count = 0;
  let lines = 0;
  let before = start === 0 ? 0 : filter[Math.imul(words[start - 1]!, factor) >>> shift]!;
  for (let at = start; at < end; at += 4) {
    const a = words[at]!;
    const b = words[at + 1]!;
    const c = words[at + 2]!;
    const d = words[at + 3]!;
    const ofA = filter[Math.imul(a, factor) >>> shift]!;
    const ofB = filter[Math.imul(b, factor) >>> shift]!;
    const ofC = filter[Math.imul(c, factor) >>> shift]!;
    const ofD = filter[Math.imul(d, factor) >>> shift]!;
    if ((before & (ofA >>> second)) !== 0) offsets[count++] = at * 4 - 4;
    if ((ofA & (ofB >>> second)) !== 0) offsets[count++] = at * 4;
    if ((ofB & (ofC >>> second)) !== 0) offsets[count++] = at * 4 + 4;
    if ((ofC & (ofD >>> second)) !== 0) offsets[count++] = at * 4 + 8;
    before = ofD;
    const sieved = (a - sieve) | (b - sieve) | (c - sieve) | (d - sieve);
    if ((sieved & topBits) !== 0) {
      lines += newlinesInWord(a) + newlinesInWord(b) + newlinesInWord(c) + newlinesInWord(d);
    }
  }
  found.count = count;
  return lines;
}
