/** GetCallerIdentity as a signed URL (AWS General Reference, "Signature Version 4", query string). */
import { createHash, createHmac } from 'node:crypto';

export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secret: string;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function stamp(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

export interface Signing {
  readonly atMs: number;
  /** `X-Amz-Expires` as it is sent; null leaves it out. */
  readonly expires: string | null;
  /** Of the header `x-note`, which is signed too; none when not given. */
  readonly note?: string;
}

export function signedUrl(
  base: string,
  { accessKeyId, secret }: SigningKeys,
  { atMs, expires, note }: Signing,
): string {
  const date = stamp(atMs);
  const day = date.slice(0, 8);
  const names = note === undefined ? 'host' : 'host;x-note';
  const scope = `${day}/us-west-2/sts/aws4_request`;
  const entries = Object.entries({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': date,
    ...(expires === null ? {} : { 'X-Amz-Expires': expires }),
    'X-Amz-SignedHeaders': names,
  });
  const query = entries
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&');
  const { host } = new URL(base);
  const headers = [`host:${host}`, ...(note === undefined ? [] : [`x-note:${note}`])];
  const canonical = ['GET', '/', query, ...headers, '', names, sha256('')].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, 'us-west-2', 'sts', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secret}`,
  );
  return `${base}/?${query}&X-Amz-Signature=${hmac(key, text).toString('hex')}`;
}
