import type { MachineName } from '../../evidence/names.ts';
import type { Shortened } from '../../evidence/observations.ts';
import type { LineSource } from '../../evidence/source.ts';
import type { Likely } from '../line/origin.ts';
import type { FoundLink, RawHit } from '../sightings.ts';

/** What the lines of a log, or of a part of it, said; lines are counted from its start. */
export interface LogFindings {
  /** How many there are, an unterminated last one included. */
  readonly lines: number;
  readonly sources: readonly LineSource[];
  /** By what tells them apart, in the order in which they were first seen. */
  readonly hits: readonly (readonly [string, RawHit])[];
  readonly links: readonly FoundLink[];
  readonly machines: readonly MachineName[];
  readonly shortened: readonly Shortened[];
}

/** A large log on its way through a reader. */
export interface Log {
  /** Takes the next bytes, any number of them; they are copied. */
  push(chunk: Uint8Array): void;
  /** Nothing may be pushed afterwards. */
  end(): void;
}

/** Told of one part of a log after the other, possibly after the call that ended it. */
export type LogTold = (findings: LogFindings) => void;

/**
 * Starts to read one log. One must have ended before the next is started.
 *
 * @param likely what lines are that do not say so themselves
 */
export type OpenLog = (likely: Likely, told: LogTold) => Log;
