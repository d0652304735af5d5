import type { Violation } from '../invariants/contract.ts';
import type { MarkId } from '../marks/marks.ts';

/** A fault that happened, for the timeline of a run. */
export interface HappenedFault {
  /** `F51.2` */
  readonly name: string;
  /** After the beginning, ms. */
  readonly atMs: number;
  /** null while it lasts, and for what cannot be taken back. */
  readonly endedMs: number | null;
  readonly what: string;
}

/** What a run counted. */
export interface RunCounts {
  readonly events: number;
  /** Machines of which a Node was seen for the first time. */
  readonly joins: number;
  readonly looks: number;
  /** By rule. */
  readonly evaluations: ReadonlyMap<string, number>;
  /** By class of faults. */
  readonly faults: ReadonlyMap<string, number>;
}

/** Everything that a run found. */
export interface RunResult {
  readonly violations: readonly Violation[];
  readonly happened: readonly HappenedFault[];
  readonly counts: RunCounts;
  readonly marks: ReadonlyMap<MarkId, number>;
}
