import type { GramIndex } from './gram-index.ts';
import { ALONE, HASH_FACTOR, SECOND_SHIFT } from './gram-index.ts';

/** Words looked at together, so that newlines cost one test for all of them. */
export const STEP_WORDS = 4;
/** Words in one call: their bytes stay in the first-level cache until candidates are verified. */
export const BLOCK_WORDS = 2048;

const JUST_ABOVE_NEWLINE = 0x0b0b0b0b;
const TOP_BITS = 0x80808080 | 0;
const NEWLINES = 0x0a0a0a0a;

/** The places of one block at which a literal may begin, and the newlines before them. */
export interface Candidates {
  count: number;
  /** From the start of the text to a word that may be a literal's gram, in bytes. */
  readonly offsets: Int32Array;
  /** Newlines from the start of the block to the step (16 bytes) that found the candidate. */
  readonly newlines: Int32Array;
  /** From the start of the text to that step, in bytes. */
  readonly steps: Int32Array;
}

/** Room for the candidates of one block, at most two a word. */
export function createCandidates(): Candidates {
  const room = (): Int32Array => new Int32Array(BLOCK_WORDS * 2);
  return { count: 0, offsets: room(), newlines: room(), steps: room() };
}
