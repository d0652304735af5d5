/** Signatures of requests (AWS General Reference, "Signature Version 4"), in headers and in URLs. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

export interface SignedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What a signature says of itself. */
export interface Claim {
  readonly accessKeyId: string;
  readonly region: string;
  /** As services are called there: `ec2`. */
  readonly service: string;
  /** `20261122T080000Z` */
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Empty without. */
  readonly sessionToken: string;
  /** How long a signed URL is good, s; null for a header. */
  readonly expiresS: number | null;
  readonly scope: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const BODY_HASH = 'x-amz-content-sha256';
const SCOPE = /^([A-Z0-9]{16,128})\/(\d{8})\/([a-z0-9-]{1,32})\/([a-z0-9-]{1,32})\/aws4_request$/;

/** @returns null for a request that is not signed, or not in a form that can be read */
export function claimOf(request: SignedRequest): Claim | null {
  const { headers, query } = request;
  const header = headers['authorization'];
  return header === undefined ? fromQuery(query) : fromHeader(header, headers);
}

function fromHeader(header: string, headers: SignedRequest['headers']): Claim | null {
  if (!header.startsWith(`${ALGORITHM} `)) return null;
  const parts = new Map(
    header
      .slice(ALGORITHM.length)
      .split(',')
      .map((part) => {
        const [name = '', ...value] = part.trim().split('=');
        return [name, value.join('=')] as const;
      }),
  );
  return claim({
    credential: parts.get('Credential') ?? '',
    date: headers['x-amz-date'] ?? '',
    signedHeaders: parts.get('SignedHeaders') ?? '',
    signature: parts.get('Signature') ?? '',
    sessionToken: headers['x-amz-security-token'] ?? '',
    expiresS: null,
  });
}

function fromQuery(query: URLSearchParams): Claim | null {
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) return null;
  return claim({
    credential: query.get('X-Amz-Credential') ?? '',
    date: query.get('X-Amz-Date') ?? '',
    signedHeaders: query.get('X-Amz-SignedHeaders') ?? '',
    signature: query.get('X-Amz-Signature') ?? '',
    sessionToken: query.get('X-Amz-Security-Token') ?? '',
    expiresS: Number(query.get('X-Amz-Expires') ?? '60'),
  });
}

interface Parts extends Pick<Claim, 'date' | 'signature' | 'sessionToken' | 'expiresS'> {
  readonly credential: string;
  readonly signedHeaders: string;
}

function claim({ credential, signedHeaders, ...rest }: Parts): Claim | null {
  const match = SCOPE.exec(credential);
  if (match === null || !/^\d{8}T\d{6}Z$/.test(rest.date)) return null;
  if (!/^[0-9a-f]{64}$/.test(rest.signature)) return null;
  const [, accessKeyId = '', day = '', region = '', service = ''] = match;
  const scope = `${day}/${region}/${service}/aws4_request`;
  return { ...rest, accessKeyId, region, service, scope, signedHeaders: signedHeaders.split(';') };
}

/** Whether the request is the one that the holder of the secret has signed: it is signed again. */
export async function isSignedBy(
  request: SignedRequest,
  claimed: Claim,
  secret: string,
): Promise<boolean> {
  const { accessKeyId, region, service, signedHeaders } = claimed;
  const signingDate = dateOf(claimed);
  if (!signedHeaders.every((name) => Object.hasOwn(request.headers, name))) return false;
  if (Number.isNaN(signingDate.getTime()) || !isBodyAsTold(request, signedHeaders)) return false;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey: secret },
    region,
    service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const again = await signer.sign(withSignedOnly(request, signedHeaders), {
    signingDate,
    signableHeaders: new Set(signedHeaders),
    // The signer adds its date as a header, which a signed URL does not have.
    unsignableHeaders: new Set(['x-amz-date']),
  });
  return isSame(again.headers['authorization'] ?? '', authorizationOf(claimed));
}

function authorizationOf({ accessKeyId, scope, signedHeaders, signature }: Claim): string {
  const names = signedHeaders.join(';');
  return `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

type Signable = Parameters<SignatureV4['presign']>[0];

/** The request without the headers that nobody signed. */
function withSignedOnly(request: SignedRequest, names: readonly string[]): Signable {
  const { method, path, headers, query, body } = request;
  const parameters = Map.groupBy(query, ([name]) => name);
  return {
    method,
    path,
    protocol: 'http:',
    hostname: '',
    query: Object.fromEntries(
      [...parameters].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
    ),
    headers: Object.fromEntries(names.map((name) => [name, headers[name] ?? ''])),
    body,
  };
}

/** The signer believes this header, and so would take any body with it. */
function isBodyAsTold({ headers, body }: SignedRequest, names: readonly string[]): boolean {
  if (!names.includes(BODY_HASH)) return true;
  return headers[BODY_HASH] === createHash('sha256').update(body).digest('hex');
}

/** Clocks may differ by so much (AWS General Reference). */
const SKEW_MS = 300_000;

/** Whether the date of a signature is near enough to this moment. */
export function isTimely(claimed: Claim, nowMs: number): boolean {
  const { expiresS } = claimed;
  const ageMs = nowMs - dateOf(claimed).getTime();
  const oldestMs = expiresS === null ? SKEW_MS : Math.min(expiresS, 604_800) * 1000 + SKEW_MS;
  return ageMs >= -SKEW_MS && ageMs <= oldestMs;
}

function dateOf({ date }: Claim): Date {
  return new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
