import { REDACTED } from './mark.ts';

/** Letters and digits with what base64, its form for URLs, and paths put between them. */
const RUN = /(?<!SHA256:)(?<![A-Za-z0-9_+/~-])[A-Za-z0-9_+/~-]{16,}={0,2}/g;
const PIECE = /[A-Za-z0-9]{16,}/g;
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const HASH_LEAST = 8;

/** Lengths from which letters of one case and digits count; ids of AWS have 21. */
const UPPER_LEAST = 24;
const LOWER_LEAST = 28;

/**
 * Letters drawn by chance change between capitals, small letters and digits at 62 % of their
 * places; names made of words do so at 10 to 30 %.
 */
const CHANGES_LEAST = 0.36;
/** Names of several parts, the last of which was drawn, stay below this. */
const JOINED = 0.46;
const JOINED_LEAST = 32;

/** Three small letters in a row are a piece of a word; drawn by chance, a sixth of letters are in one. */
const WORDS = /[a-z]{3,}/g;
const WORDS_SHARE_MAX = 0.47;
/** Paths have slashes like base64, and more words. */
const PATH_SHARE_MIN = 0.5;

/** How much of a piece is made of words, 0 to 1. */
export function shareOfWords(piece: string): number {
  return (piece.match(WORDS) ?? []).join('').length / piece.length;
}

type Letter = 'upper' | 'lower' | 'digit';

function kindOf(code: number): Letter {
  if (code < 58) return 'digit';
  return code < 91 ? 'upper' : 'lower';
}

interface Counts {
  readonly upper: number;
  readonly lower: number;
  readonly digit: number;
  readonly changes: number;
}

function countsOf(piece: string): Counts {
  const counts = { upper: 0, lower: 0, digit: 0, changes: 0 };
  let before: Letter | null = null;
  for (let index = 0; index < piece.length; index++) {
    const kind = kindOf(piece.charCodeAt(index));
    counts[kind]++;
    if (before !== null && kind !== before) counts.changes++;
    before = kind;
  }
  return counts;
}

/** True for 16 and more letters and digits that nobody made up of words, and that are no hash. */
export function looksRandom(piece: string, changesLeast = CHANGES_LEAST): boolean {
  if (HEX.test(piece)) return false;
  const { upper, lower, digit, changes } = countsOf(piece);
  if (changes < changesLeast * (piece.length - 1)) return false;
  if (upper >= 2 && lower >= 2)
    return (digit >= 1 || piece.length >= LOWER_LEAST) && shareOfWords(piece) < WORDS_SHARE_MAX;
  const least = upper > lower ? UPPER_LEAST : LOWER_LEAST;
  return piece.length >= least;
}

function isRandomRun(run: string): boolean {
  if ((run.match(PIECE) ?? []).some((piece) => looksRandom(piece))) return true;
  return run.length >= JOINED_LEAST && /[A-Z]/.test(run) && looksRandom(joined(run), JOINED);
}

/** The parts of a run in one, without the hashes that names end with. */
function joined(run: string): string {
  const parts = run.split(/[^A-Za-z0-9]+/);
  return parts.filter((part) => part.length < HASH_LEAST || !HEX.test(part)).join('');
}

function countOf(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}

const BASE64 = /[A-Za-z0-9+/]{40,}={0,2}/g;

/**
 * Base64 of 40 characters is a secret access key, longer one a key's or a token's body. Hashes have
 * no capitals, and names and paths, which are made of the same letters, have fewer.
 */
function isKey(run: string): boolean {
  const digits = countOf(run, /\d/g);
  const share = run.length === 40 || run.length >= 200 ? 0.01 : ([0.33, 0.25][digits] ?? 0.2);
  const least = run.length * share;
  const isMixed = countOf(run, /[A-Z]/g) >= least && countOf(run, /[a-z]/g) >= least;
  return isMixed && (digits > 0 || share > 0.3) && shareOfWords(run) < PATH_SHARE_MIN;
}

function redactRun(run: string): string {
  if ((run.match(BASE64) ?? []).some(isKey)) return REDACTED;
  const parts = run.split('/');
  return parts.map((part) => (isRandomRun(part) ? REDACTED : part)).join('/');
}

/** The text without runs of letters that were drawn by chance: keys and tokens of any kind. */
export function redactRandomRuns(text: string): string {
  return text.replace(RUN, redactRun);
}

const LONG_RUN = /[A-Za-z0-9_+/~-]{16}/;
const SMALL_RUN = /[a-z0-9]{28}/;

/** False for most texts: names have no capitals, and sentences no long words with digits. */
export function mayHoldRandomRun(text: string): boolean {
  return /[A-Z]/.test(text) ? LONG_RUN.test(text) : SMALL_RUN.test(text);
}
