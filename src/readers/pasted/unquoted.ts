import type { SignRow } from '../../evidence/sign-row.ts';
import { compileSigns, type SignTable } from '../sign-table.ts';

const QUOTES_IN_TEXT = /["'`]/;

/** True for a text without any quotes, which a screenshot or an editor may have lost. */
export function hasLostQuotes(lines: readonly string[]): boolean {
  return !lines.some((line) => QUOTES_IN_TEXT.test(line));
}

/** What escaped the quotes that are gone. */
const BARE_ESCAPE = /(?<=^|[\s=:({[,])\\+(?=[^\s\\])(?![nrt](?:[\s\\-]|$))|\\+(?=[\s,:)}\]]|$)/g;

/** Kubernetes writes these two as texts; true and false as such have small letters. */
const TEXT_OF_YAML = /(?<=: )(?:True|False)(?=\s*$|[,}])/g;

/** A value in which a colon stands needs its quotes in YAML. */
const SENTENCE =
  /^(\s*(?:- )?(?:message|reason|note|description): )([^\s{[|>&*"][^"]*: [^"]*[^,"])$/;

/** A line without the backslashes that stood before quotes, and with quotes that YAML needs. */
export function mended(line: string): string {
  const plain = line.includes('\\') ? line.replace(BARE_ESCAPE, '') : line;
  if (!plain.includes(': ')) return plain;
  return plain
    .replace(TEXT_OF_YAML, '"$&"')
    .replace(SENTENCE, (_, name: string, text: string) => `${name}${JSON.stringify(text)}`);
}

/** An anchor without quotes that is as good as the one with them; null where too little is left. */
function bareAnchor(anchor: string): string | null {
  const bare = anchor.replace(/["']/g, '');
  return bare.trim().length < 4 ? null : bare;
}

const OF_QUOTES = /^\[[\\"'`]+\]$/;
/** What stands between two quotes, or is all of a value that is taken out. */
const VALUE = /\[\^"\](?=(?:[?*+]|\{\d{1,5},?\d{0,5}\})\)?")|(?<=\(\?<\w{1,40}>)\[\^"\]/g;

/** Where a quote was, a value begins or ends. */
const EDGE = '(?<=^|[\\s=:({[,])|(?=[\\s=,:;)}\\]]|$)';

function bareParted(part: string, often: string): string {
  const isQuote = part.startsWith('[') ? OF_QUOTES.test(part) : /["']$/.test(part);
  if (!isQuote || /^[?*]|^\{0/.test(often)) return `${part}${often}`;
  return `(?:${part}${often}|${EDGE})`;
}

/** Where a part of an expression that begins here ends: a class, an escape or one character. */
function partEnd(source: string, from: number): number {
  if (source[from] !== '[') return from + (source[from] === '\\' ? 2 : 1);
  let at = from + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

const OFTEN = /[?*+]|\{\d{1,5},?\d{0,5}\}/y;

function oftenAt(source: string, at: number): string {
  OFTEN.lastIndex = at;
  return OFTEN.exec(source)?.[0] ?? '';
}

/** The expression for a text that lost its quotes, whose values then end at a blank. */
function bareSource(source: string): string {
  const text = source.replace(VALUE, '[^"\\s]');
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at);
    const part = text.slice(at, end);
    const often = oftenAt(text, end);
    parts.push(bareParted(part, often));
    at = end + often.length;
  }
  return parts.join('');
}

function bareRow(row: SignRow): SignRow | null {
  const { source, flags } = row.pattern;
  // Where nothing stands between the quotes, nothing is left to be known by.
  if (!QUOTES_IN_TEXT.test(source) || /(?<!API group )(?:""|'')/.test(source)) return null;
  const anchors = row.anchors.map(bareAnchor).filter((anchor) => anchor !== null);
  if (anchors.length < row.anchors.length) return null;
  let pattern: RegExp | null = null;
  return {
    ...row,
    anchors,
    // Of hundreds a text meets a few, and to rewrite all of them takes as long as to read it.
    get pattern() {
      pattern ??= new RegExp(bareSource(source), flags);
      return pattern;
    },
  };
}

const BARE_TABLES = new WeakMap<SignTable, SignTable>();

/** The signs as they read without quotes; made once, when the first such text is read. */
export function withoutQuotes(table: SignTable): SignTable {
  const known = BARE_TABLES.get(table);
  if (known !== undefined) return known;
  const rows = [...new Set(table.rowsByAnchor.flat())];
  const bare = compileSigns(rows.map((row) => bareRow(row) ?? row));
  BARE_TABLES.set(table, bare);
  return bare;
}
