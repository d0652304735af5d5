import type { Candidates } from './find-candidates.ts';
import { newlinesInWord } from './find-candidates.ts';
import type { GramIndex } from './gram-index.ts';
import { ALONE, HASH_FACTOR, SECOND_SHIFT } from './gram-index.ts';

const STEP_WORDS = 4;

/**
 * `findCandidates` for a set with a literal of four bytes: it also looks at the four bytes in the
 * middle of each two words, for about half the speed.
 */
export function findCandidatesByHalves(
  words: Int32Array,
  start: number,
  end: number,
  index: GramIndex,
  found: Candidates,
): number {
  const { filter, filterShift: shift } = index;
  const { offsets, newlines } = found;
  let count = 0;
  let lines = 0;
  let stepLines = 0;
  let last = start === 0 ? 0 : words[start - 1]!;
  let before = start === 0 ? 0 : filter[Math.imul(last, HASH_FACTOR) >>> shift]!;
  for (let at = start; at < end; at++) {
    if (at % STEP_WORDS === 0) stepLines = lines;
    const word = words[at]!;
    const entry = filter[Math.imul(word, HASH_FACTOR) >>> shift]!;
    if ((before & (entry >>> SECOND_SHIFT)) !== 0) {
      newlines[count] = stepLines;
      offsets[count++] = at * 4 - 4;
    }
    const middle = (last >>> 16) | (word << 16);
    if ((filter[Math.imul(middle, HASH_FACTOR) >>> shift]! & ALONE) !== 0) {
      newlines[count] = stepLines;
      offsets[count++] = at * 4 - 2;
    }
    lines += newlinesInWord(word);
    last = word;
    before = entry;
  }
  found.count = count;
  return lines;
}
