import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import { type Verdict, worstOf } from '../../evidence/verdict.ts';

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

const OF_VERDICT: Readonly<Record<Verdict, number>> = {
  usable: EXIT.usable,
  'not-usable': EXIT.notUsable,
  'cannot-tell': EXIT.cannotTell,
};

export function exitCodeOfVerdict(verdict: Verdict): number {
  return OF_VERDICT[verdict];
}

/** 1 when a subject is not usable, else 2 when one cannot be told, else 0; no subject tells nothing. */
export function exitCodeOf({ subjects }: DiagnosisDocument): number {
  return exitCodeOfVerdict(worstOf(subjects.map(({ verdict }) => verdict)));
}
