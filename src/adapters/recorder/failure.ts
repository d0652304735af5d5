import { type PortFailure, PortError } from '../../ports/port-error.ts';

/** Primary result codes of SQLite; the source is https://sqlite.org/rescode.html. */
const FAILURES: Readonly<Record<number, readonly [PortFailure, string]>> = {
  3: ['denied', 'may not be opened by this user'],
  5: ['unavailable', 'is locked by another program'],
  6: ['unavailable', 'is locked by another program'],
  8: ['denied', 'may only be read by this user'],
  10: ['unavailable', 'could not be read or written by the disk'],
  11: ['malformed', 'is damaged; move it away and Rollcall creates a new one'],
  13: ['unavailable', 'could not grow, because its disk is full'],
  14: ['not-found', 'could not be opened; its folder is missing or not writable'],
  26: ['malformed', 'is not a flight recorder; choose another file'],
};

/** One sentence that names the file of the recorder and what happened to it. */
export function reasonOf(path: string, error: unknown): PortError {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  // Extended codes keep the primary one in their lowest byte.
  const [failure, what] = FAILURES[code % 256] ?? otherwise(error);
  return new PortError({ failure, message: `${path} ${what}.`, cause: error });
}

function otherwise(error: unknown): readonly [PortFailure, string] {
  const isClosed = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
  return isClosed
    ? ['unavailable', 'is already closed']
    : ['unavailable', 'could not be used as a flight recorder'];
}
