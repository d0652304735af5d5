import { type PortFailure, PortError } from '../../ports/port-error.ts';

/** What a class or a code of SQLSTATE means here; the longest that fits counts. */
const STATES: Readonly<Record<string, readonly [PortFailure, string]>> = {
  '08': ['unreachable', 'ended the connection'],
  '22': ['invalid', 'does not take these rows'],
  '25006': ['unavailable', 'is read-only at present'],
  '28': ['unauthenticated', 'does not accept this user or password'],
  '3D000': ['not-found', 'does not exist; create it: createdb'],
  '40': ['unavailable', 'gave way to another writer'],
  '42501': ['denied', 'does not let this user create or write its tables'],
  '53': ['unavailable', 'has no room or connections left'],
  '57014': ['timeout', 'took too long'],
  '57P01': ['unreachable', 'ended the connection'],
  '57P02': ['unreachable', 'ended the connection'],
  '57': ['unavailable', 'is starting or stopping'],
};

/** Errors of connections, by Node.js and by the driver. */
const UNREACHABLE =
  /^(?:ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOENT|ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/;
const ENDED = /Connection terminated|Client has encountered a connection error|SSL/i;
const SILENT = /timeout/i;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function meaningOf(error: unknown): readonly [PortFailure, string] {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  for (const length of [5, 2]) {
    const known = code.length === 5 ? STATES[code.slice(0, length)] : undefined;
    if (known !== undefined) return known;
  }
  if (code === 'ETIMEDOUT' || SILENT.test(message)) return ['timeout', 'does not answer'];
  if (UNREACHABLE.test(code)) return ['unreachable', `cannot be reached (${code})`];
  if (ENDED.test(message)) return ['unreachable', 'ended the connection'];
  return [
    'unavailable',
    `could not be used as a flight recorder${code === '' ? '' : ` (${code})`}`,
  ];
}

/** One sentence that names the database and what happened; nothing of the URL's password. */
export function postgresReason(place: string, error: unknown): PortError {
  const [failure, what] = meaningOf(error);
  return new PortError({ failure, message: `PostgreSQL ${place} ${what}.`, cause: error });
}

/** True where another try over another connection may succeed right away. */
export function isOfConnection({ failure }: PortError): boolean {
  return failure === 'unreachable';
}

/** True where the whole transaction was taken back, so that it may be repeated as it is. */
export function isTakenBack(error: unknown): boolean {
  return codeOf(error).startsWith('40');
}
