import { type PortFailure, PortError } from '../../ports/port-error.ts';

/** `errno` names as libuv spells them, and what each means to the caller of a port. */
const FAILURES: Readonly<Record<string, readonly [PortFailure, string]>> = {
  EACCES: ['denied', 'may not be used by this user'],
  EPERM: ['denied', 'may not be used by this user'],
  ENOENT: ['not-found', 'is not there'],
  ENOTDIR: ['not-found', 'is not there'],
  ENOTFOUND: ['not-found', 'is a name that the resolver does not know'],
  EAI_AGAIN: ['unreachable', 'could not be looked up, because no resolver answered'],
  EROFS: ['denied', 'cannot be written, because its file system is read-only'],
  ENOSPC: ['unavailable', 'cannot be written, because its file system is full'],
  ECONNREFUSED: ['unreachable', 'refused the connection'],
  ECONNRESET: ['unreachable', 'closed the connection before it answered'],
  EPIPE: ['unreachable', 'closed the connection before it answered'],
  EHOSTUNREACH: ['unreachable', 'cannot be reached: no route to host'],
  ENETUNREACH: ['unreachable', 'cannot be reached: network is unreachable'],
  ETIMEDOUT: ['timeout', 'did not answer in time'],
};

/** The `code` of an error that Node.js threw, empty for any other value. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Names the object, what happened to it, and keeps the original error as its cause. */
export function portErrorOf(object: string, error: unknown): PortError {
  const code = codeOf(error);
  const [failure, what] = FAILURES[code] ?? otherwise(code);
  const permission = failure === 'denied' ? object : null;
  return new PortError({ failure, message: `${object} ${what}.`, permission, cause: error });
}

function otherwise(code: string): readonly [PortFailure, string] {
  if (code.startsWith('HPE_')) return ['malformed', 'answered something that is not HTTP'];
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return ['unreachable', `ended the TLS handshake (${code})`];
  return ['unavailable', `cannot be used (${code === '' ? 'no reason given' : code})`];
}

export function timeoutOf(object: string, timeoutMs: number): PortError {
  const message = `${object} did not answer within ${timeoutMs / 1000} s.`;
  return new PortError({ failure: 'timeout', message });
}
