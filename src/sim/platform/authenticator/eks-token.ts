import { fromBase64 } from '../certificates/base64.ts';

export const TOKEN_PREFIX = 'k8s-aws-v1.';

/** What a token of `aws eks get-token` says: a signed request that STS would answer. */
export interface EksToken {
  readonly accessKeyId: string;
  /** By the clock of the one who signed it. */
  readonly signedMs: number;
  /** Of the `x-k8s-aws-id` that was signed, where the URL holds it. */
  readonly cluster: string | null;
}

/** A token is good for 15 min from its signature (presignedURLExpiration, tokenDuration). */
export const TOKEN_LIFE_MS = 15 * 60_000;
/** STS refuses a signature from more than 5 min in the future. */
export const CLOCK_SKEW_MAX_MS = 5 * 60_000;

const HOST = /^https:\/\/sts(?:\.[a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?\/\?/;
const DATE = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;
const TOKEN_LENGTH_MAX = 16_384;

/** null for what the authenticator refuses before it asks anybody. */
export function readToken(token: string): EksToken | null {
  if (!token.startsWith(TOKEN_PREFIX) || token.length > TOKEN_LENGTH_MAX) return null;
  const url = fromBase64(token.slice(TOKEN_PREFIX.length));
  if (url === null || !HOST.test(url)) return null;
  const query = queryOf(url);
  const [accessKeyId = ''] = (query.get('X-Amz-Credential') ?? '').split('/');
  const signedMs = dateMs(query.get('X-Amz-Date') ?? '');
  if (query.get('Action') !== 'GetCallerIdentity' || accessKeyId === '' || signedMs === null)
    return null;
  return { accessKeyId, signedMs, cluster: query.get('x-k8s-aws-id') ?? null };
}

function queryOf(url: string): ReadonlyMap<string, string> {
  const pairs = url.slice(url.indexOf('?') + 1).split('&');
  return new Map(
    pairs.map((pair) => {
      const [key = '', value = ''] = pair.split('=');
      return [key, unescaped(value)];
    }),
  );
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function dateMs(text: string): number | null {
  const [, year, month, day, hour, minute, second] = DATE.exec(text) ?? [];
  if (second === undefined) return null;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
