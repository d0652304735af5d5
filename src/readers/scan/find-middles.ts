import type { Candidates } from './find-candidates.ts';
import { HASH_FACTOR, MIDDLE_FILTER_SHIFT } from './gram-index.ts';

/**
 * Finds the candidates in the middle of two words: the last two bytes of one and the first two of
 * the next, of the words from `start` up to `end`, multiples of four, and the word before them.
 */
export function findMiddles(
  words: Int32Array,
  start: number,
  end: number,
  middleFilter: Uint8Array,
  found: Candidates,
): void {
  const factor = HASH_FACTOR;
  const shift = MIDDLE_FILTER_SHIFT;
  const { offsets } = found;
  let count = 0;
  let last = start === 0 ? 0 : words[start - 1]!;
  for (let at = start; at < end; at += 4) {
    const a = words[at]!;
    const b = words[at + 1]!;
    const c = words[at + 2]!;
    const d = words[at + 3]!;
    const toA = middleFilter[Math.imul((last >>> 16) | (a << 16), factor) >>> shift]!;
    const toB = middleFilter[Math.imul((a >>> 16) | (b << 16), factor) >>> shift]!;
    const toC = middleFilter[Math.imul((b >>> 16) | (c << 16), factor) >>> shift]!;
    const toD = middleFilter[Math.imul((c >>> 16) | (d << 16), factor) >>> shift]!;
    last = d;
    if ((toA | toB | toC | toD) === 0) continue;
    if (toA !== 0) offsets[count++] = at * 4 - 2;
    if (toB !== 0) offsets[count++] = at * 4 + 2;
    if (toC !== 0) offsets[count++] = at * 4 + 6;
    if (toD !== 0) offsets[count++] = at * 4 + 10;
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
