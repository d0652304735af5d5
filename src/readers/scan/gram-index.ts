import { createCommonness, gramAt } from './gram-commonness.ts';

/** Set in the low byte of a filter entry: the gram alone makes a candidate, whatever follows. */
export const ALONE = 0x80;
/** Filter entries keep what may come first in their low byte, what may come second above it. */
export const SECOND_SHIFT = 8;
/** Odd multiplier near 2^32 / golden ratio; its product's top bits spread over the filter. */
export const HASH_FACTOR = 0x9e3779b1 | 0;

const FILTER_BITS_MIN = 15;
const FILTER_BITS_MAX = 18;
/** The filter grows until at most one of this many slots is taken by a gram that stands alone. */
const SLOTS_PER_LONE_GRAM = 64;
const FIRST_IS_RARER_GROUPS = 4;
const SECOND_IS_RARER_GROUPS = 3;
const ENTRY_INTS = 4;
const BUCKET_BITS = 12;

/**
 * Four bytes of a literal. The text is read in aligned words of four bytes, so each literal has
 * one gram for every remainder modulo 4 that its first byte can have: whatever its place in the
 * text, one of its grams is an aligned word.
 */
interface Gram {
  readonly gram: number;
  readonly literal: number;
  /** From the start of the literal to the gram, in bytes; negative if the gram begins before it. */
  readonly offset: number;
  /** The four bytes after the gram, or null when they are not known. */
  readonly next: number | null;
}

/** Literals arranged so that a text can be searched for all of them in words of four bytes. */
export interface GramIndex {
  /** All literals, one after another. */
  readonly literalBytes: Uint8Array;
  /** By literal: where it starts in `literalBytes`; one more for the end of the last. */
  readonly literalStarts: Int32Array;
  /**
   * By hash of a word: which groups have it as their first gram (low byte) and as the second gram
   * of their window (high byte). A word and its follower that share no group begin no literal.
   */
  readonly filter: Uint16Array;
  /** A word's slot in the filter is `imul(word, HASH_FACTOR) >>> filterShift`. */
  readonly filterShift: number;
  /** True when a literal has only four bytes: it may be in the middle of two words (`findMiddles`). */
  readonly hasShortest: boolean;
  /** By `hash >>> (32 - 12)`: the place of the first entry of that bucket, or -1. */
  readonly buckets: Int32Array;
  /** Four numbers an entry: gram, literal, offset, place of the next entry or -1. */
  readonly entries: Int32Array;
}

type Commonness = (gram: number) => number;

/** The window of eight bytes whose rarer half is rarest, among those at `phase` modulo 4. */
function bestPair(bytes: Uint8Array, literal: number, phase: number, common: Commonness): Gram[] {
  let best: Gram[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (let offset = phase; offset + 8 <= bytes.length; offset += 4) {
    const gram = gramAt(bytes, offset);
    const next = gramAt(bytes, offset + 4);
    const cost = Math.min(common(gram), common(next));
    if (cost >= lowest) continue;
    lowest = cost;
    best = [{ gram, literal, offset, next }];
  }
  return best;
}

/**
 * The words that hold three bytes of a literal of four to six bytes and one unknown byte. A literal
 * of four bytes in the middle of two words has none: `findMiddles` is for that one.
 */
function partialGrams(bytes: Uint8Array, literal: number, phase: number): Gram[] {
  const offset = phase === 3 ? -1 : phase;
  if (bytes.length - offset < 3) return [];
  const padded = new Uint8Array(8);
  padded.set(bytes, 1);
  return Array.from({ length: 256 }, (_, unknown) => {
    padded[phase === 3 ? 0 : bytes.length + 1] = unknown;
    return { gram: gramAt(padded, offset + 1), literal, offset, next: null };
  });
}

function gramsOf(bytes: Uint8Array, literal: number, common: Commonness): Gram[] {
  return [0, 1, 2, 3].flatMap((phase) => {
    if (phase + 8 <= bytes.length) return bestPair(bytes, literal, phase, common);
    if (phase + 4 > bytes.length) return partialGrams(bytes, literal, phase);
    return [{ gram: gramAt(bytes, phase), literal, offset: phase, next: null }];
  });
}

/**
 * The group a window belongs to. Windows whose first gram is the rarer one never share a group
 * with the others: a group of both kinds would accept a common word followed by a common word.
 */
function groupBit(gram: number, next: number, common: Commonness): number {
  const spread = (Math.imul(gram, HASH_FACTOR) >>> 4) & 0xffff;
  if (common(gram) <= common(next)) return 1 << (spread % FIRST_IS_RARER_GROUPS);
  return 1 << (FIRST_IS_RARER_GROUPS + (spread % SECOND_IS_RARER_GROUPS));
}

function filterShiftFor(grams: readonly Gram[]): number {
  const alone = grams.filter((gram) => gram.next === null).length;
  const wanted = Math.ceil(Math.log2(1 + alone * SLOTS_PER_LONE_GRAM));
  return 32 - Math.min(FILTER_BITS_MAX, Math.max(FILTER_BITS_MIN, wanted));
}

function buildFilter(grams: readonly Gram[], shift: number, common: Commonness): Uint16Array {
  const filter = new Uint16Array(1 << (32 - shift)).fill(ALONE << SECOND_SHIFT);
  for (const { gram, next } of grams) {
    const bit = next === null ? ALONE : groupBit(gram, next, common);
    filter[Math.imul(gram, HASH_FACTOR) >>> shift]! |= bit;
    if (next === null) continue;
    filter[Math.imul(next, HASH_FACTOR) >>> shift]! |= bit << SECOND_SHIFT;
  }
  return filter;
}

function chainEntries(grams: readonly Gram[]): Pick<GramIndex, 'buckets' | 'entries'> {
  const buckets = new Int32Array(1 << BUCKET_BITS).fill(-1);
  const entries = new Int32Array(grams.length * ENTRY_INTS);
  for (const [rank, { gram, literal, offset }] of grams.entries()) {
    const bucket = bucketOf(gram);
    const place = rank * ENTRY_INTS;
    entries.set([gram, literal, offset, buckets[bucket]!], place);
    buckets[bucket] = place;
  }
  return { buckets, entries };
}

function joinLiterals(
  literals: readonly Uint8Array[],
): Pick<GramIndex, 'literalBytes' | 'literalStarts'> {
  const literalStarts = new Int32Array(literals.length + 1);
  for (const [literal, bytes] of literals.entries()) {
    literalStarts[literal + 1] = literalStarts[literal]! + bytes.length;
  }
  const literalBytes = new Uint8Array(literalStarts[literals.length]!);
  for (const [literal, bytes] of literals.entries()) {
    literalBytes.set(bytes, literalStarts[literal]);
  }
  return { literalBytes, literalStarts };
}

/** The place in `GramIndex.buckets` of a gram's chain of entries. */
export function bucketOf(gram: number): number {
  return Math.imul(gram, HASH_FACTOR) >>> (32 - BUCKET_BITS);
}

/** Builds the index of `literals`, each of at least four bytes. Takes about 4 us a literal. */
export function buildGramIndex(literals: readonly Uint8Array[]): GramIndex {
  const common = createCommonness();
  const grams = literals.flatMap((bytes, literal) => gramsOf(bytes, literal, common));
  const filterShift = filterShiftFor(grams);
  return {
    ...joinLiterals(literals),
    filter: buildFilter(grams, filterShift, common),
    filterShift,
    hasShortest: literals.some((bytes) => bytes.length === 4),
    ...chainEntries(grams),
  };
}
