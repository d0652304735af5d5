import { isObject, type Json } from './json.ts';
import { COMMAND_FORMS, COMMAND_MARK } from './secrets/commands.ts';
import { REDACTED } from './secrets/mark.ts';
import { mayNameSecret, strengthOfField } from './secrets/names.ts';
import { redactNamedValues } from './secrets/named-values.ts';
import { mayHoldRandomRun, redactRandomRuns } from './secrets/random-runs.ts';
import { isSecretField, withQuoteSigns } from './secrets/values.ts';
import { redactKeyEnds, TOKEN_FORMS, TOKEN_MARK } from './secrets/token-forms.ts';

/** The text without anything that opens a door; idempotent, linear in its length. */
export function redact(text: string): string {
  return withQuoteSigns(text, redactSigned);
}

function redactSigned(text: string): string {
  let clean = text;
  if (TOKEN_MARK.test(text)) clean = redactKeyEnds(withoutForms(clean, TOKEN_FORMS));
  if (COMMAND_MARK.test(text)) clean = withoutForms(clean, COMMAND_FORMS);
  if (mayNameSecret(text)) clean = redactNamedValues(clean);
  return mayHoldRandomRun(clean) ? redactRandomRuns(clean) : clean;
}

function withoutForms(text: string, forms: readonly (readonly [RegExp, string])[]): string {
  return forms.reduce((clean, [form, replacement]) => clean.replace(form, replacement), text);
}

// biome-ignore lint: control characters are what this expression is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const BIDIRECTIONAL = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
// biome-ignore lint: the escape character starts a terminal sequence
const TERMINAL_SEQUENCE =
  /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** The text without terminal sequences, control or bidirectional characters; tabs become blanks. */
export function printable(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(/\t/g, ' ')
    .replace(CONTROL, '')
    .replace(BIDIRECTIONAL, '');
}

const EXCERPT_MAX = 400;
/** Characters beyond the cut that are looked at, so that a secret across the cut is seen whole. */
const LOOKED_AT = 4000;

/** What may be shown of a line: printable, without secrets, at most `lengthMax` characters. */
export function excerptOf(text: string, lengthMax = EXCERPT_MAX): string {
  return beginningOf(redact(printable(text.slice(0, lengthMax + LOOKED_AT))), lengthMax);
}

/** The beginning of what may be shown of a text, with its blanks, by which its form is known. */
export function shownBeginning(text: string, lengthMax: number): string {
  return redact(printable(text.slice(0, lengthMax + LOOKED_AT))).slice(0, lengthMax);
}

function beginningOf(clean: string, lengthMax: number): string {
  const line = clean.replace(/\s+/g, ' ').trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`;
}

/** So much of a line's beginning is always shown: when, where, by whom or of what it was said. */
const HEAD = 120;
const GAP = ' … ';
const BEFORE = 40;
const BEHIND = 80;
/** The last of the words tell where they end; what is before may have been cut out as a secret. */
const TAIL = 24;

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/**
 * What may be shown of a long line: as `excerptOf`, but where the words for which it is quoted are
 * not in its beginning, the beginning, `…`, and the part around them.
 */
export function excerptAround(text: string, words: string): string {
  return excerptOfClean(redact(printable(text)), words);
}

/** As `excerptAround`, of a text that is printable and without secrets. */
export function excerptOfClean(clean: string, words: string): string {
  const whole = clean.replace(/\s+/g, ' ').trim();
  if (whole.length <= EXCERPT_MAX) return whole;
  const said = oneLine(redact(words));
  const place = said === '' ? -1 : whole.lastIndexOf(said.slice(-TAIL));
  const end = place < 0 ? 0 : place + Math.min(said.length, TAIL);
  if (end + BEHIND < EXCERPT_MAX) return `${whole.slice(0, EXCERPT_MAX - 1)}…`;
  const room = EXCERPT_MAX - HEAD - GAP.length - 1;
  const wanted = end - said.length - BEFORE;
  const first = Math.max(wanted, Math.min(end + BEHIND, whole.length) - room, HEAD);
  const shown = whole.slice(first, first + room);
  const isCut = first + shown.length < whole.length;
  return `${whole.slice(0, HEAD)}${GAP}${shown}${isCut ? '…' : ''}`;
}

/** What may be shown of a value that a longer text carried: nothing when it is part of a secret. */
export function excerptWithin(value: string, shownText: string): string {
  const clean = redact(printable(value));
  return shownText.includes(clean) ? beginningOf(clean, EXCERPT_MAX) : REDACTED;
}

/** The two fields of an entry that names what it holds, as variables, tags and parameters do. */
const ENTRY_NAME = /^(?:parameter|option|tag)?(?:name|key)$/i;
const ENTRY_VALUE = /^(?:parameter|option|tag)?value$/i;
const SHORTEST_SECRET = 8;
const DEPTH_MAX = 400;

function cleanText(text: string, field: string): string {
  const strength = strengthOfField(field);
  if (strength !== null && isSecretField(text, strength)) return REDACTED;
  if (text.length < SHORTEST_SECRET || CLEAN_TEXTS.has(text)) return text;
  const clean = redact(printableLines(text));
  if (clean === text && text.length <= CLEAN_LENGTH_MAX) rememberClean(text);
  return clean;
}

/** Short texts in which no secret is: objects of one kind say the same in most of their fields. */
const CLEAN_TEXTS = new Set<string>();
const CLEAN_TEXTS_MAX = 4000;
const CLEAN_LENGTH_MAX = 200;

function rememberClean(text: string): void {
  if (CLEAN_TEXTS.size >= CLEAN_TEXTS_MAX) CLEAN_TEXTS.clear();
  CLEAN_TEXTS.add(text);
}

// biome-ignore lint: control characters are what this expression is about
const UNPRINTABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

/** Texts of objects keep their lines, which parsers of configuration need. */
function printableLines(text: string): string {
  return UNPRINTABLE.test(text) ? text.split('\n').map(printable).join('\n') : text;
}

/**
 * A value of objects, lists and texts, all texts without secrets; the same value when there are
 * none. What is nested deeper than 400 levels is left out.
 */
export function redactValue<T>(value: T, field = '', depth = 0): T {
  if (typeof value === 'string') return cleanText(value, field) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (CLEAN.has(value)) return value;
  if (depth > DEPTH_MAX) return (Array.isArray(value) ? [] : {}) as T;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactValue(item, field, depth + 1));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  const cleaned: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const entry: unknown = value[key as keyof typeof value];
    const clean = redactValue(entry, ENTRY_VALUE.test(key) ? entryName(value) : key, depth + 1);
    if (clean !== entry) cleaned.push([key, clean]);
  }
  if (cleaned.length === 0) return value;
  // Of two entries of one name the later counts, in the place of the earlier.
  return Object.fromEntries([...Object.entries(value), ...cleaned]) as T;
}

/** The name under which an entry holds its value: `{ "name": "DB_PASSWORD", "value": … }`. */
function entryName(value: object): string {
  const found = Object.entries(value).find(([key]) => ENTRY_NAME.test(key));
  return typeof found?.[1] === 'string' ? found[1] : '';
}

/** The same value, its names of fields without secrets too; for what is written to a file. */
export function redactKeys(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(redactKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [redact(printable(key)), redactKeys(entry)]),
  );
}

/** Objects in which no secret is, for as long as somebody holds them. */
const CLEAN = new WeakSet<object>();

/**
 * As `redactValue`, for a value that many objects hold: it and the parts right below it are not
 * looked through again. Nobody may change it afterwards.
 */
export function redactShared<T>(value: T): T {
  const clean = redactValue(value);
  if (typeof clean !== 'object' || clean === null) return clean;
  for (const part of [clean, ...Object.values(clean)])
    if (typeof part === 'object' && part !== null) CLEAN.add(part);
  return clean;
}
