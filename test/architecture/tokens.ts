/**
 * Splits TypeScript into tokens, so that a check sees code as code and a quoted word as a word.
 * TypeScript 7 has no parser to call from JavaScript, and a lint rule cannot state our rules.
 */

export type TokenKind = 'name' | 'number' | 'string' | 'template' | 'regex' | 'mark' | 'comment';

export interface Token {
  readonly kind: TokenKind;
  /** As written; of a string, what stands between its quotes. */
  readonly text: string;
  /** First and last line, counted from 1. */
  readonly line: number;
  readonly endLine: number;
}

interface Rule {
  readonly kind: TokenKind | 'space';
  readonly pattern: RegExp;
}

const RULES: readonly Rule[] = [
  { kind: 'space', pattern: /\s+/y },
  { kind: 'comment', pattern: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y },
  { kind: 'string', pattern: /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y },
  { kind: 'name', pattern: /[#$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*/uy },
  { kind: 'number', pattern: /\d[\w.]*/y },
  { kind: 'mark', pattern: /=>|\?\.|\.\.\.|[^\s\w]/uy },
];

const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** One stretch of a template: up to its end, or up to where an expression begins. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y;

const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else instanceof await yield'.split(' '),
);

interface Cursor {
  at: number;
  line: number;
  /** One entry per open template: how many braces are open inside its expression. */
  readonly templates: number[];
  readonly tokens: Token[];
  /** The last token that is not a comment. */
  last: Token | null;
}

/** @throws Error naming the line where no token can be read */
export function tokenize(text: string): readonly Token[] {
  const cursor: Cursor = { at: 0, line: 1, templates: [], tokens: [], last: null };
  while (cursor.at < text.length) step(text, cursor);
  return cursor.tokens;
}

function step(text: string, cursor: Cursor): void {
  if (text[cursor.at] === '`') return template(text, cursor, 1);
  if (text[cursor.at] === '}' && cursor.templates.at(-1) === 0) {
    cursor.templates.pop();
    return template(text, cursor, 1);
  }
  if (text[cursor.at] === '/' && regexMayStart(cursor.last)) {
    const regex = matchAt(REGEX, text, cursor.at);
    if (regex !== null && !/^\/[/*]/.test(regex)) return add(cursor, 'regex', regex);
  }
  return ordinary(text, cursor);
}

function ordinary(text: string, cursor: Cursor): void {
  for (const { kind, pattern } of RULES) {
    const found = matchAt(pattern, text, cursor.at);
    if (found === null) continue;
    countBraces(cursor, found);
    return add(cursor, kind, found);
  }
  throw new Error(`line ${cursor.line}: no token starts with ${JSON.stringify(text[cursor.at])}`);
}

function countBraces(cursor: Cursor, text: string): void {
  const open = cursor.templates.length - 1;
  if (open < 0) return;
  if (text === '{') cursor.templates[open] = (cursor.templates[open] ?? 0) + 1;
  if (text === '}') cursor.templates[open] = (cursor.templates[open] ?? 0) - 1;
}

/** Takes the opening quote or closing brace too, which is `opening` characters. */
function template(text: string, cursor: Cursor, opening: number): void {
  const rest = matchAt(TEMPLATE, text, cursor.at + opening);
  if (rest === null) throw new Error(`line ${cursor.line}: the template has no end`);
  add(cursor, 'template', text.slice(cursor.at, cursor.at + opening) + rest);
  if (rest.endsWith('${')) cursor.templates.push(0);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function add(cursor: Cursor, kind: TokenKind | 'space', written: string): void {
  const line = cursor.line;
  cursor.at += written.length;
  cursor.line += written.split('\n').length - 1;
  if (kind === 'space') return;
  const text = kind === 'string' ? written.slice(1, -1) : written;
  const token: Token = { kind, text, line, endLine: cursor.line };
  cursor.tokens.push(token);
  if (kind !== 'comment') cursor.last = token;
}

/** A slash divides after a value and opens an expression anywhere else. */
function regexMayStart(last: Token | null): boolean {
  if (last === null) return true;
  if (last.kind === 'name') return BEFORE_REGEX.has(last.text);
  return last.kind === 'mark' && last.text !== ')' && last.text !== ']';
}

/** Tokens without comments. */
export function code(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter((token) => token.kind !== 'comment');
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

/**
 * @param at index of an opening bracket
 * @returns index of the bracket that closes it, or of the last token
 */
export function closing(tokens: readonly Token[], at: number): number {
  const open = tokens[at]?.text ?? '';
  const close = CLOSING[open] ?? '';
  let depth = 0;
  for (let index = at; index < tokens.length; index++) {
    if (isMark(tokens[index], open)) depth += 1;
    if (isMark(tokens[index], close)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length - 1;
}
