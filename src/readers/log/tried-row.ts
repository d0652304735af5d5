import type { SignRow } from '../../evidence/sign-row.ts';
import { gramsOf, type LineGrams } from '../scan/line-grams.ts';
import { requiredWords } from './required-words.ts';

const MACHINE_GROUP = /\(\?<(?:instance|node|self)\d*>/;

/** A row of the table, ready to be tried against many lines of a log. */
export interface TriedRow {
  readonly row: SignRow;
  /** True when its expression may name a machine. */
  readonly namesMachine: boolean;
  /** Captures of its expression that tell objects apart. */
  readonly objects: readonly string[];
  /** A line without a word of each list cannot match; the grams of the words. */
  readonly required: readonly (readonly (readonly number[])[])[];
}

/** @param anchors those of the row that are in the line */
export function triedRow(row: SignRow, anchors: readonly string[]): TriedRow {
  // A word inside of an anchor says nothing more of a line that has the anchor.
  const telling = requiredWords(row.pattern).filter(
    (words) => !words.some((word) => anchors.some((anchor) => anchor.includes(word))),
  );
  return {
    row,
    namesMachine: MACHINE_GROUP.test(row.pattern.source),
    objects: row.per.filter((name) => new RegExp(`\\(\\?<${name}\\d*>`).test(row.pattern.source)),
    required: telling.map((words) => words.map(gramsOf)),
  };
}

/** False when the expression cannot match the line that was noted. */
export function mayMatch({ required }: TriedRow, line: LineGrams): boolean {
  return required.every((words) => words.some((grams) => line.mayHold(grams)));
}
