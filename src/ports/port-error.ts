/**
 * Why a port could not do what it was asked to.
 * `denied`: the identity is known and may not; `unauthenticated`: it is not known, or has expired;
 * `expired`: the version to go on from is gone (HTTP 410); `unsupported`: the other side has no
 * such call or resource; `malformed`: it answered something that is no answer (a page of HTML,
 * half a JSON); `unreachable`: no connection, DNS, TLS or proxy; `timeout`: no answer in time.
 * Of writes alone: `conflict`: the object has another version or UID by now; `already-exists`: an
 * object has this name; `invalid`: the object or call is not accepted; `budget`: a
 * PodDisruptionBudget forbids the eviction now; `unclear`: sent, and no answer tells whether it
 * took effect, so it must be read before it is written again.
 */
export type PortFailure =
  | 'denied'
  | 'unauthenticated'
  | 'not-found'
  | 'conflict'
  | 'already-exists'
  | 'budget'
  | 'unclear'
  | 'expired'
  | 'throttled'
  | 'invalid'
  | 'unsupported'
  | 'unreachable'
  | 'timeout'
  | 'unavailable'
  | 'malformed'
  | 'not-configured';

export interface PortErrorParts {
  readonly failure: PortFailure;
  /** One sentence: the object, what happened and, where there is one, the command that fixes it. */
  readonly message: string;
  /** The permission that is missing (`ec2:DescribeInstances`, `list nodes`), null when not denied. */
  readonly permission?: string | null;
  /** How long the other side asked to wait, ms. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** The only throw that may be retried; any other is a bug of ours and stops the program. */
export class PortError extends Error {
  readonly failure: PortFailure;
  readonly permission: string | null;
  readonly retryAfterMs: number | null;

  constructor(parts: PortErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'PortError';
    this.failure = parts.failure;
    this.permission = parts.permission ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

const TRANSIENT: ReadonlySet<PortFailure> = new Set([
  'throttled',
  'unreachable',
  'timeout',
  'unavailable',
  'malformed',
]);

/** True for failures which the same call may survive a little later. */
export function isTransient(error: PortError): boolean {
  return TRANSIENT.has(error.failure);
}
