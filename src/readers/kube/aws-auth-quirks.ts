/** Texts that other parsers of YAML take and the authenticator's refuses, or reads in another way. */
import { EVENT_ID, getScalarValue, type parseEvents } from 'js-yaml';
import { lineAt, startsOf } from '../text/line-starts.ts';

type Event = ReturnType<typeof parseEvents>[number];

/** Where a text departs from what both take; the line is counted from 1. */
export interface Quirk {
  readonly line: number;
  /** Half a sentence without a full stop. */
  readonly why: string;
}

const A_TAB = 'a tab stands where only blanks may';

/** No document of YAML may hold these, not even one that is left out. */
const CONTROL = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** A character of control anywhere in a whole text. */
export function controlQuirk(text: string): Quirk | null {
  const at = text.search(CONTROL);
  if (at < 0) return null;
  return { line: lineAt(startsOf(text), at), why: 'a control character is not allowed' };
}

/** What can be told by the lines of a first document alone; null where there is nothing. */
export function lineQuirk(text: string, isFlow: boolean): Quirk | null {
  // Within brackets a tab is a blank.
  const [from, to] = isFlow ? [text.indexOf('['), text.lastIndexOf(']')] : [-1, -1];
  let [hasBegun, at] = [false, 0];
  for (const [index, line] of text.split('\n').entries()) {
    const why = hasBegun ? (at > from && at < to ? null : whyWithin(line)) : whyBefore(line);
    if (why !== null) return { line: index + 1, why };
    hasBegun ||= !/^\s*(?:#|$)|^%/.test(line);
    at += line.length + 1;
  }
  return null;
}

function whyWithin(line: string): string | null {
  return /^[ -]*\t/.test(line) ? A_TAB : null;
}

function whyBefore(line: string): string | null {
  if (/^\.\.\.(?:\s|$)/.test(line)) return 'the document ends before it begins';
  if (/^ +(?:---(?:\s|$)|%)/.test(line)) return 'a mark of YAML is indented';
  if (line.startsWith('%') && !/^%YAML 1\.1\s*$/.test(line)) return 'an unknown directive';
  return whyWithin(line);
}

/** A block of text that ends with its document and without a line end has none in its value either. */
export function lastBlockQuirk(text: string, events: readonly Event[]): Quirk | null {
  if (text.endsWith('\n')) return null;
  const last = events.findLast((event) => event.type === EVENT_ID.SCALAR);
  if (last === undefined || !getScalarValue(text, last).endsWith('\n')) return null;
  return { line: text.split('\n').length, why: 'the last line has no end' };
}

const QUOTED = /"(?:\\[^]|[^"\\])*"|'(?:''|[^'])*'/g;

/** Comments and what is quoted, which no mark is looked for in. */
const SPOKEN = /"(?:\\[^]|[^"\\])*"|'(?:''|[^'])*'|(?:^|\s)#.*/gm;

/** Tags, and names of anchors that not every parser takes. */
export function markQuirk(text: string): Quirk | null {
  const bare = text.replaceAll(SPOKEN, (spoken) => '"'.repeat(spoken.length));
  const at = bare.search(
    /(?<![^\s[{,])(?:!|[&*](?![\w-]+(?![^\s\]},])))|:\s*[\]}]|[[{,]\s*:|"\w|:(?<=^[ -]*:)/m,
  );
  if (at < 0) return null;
  return { line: lineAt(startsOf(text), at), why: 'a tag, an anchor or a colon is unusual' };
}

/** In brackets a colon with nothing behind it is part of the word before it. */
export function flowQuirk(text: string): Quirk | null {
  const bare = text.replaceAll(QUOTED, (quoted) =>
    quoted.includes('\n') ? '?:'.padEnd(quoted.length) : '_'.repeat(quoted.length),
  );
  for (let at = bare.indexOf(':'); at >= 0; at = bare.indexOf(':', at + 1)) {
    if (isPlainName(bare, at)) continue;
    const why = 'a name is not written as one word and a colon';
    return { line: lineAt(startsOf(text), backOver(bare, at, BLANK)), why };
  }
  return null;
}

const BLANK = /\s/;
const WORD = /\w/;

/** Where the characters of a kind begin that end before a place. */
function backOver(text: string, from: number, kind: RegExp): number {
  let at = from;
  while (at > 0 && kind.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

/** A colon right behind one word on one line; by loops, as an expression would go back again and again. */
function isPlainName(bare: string, colon: number): boolean {
  const end = backOver(bare, colon, BLANK);
  if (/[?:[{,]/.test(bare[end - 1] ?? '') || bare.slice(end, colon).includes('\n')) return false;
  if (end < colon) return true;
  const start = backOver(bare, end, WORD);
  if (start === end) return true;
  if (/[[{_]/.test(bare[colon + 1] ?? '')) return false;
  const before = backOver(bare, start, BLANK);
  const isSplit = bare.slice(before, start).includes('\n') && WORD.test(bare[before - 1] ?? '');
  return !isSplit;
}

interface Open {
  readonly isMapping: boolean;
  children: number;
}

/** `<<` behind other keys: the authenticator lets it overwrite them. */
export function mergeQuirk(text: string, events: readonly Event[]): Quirk | null {
  const open: Open[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const top = open.at(-1);
    if (top?.isMapping === true && top.children >= 2 && isMergeKey(text, event, top.children))
      return { line: lineAt(startsOf(text), event.valueStart), why: '<< is behind other keys' };
    if (top !== undefined) top.children += 1;
    if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS)
      open.push({ isMapping: event.type === EVENT_ID.MAPPING, children: 0 });
  }
  return null;
}

type ScalarEvent = Extract<Event, { valueStart: number }>;

function isMergeKey(text: string, event: Event, children: number): event is ScalarEvent {
  const isKey = children % 2 === 0 && event.type === EVENT_ID.SCALAR;
  return isKey && getScalarValue(text, event) === '<<';
}
