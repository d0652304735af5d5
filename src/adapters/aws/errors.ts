/** Every failure of a call, as one sentence with what to do. Nothing that AWS wrote is repeated. */
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { CredentialError } from './credentials.ts';
import {
  type ErrorKind,
  isTrust,
  kindOfCode,
  kindOfForeignStatus,
  kindOfNodeCode,
  kindOfStatus,
} from './error-codes.ts';
import { type Asked, credentialSentence, noAnswerSentence, SENTENCES } from './error-sentences.ts';
import { NoAnswerError } from './no-answer.ts';

/** What we read of the errors of the SDK and of Node, none of it trusted to be there. */
interface Thrown {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly host: string | null;
  readonly retryAfterMs: number | null;
  readonly cause: unknown;
}

/** @returns a `PortError`, or the error itself when it is a bug and must not be survived */
export function nameError(error: unknown, asked: Asked): unknown {
  if (error instanceof PortError) return error;
  if (error instanceof NoAnswerError) return portError(...noAnswerSentence(error.what, asked));
  if (error instanceof CredentialError) return fromCredentials(error, asked);
  const thrown = read(error);
  if (thrown === null) return error;
  const kind = kindOf(thrown);
  if (kind !== null) return named(kind, thrown, asked);
  const fromChain = PROVIDER_ERROR.test(thrown.name);
  return fromChain ? portError(...credentialSentence('none', asked)) : error;
}

/** What the credential chain of the SDK throws. */
const PROVIDER_ERROR = /^(?:CredentialsProviderError|TokenProviderError)$/;

function fromCredentials(error: CredentialError, asked: Asked): PortError {
  return portError(...credentialSentence(error.failure, asked));
}

function portError(failure: PortFailure, message: string): PortError {
  return new PortError({ failure, message });
}

function kindOf(thrown: Thrown): ErrorKind | null {
  const byNode = kindOfNodeCode(thrown.code);
  if (byNode !== null) return byNode;
  if (isExpiredLogin(thrown)) return 'expired-credentials';
  const byCode = kindOfCode(thrown.name) ?? kindOfCode(thrown.code);
  if (byCode === 'invalid' && isMissing(thrown)) return 'not-found';
  if (byCode !== null && isSkew(thrown)) return 'clock-skew';
  if (byCode !== null) return byCode;
  if (thrown.name === 'AbortError') return null;
  return thrown.status === null ? null : kindOfReply(thrown, thrown.status);
}

/** The SDK has the status of an answer that it could not read as one. */
function kindOfReply({ name, message }: Thrown, status: number): ErrorKind | null {
  const unreadable = name === 'SyntaxError' || /deserializ|parse/i.test(message);
  const coded = !unreadable && !NOTHING.test(name);
  return coded ? kindOfStatus(status) : kindOfForeignStatus(status);
}

/** CloudFormation has one code for all it does not like. */
function isMissing({ message }: Thrown): boolean {
  return /does not exist|not found/i.test(message);
}

function isSkew({ message }: Thrown): boolean {
  return /Signature (?:expired|not yet current)|is now earlier than|Timestamp date is/i.test(
    message,
  );
}

function isExpiredLogin({ name, message }: Thrown): boolean {
  if (!PROVIDER_ERROR.test(name)) return false;
  return /SSO|sso/.test(message) && /expired|invalid|refresh|not found/i.test(message);
}

function named(kind: ErrorKind, thrown: Thrown, asked: Asked): PortError {
  const permission = kind === 'denied' ? permissionOf(thrown.message, asked) : null;
  const [failure, message] = SENTENCES[kind]({
    ...asked,
    permission: permission ?? asked.permission,
    code: safeCode(thrown),
    status: thrown.status,
    host: thrown.host,
    message: thrown.message.slice(0, MESSAGE_MAX),
    untrusted: isTrust(thrown.code),
  });
  return new PortError({ failure, message, permission, retryAfterMs: thrown.retryAfterMs });
}

const MESSAGE_MAX = 4096;

/** A call may need a permission of another name; the refusal says which. SQS writes all in small letters. */
function permissionOf(message: string, { permission }: Asked): string {
  const start = message.slice(0, MESSAGE_MAX);
  const action = /not authorized to perform: ([a-z0-9-]{2,32}:[A-Za-z0-9]{2,64})\b/.exec(start);
  const told = action?.[1] ?? permission;
  return told.toLowerCase() === permission.toLowerCase() ? permission : told;
}

/** Names that say how the SDK failed, not what AWS said. */
const NOTHING = /^(?:Error|TypeError|SyntaxError|Unknown|UnknownError)$/;

function safeCode({ name, code, status }: Thrown): string {
  const found = [code, name].find((one) => /^[A-Za-z][\w.]{1,79}$/.test(one) && !NOTHING.test(one));
  return found ?? (status === null ? 'no code' : `HTTP ${status}`);
}

function read(error: unknown): Thrown | null {
  if (!(error instanceof Error)) return null;
  const fields = error as unknown as Record<string, unknown>;
  const reply = objectOf(fields['$response']);
  return {
    name: error.name,
    code: codeOf(fields),
    message: error.message,
    status: statusOf(objectOf(fields['$metadata']), reply),
    host: textOf(fields['hostname']) ?? textOf(fields['host']),
    retryAfterMs: retryAfter(objectOf(reply['headers'])['retry-after']),
    cause: error.cause,
  };
}

/** Several addresses that all refuse come as one error without a code of its own. */
function codeOf(fields: Record<string, unknown>): string {
  const code = textOf(fields['code']) ?? textOf(fields['Code']);
  if (code !== null) return code;
  const errors = fields['errors'];
  const first: unknown = Array.isArray(errors) ? errors[0] : null;
  return textOf(objectOf(first)['code']) ?? '';
}

function statusOf(
  metadata: Record<string, unknown>,
  reply: Record<string, unknown>,
): number | null {
  const status = metadata['httpStatusCode'] ?? reply['statusCode'];
  return typeof status === 'number' ? status : null;
}

/** Longer waits than this are left to the caller. */
const RETRY_AFTER_MAX_MS = 3_600_000;

function retryAfter(header: unknown): number | null {
  const ms = Number(header) * 1000;
  return typeof header === 'string' && ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : null;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
