import type { Json } from '../../evidence/json.ts';

/** One part of a template of kubectl: words that it prints, a field, or a list of which it prints each item. */
type Token =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'each'; readonly path: readonly string[]; readonly body: readonly Token[] };

/** A value with the path that it was taken from; `*` and numbers stand for places in lists. */
export interface Printed {
  readonly path: readonly string[];
  readonly text: string;
}

const TOKENS_MAX = 60;
const ITEMS_MAX = 500;
const PART =
  /\{\s{0,4}(?:(?<words>"[^"{}]{0,60}"|'[^'{}]{0,60}')|range\s{1,4}(?<each>[$.@][^{}\s]{0,300})|(?<end>end)|(?<field>[$.@][^{}"'\s]{0,300}))\s{0,4}\}|(?<plain>[^{}]{1,100})/y;

/** A path such as `.spec.containers[0].env[*]` or `.metadata.annotations.a\.b/c`; null for one that picks or computes. */
function pathOf(text: string): readonly string[] | null {
  const plain = text.trim().replace(/^[$@]/, '');
  if (!/^\.(?:[\w/-]|\\\.|\.|\[(?:\*|\d{1,3})\])*$/.test(plain)) return null;
  return plain
    .slice(1)
    .replace(/\[(\*|\d{1,3})\]/g, '.[$1]')
    .split(/(?<!\\)\./)
    .map((member) => member.replaceAll('\\.', '.'))
    .filter((member) => member !== '');
}

function wordsOf(quoted: string): string {
  return quoted.slice(1, -1).replaceAll('\\n', '\n').replaceAll('\\t', '\t');
}

/** The parts of a template up to its end, or to the end of the range that they are in. */
function tokensOf(template: string, cursor: { at: number; isInside: boolean }): Token[] | null {
  const tokens: Token[] = [];
  while (cursor.at < template.length && tokens.length < TOKENS_MAX) {
    PART.lastIndex = cursor.at;
    const groups = PART.exec(template)?.groups;
    if (groups === undefined) return null;
    cursor.at = PART.lastIndex;
    const { words, each, end, field, plain } = groups;
    if (end !== undefined) return cursor.isInside ? tokens : null;
    const token =
      each === undefined ? simpleToken(words, field, plain) : eachToken(template, each, cursor);
    if (token === null) return null;
    tokens.push(token);
  }
  return cursor.isInside ? null : tokens;
}

function simpleToken(words?: string, field?: string, plain?: string): Token | null {
  if (words !== undefined) return { kind: 'words', text: wordsOf(words) };
  if (plain !== undefined) return { kind: 'words', text: plain };
  const path = pathOf(field ?? '');
  return path === null ? null : { kind: 'field', path };
}

function eachToken(template: string, each: string, cursor: { at: number }): Token | null {
  const path = pathOf(each);
  const inner = { at: cursor.at, isInside: true };
  const body = path === null ? null : tokensOf(template, inner);
  cursor.at = inner.at;
  // A range in a range leaves open which item belongs to which.
  if (path === null || body === null || body.some(({ kind }) => kind === 'each')) return null;
  return { kind: 'each', path, body };
}

/** Where a value ends: before the words behind it, outside of its own brackets. */
function endOfValue(text: string, from: number, stop: RegExp | null): number {
  if (stop === null) return text.length;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    stop.lastIndex = at;
    if (depth === 0 && stop.test(text)) return at;
    if (code === 91 || code === 123) depth++;
    else if (code === 93 || code === 125) depth--;
  }
  return depth === 0 ? text.length : -1;
}

/** Words as they stand in a paste, which makes one blank of several and of a tab. */
function patternOf(words: string): RegExp {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/[ \t]+/g, '[ \\t]{1,40}'), 'y');
}

const VARIABLE_NAME = /^[A-Z_][A-Z0-9_]*$/i;

/** Names of variables have no dash, as those of volumes, secrets and conditions behind them may. */
function fits(path: readonly string[], printed: readonly Printed[]): boolean {
  return path.at(-2) !== 'env' || printed.every(({ text }) => VARIABLE_NAME.test(text));
}

/** What the parts printed from a place on; null where the text is not of that form. */
function valuesOf(
  tokens: readonly Token[],
  text: string,
  cursor: { at: number },
): readonly Printed[] | null {
  const values: Printed[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'words') {
      const pattern = patternOf(token.text);
      pattern.lastIndex = cursor.at;
      const isLast = cursor.at >= text.length && token.text.trim() === '';
      if (!pattern.test(text) && !isLast) return null;
      if (!isLast) cursor.at = pattern.lastIndex;
    } else if (token.kind === 'field') {
      const next = tokens[index + 1];
      if (next !== undefined && next.kind !== 'words') return null;
      const end = endOfValue(text, cursor.at, next === undefined ? null : patternOf(next.text));
      if (end < 0) return null;
      values.push({ path: token.path, text: text.slice(cursor.at, end).trim() });
      cursor.at = end;
    } else values.push(...itemsOf(token, text, cursor));
  }
  return values;
}

function itemsOf(
  { path, body }: Extract<Token, { kind: 'each' }>,
  text: string,
  cursor: { at: number },
): readonly Printed[] {
  const items: Printed[] = [];
  // Variables of all containers are told together, as those of one.
  const list = path.at(-2) === 'env' ? path.map((one) => (one === '[*]' ? '[0]' : one)) : path;
  for (let item = 0; item < ITEMS_MAX && cursor.at < text.length; item++) {
    const before = cursor.at;
    const printed = valuesOf(body, text, cursor);
    if (printed === null || cursor.at === before || !fits(path, printed)) {
      cursor.at = before;
      break;
    }
    const place = [...list.slice(0, -1), `[${item}]`];
    items.push(...printed.map((one) => ({ path: [...place, ...one.path], text: one.text })));
  }
  // That a list was printed and is empty is known as well.
  return items.length > 0 ? items : [{ path: list.slice(0, -1), text: '[]' }];
}

/** True where one range follows another and nothing tells where the first one ends. */
function isAmbiguous(tokens: readonly Token[]): boolean {
  return tokens.some((token, index) => {
    const next = tokens[index + 1];
    const isOfVariables = token.kind === 'each' && token.path.at(-2) === 'env';
    return token.kind === 'each' && next?.kind === 'each' && !isOfVariables;
  });
}

/** `{.spec.taints[*].key}`: one row, a word an item; messages have blanks of their own. */
function wordsOfList(tokens: readonly Token[], printed: string): readonly Printed[] | null {
  const [token, ...rest] = tokens.filter((one) => one.kind !== 'words' || one.text.trim() !== '');
  if (token?.kind !== 'field' || rest.length > 0) return null;
  const { path } = token;
  const place = path.indexOf('[*]');
  if (place < 0 || place !== path.lastIndexOf('[*]') || path.at(-1) === 'message') return null;
  const words = printed.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [{ path: path.slice(0, place), text: '[]' }];
  return words.map((text, item) => ({ path: path.with(place, `[${item}]`), text }));
}

/** The values that a template printed, each with its path; null for a template or a text of another form. */
export function printedBy(template: string, output: readonly string[]): readonly Printed[] | null {
  const text = template.includes('{') ? template : `{${template}}`;
  const tokens = tokensOf(text, { at: 0, isInside: false });
  if (tokens === null || tokens.length >= TOKENS_MAX || isAmbiguous(tokens)) return null;
  const cursor = { at: 0 };
  const printed = output.join('\n').trimEnd();
  const words = wordsOfList(tokens, printed);
  if (words !== null) return words;
  const values = valuesOf(tokens, printed, cursor);
  return cursor.at < printed.length ? null : values;
}

/** Puts a value at its path, through objects and lists. */
export function putAt(target: Json | undefined, path: readonly string[], value: Json): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const place = /^\[(\d{1,3})\]$/.exec(first)?.[1];
  if (place !== undefined) {
    const items: Json[] = Array.isArray(target) ? [...(target as readonly Json[])] : [];
    while (items.length < Number(place)) items.push({});
    items[Number(place)] = putAt(items[Number(place)], rest, value);
    return items;
  }
  const before =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const members = before as Readonly<Record<string, Json>>;
  return { ...members, [first]: putAt(members[first], rest, value) };
}
