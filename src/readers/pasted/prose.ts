import { isCommandEcho } from '../line/prompt.ts';
import { ANSWER_START, DESCRIBE_FIELD, RECORD_START, TABLE_HEADER } from '../text/starts.ts';
import { numberOf, type PastedLines } from './lines.ts';

/** Mails and editors break lines between these columns; shorter ones are broken by their writer. */
const COLUMNS_MIN = 40;
const COLUMNS_MAX = 120;
/** Widths of terminals, which break lines within words; mails and editors keep to narrower ones. */
const TERMINALS = new Set([80, 90, 100, 110, 120]);
/** Of so many lines, all but the last may end in one column although they were broken by words. */
const EVEN_BY_CHANCE = 3;

/** Words of sentences that programs hardly print two of in one line. */
const OF_SENTENCES =
  /(?<![\w.-])(?:an?|the|is|are|was|were|has|have|had|do|does|did|and|or|but|to|of|in|on|at|by|as|for|with|without|from|that|this|which|it|its|we|our|they|my|i|not|still|so|than|because|when|after|before|there)(?![\w.-])/gi;

/** Two blanks part columns; these signs are of records, code, and errors that hold other errors. */
const OF_PROGRAMS =
  /\S {2}|\t|="|[{}]|\\n|^\s*(?:[-*+#|>$]|\d{1,3}[.)]\s)|^\S{1,40}: \S+: |\S: (?:error|failed|could not|unable to|cannot) |\w=\w/;

function countWords(line: string): number {
  return line.match(OF_SENTENCES)?.length ?? 0;
}

/** A field of a description; a person may begin a sentence in the same form. */
function isField(line: string): boolean {
  return DESCRIBE_FIELD.test(line) && countWords(line.slice(0, line.indexOf(':'))) === 0;
}

/** A line in the first column that no program begins a record, a field or an answer with. */
function mayBeTold(line: string): boolean {
  return (
    /^[\p{L}\d"'`(]/u.test(line) &&
    !OF_PROGRAMS.test(line) &&
    !RECORD_START.test(line) &&
    !TABLE_HEADER.test(line) &&
    !ANSWER_START.test(line) &&
    !isField(line) &&
    !isCommandEcho(line)
  );
}

/** True for two lines of a sentence of a person that no terminal broke, so that a word ended there. */
export function isToldOver(line: string, next: string, columns: number): boolean {
  const areTold = mayBeTold(line) && mayBeTold(next);
  return areTold && countWords(line) > 1 && !TERMINALS.has(columns);
}

/** Lines of one paragraph of a person, up to a line that is none of it. */
function paragraphEnd(lines: readonly string[], from: number): number {
  let end = from;
  while (end < lines.length && mayBeTold(lines[end] ?? '')) end++;
  return end;
}

function firstWord(line: string): string {
  return /^\S+/.exec(line)?.[0] ?? '';
}

/** True for a line that tells something, and ended because the next word was too long for it. */
function isBroken(line: string, next: string, columns: number): boolean {
  return countWords(line) > 1 && line.length + 1 + firstWord(next).length > columns;
}

/**
 * The column in which the lines of a paragraph were broken; null where they have no such length,
 * where a terminal broke them, so that all end in one column, and below a line that may be a record
 * or a row of which they are the rest.
 */
function columnsOf(paragraph: readonly string[], above: string): number | null {
  const columns = Math.max(0, ...paragraph.map((line) => line.length));
  if (columns < COLUMNS_MIN || columns > COLUMNS_MAX || above.trim() !== '') return null;
  const isEven = paragraph.slice(0, -1).every((line) => line.length === columns);
  return isEven && (TERMINALS.has(columns) || paragraph.length > EVEN_BY_CHANCE) ? null : columns;
}

/** The lines of one paragraph, each as the pieces that it was broken into. */
function* wholeLines(paragraph: readonly string[], above: string): Generator<readonly string[]> {
  const columns = columnsOf(paragraph, above);
  let pieces: string[] = [];
  for (const line of paragraph) {
    const before = pieces.at(-1);
    if (before !== undefined && (columns === null || !isBroken(before, line, columns))) {
      yield pieces;
      pieces = [];
    }
    pieces.push(line);
  }
  yield pieces;
}

/** Puts the sentences of people together that a mail or an editor has broken over lines. */
export function unwrappedProse(given: PastedLines): PastedLines {
  const { lines } = given;
  const kept: string[] = [];
  const numbers: number[] = [];
  for (let index = 0; index < lines.length; ) {
    const end = Math.max(index + 1, paragraphEnd(lines, index));
    for (const pieces of wholeLines(lines.slice(index, end), lines[index - 1] ?? '')) {
      kept.push(pieces.join(' '));
      numbers.push(numberOf(given, index));
      index += pieces.length;
    }
  }
  return kept.length === lines.length ? given : { lines: kept, numbers };
}
