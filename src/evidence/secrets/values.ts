import type { Strength } from './names.ts';
import { looksRandom, shareOfWords } from './random-runs.ts';

/**
 * A shell's way to write a single quote inside of single quotes; it is read as a quote of its own
 * kind while secrets are looked for.
 */
const SHELL_QUOTE = "'\\''";
const SHELL_QUOTE_SIGN = '\ue000';

/** A text as it is changed, with the quotes of shells each as one sign. */
export function withQuoteSigns(text: string, change: (text: string) => string): string {
  if (!text.includes(SHELL_QUOTE)) return change(text);
  const signed = change(text.replaceAll(SHELL_QUOTE, SHELL_QUOTE_SIGN));
  return signed.replaceAll(SHELL_QUOTE_SIGN, SHELL_QUOTE);
}

/** Where a value stands in a text. */
export interface ValuePlace {
  readonly from: number;
  /** Behind its last letter. */
  readonly to: number;
}

const QUOTED_MAX = 4000;
const QUOTE = /(\\{0,15})(["'`\ue000])/y;
const PLAIN = /[^\s"'`<>\ue000\ufffd]/;
/** Where a value that nothing encloses ends: before the next field of the same line. */
const NEXT_FIELD = /[,;&|)}\]]{1,8}\s{0,8}(?:$|["'\\]|[\w.-]{1,60}["'\\]{0,4}\s?[=:])|&&/y;
const BLOCK = /[|>](?:[+-]?\d?|\d[+-])[ \t]*\n/y;
/** A block whose lines somebody has joined. */
const FLAT_BLOCK = /[|>][+-]?[ \t\ufffd]{1,20}(?=[^\s|>])/y;
const BLOCK_LINES_MAX = 200;

/** The place of the value that begins at `start`: enclosed in quotes, a block of YAML, or one word. */
export function valueAt(text: string, start: number): ValuePlace {
  const quoted = quotedAt(text, start);
  if (quoted !== null) return quoted;
  BLOCK.lastIndex = start;
  const block = BLOCK.exec(text);
  if (block !== null) return blockAt(text, start, start + block[0].length);
  FLAT_BLOCK.lastIndex = start;
  return wordAt(text, start + (FLAT_BLOCK.exec(text)?.[0].length ?? 0));
}

/** A quote is closed by one that has as many backslashes before it. */
function quotedAt(text: string, start: number): ValuePlace | null {
  QUOTE.lastIndex = start;
  const open = QUOTE.exec(text);
  if (open === null) return null;
  const [mark, slashes = '', sign = ''] = open;
  const from = start + mark.length;
  // CSV doubles the quotes of what it encloses.
  const isDoubled = slashes === '' && text[from] === sign && /\w/.test(text[from + 1] ?? '');
  const begin = isDoubled ? from + 1 : from;
  const end = closing(text, begin, slashes, sign);
  return { from: begin, to: end };
}

function closing(text: string, from: number, slashes: string, sign: string): number {
  const last = Math.min(text.length, from + QUOTED_MAX);
  for (let index = from; index < last; index++) {
    if (text[index] !== sign) continue;
    let before = 0;
    while (text[index - before - 1] === '\\') before++;
    if (before <= slashes.length) return index - before;
  }
  return last;
}

function wordAt(text: string, start: number): ValuePlace {
  let to = start;
  while (PLAIN.test(text[to] ?? '')) {
    NEXT_FIELD.lastIndex = to;
    if (to > start && /[,;&|)}\]]/.test(text[to] ?? '') && NEXT_FIELD.test(text)) break;
    // An escaped quote or line end belongs to the text around it.
    if (text[to] === '\\' && /["'`nrt\\]/.test(text[to + 1] ?? '')) break;
    to++;
  }
  return { from: start, to };
}

/** Lines that stand further in than the line of the field's name. */
function blockAt(text: string, start: number, from: number): ValuePlace {
  const nameLine = text.slice(text.lastIndexOf('\n', start) + 1, start);
  const indent = indentOf(nameLine);
  let to = from;
  for (let count = 0; count < BLOCK_LINES_MAX && to < text.length; count++) {
    const end = text.indexOf('\n', to);
    const line = text.slice(to, end < 0 ? undefined : end);
    if (line.trim() !== '' && indentOf(line) <= indent) break;
    to = end < 0 ? text.length : end + 1;
  }
  return { from, to: text[to - 1] === '\n' ? to - 1 : to };
}

function indentOf(line: string): number {
  return line.length - line.replace(/^[ \t]+/, '').length;
}

/** What templates, variables, earlier cuts and objects begin with. */
const NO_VALUE =
  /^(?:[‹$<{[%#]|\*+$|(?:true|false|null|none|nil|undefined|unset|empty|yes|no|n\/a)$)/i;
const PATH = /^(?:~|\.{1,2})?\/[\w./@:+-]*$/;
const ARN = /^arn:aws[\w-]*:/;
/** An object of Kubernetes, the tag of an image, or the name of a variable. */
const REFERENCE =
  /^(?:[a-z][a-z0-9-]{0,62}\/[a-z][a-z0-9.-]{0,252}|v?\d{1,4}(?:\.\d{1,6}){1,3}(?:[+-][\w.-]{0,40})?|[A-Z]{2,20}(?:_[A-Z]{1,20}){1,6})$/;
const ADDRESS = /^https?:\/\/[^\s@?]*$/;
const SECRET_LEAST = 6;
const HEX_LEAST = 24;

/** True for a value that a field of an object may not show: there it stands for nothing else. */
export function isSecretField(value: string, strength: Strength): boolean {
  if (strength !== 'secret') return isSecretValue(value, strength);
  return value !== '' && !isHarmless(value) && !isPlainAddress(value);
}

function isHarmless(value: string): boolean {
  return NO_VALUE.test(value) || isPath(value) || ARN.test(value) || REFERENCE.test(value);
}

/** True for a value that a text may not show behind a name of this strength. */
export function isSecretValue(value: string, strength: Strength): boolean {
  if (strength === 'password') return value !== '' && !NO_VALUE.test(value);
  if (isHarmless(value)) return false;
  if (strength === 'secret') return value.length >= SECRET_LEAST && !isPlainAddress(value);
  return looksDrawn(value);
}

function isPlainAddress(value: string): boolean {
  return ADDRESS.test(value) && !looksDrawn(value);
}

/** Base64 begins with a slash too; folders are words. */
function isPath(value: string): boolean {
  return PATH.test(value) && !isDrawnBase64(value);
}

const READABLE = 0.5;

/** True for letters of both cases of which less than half are words. */
function isUnread(letters: string): boolean {
  return /[A-Z].*[A-Z]/.test(letters) && /[a-z]/.test(letters) && shareOfWords(letters) < READABLE;
}

const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

function isDrawnBase64(value: string): boolean {
  return BASE64.test(value) && isUnread(value.replaceAll(/[^A-Za-z0-9]/g, ''));
}

function looksDrawn(value: string): boolean {
  if (isDrawnBase64(value)) return true;
  const pieces = value.split(/[^A-Za-z0-9]+/);
  return pieces.some(
    (piece) =>
      (piece.length >= 16 && looksRandom(piece)) ||
      (piece.length >= HEX_LEAST && /^[0-9a-fA-F]+$/.test(piece)) ||
      (piece.length >= 12 && /[A-Z]/.test(piece) && /[a-z]/.test(piece) && /\d/.test(piece)),
  );
}
