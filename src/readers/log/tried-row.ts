import type { SignRow } from '../../evidence/sign-row.ts';
import { indexOfWord, type Span } from './raw-bytes.ts';
import { requiredWords } from './required-words.ts';

const MACHINE_GROUP = /\(\?<(?:instance|node|self)\d*>/;
/** Lists of words looked for before an expression is tried. */
const LISTS_MAX = 2;

/** A row of the table, ready to be tried against many lines of a log. */
export interface TriedRow {
  readonly row: SignRow;
  /** True when its expression may name a machine. */
  readonly namesMachine: boolean;
  /** A line without one of each list cannot match. */
  readonly required: readonly (readonly Uint8Array[])[];
}

/** @param anchors those of the row that are in the line */
export function triedRow(row: SignRow, anchors: readonly string[]): TriedRow {
  const encoder = new TextEncoder();
  // A word inside of an anchor says nothing more of a line that has the anchor.
  const telling = requiredWords(row.pattern).filter(
    (words) => !words.some((word) => anchors.some((anchor) => anchor.includes(word))),
  );
  return {
    row,
    namesMachine: MACHINE_GROUP.test(row.pattern.source),
    required: telling
      .slice(0, LISTS_MAX)
      .map((words) => words.map((word) => encoder.encode(word))),
  };
}

/** False when the expression cannot match the line in these bytes. */
export function mayMatch({ required }: TriedRow, bytes: Uint8Array, line: Span): boolean {
  return required.every((words) => words.some((word) => indexOfWord(bytes, line, word) >= 0));
}
