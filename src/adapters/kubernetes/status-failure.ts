import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import { failureOfWrite, type RefusedWrite } from '../../ports/kube-refusal.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import type { CredentialRefusal } from './credentials.ts';
import { type RequestName, textOf } from './request-name.ts';
import { quoted, shown } from './words.ts';

/** An answer that is no success, and what was asked. */
export interface RefusedAnswer {
  readonly server: string;
  readonly name: RequestName;
  /** null for a question, which changes nothing. */
  readonly write: Pick<RefusedWrite, 'isJsonPatch' | 'isDryRun'> | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The beginning of the body. */
  readonly text: string;
  readonly refusal: CredentialRefusal;
  /** Wall clock of this machine, ms since the Unix epoch. */
  readonly nowMs: number;
}

/** The error for an HTTP status, or for a Status object inside a watch. */
export function statusFailure(answer: RefusedAnswer): PortError {
  const status = statusIn(answer.text);
  if (status === null && isPage(answer) && answer.status < 500) return pageFailure(answer);
  if (answer.status === 401) return unauthenticated(answer);
  if (answer.status === 403) return denied(answer, status);
  if (answer.status === 404) return missing(answer, status);
  const failure = failureOfAnswer(answer, status);
  if (failure === 'denied') return denied(answer, status);
  return new PortError({
    failure,
    message: `${subject(answer)} with ${said(answer, status)}; ${REMEDIES[failure] ?? LOOK}`,
    retryAfterMs: retryAfterMs(answer, status),
  });
}

const LOOK = 'ask how it is: kubectl get --raw /readyz?verbose';

const REMEDIES: Partial<Readonly<Record<PortFailure, string>>> = {
  expired: 'the version is too old, so read again from the start',
  throttled:
    'see who asks too much: kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels',
  unsupported: 'see what it serves: kubectl api-resources',
  invalid: 'see what it serves: kubectl api-resources',
  conflict: 'read the object again',
  'already-exists': 'read the object, and change it if it differs',
  budget: 'see how many pods may go: kubectl get poddisruptionbudgets -A',
  unclear: 'it may have taken effect, so read the object before writing again',
};

const FAILURES: Readonly<Record<number, PortFailure>> = {
  400: 'invalid',
  405: 'unsupported',
  406: 'unsupported',
  408: 'timeout',
  409: 'conflict',
  410: 'expired',
  413: 'invalid',
  415: 'unsupported',
  422: 'invalid',
  429: 'throttled',
  501: 'unsupported',
  504: 'timeout',
};

function failureOfAnswer(
  { status: code, write }: RefusedAnswer,
  status: JsonObject | null,
): PortFailure {
  return (write && failureOfWrite({ code, status, ...write })) ?? failureOf(code);
}

function failureOf(status: number): PortFailure {
  const known = FAILURES[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'unavailable';
  return status >= 400 ? 'invalid' : 'malformed';
}

function subject({ server, name }: RefusedAnswer): string {
  return `${server} answered ${textOf(name)}`;
}

/** `503 (the server is currently unable to handle the request)`. */
function said({ status, text }: RefusedAnswer, parsed: JsonObject | null): string {
  const words = shown(textAt(parsed, 'message') ?? (text.startsWith('<') ? '' : text.trim()));
  return words === '' ? `HTTP ${status}` : `HTTP ${status} (${words})`;
}

function statusIn(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonObject;
    return isObject(value) && textAt(value, 'kind') === 'Status' ? value : null;
  } catch {
    return null;
  }
}

type Page = Pick<RefusedAnswer, 'headers' | 'text'>;

export function isPage({ headers, text }: Page): boolean {
  return /^text\/html\b/.test(String(headers['content-type'] ?? '')) || /^\s*<[!a-zA-Z]/.test(text);
}

/** A web page where an answer of the API was expected. */
export function pageFailure(
  page: Pick<RefusedAnswer, 'server' | 'name' | 'status' | 'text'>,
): PortError {
  const { server, name, status, text } = page;
  const title = /<title>([^<]{1,200})/i.exec(text)?.[1] ?? '';
  const named = title === '' ? '' : ` titled ${shown(title)}`;
  return new PortError({
    failure: 'malformed',
    message:
      `${server} answered ${textOf(name)} with a web page${named} (HTTP ${status}), as a proxy or ` +
      `sign-in page before the API server does; see it: curl -vk ${quoted(`${server}/version`)}`,
  });
}

/** From here on a difference of clocks breaks tokens and signatures. */
const SKEW_MS_MAX = 120_000;

function unauthenticated({ server, name, headers, refusal, nowMs }: RefusedAnswer): PortError {
  const skewMs = Date.parse(String(headers['date'] ?? '')) - nowMs;
  const isSkewed = Math.abs(skewMs) > SKEW_MS_MAX;
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const clocks = `; the clock here is ${minutes} min ${skewMs > 0 ? 'behind' : 'ahead of'} the server's`;
  const remedy = isSkewed ? 'set it: sudo timedatectl set-ntp true' : refusal.remedy;
  return new PortError({
    failure: 'unauthenticated',
    message:
      `${server} answered ${textOf(name)} with HTTP 401, as it does not accept ${refusal.what}` +
      `${isSkewed ? clocks : ''}; ${remedy}`,
  });
}

/** How an API server words that admission refused what RBAC allows. */
const BY_WEBHOOK = /^admission webhook "[^"]{1,300}" denied the request/;
const BY_POLICY = /ValidatingAdmissionPolicy '(?<policy>[\w.-]{1,300})' with binding/;

/** What shows who refused a write beside RBAC; null where nobody else did. */
function admissionRemedy(status: JsonObject | null): string | null {
  const message = textAt(status, 'message') ?? '';
  if (BY_WEBHOOK.test(message))
    return 'see it: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml';
  const policy = BY_POLICY.exec(message)?.groups?.['policy'];
  return policy === undefined
    ? null
    : `see it: kubectl get validatingadmissionpolicy ${policy} -o yaml`;
}

function denied(answer: RefusedAnswer, status: JsonObject | null): PortError {
  const admission = admissionRemedy(status);
  if (admission !== null) {
    const message = `${subject(answer)} with ${said(answer, status)}; ${admission}`;
    return new PortError({ failure: 'denied', message });
  }
  const { verb, resource } = answer.name;
  const role = `kubectl create clusterrole rollcall-${verb} --verb=${verb} --resource=${quoted(resource)}`;
  const isPath = resource.startsWith('/');
  const rule = isPath ? role.replace('--resource', '--non-resource-url') : role;
  return new PortError({
    failure: 'denied',
    permission: textOf(answer.name),
    message: `${subject(answer)} with ${said(answer, status)}; allow it by a role and a binding: ${rule}`,
  });
}

/** Only an answer that names the object says that the object is missing. */
function missing(answer: RefusedAnswer, status: JsonObject | null): PortError {
  const name = textAt(status, 'details.name') ?? '';
  if (name !== '')
    return new PortError({
      failure: 'not-found',
      message:
        `${subject(answer)} with ${said(answer, status)}; see what there is: ` +
        `kubectl get ${quoted(answer.name.resource.replace(/\/[^.]*/, ''))} -A`,
    });
  return new PortError({
    failure: 'unsupported',
    message:
      `${answer.server} does not know ${shown(answer.name.resource)} (${said(answer, status)}); ` +
      'see what it serves: kubectl api-resources',
  });
}

/** The most that a server's wish to wait is followed. */
const RETRY_AFTER_MS_MAX = 10 * 60_000;

/** `Retry-After` as seconds or a date, else the seconds in the Status. */
function retryAfterMs(answer: RefusedAnswer, status: JsonObject | null): number | null {
  const header = String(
    answer.headers['retry-after'] ?? textAt(status, 'details.retryAfterSeconds') ?? '',
  );
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, RETRY_AFTER_MS_MAX);
  // Of other words a date may be read as well, and the wait would be over.
  const wait = header.endsWith(' GMT') ? Date.parse(header) - answer.nowMs : Number.NaN;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), RETRY_AFTER_MS_MAX);
}
