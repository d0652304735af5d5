/** What a regular expression consists of; sets are one character, or one code unit of it. */
export type Tree =
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'either'; readonly options: readonly Tree[] }
  | ({ readonly kind: 'loop'; readonly body: Tree } & Times)
  | { readonly kind: 'group'; readonly name: string; readonly body: Tree }
  | {
      readonly kind: 'look';
      readonly ahead: boolean;
      readonly wanted: boolean;
      readonly body: Tree;
    }
  | { readonly kind: 'edge'; readonly edge: '^' | '$' | 'b' | 'B' }
  | { readonly kind: 'reference'; readonly name: string };

export interface Times {
  readonly min: number;
  readonly max: number;
  readonly greedy: boolean;
}

interface Cursor {
  readonly source: string;
  at: number;
  groups: number;
}

const NAMED = /\(\?<([A-Za-z_]\w*)>/y;
const LOOK = /\(\?(<?)([=!])/y;
const TIMES = /(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/y;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/y;
const REFERENCE = /\\(?:([1-9])|k<(\w+)>)/y;
const ESCAPED = /\\(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|c[A-Za-z]|p\{[^}]*\}|[^])/y;

function taken(pattern: RegExp, cursor: Cursor): RegExpExecArray | null {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.source);
  if (match !== null) cursor.at += match[0].length;
  return match;
}

/** @throws Error for what no expression of the product has */
export function treeOf(source: string): Tree {
  const cursor: Cursor = { source, at: 0, groups: 0 };
  const tree = either(cursor);
  if (cursor.at < source.length) throw new Error(`${source}: unread from ${cursor.at}`);
  return tree;
}

function either(cursor: Cursor): Tree {
  const options = [sequence(cursor)];
  while (cursor.source[cursor.at] === '|') {
    cursor.at++;
    options.push(sequence(cursor));
  }
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { kind: 'either', options };
}

function sequence(cursor: Cursor): Tree {
  const parts: Tree[] = [];
  while (cursor.at < cursor.source.length && !'|)'.includes(cursor.source[cursor.at] ?? ''))
    parts.push(repeated(cursor, atom(cursor)));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
}

function repeated(cursor: Cursor, body: Tree): Tree {
  const times = taken(TIMES, cursor);
  if (times === null) return body;
  const [, sign, least, comma, most, lazy] = times;
  const greedy = lazy === '';
  if (sign === '*') return { kind: 'loop', body, min: 0, max: Number.POSITIVE_INFINITY, greedy };
  if (sign === '+') return { kind: 'loop', body, min: 1, max: Number.POSITIVE_INFINITY, greedy };
  if (sign === '?') return { kind: 'loop', body, min: 0, max: 1, greedy };
  const min = Number(least);
  const max = comma === '' ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
  return { kind: 'loop', body, min, max, greedy };
}

function atom(cursor: Cursor): Tree {
  const sign = cursor.source[cursor.at] ?? '';
  if (sign === '(') return bracket(cursor);
  if (sign === '\\') return escape(cursor);
  if (sign === '[') return { kind: 'set', source: taken(CLASS, cursor)?.[0] ?? '' };
  cursor.at++;
  if (sign === '^' || sign === '$') return { kind: 'edge', edge: sign };
  return { kind: 'set', source: /[{}\]/]/.test(sign) ? `\\${sign}` : sign };
}

function bracket(cursor: Cursor): Tree {
  const look = taken(LOOK, cursor);
  if (look !== null)
    return { kind: 'look', ahead: look[1] === '', wanted: look[2] === '=', body: inside(cursor) };
  if (cursor.source.startsWith('(?:', cursor.at)) {
    cursor.at += 3;
    return inside(cursor);
  }
  const named = taken(NAMED, cursor)?.[1];
  if (named === undefined) cursor.at++;
  cursor.groups++;
  const name = named ?? String(cursor.groups);
  return { kind: 'group', name, body: inside(cursor) };
}

function inside(cursor: Cursor): Tree {
  const body = either(cursor);
  if (cursor.source[cursor.at] !== ')')
    throw new Error(`${cursor.source}: not closed at ${cursor.at}`);
  cursor.at++;
  return body;
}

function escape(cursor: Cursor): Tree {
  const reference = taken(REFERENCE, cursor);
  if (reference !== null) return { kind: 'reference', name: reference[1] ?? reference[2] ?? '' };
  const source = taken(ESCAPED, cursor)?.[0] ?? '';
  if (source === '\\b' || source === '\\B')
    return { kind: 'edge', edge: source === '\\b' ? 'b' : 'B' };
  return { kind: 'set', source };
}
