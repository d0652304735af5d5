import { type JsonObject, textAt } from '../../evidence/json.ts';
import { failureOfWrite, type RefusedWrite } from '../../ports/kube-refusal.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import type { ApiAnswer } from './contract.ts';

/** What was asked, in the words of RBAC: `list nodes`. */
export interface AskedName {
  readonly server: string;
  readonly verb: string;
  readonly resource: string;
}

const FAILURES: Readonly<Record<number, PortFailure>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'denied',
  405: 'unsupported',
  409: 'conflict',
  410: 'expired',
  413: 'invalid',
  415: 'unsupported',
  422: 'invalid',
  429: 'throttled',
  504: 'timeout',
};

const REMEDIES: Partial<Readonly<Record<PortFailure, string>>> = {
  denied: 'allow it by a role and a binding: kubectl create clusterrole',
  unauthenticated: 'see whose credential it is: kubectl auth whoami',
  expired: 'the version is too old, so read again from the start',
  conflict: 'read the object again',
  'already-exists': 'read the object, and change it if it differs',
  budget: 'see how many pods may go: kubectl get poddisruptionbudgets -A',
  unclear: 'it may have taken effect, so read the object before writing again',
  'not-found': 'see what there is: kubectl get all -A',
  unsupported: 'see what it serves: kubectl api-resources',
  invalid: 'see what it serves: kubectl api-resources',
};

/** The error of a port for a Status that the server answered, or sent as an ERROR event. */
export function portErrorOf(asked: AskedName, code: number, status: JsonObject): PortError {
  return errorOf(asked, code, status, failureOf(code, status));
}

/** The same for a write, which may be refused for reasons of its own. */
export function writeErrorOf(
  asked: AskedName,
  { code, object: status }: Pick<ApiAnswer, 'code' | 'object'>,
  write: Pick<RefusedWrite, 'isJsonPatch' | 'isDryRun'>,
): PortError {
  const own = failureOfWrite({ code, status, ...write });
  return errorOf(asked, code, status, own ?? failureOf(code, status));
}

function errorOf(
  asked: AskedName,
  code: number,
  status: JsonObject,
  failure: PortFailure,
): PortError {
  const said = textAt(status, 'message') ?? '';
  const remedy = REMEDIES[failure] ?? 'ask how it is: kubectl get --raw /readyz?verbose';
  const seconds = Number(textAt(status, 'details.retryAfterSeconds') ?? Number.NaN);
  const what = `${asked.verb} ${asked.resource}`;
  return new PortError({
    failure,
    message: `${asked.server} answered ${what} with HTTP ${code} (${said}); ${remedy}`,
    permission: failure === 'denied' ? what : null,
    retryAfterMs: Number.isNaN(seconds) ? null : seconds * 1000,
  });
}

function failureOf(code: number, status: JsonObject): PortFailure {
  // Only an answer that names the object says that the object is missing.
  if (code === 404) return textAt(status, 'details.name') === null ? 'unsupported' : 'not-found';
  return FAILURES[code] ?? (code >= 500 ? 'unavailable' : 'invalid');
}

/** A connection that was cut, or never came to be. */
export function unreachable({ server, verb, resource }: AskedName, how: string): PortError {
  return new PortError({
    failure: 'unreachable',
    message: `${server} ${how} during ${verb} ${resource}; try it: kubectl get --raw /readyz`,
  });
}
