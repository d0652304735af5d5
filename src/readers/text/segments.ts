import { beginsYamlAnswer } from '../aws/answer-shapes.ts';
import { isCommandEcho } from '../line/prompt.ts';
import { type BracketEnds, bracketEnds } from './bracket-ends.ts';
import {
  DESCRIBE_FIELD,
  DESCRIBE_START,
  JSON_START,
  RECORD_START,
  TABLE_HEADER,
  YAML_START,
} from './starts.ts';

/** A passage of a text document, found by its shape; lines count from 1. */
export type Segment =
  | { readonly kind: 'line'; readonly line: number; readonly text: string }
  | {
      readonly kind: 'joined';
      readonly line: number;
      readonly lineEnd: number;
      readonly text: string;
    }
  | {
      readonly kind: 'json';
      readonly line: number;
      readonly text: string;
      readonly lines: readonly string[];
    }
  | { readonly kind: 'yaml'; readonly line: number; readonly lines: readonly string[] }
  | {
      readonly kind: 'table';
      /** The line before it, which may be the command. */
      readonly above: string;
      readonly line: number;
      readonly header: string;
      readonly rows: readonly string[];
    }
  | { readonly kind: 'describe'; readonly line: number; readonly lines: readonly string[] };

const YAML_LINE = /^(?:\s|#|-\s|---|[\w./-]+:(?:\s|$)|\.\.\.)/;
/** Within a block every line is a field, indented below one, or empty. */
const DESCRIBE_LINE = /^(?:\s|$|[A-Z][A-Za-z ()-]{2,40}:(?:\s|$))/;
const JSON_LINES_MAX = 50_000;
const JOINED_LINES_MAX = 12;

function startsWithBracket(text: string): boolean {
  const first = text.trimStart()[0];
  return first === '{' || first === '[';
}

function endWhile(
  lines: readonly string[],
  from: number,
  holds: (line: string) => boolean,
): number {
  let index = from;
  while (index < lines.length && holds(lines[index] ?? '')) index++;
  return index;
}

/** Cuts text into log lines, JSON, YAML, tables and describe blocks, in order. */
export function* segments(lines: readonly string[]): Generator<Segment> {
  const ends = bracketEnds(lines);
  let index = 0;
  while (index < lines.length) {
    const line = lines[index] ?? '';
    const block = blockAt(lines, index, ends);
    if (block !== null) {
      yield block.segment;
      index = block.end;
    } else {
      if (line.trim() !== '') yield* lineSegments(lines, index);
      index++;
    }
  }
}

interface Block {
  readonly segment: Segment;
  readonly end: number;
}

function blockAt(lines: readonly string[], index: number, ends: BracketEnds): Block | null {
  const line = lines[index] ?? '';
  if (startsWithBracket(line)) return jsonBlock(lines, index, ends);
  if (TABLE_HEADER.test(line)) return tableBlock(lines, index);
  if (DESCRIBE_START.test(line) && DESCRIBE_FIELD.test(lines[index + 1] ?? ''))
    return describeBlock(lines, index);
  if (YAML_START.test(line)) return yamlBlock(lines, index, 2);
  return beginsYamlAnswer(line, lines[index + 1] ?? '') ? yamlBlock(lines, index, 1) : null;
}

function jsonBlock(lines: readonly string[], from: number, ends: BracketEnds): Block | null {
  if (!JSON_START.test(lines[from] ?? '')) return null;
  const end = ends.after(from);
  if (end < 0 || end - from > JSON_LINES_MAX) return null;
  const own = lines.slice(from, end);
  return { segment: { kind: 'json', line: from + 1, text: own.join('\n'), lines: own }, end };
}

function tableBlock(lines: readonly string[], from: number): Block {
  const end = endWhile(lines, from + 1, isTableRow);
  const rows = lines.slice(from + 1, end);
  const above = lines[from - 1] ?? '';
  return {
    segment: { kind: 'table', line: from + 1, above, header: lines[from] ?? '', rows },
    end,
  };
}

/** A table ends at an empty line, at the next command, and at the next table's header. */
function isTableRow(line: string): boolean {
  if (line.trim() === '' || TABLE_HEADER.test(line)) return false;
  return !/^(?:\$|#) /.test(line) && !isCommandEcho(line);
}

function describeBlock(lines: readonly string[], from: number): Block {
  const end = endWhile(
    lines,
    from + 1,
    (line) => !DESCRIBE_START.test(line) && DESCRIBE_LINE.test(line),
  );
  return { segment: { kind: 'describe', line: from + 1, lines: lines.slice(from, end) }, end };
}

function yamlBlock(lines: readonly string[], from: number, linesMin: number): Block | null {
  const end = yamlEnd(lines, from);
  if (end - from < linesMin) return null;
  return { segment: { kind: 'yaml', line: from + 1, lines: lines.slice(from, end) }, end };
}

/** A block ends where its form does, and where another answer or object begins below an empty line. */
function yamlEnd(lines: readonly string[], from: number): number {
  for (let index = from + 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    if (!YAML_LINE.test(line) && !isFlush(line)) return index;
    const isBelowEmpty = (lines[index - 1] ?? '').trim() === '';
    if (!isBelowEmpty) continue;
    if (line.startsWith('apiVersion:') || beginsYamlAnswer(line, lines[index + 1] ?? ''))
      return index;
  }
  return lines.length;
}

/** A boundary of MIME begins with two dashes, and ends the YAML of its part. */
function isFlush(line: string): boolean {
  return line.startsWith('-') && !/^--\w/.test(line) && !RECORD_START.test(line);
}

function* lineSegments(lines: readonly string[], index: number): Generator<Segment> {
  const text = lines[index] ?? '';
  yield { kind: 'line', line: index + 1, text };
  if (!isContinued(lines, index)) return;
  const end = continuationEnd(lines, index);
  const parts = lines.slice(index, end);
  yield { kind: 'joined', line: index + 1, lineEnd: end, text: parts.join('') };
  const spaced = parts.map((part) => part.trim()).join(' ');
  yield { kind: 'joined', line: index + 1, lineEnd: end, text: spaced };
}

function isContinued(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1] ?? '';
  if (next.trim() === '' || RECORD_START.test(next)) return false;
  if (isCommandEcho(lines[index] ?? '') || isCommandEcho(next)) return false;
  if (RECORD_START.test(lines[index] ?? '')) return true;
  // Among lines without any start, only an indented or lower-case one goes on with the last.
  return /^\s+\S|^[a-z"':,]/.test(next) && !/^\s/.test(lines[index] ?? '');
}

function continuationEnd(lines: readonly string[], index: number): number {
  const limit = Math.min(lines.length, index + JOINED_LINES_MAX);
  let end = index + 1;
  while (end < limit && (lines[end] ?? '').trim() !== '' && !RECORD_START.test(lines[end] ?? ''))
    end++;
  return end;
}
