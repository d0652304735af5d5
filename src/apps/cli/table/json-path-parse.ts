import {
  type Comparison,
  JsonPathError,
  type Path,
  type PathFilter,
  type PathStep,
  type TemplatePiece,
} from './json-path-tree.ts';

const TEMPLATE_MAX = 64 * 1024;
const NESTING_MAX = 100;

interface Cursor {
  readonly text: string;
  at: number;
}

type Keyword = 'range' | 'end';

interface Action {
  readonly path: Path;
  readonly keyword: Keyword | null;
}

function fail(cursor: Cursor, what: string): never {
  throw new JsonPathError(`JSONPath, character ${cursor.at + 1}: ${what}`);
}

function take(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0] ?? null;
  if (found !== null) cursor.at += found.length;
  return found;
}

function skip(cursor: Cursor, text: string): boolean {
  if (!cursor.text.startsWith(text, cursor.at)) return false;
  cursor.at += text.length;
  return true;
}

/**
 * Reads a template of kubectl's `-o jsonpath=`: text as it stands, `{.paths}`, `{range .path}` to
 * `{end}`, `{"\n"}`. Regular expressions and `&&` are not part of that dialect.
 *
 * @throws JsonPathError naming the character where it cannot be read
 */
export function parseTemplate(text: string): readonly TemplatePiece[] {
  if (text.length > TEMPLATE_MAX)
    throw new JsonPathError(`The JSONPath template is longer than ${TEMPLATE_MAX} characters`);
  const cursor: Cursor = { text, at: 0 };
  return parsePieces(cursor, 0);
}

function parsePieces(cursor: Cursor, depth: number): readonly TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  if (depth > NESTING_MAX) fail(cursor, `more than ${NESTING_MAX} ranges are open`);
  while (cursor.at < cursor.text.length) {
    const literal = take(cursor, /[^{]+/y);
    if (literal !== null) {
      pieces.push({ kind: 'text', text: literal });
      continue;
    }
    const { path, keyword } = parseAction(cursor);
    if (keyword === 'end') {
      if (depth === 0) fail(cursor, '{end} without a range');
      return pieces;
    }
    if (keyword === 'range')
      pieces.push({ kind: 'range', path, body: parsePieces(cursor, depth + 1) });
    else pieces.push({ kind: 'path', path });
  }
  return pieces;
}

/** From an opening brace to its closing one. */
function parseAction(cursor: Cursor): Action {
  const start = cursor.at;
  cursor.at += 1;
  take(cursor, /[ \t]+/y);
  const keyword = take(cursor, /(?:range|end)(?!\w)/y) as Keyword | null;
  const path = parsePath(cursor);
  if (!skip(cursor, '}')) {
    const isOver = cursor.at >= cursor.text.length;
    if (isOver) cursor.at = start;
    fail(cursor, isOver ? 'unclosed brace' : unexpected(cursor));
  }
  if (keyword === 'end' && path.length > 0) fail(cursor, '{end} takes no path');
  return { path, keyword };
}

function unexpected({ text, at }: Cursor): string {
  const rest = text.slice(at, at + 2);
  if (rest === '&&' || rest === '||') return `kubectl's JSONPath does not support ${rest}`;
  return `${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} is not expected here`;
}

/** Steps up to what is none: a closing brace, or the end of a filter's side. */
function parsePath(cursor: Cursor): Path {
  const steps: PathStep[] = [];
  for (;;) {
    // The current object and the root are where every path starts.
    take(cursor, /[ \t@$]+/y);
    const step = parseStep(cursor, steps.at(-1));
    if (step === null) return steps;
    steps.push(...step);
  }
}

function parseStep(cursor: Cursor, last: PathStep | undefined): readonly PathStep[] | null {
  const next = cursor.text[cursor.at] ?? '';
  if (skip(cursor, '[?(')) return [{ kind: 'filter', filter: parseFilter(cursor) }];
  if (skip(cursor, '..')) return parseRecursive(cursor, last);
  if (next === '[') return [parseBrackets(cursor)];
  if (next === '"' || next === "'") return [{ kind: 'constant', value: parseQuoted(cursor) }];
  if (skip(cursor, '.')) return parseField(cursor);
  return parseConstant(cursor);
}

function parseConstant(cursor: Cursor): readonly PathStep[] | null {
  const number = take(cursor, /[+-]?\d+(?:\.\d+)?(?![\w.])/y);
  if (number !== null) return [{ kind: 'constant', value: Number(number) }];
  const word = take(cursor, /\w[\w-]*/y);
  if (word === null) return null;
  if (word === 'true' || word === 'false') return [{ kind: 'constant', value: word === 'true' }];
  cursor.at -= word.length;
  return fail(cursor, `${word} is not a keyword; a field begins with a dot: .${word}`);
}

function parseRecursive(cursor: Cursor, last: PathStep | undefined): readonly PathStep[] {
  if (last?.kind === 'recursive') fail(cursor, '.. follows ..');
  const isNamed = /[\w*]/.test(cursor.text[cursor.at] ?? '');
  return [{ kind: 'recursive' }, ...(isNamed ? parseField(cursor) : [])];
}

/** A name up to the next mark; a backslash makes the next character part of it. */
function parseField(cursor: Cursor): readonly PathStep[] {
  const written = take(cursor, /(?:\\[\s\S]|[^\s.,[\]$@{}()\\=<>!"'])+/y);
  if (written === null) return [];
  if (written === '*') return [{ kind: 'wildcard' }];
  return [{ kind: 'field', name: unescaped(written) }];
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, '$1');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function parseQuoted(cursor: Cursor): string {
  const written = take(cursor, /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y);
  if (written === null) return fail(cursor, 'unclosed quote');
  return written
    .slice(1, -1)
    .replace(/\\(.)/gu, (_, character: string) => ESCAPES[character] ?? character);
}

/** An index, a slice, a quoted key, or several of them. */
function parseBrackets(cursor: Cursor): PathStep {
  const start = cursor.at;
  cursor.at += 1;
  const members: PathStep[] = [];
  do {
    take(cursor, /[ \t]+/y);
    members.push(parseMember(cursor));
    take(cursor, /[ \t]+/y);
  } while (skip(cursor, ','));
  if (!skip(cursor, ']')) {
    if (cursor.at >= cursor.text.length) cursor.at = start;
    fail(cursor, 'a bracket holds an index, a slice or quoted keys, and is closed by ]');
  }
  const [first] = members;
  return members.length === 1 && first !== undefined ? first : { kind: 'union', members };
}

function parseMember(cursor: Cursor): PathStep {
  if (/["']/.test(cursor.text[cursor.at] ?? ''))
    return { kind: 'field', name: parseQuoted(cursor) };
  if (skip(cursor, '*')) return { kind: 'wildcard' };
  const written = take(cursor, /-?\d{0,9}(?::-?\d{0,9}){0,2}/y) ?? '';
  if (written === '' || written === '-')
    return fail(cursor, 'a bracket holds an index, a slice or quoted keys');
  return parseIndex(cursor, written);
}

function parseIndex(cursor: Cursor, written: string): PathStep {
  const [from, to, by] = written.split(':').map((part) => (/\d/.test(part) ? Number(part) : null));
  if (!written.includes(':')) return { kind: 'index', at: from ?? 0 };
  const step = by ?? 1;
  if (step < 1) fail(cursor, 'the step of a slice is at least 1');
  return { kind: 'slice', from: from ?? null, to: to ?? null, by: step };
}

const COMPARISONS: readonly Comparison[] = ['==', '!=', '<=', '>=', '<', '>'];

/** From behind `[?(` to behind `)]`. */
function parseFilter(cursor: Cursor): PathFilter {
  const left = parsePath(cursor);
  const comparison = COMPARISONS.find((one) => skip(cursor, one)) ?? null;
  const right = comparison === null ? [] : parsePath(cursor);
  if (comparison !== null && right.length === 0)
    fail(cursor, 'a filter needs a value to compare with');
  if (!skip(cursor, ')')) fail(cursor, unexpected(cursor));
  if (!skip(cursor, ']')) fail(cursor, 'a filter ends with )]');
  return { left, comparison, right };
}
