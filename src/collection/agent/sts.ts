import { createHash, createHmac } from 'node:crypto';
import { assumedRoleIn } from '../../domain/pods/identity.ts';
import type { Host, HostReply, HostRequest } from '../../ports/host.ts';

const LIMITS = { timeoutMs: 3_000, bytesMax: 64 * 1024 };
const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
const VERSION = '2011-06-15';

/** Keys of a pod's identity; they go into a signature and nowhere else. */
export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

function hostOf(region: string): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `sts.${region}.${suffix}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest();
}

/** Signature version 4 of one POST without a query, by AWS's public description of it. */
export function signedHeaders(
  request: { readonly host: string; readonly body: string; readonly region: string },
  { accessKeyId, secretAccessKey, sessionToken }: SigningKeys,
  atMs: number,
): Readonly<Record<string, string>> {
  const { host, body, region } = request;
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const scope = `${day}/${region}/sts/aws4_request`;
  const signed = {
    'content-type': FORM,
    host,
    'x-amz-date': stamp,
    'x-amz-security-token': sessionToken,
  };
  const names = Object.keys(signed).join(';');
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [day, region, 'sts', 'aws4_request'].reduce<string | Uint8Array>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const credential = `Credential=${accessKeyId}/${scope}`;
  return {
    ...signed,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Who the keys are, as AWS says: `sts:GetCallerIdentity`, which needs no permission. */
export async function callerIdentity(
  host: Host,
  place: { readonly region: string; readonly atMs: number },
  keys: SigningKeys,
): Promise<HostReply> {
  const body = `Action=GetCallerIdentity&Version=${VERSION}`;
  const server = hostOf(place.region);
  const headers = signedHeaders({ host: server, body, region: place.region }, keys, place.atMs);
  return host.request({ url: `https://${server}/`, method: 'POST', headers, body, ...LIMITS });
}

/** Asks for the role by the pod's token, in a body that no error repeats. */
export async function assumeByToken(
  host: Host,
  { region, roleArn, token }: { region: string; roleArn: string; token: string },
): Promise<HostReply> {
  const fields = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: 'rollcall-agent',
    DurationSeconds: '900',
    WebIdentityToken: token,
  };
  const request: HostRequest = {
    url: `https://${hostOf(region)}/`,
    method: 'POST',
    headers: { 'content-type': FORM },
    body: new URLSearchParams(fields).toString(),
    ...LIMITS,
  };
  return host.request(request);
}

/** The role in the first ARN of an answer of STS; null for none. */
export function roleInAnswer(body: string): ReturnType<typeof assumedRoleIn> {
  return assumedRoleIn(/<Arn>(?<arn>[^<]{1,300})<\/Arn>/.exec(body)?.groups?.['arn'] ?? '');
}

/** `AccessDenied`; null where the answer has none. */
export function errorCodeIn(body: string): string | null {
  return /<Code>(?<code>\w{1,80})<\/Code>/.exec(body)?.groups?.['code'] ?? null;
}
