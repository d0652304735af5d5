/** Where the named functions of a file begin and end, read from its tokens. */
import { codeTokens, type SourceFile } from './sources.ts';
import { closing, type Token } from './tokens.ts';

export interface FunctionSpan {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** Declarations, methods, and arrows with a name; short callbacks belong to the one around them. */
export function functionsOf(file: SourceFile): readonly FunctionSpan[] {
  const tokens = codeTokens(file);
  return tokens.flatMap((token, index) => {
    const span = arrowAt(tokens, index) ?? bracedAt(tokens, index);
    if (span === null) return [];
    const lines = (tokens[span.end]?.endLine ?? token.line) - token.line + 1;
    return [{ name: span.name, line: token.line, lines }];
  });
}

interface Span {
  readonly name: string;
  /** Index of the last token. */
  readonly end: number;
}

/** `function name(…) {` and `name(…) {`; a call that a block follows is neither. */
function bracedAt(tokens: readonly Token[], index: number): Span | null {
  const token = tokens[index];
  if (token?.kind !== 'name' || NOT_A_NAME.has(token.text)) return null;
  const parameters = skipTypeParameters(tokens, index + 1);
  if (tokens[parameters]?.text !== '(') return null;
  const body = bodyAfter(tokens, closing(tokens, parameters) + 1);
  return body === null ? null : { name: token.text, end: closing(tokens, body) };
}

const NOT_A_NAME = new Set('if for while switch catch with return await function new'.split(' '));

/** `const name = (…) =>`, and the same behind `async`, type parameters or a type. */
function arrowAt(tokens: readonly Token[], index: number): Span | null {
  if (tokens[index]?.text !== 'const') return null;
  const name = tokens[index + 1];
  if (name?.kind !== 'name') return null;
  const value = tokens[index + 2]?.text === '=' ? index + 3 : -1;
  const start = tokens[value]?.text === 'async' ? value + 1 : value;
  const arrow = value < 0 ? null : arrowAfter(tokens, skipTypeParameters(tokens, start));
  return arrow === null ? null : { name: name.text, end: endOfArrow(tokens, arrow) };
}

/** @returns index of the arrow that follows the parameters at this index */
function arrowAfter(tokens: readonly Token[], index: number): number | null {
  if (tokens[index]?.kind === 'name') return tokens[index + 1]?.text === '=>' ? index + 1 : null;
  if (tokens[index]?.text !== '(') return null;
  const after = closing(tokens, index) + 1;
  if (tokens[after]?.text === '=>') return after;
  if (tokens[after]?.text !== ':') return null;
  for (let next = after; next < tokens.length; next++) {
    const text = tokens[next]?.text ?? '';
    if (text === '=>') return next;
    if (text === ';' || text === '=') return null;
    if ('({['.includes(text)) next = closing(tokens, next);
  }
  return null;
}

function endOfArrow(tokens: readonly Token[], arrow: number): number {
  if (tokens[arrow + 1]?.text === '{') return closing(tokens, arrow + 1);
  for (let next = arrow + 1; next < tokens.length; next++) {
    const text = tokens[next]?.text ?? '';
    if (text === ';') return next;
    if ('({['.includes(text)) next = closing(tokens, next);
  }
  return tokens.length - 1;
}

function skipTypeParameters(tokens: readonly Token[], index: number): number {
  if (tokens[index]?.text !== '<') return index;
  let depth = 0;
  for (let next = index; next < tokens.length; next++) {
    if (tokens[next]?.text === '<') depth += 1;
    if (tokens[next]?.text === '>') depth -= 1;
    if (depth === 0) return next + 1;
  }
  return index;
}

/** After these a brace opens an object type, not the body. */
const TYPE_GOES_ON = new Set(': | & => < , ( [ ? is extends keyof readonly asserts'.split(' '));

/** @returns index of the brace that opens the body, when a body follows the parameters */
function bodyAfter(tokens: readonly Token[], index: number): number | null {
  if (tokens[index]?.text === '{') return index;
  if (tokens[index]?.text !== ':') return null;
  for (let next = index + 1; next < tokens.length; next++) {
    const text = tokens[next]?.text ?? '';
    const inType = TYPE_GOES_ON.has(tokens[next - 1]?.text ?? '');
    if (text === '{' && !inType) return next;
    if (text === ';' || text === '=' || text === ')' || text === '}') return null;
    if ('({['.includes(text)) next = closing(tokens, next);
  }
  return null;
}
