import { isCommandEcho } from '../line/prompt.ts';
import {
  ANSWER_START,
  DESCRIBE_FIELD,
  DESCRIBE_START,
  JSON_START,
  RECORD_START,
  TABLE_HEADER,
  YAML_START,
} from '../text/starts.ts';
import { numberOf, type PastedLines } from './lines.ts';
import { isToldOver } from './prose.ts';

/** Widths of terminals and pages; lines that end there by chance are few. */
const USUAL_COLUMNS = new Set([
  72, 76, 78, 79, 80, 90, 100, 110, 120, 128, 130, 132, 140, 150, 160,
]);

const COLUMNS_MIN = 40;
const COLUMNS_MAX = 240;
/** So many pieces of one line are put together. */
const PIECES_MAX = 200;

/** How lines were broken: in a column, or before the word that would go beyond it. */
interface Wrapping {
  readonly columns: number;
  readonly isByWords: boolean;
  /** False where one line alone is that long, which a typed command may be by chance. */
  readonly isRepeated: boolean;
}

/** What the lines of a block are, by which the rest of a line is told from another line. */
interface Block {
  readonly kind: 'json' | 'yaml' | 'describe' | 'table' | 'other';
  /** Cells in the header of a table. */
  readonly cells: number;
}

const OTHER: Block = { kind: 'other', cells: 0 };

const JSON_LINE = /^\s*(?:["{}\]]|\[\s*$|\[[{["\]\d])/;
const YAML_LINE = /^\s*(?:- |#|---)|^\s*(?:- )?[\w./"'-]{1,120}:(?:\s|$)/;

const KEY_ALONE = /^[A-Za-z][\w-]{0,60}:\s*$/;

/** A line in the first column that begins nothing: the rest of the line above it, or prose. */
function isRest(line: string): boolean {
  return (
    /^\S/.test(line) &&
    !RECORD_START.test(line) &&
    !TABLE_HEADER.test(line) &&
    !JSON_LINE.test(line) &&
    !YAML_LINE.test(line) &&
    !ANSWER_START.test(line) &&
    !isCommandEcho(line)
  );
}

function longest(lines: readonly string[], counts: (line: string) => boolean): number {
  return lines.reduce((most, line) => (counts(line) ? Math.max(most, line.length) : most), 0);
}

/** How a text was wrapped, by its longest lines and what follows them; null where it was not. */
function wrappingOf(lines: readonly string[]): Wrapping | null {
  const widest = longest(lines, () => true);
  // A word that is longer than a line is left whole, and then in no column.
  const ofWords = longest(lines, (line) => line.trim().includes(' '));
  const isOneColumn =
    USUAL_COLUMNS.has(widest) &&
    lines.every((line) => line.length <= ofWords || line.length === widest);
  const words = isOneColumn ? widest : ofWords;
  const full = lines.filter(
    (line, index) => line.length === widest && isRest(lines[index + 1] ?? ''),
  );
  const near = lines.filter((line, index) => isBrokenByWord(line, lines[index + 1] ?? '', words));
  const isByWords = full.length === 0 || words < widest || near.length * 3 >= full.length;
  const columns = isByWords ? words : widest;
  const isRepeated = full.length + near.length > 1;
  return columns < COLUMNS_MIN || columns > COLUMNS_MAX ? null : { columns, isByWords, isRepeated };
}

/** True where a line is shorter than others because the next word was too long for it. */
function isBrokenByWord(line: string, next: string, columns: number): boolean {
  const isShort = line.length < columns && line.length + 1 + firstWord(next).length > columns;
  return isShort && isRest(next);
}

function firstWord(line: string): string {
  return /^\s*\S+/.exec(line)?.[0] ?? '';
}

/** True when the line was full, so that what follows did not fit on it. */
function isFull(line: string, next: string, { columns, isByWords }: Wrapping): boolean {
  if (!isByWords) return line.length === columns;
  return line.length + 1 + firstWord(next).length > columns;
}

function cellsIn(line: string): number {
  return line.trim().split(/ {2,}|\t/).length;
}

function isStringOpen(line: string): boolean {
  let isOpen = false;
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if (code === 92) index++;
    else if (code === 34) isOpen = !isOpen;
  }
  return isOpen;
}

const CAPITALS = /^[A-Z][A-Z ()-]*$/;

/** A line that is being put together. */
interface Whole {
  readonly first: string;
  readonly last: string;
  /** True within a string of JSON, which ends on its line. */
  readonly isStringOpen: boolean;
}

/** A stamp alone is the end of a record that tells a time. */
function beginsRecord(line: string): boolean {
  return RECORD_START.test(line) && /\S\s+\S/.test(line);
}

type GoesOn = (first: string, next: string, block: Block, how: Wrapping) => boolean;

/** Whether a line goes on with a full one above it, by what the lines of the block look like. */
const GOES_ON: Readonly<Record<Block['kind'], GoesOn>> = {
  json: (_, next, __, how) => !how.isByWords && /^[^\s{}\]]/.test(next),
  yaml: (first, next, _, how) =>
    /^\s/.test(first)
      ? (/^[^\s-]/.test(next) && !YAML_START.test(next) && !KEY_ALONE.test(next)) ||
        (!how.isByWords && /^ \S/.test(next) && !YAML_LINE.test(next))
      : /^\S/.test(next) && !YAML_LINE.test(next),
  describe: (_, next) => /^\S/.test(next) && !DESCRIBE_FIELD.test(next),
  table: (first, next, { cells }) => {
    if (TABLE_HEADER.test(next)) return false;
    if (TABLE_HEADER.test(first)) return CAPITALS.test(next.trim());
    // Where blanks were made one, cells cannot be told.
    return cells > 2 && cellsIn(next) < cells - 1;
  },
  other: (first, next, _, how) =>
    RECORD_START.test(first)
      ? !beginsRecord(next) &&
        !TABLE_HEADER.test(next) &&
        (how.isByWords ? /^\S/ : /^ ?\S/).test(next)
      : !how.isByWords &&
        USUAL_COLUMNS.has(how.columns) &&
        isRest(next) &&
        !isToldOver(first, next, how.columns),
};

/** True when `next` goes on with the line so far, in a block of this kind. */
function goesOn(whole: Whole, next: string, block: Block, how: Wrapping): boolean {
  const { first, last } = whole;
  if (next.trim() === '' || last.trim() === '') return false;
  if (block.kind === 'json' && whole.isStringOpen) return true;
  if (!isFull(last, next, how) || isCommandEcho(next) || ANSWER_START.test(next)) return false;
  if (!how.isRepeated && isCommandEcho(first) && !/^-|['"]/.test(next)) return false;
  // A run of blanks was broken, as between columns.
  if (/\s$/.test(last) && /^\s/.test(next)) return true;
  return GOES_ON[block.kind](first, next, block, how);
}

/** The block that a line begins or goes on with. */
function blockAt(line: string, next: string, before: Block, isBelowEmpty: boolean): Block {
  if (TABLE_HEADER.test(line)) return { kind: 'table', cells: cellsIn(line) };
  if (DESCRIBE_START.test(line) && DESCRIBE_FIELD.test(next)) return { kind: 'describe', cells: 0 };
  if (YAML_START.test(line)) return { kind: 'yaml', cells: 0 };
  if (JSON_START.test(line) && before.kind !== 'yaml') return { kind: 'json', cells: 0 };
  if (RECORD_START.test(line) || isCommandEcho(line)) return OTHER;
  if (!isBelowEmpty) return before;
  return before.kind === 'yaml' || before.kind === 'describe' ? before : OTHER;
}

interface Joined {
  readonly text: string;
  /** The index behind its last piece. */
  readonly end: number;
}

function joinedFrom(lines: readonly string[], from: number, block: Block, how: Wrapping): Joined {
  const pieces = [lines[from] ?? ''];
  let end = from + 1;
  let isOpen = isStringOpen(pieces[0] ?? '');
  while (end < lines.length && pieces.length < PIECES_MAX) {
    const [last, next] = [lines[end - 1] ?? '', lines[end] ?? ''];
    const whole = { first: pieces[0] ?? '', last, isStringOpen: isOpen };
    if (!goesOn(whole, next, block, how)) break;
    pieces.push(how.isByWords ? ` ${next}` : next);
    if (isStringOpen(next)) isOpen = !isOpen;
    end++;
  }
  return { text: pieces.join(''), end };
}

/** Puts lines of answers, tables and manifests together that a terminal or a mail has broken. */
export function unwrapped(given: PastedLines): PastedLines {
  const { lines } = given;
  const how = wrappingOf(lines);
  if (how === null) return given;
  const kept: string[] = [];
  const numbers: number[] = [];
  let block = OTHER;
  for (let index = 0; index < lines.length; ) {
    const isBelowEmpty = index > 0 && (lines[index - 1] ?? '').trim() === '';
    block = blockAt(lines[index] ?? '', lines[index + 1] ?? '', block, isBelowEmpty);
    const { text, end } = joinedFrom(lines, index, block, how);
    if (block.kind === 'table' && TABLE_HEADER.test(text))
      block = { kind: 'table', cells: cellsIn(text) };
    kept.push(text);
    numbers.push(numberOf(given, index));
    index = end;
  }
  return kept.length === lines.length ? given : { lines: kept, numbers };
}
