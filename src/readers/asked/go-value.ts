import type { Json } from '../../evidence/json.ts';

const DEPTH_MAX = 12;
/** A value goes on over blanks, up to the next key or the end of what it is in. */
const SCALAR = /(?:(?! [\w./-]{1,120}:)[^\]])*/y;
const KEY = / {0,4}([\w./-]{1,120}):/y;
const WORD = / {0,4}([^\s\]]+)/y;

interface Cursor {
  readonly text: string;
  at: number;
}

/** Takes what the expression matches here; null where it does not. */
function take(cursor: Cursor, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = cursor.at;
  const match = expression.exec(cursor.text);
  if (match !== null) cursor.at = expression.lastIndex;
  return match;
}

function startsWith(cursor: Cursor, mark: string): boolean {
  if (!cursor.text.startsWith(mark, cursor.at)) return false;
  cursor.at += mark.length;
  return true;
}

function mapAt(cursor: Cursor, depth: number): Json {
  const entries: [string, Json][] = [];
  while (!startsWith(cursor, ']') && cursor.at < cursor.text.length) {
    const key = take(cursor, KEY)?.[1];
    if (key === undefined) break;
    entries.push([key, valueAt(cursor, depth) ?? take(cursor, SCALAR)?.[0].trim() ?? '']);
  }
  return Object.fromEntries(entries);
}

function listAt(cursor: Cursor, depth: number): Json {
  const items: Json[] = [];
  while (!startsWith(cursor, ']') && cursor.at < cursor.text.length) {
    while (startsWith(cursor, ' '));
    const item = valueAt(cursor, depth) ?? take(cursor, WORD)?.[1];
    if (item === undefined) break;
    items.push(item);
  }
  return items;
}

/** A list or a map at the cursor; null where neither begins. */
function valueAt(cursor: Cursor, depth: number): Json | null {
  if (depth > DEPTH_MAX) return null;
  if (startsWith(cursor, 'map[')) return mapAt(cursor, depth + 1);
  return startsWith(cursor, '[') ? listAt(cursor, depth + 1) : null;
}

/** What Go prints of lists and maps, `[map[effect:NoSchedule key:a]]`; any other text is itself. */
export function goValue(text: string): Json {
  return valueAt({ text, at: 0 }, 0) ?? text;
}
