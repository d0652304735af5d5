/** What Go expressions say: literals, their sums, constants and `Sprintf`; all else is a verb. */
import type { GoToken } from './go-tokens.ts';

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/** More than any message is written with; a bracket that never closes costs no more. */
const EXPRESSION_TOKENS_MAX = 4000;

/** The value of a constant by its name and the folder it is used in, or null. */
export type Constants = (name: string, folder: string) => string | null;

export interface Scope {
  readonly constants: Constants;
  readonly folder: string;
}

export interface Call {
  readonly arguments: readonly (readonly GoToken[])[];
  /** The index of the token behind the call. */
  readonly end: number;
}

/** The arguments of the call whose parenthesis opens at `open`. */
export function callAt(tokens: readonly GoToken[], open: number): Call {
  let depth = 0;
  let at = open;
  for (const token of tokens.slice(open, open + EXPRESSION_TOKENS_MAX)) {
    if (isMark(token, OPENING)) depth += 1;
    if (isMark(token, CLOSING)) depth -= 1;
    if (depth === 0) break;
    at += 1;
  }
  return { arguments: partsOf(tokens.slice(open + 1, at), ','), end: at + 1 };
}

/** What stands between the marks that no bracket encloses; empty parts are left out. */
function partsOf(tokens: readonly GoToken[], mark: string): readonly (readonly GoToken[])[] {
  const parts: GoToken[][] = [];
  let part: GoToken[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (isMark(token, OPENING)) depth += 1;
    if (isMark(token, CLOSING)) depth -= 1;
    const isBetween = depth === 0 && token.kind === 'mark' && token.text === mark;
    if (!isBetween) part.push(token);
    else {
      parts.push(part);
      part = [];
    }
  }
  return [...parts, part].filter((one) => one.length > 0);
}

/** The tokens of an expression from `start` to the comma, brace or line that ends it. */
export function expressionAt(tokens: readonly GoToken[], start: number): readonly GoToken[] {
  let depth = 0;
  let before: GoToken | null = null;
  const inside: GoToken[] = [];
  for (const token of tokens.slice(start, start + EXPRESSION_TOKENS_MAX)) {
    if (depth === 0 && (isComma(token) || isMark(token, CLOSING))) break;
    if (depth === 0 && before !== null && startsStatement(before, token)) break;
    if (isMark(token, OPENING)) depth += 1;
    if (isMark(token, CLOSING)) depth -= 1;
    inside.push(token);
    before = token;
  }
  return inside;
}

/** A new line ends a Go expression unless an operator or an open bracket stands before it. */
function startsStatement(before: GoToken, token: GoToken): boolean {
  return token.line > before.line && (before.kind !== 'mark' || CLOSING.has(before.text));
}

function isMark(token: GoToken, marks: ReadonlySet<string>): boolean {
  return token.kind === 'mark' && marks.has(token.text);
}

function isComma({ kind, text }: GoToken): boolean {
  return kind === 'mark' && text === ',';
}

/** The text with its verbs, or null when the expression holds no literal. */
export function textOf(expression: readonly GoToken[], scope: Scope): string | null {
  const parts = partsOf(expression, '+').map((part) => summandText(part, scope));
  if (parts.every((part) => part === null)) return null;
  return parts.map((part) => part ?? '%v').join('');
}

function summandText(part: readonly GoToken[], scope: Scope): string | null {
  const [first] = part;
  if (first === undefined) return null;
  if (first.kind === 'string') return part.length === 1 ? first.text : null;
  const open = part.findIndex(({ kind, text }) => kind === 'mark' && text === '(');
  if (open < 0) return constantText(part, scope);
  const { arguments: given, end } = callAt(part, open);
  if (end < part.length || !isTextCall(part.slice(0, open))) return null;
  return given[0] === undefined ? null : textOf(given[0], scope);
}

/** `Sprintf` and conversions such as `string(…)` say what their first argument says. */
function isTextCall(callee: readonly GoToken[]): boolean {
  const name = callee.at(-1)?.text;
  return name === undefined || name === 'Sprintf' || name === 'Sprint' || name === 'string';
}

function constantText(part: readonly GoToken[], { constants, folder }: Scope): string | null {
  const isPath = part.every(({ kind, text }) => kind === 'name' || text === '.');
  const name = part.at(-1);
  return isPath && name?.kind === 'name' ? constants(name.text, folder) : null;
}
