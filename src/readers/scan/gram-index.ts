import type { Commonness } from './gram-commonness.ts';
import { createCommonness, findRarest, gramAt } from './gram-commonness.ts';

/** Set in the low byte of a filter entry: the gram alone makes a candidate, whatever follows. */
const ALONE = 0x80;
/** Filter entries keep what may come first in their low byte, what may come second above it. */
export const SECOND_SHIFT = 8;
/** Odd number near 2^32 / golden ratio; the top bits of a product with it are well spread. */
export const HASH_FACTOR = 0x9e3779b1 | 0;
/** The slot of a middle in its filter is the top 16 bits of its hash. */
export const MIDDLE_FILTER_SHIFT = 16;

/** Bytes from the start of a literal among which its rarest grams are looked for. */
const LOOKED_AT_BYTES = 32;

const BUCKET_SHIFT = 18;
const SLOTS_PER_ENTRY = 8;
const FILTER_BITS_MIN = 10;
const FILTER_BITS_MAX = 18;
const FIRST_IS_RARER_GROUPS = 4;
const SECOND_IS_RARER_GROUPS = 3;

/**
 * Literals arranged so that a text can be searched for all of them in aligned words of four bytes.
 *
 * A gram is four bytes of a literal. A literal of seven bytes or more has one gram for each of the
 * four alignments that its start can have; whatever its place in the text, one of them is a word.
 * Shorter ones are spelled out for the alignments in which they do not fill a word.
 * From eleven bytes on each gram has a known follower: the window is eight bytes long.
 */
export interface GramIndex {
  /** All literals, one after another. */
  readonly literalBytes: Uint8Array;
  /** By literal: where it starts in `literalBytes`; one more for the end of the last. */
  readonly literalStarts: Int32Array;
  /**
   * By hash of a word: the groups whose windows have it first (low byte) and second (high byte).
   * A word and its follower that share no group are no window of any literal.
   */
  readonly filter: Uint16Array;
  /** A word's slot in the filter is `imul(word, HASH_FACTOR) >>> filterShift`. */
  readonly filterShift: number;
  /** By hash of the middle of two words: 1 for those of four-byte literals; null without them. */
  readonly middleFilter: Uint8Array | null;
  /** By `bucketOf` a gram: the place of its first entry, or -1. */
  readonly buckets: Int32Array;
  /**
   * Four numbers an entry: gram, literal, bytes from the literal's start to the gram (-1 when the
   * gram begins before it), place of the next entry or -1.
   */
  readonly entries: Int32Array;
}

interface Draft {
  readonly common: Commonness;
  /** For the literal at hand: the place of its rarest gram, by the place modulo 4. */
  readonly rarest: Int32Array;
  readonly filter: Uint16Array;
  readonly filterShift: number;
  readonly middleFilter: Uint8Array;
  readonly buckets: Int32Array;
  readonly entries: Int32Array;
  entriesEnd: number;
}

/** The place in `GramIndex.buckets` of a gram's chain of entries. */
export function bucketOf(gram: number): number {
  return Math.imul(gram, HASH_FACTOR) >>> BUCKET_SHIFT;
}

function addEntry(draft: Draft, gram: number, literal: number, offset: number): void {
  const { buckets, entries, entriesEnd: place } = draft;
  const bucket = bucketOf(gram);
  entries[place] = gram;
  entries[place + 1] = literal;
  entries[place + 2] = offset;
  entries[place + 3] = buckets[bucket]!;
  buckets[bucket] = place;
  draft.entriesEnd = place + 4;
}

function allow(draft: Draft, gram: number, groups: number): void {
  draft.filter[Math.imul(gram, HASH_FACTOR) >>> draft.filterShift]! |= groups;
}

/**
 * Adds the window of eight bytes that has the gram at `rarest` as one of its halves. Windows that
 * have it first never share a group with the others: a group of both kinds would accept a common
 * word followed by a common word.
 */
function addWindow(draft: Draft, bytes: Uint8Array, literal: number, rarest: number): void {
  const firstIsRarer = rarest + 8 <= bytes.length;
  const offset = firstIsRarer ? rarest : rarest - 4;
  const gram = gramAt(bytes, offset);
  const group = firstIsRarer
    ? literal % FIRST_IS_RARER_GROUPS
    : FIRST_IS_RARER_GROUPS + (literal % SECOND_IS_RARER_GROUPS);
  allow(draft, gram, 1 << group);
  allow(draft, gramAt(bytes, offset + 4), 1 << (group + SECOND_SHIFT));
  addEntry(draft, gram, literal, offset);
}

/**
 * A literal of six bytes that starts with the second byte of a word: three bytes after any byte,
 * then three before any byte.
 */
function addSplitWindow(draft: Draft, bytes: Uint8Array, literal: number): void {
  const around = new Uint8Array(8);
  around.set(bytes, 1);
  for (let unknown = 0; unknown < 256; unknown++) {
    around[0] = unknown;
    around[7] = unknown;
    const gram = gramAt(around, 0);
    allow(draft, gram, 1);
    allow(draft, gramAt(around, 4), 1 << SECOND_SHIFT);
    addEntry(draft, gram, literal, -1);
  }
}

function addLoneGram(draft: Draft, bytes: Uint8Array, literal: number, offset: number): void {
  const gram = gramAt(bytes, offset);
  allow(draft, gram, ALONE);
  addEntry(draft, gram, literal, offset);
}

/**
 * Spells out the words that have three bytes of a literal and one byte that can be any: before the
 * literal's first three bytes, or after its last three.
 */
function partialGrams(bytes: Uint8Array, visit: (gram: number, offset: number) => void): void {
  const around = new Uint8Array(bytes.length + 2);
  around.set(bytes, 1);
  for (let unknown = 0; unknown < 256; unknown++) {
    around[0] = unknown;
    around[bytes.length + 1] = unknown;
    for (const offset of [-1, bytes.length - 3]) visit(gramAt(around, offset + 1), offset);
  }
}

/** In two of its alignments a literal of five bytes has three of them in one word. */
function addFiveBytes(draft: Draft, bytes: Uint8Array, literal: number): void {
  partialGrams(bytes, (gram, offset) => {
    allow(draft, gram, ALONE);
    addEntry(draft, gram, literal, offset);
  });
}

/**
 * One of four bytes can be in the middle of two words. From an odd place on it is looked for there
 * too, where it has three of its bytes.
 */
function addFourBytes(draft: Draft, bytes: Uint8Array, literal: number): void {
  draft.middleFilter[middleSlot(gramAt(bytes, 0))] = 1;
  partialGrams(bytes, (gram, offset) => {
    draft.middleFilter[middleSlot(gram)] = 1;
    addEntry(draft, gram, literal, offset);
  });
}

function addLiteral(draft: Draft, bytes: Uint8Array, literal: number): void {
  const { common, rarest } = draft;
  findRarest(common, bytes, Math.min(bytes.length, LOOKED_AT_BYTES), rarest);
  for (let phase = 0; phase < 4; phase++) {
    if (phase + 8 <= bytes.length) addWindow(draft, bytes, literal, rarest[phase]!);
    else if (phase + 4 <= bytes.length) addLoneGram(draft, bytes, literal, phase);
  }
  if (bytes.length === 6) addSplitWindow(draft, bytes, literal);
  if (bytes.length === 5) addFiveBytes(draft, bytes, literal);
  if (bytes.length === 4) addFourBytes(draft, bytes, literal);
}

function middleSlot(gram: number): number {
  return Math.imul(gram, HASH_FACTOR) >>> MIDDLE_FILTER_SHIFT;
}

/** Entries of a literal, at most: one for each alignment, and those spelled out byte by byte. */
function entriesOf(length: number): number {
  if (length < 6) return 4 + 2 * 256;
  return length === 6 ? 4 + 256 : 4;
}

function createDraft(literals: readonly Uint8Array[]): Draft {
  const entries = literals.reduce((sum, bytes) => sum + entriesOf(bytes.length), 0);
  const wantedBits = Math.ceil(Math.log2(entries * SLOTS_PER_ENTRY));
  const bits = Math.min(FILTER_BITS_MAX, Math.max(FILTER_BITS_MIN, wantedBits));
  return {
    common: createCommonness(),
    rarest: new Int32Array(4),
    filter: new Uint16Array(1 << bits).fill(ALONE << SECOND_SHIFT),
    filterShift: 32 - bits,
    middleFilter: new Uint8Array(1 << (32 - MIDDLE_FILTER_SHIFT)),
    buckets: new Int32Array(1 << (32 - BUCKET_SHIFT)).fill(-1),
    entries: new Int32Array(entries * 4),
    entriesEnd: 0,
  };
}

function startsOf(literals: readonly Uint8Array[]): Int32Array {
  const starts = new Int32Array(literals.length + 1);
  for (let literal = 0; literal < literals.length; literal++) {
    starts[literal + 1] = starts[literal]! + literals[literal]!.length;
  }
  return starts;
}

/** Builds the index of `literals`, each of at least four bytes. */
export function buildGramIndex(literals: readonly Uint8Array[]): GramIndex {
  const draft = createDraft(literals);
  const literalStarts = startsOf(literals);
  const literalBytes = new Uint8Array(literalStarts[literals.length]!);
  for (const [literal, bytes] of literals.entries()) {
    literalBytes.set(bytes, literalStarts[literal]);
    addLiteral(draft, bytes, literal);
  }
  const { filter, filterShift, buckets, middleFilter, entries } = draft;
  const hasFourBytes = literals.some((bytes) => bytes.length === 4);
  return {
    literalBytes,
    literalStarts,
    filter,
    filterShift,
    middleFilter: hasFourBytes ? middleFilter : null,
    buckets,
    entries,
  };
}
