import type { Json } from '../../evidence/json.ts';

/** A list in an object and the items of it that were printed. */
export interface PrintedList {
  readonly path: string;
  readonly items: readonly Json[];
}

/** `{range .spec.taints[*]}{.key}={.effect}{"\n"}{end}`: a row an item. */
const RANGE =
  /^\{ ?range (?<path>\.[\w./-]{1,200})\[\*?\] ?\}(?<each>.{1,400}?)\{"\\n"\}\{ ?end ?\}(?:\{"\\n"\})?$/s;
/** `{.spec.taints[*].key}`: one row, a word an item. */
const WORDS = /^\{?(?<path>\.[\w./-]{1,200})\[\*\]\.(?<member>\w{1,60})\}?$/;
/** A member of the item, a quoted text, or text as it is. */
const PIECE = /\{\.(?<member>\w{1,60})\}|\{"(?<quoted>[^"]{0,20})"\}|(?<plain>[^{]{1,60})/gy;

interface Form {
  readonly members: readonly string[];
  /** What stands before the first member and behind each. */
  readonly between: readonly string[];
}

function formOf(each: string): Form | null {
  const members: string[] = [];
  const between = [''];
  let length = 0;
  for (const { 0: piece, groups } of each.matchAll(PIECE)) {
    length += piece.length;
    const text = groups?.['quoted']?.replaceAll('\\t', '\t') ?? groups?.['plain'];
    if (text !== undefined) between[between.length - 1] += text;
    else {
      members.push(groups?.['member'] ?? '');
      between.push('');
    }
  }
  const isWhole = length === each.length && members.length > 0;
  return isWhole && !between.slice(1, -1).includes('') ? { members, between } : null;
}

/** The members of one row by the texts between them; null for a row of another form. */
function itemOf(row: string, { members, between }: Form): Json | null {
  const [before = '', ...behind] = between;
  if (!row.startsWith(before)) return null;
  const entries: [string, Json][] = [];
  let at = before.length;
  for (const [index, member] of members.entries()) {
    const mark = behind[index] ?? '';
    const end = mark === '' ? row.length : row.indexOf(mark, at);
    if (end < 0) return null;
    const value = row.slice(at, end).trim();
    if (value !== '') entries.push([member, value]);
    at = end + mark.length;
  }
  return Object.fromEntries(entries);
}

/** The items of a list of one object as a template prints them; null for any other template. */
export function listPrinted(template: string, output: readonly string[]): PrintedList | null {
  const words = WORDS.exec(template)?.groups;
  if (words !== undefined) {
    const { path = '', member = '' } = words;
    const values = (output[0] ?? '').split(/\s+/).filter((word) => word !== '');
    return { path, items: values.map((value) => ({ [member]: value })) };
  }
  const range = RANGE.exec(template)?.groups;
  const form = range === undefined ? null : formOf(range['each'] ?? '');
  if (range === undefined || form === null) return null;
  const items = output.map((row) => itemOf(row.trim(), form)).filter((item) => item !== null);
  return { path: range['path'] ?? '', items };
}
