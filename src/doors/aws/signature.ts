/** Signatures of requests (AWS General Reference, "Signature Version 4"), in headers and in URLs. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

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

/** Whether the request is the one that the holder of the secret has signed. */
export function isSignedBy(request: SignedRequest, claimed: Claim, secret: string): boolean {
  const canonical = canonicalRequest(request, claimed);
  const text = [ALGORITHM, claimed.date, claimed.scope, sha256(canonical)].join('\n');
  const [day = '', region = '', service = ''] = claimed.scope.split('/');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    (before, part) => hmac(before, part),
    `AWS4${secret}`,
  );
  const expected = hmac(key, text);
  return timingSafeEqual(expected, Buffer.from(claimed.signature, 'hex'));
}

function canonicalRequest(request: SignedRequest, claimed: Claim): string {
  const { headers } = request;
  const names = claimed.signedHeaders;
  return [
    request.method,
    canonicalPath(request.path),
    canonicalQuery(request.query),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    sha256(request.body),
  ].join('\n');
}

/** Every service but S3 encodes the path that it sends once more. */
function canonicalPath(path: string): string {
  return path.split('/').map(encoded).join('/');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(query: URLSearchParams): string {
  return (
    [...query]
      .filter(([name]) => name !== 'X-Amz-Signature')
      // By name first: what follows a name, `=`, comes behind the hyphen of a longer one.
      .map(([name, value]) => [encoded(name), encoded(value)] as const)
      .toSorted(([name, value], [otherName, otherValue]) =>
        name === otherName ? inOrder(value, otherValue) : inOrder(name, otherName),
      )
      .map((pair) => pair.join('='))
      .join('&')
  );
}

/** By code points, as no language sorts. */
function inOrder(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Clocks may differ by so much (AWS General Reference). */
const SKEW_MS = 300_000;

/** Whether the date of a signature is near enough to this moment. */
export function isTimely({ date, expiresS }: Claim, nowMs: number): boolean {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const ageMs = nowMs - Date.parse(iso);
  const oldestMs = expiresS === null ? SKEW_MS : Math.min(expiresS, 604_800) * 1000 + SKEW_MS;
  return ageMs >= -SKEW_MS && ageMs <= oldestMs;
}
