import type { Json } from '../../evidence/json.ts';

const DEPTH_MAX = 50;
const KEY = /([^\s,{}[\]:]{1,200}):/y;
/** A comma of a text goes on with words, one between members with the next name. */
const NEXT_MEMBER = /,\s*[\w./@$-]{1,200}:/y;
const BLANKS = /\s*/y;
const LITERALS: Readonly<Record<string, Json>> = { true: true, false: false, null: null };
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/;

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

class NotJson extends Error {}

function skipBlanks(cursor: Cursor): string {
  BLANKS.lastIndex = cursor.at;
  BLANKS.test(cursor.text);
  cursor.at = BLANKS.lastIndex;
  return cursor.text[cursor.at] ?? '';
}

function matchAt(expression: RegExp, cursor: Cursor): RegExpExecArray | null {
  expression.lastIndex = cursor.at;
  return expression.exec(cursor.text);
}

function endsText(cursor: Cursor, isInList: boolean, open: number): boolean {
  const letter = cursor.text[cursor.at] ?? '';
  if (letter === '}' || letter === ']') return open === 0;
  if (letter !== ',' || open > 0) return false;
  return isInList || matchAt(NEXT_MEMBER, cursor) !== null;
}

/** A text runs until what encloses it ends, or its next member begins. */
function takeText(cursor: Cursor, isInList: boolean): Json {
  const start = cursor.at;
  let open = 0;
  while (cursor.at < cursor.text.length && !endsText(cursor, isInList, open)) {
    const letter = cursor.text[cursor.at];
    if (letter === '{' || letter === '[') open++;
    else if (letter === '}' || letter === ']') open--;
    cursor.at++;
  }
  const text = cursor.text
    .slice(start, cursor.at)
    .trim()
    .replace(/,$/, '')
    .replace(/^"(.*)"$/, '$1');
  if (Object.hasOwn(LITERALS, text)) return LITERALS[text] ?? null;
  return NUMBER.test(text) ? Number(text) : text.replace(/\\n/g, '\n').replace(/\\t/g, '\t');
}

function takeList(cursor: Cursor): Json {
  const items: Json[] = [];
  for (let letter = skipBlanks(cursor); letter !== ']'; letter = skipBlanks(cursor)) {
    if (letter === '') throw new NotJson();
    if (letter === ',') cursor.at++;
    else items.push(takeValue(cursor, true));
  }
  cursor.at++;
  return items;
}

function takeObject(cursor: Cursor): Json {
  const members: [string, Json][] = [];
  for (let letter = skipBlanks(cursor); letter !== '}'; letter = skipBlanks(cursor)) {
    if (letter === ',') cursor.at++;
    else {
      const key = matchAt(KEY, cursor);
      if (key === null) throw new NotJson();
      cursor.at = KEY.lastIndex;
      members.push([key[1] ?? '', takeValue(cursor, false)]);
    }
  }
  cursor.at++;
  return Object.fromEntries(members);
}

function takeValue(cursor: Cursor, isInList: boolean): Json {
  const letter = skipBlanks(cursor);
  if (letter !== '{' && letter !== '[') return takeText(cursor, isInList);
  if (++cursor.depth > DEPTH_MAX) throw new NotJson();
  cursor.at++;
  const value = letter === '{' ? takeObject(cursor) : takeList(cursor);
  cursor.depth--;
  return value;
}

/** Reads JSON of which all quotes were lost; undefined for anything else. */
export function parseBareJson(text: string): Json | undefined {
  const cursor = { text, at: 0, depth: 0 };
  try {
    const value = takeValue(cursor, false);
    return typeof value === 'object' && skipBlanks(cursor) === '' ? value : undefined;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}
