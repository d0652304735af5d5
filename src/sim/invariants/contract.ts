import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { FaultScene } from '../faults/contract.ts';
import type { RefusedCall } from '../faults/refused-call.ts';
import type { Marks } from '../marks/marks.ts';
import type { Judged, TrueState } from '../oracle/judge.ts';

/** What an invariant says when it does not hold. */
export interface Violation {
  /** `I-29`, `L-04` */
  readonly rule: string;
  /** True time, ms since the Unix epoch. */
  readonly atMs: number;
  /** The machine or object that it is about. */
  readonly subject: string;
  /** A sentence. */
  readonly what: string;
}

/** What an observer is given as the world begins. */
export interface Watching {
  readonly stage: FaultScene;
  readonly marks: Marks;
  readonly violated: (subject: string, what: string) => void;
  /** Counts one evaluation. */
  readonly evaluated: () => void;
}

/**
 * `live`: over the APIs. `files`: the same, saved, with the files of machines that do not work beside
 * it. `pile`: what somebody collected by hand, with gaps.
 */
export const WAYS = ['live', 'files', 'pile'] as const;
export type Way = (typeof WAYS)[number];

/** What Rollcall said of the world at a moment, and what of it is true. */
export interface Look {
  readonly atMs: number;
  readonly way: Way;
  /** True when no fault is on any more. */
  readonly isCalm: boolean;
  /** True for the last look of a run. */
  readonly isLast: boolean;
  /** True when every document was given and no call refused. */
  readonly isWhole: boolean;
  readonly observations: Observations;
  readonly document: DiagnosisDocument;
  readonly judged: readonly Judged[];
  readonly states: readonly TrueState[];
  /** Calls of this look that were refused by a fault. */
  readonly refused: readonly RefusedCall[];
  /** Everything that was printed, in all its forms. */
  readonly printed: readonly string[];
}

/**
 * What must hold. `watch` is called once and listens to those events that concern it; `look` is
 * asked about each of Rollcall's own looks. Both see the true state of the world.
 */
export interface Invariant {
  readonly rule: string;
  readonly watch?: (watching: Watching) => void;
  readonly look?: (look: Look, watching: Watching) => void;
}
