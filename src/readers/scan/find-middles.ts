import type { Candidates } from './find-candidates.ts';
import type { GramIndex } from './gram-index.ts';
import { ALONE, HASH_FACTOR } from './gram-index.ts';

/**
 * The candidates that literals of four bytes have in the middle of two words: the last two bytes of
 * one and the first two of the next. Takes about as long again as `findCandidates`.
 */
export function findMiddles(
  words: Int32Array,
  start: number,
  end: number,
  index: GramIndex,
  found: Candidates,
): void {
  const factor = HASH_FACTOR;
  const alone = ALONE;
  const { filter, filterShift: shift } = index;
  const { offsets } = found;
  let count = 0;
  let last = start === 0 ? 0 : words[start - 1]!;
  for (let at = start; at < end; at++) {
    const word = words[at]!;
    const middle = (last >>> 16) | (word << 16);
    if ((filter[Math.imul(middle, factor) >>> shift]! & alone) !== 0) {
      offsets[count++] = at * 4 - 2;
    }
    last = word;
  }
  found.count = count;
}

/** Puts two ascending lists of candidates into a third. */
export function mergeCandidates(one: Candidates, other: Candidates, into: Candidates): void {
  let count = 0;
  let next = 0;
  for (let rank = 0; rank < one.count; rank++) {
    const offset = one.offsets[rank]!;
    while (next < other.count && other.offsets[next]! < offset) {
      into.offsets[count++] = other.offsets[next++]!;
    }
    into.offsets[count++] = offset;
  }
  while (next < other.count) into.offsets[count++] = other.offsets[next++]!;
  into.count = count;
}
