/** Secrets of every shape, the same ones at each run. */
import { createHash } from 'node:crypto';
import { type Make, type Shape, SHAPES } from './shapes.ts';

export interface Planted {
  readonly shape: string;
  /** The shape with its secret in it. */
  readonly text: string;
  readonly secret: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  base62: UPPER + LOWER + DIGITS,
  base64: `${UPPER}${LOWER}${DIGITS}+/`,
  base64url: `${UPPER}${LOWER}${DIGITS}-_`,
  hex: '0123456789abcdef',
  lower: LOWER + DIGITS,
  upper: `${UPPER}234567`,
  digits: DIGITS,
};
const CONSONANTS = 'bdfghklmnprstvz';
const VOWELS = 'aeiou';

/** Bytes that depend on the seed alone. */
function bytesOf(seed: string, length: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${seed} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

function lettersOf(seed: string, alphabet: string, length: number): string {
  return Array.from(bytesOf(seed, length), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** A word that can be spoken and that no dictionary has. */
function wordOf(seed: string): string {
  const letters = Array.from(bytesOf(seed, 7), (byte, index) =>
    index % 2 === 0 ? CONSONANTS[byte % CONSONANTS.length] : VOWELS[byte % VOWELS.length],
  );
  return letters.join('');
}

/** Like one that a person thinks of: it is as short as a word, and has no random look. */
function passwordOf(seed: string): string {
  const [first = '', ...rest] = wordOf(`${seed} 1`);
  const [number = 0] = bytesOf(seed, 1);
  return `${first.toUpperCase()}${rest.join('')}${number}!${wordOf(`${seed} 2`)}`;
}

function wordsOf(seed: string): string {
  return [1, 2, 3, 4].map((index) => wordOf(`${seed} ${index}`)).join(' ');
}

function uuidOf(seed: string): string {
  const hex = lettersOf(seed, ALPHABETS['hex'] ?? '', 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A secret of a kind. */
export function makeSecret(make: Make, seed: string): string {
  if (make === 'password') return passwordOf(seed);
  if (make === 'words') return wordsOf(seed);
  if (make === 'uuid') return uuidOf(seed);
  const [kind = '', length = ''] = make.split(' ');
  return lettersOf(seed, ALPHABETS[kind] ?? '', Number(length));
}

function plant([shape, make, text]: Shape, place: string): Planted {
  const secret = makeSecret(make, `${shape} ${place}`);
  return { shape, text: text.replaceAll('§', () => secret), secret };
}

/** One secret of each shape, or of the first so many; those of another place are other ones. */
export function plantedFor(place: string, most = SHAPES.length): readonly Planted[] {
  return SHAPES.slice(0, most).map((shape) => plant(shape, place));
}

const PART = 12;
/** More of a long secret than this is not looked for: who shows its end shows its beginning. */
const PARTS_MAX = 6;

/** Pieces by which a secret is told: the whole of a short one, else every twelve characters. */
export function piecesOf(secret: string): readonly string[] {
  const pieces: string[] = [];
  const length = Math.min(secret.length, PART * PARTS_MAX);
  for (let start = 0; start + PART <= length; start += PART)
    pieces.push(secret.slice(start, start + PART));
  return pieces.length === 0 ? [secret] : pieces;
}

/** The forms in which a secret may come out: as it is, or encoded as programs do. */
export function encodingsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [
    ...piecesOf(secret),
    base64.slice(0, -1),
    Buffer.from(secret).toString('base64url').slice(0, -1),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
}
