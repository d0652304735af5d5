import type { DiagnosisDocument } from '../../diagnosis/document.ts';

/** All codes with which `rollcall` ends; scripts rely on them. */
export const EXIT = {
  /** Every subject is usable. */
  usable: 0,
  /** A subject is not usable. */
  notUsable: 1,
  /** None is known to be unusable, but one cannot be told. */
  cannotTell: 2,
  /** The command line is wrong. */
  usage: 64,
  /** No source could be read at all. */
  noSource: 69,
  /** Our fault. */
  bug: 70,
} as const;

/** 1 when a subject is not usable, else 2 when one cannot be told, else 0; no subject tells nothing. */
export function exitCodeOf(document: DiagnosisDocument): number {
  const verdicts = document.subjects.map((subject) => subject.verdict);
  if (verdicts.includes('not-usable')) return EXIT.notUsable;
  return verdicts.length === 0 || verdicts.includes('cannot-tell') ? EXIT.cannotTell : EXIT.usable;
}
