import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the command that would decide a cause printed in one form, read back. */
export interface Loop {
  /** Id of the live state in which it was run. */
  readonly state: string;
  readonly cause: string;
  readonly command: string;
  readonly form: string;
  /**
   * The cause is named, another one is, it is still a candidate or none any more; or the command is
   * of a machine, or names something that the first look does not show.
   */
  readonly outcome: 'found' | 'another' | 'open' | 'gone' | 'not run';
}

export interface ClosedLoop {
  /** The look before it. */
  readonly opening: string;
  readonly loops: readonly Loop[];
}

export const CLOSED_LOOP_PATH = join(import.meta.dirname, 'closed-loop.json');

/** What was measured last, with the real clients. */
export function readClosedLoop(): ClosedLoop {
  return JSON.parse(readFileSync(CLOSED_LOOP_PATH, 'utf8')) as ClosedLoop;
}
