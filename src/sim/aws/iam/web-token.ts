/** Tokens of service accounts, as AWS reads them (RFC 7519, OpenID Connect Core 1.0). */
import { isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Account } from '../account.ts';

export interface WebToken {
  /** With its scheme: `https://oidc.eks.us-west-2.amazonaws.com/id/…`. */
  readonly issuer: string;
  /** `system:serviceaccount:NAMESPACE:NAME`. */
  readonly subject: string;
  readonly audiences: readonly string[];
  /** ms since the epoch. */
  readonly expiresMs: number;
  /** Of the claim `kubernetes.io`; empty in tokens of others, as are the next two. */
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The one that it is bound to. */
  readonly pod: string;
}

/** Longer ones are refused (STS API reference, `WebIdentityToken`). */
const CHARS_MAX = 20_000;

/** @returns null for what is no token in the form of a JWT */
export function readWebToken(text: string): WebToken | null {
  const [, payload, ...rest] = text.length > CHARS_MAX ? [] : text.split('.');
  const claims = rest.length === 1 ? decoded(payload ?? '') : null;
  const issuer = claims === null ? null : textAt(claims, 'iss');
  const subject = claims === null ? null : textAt(claims, 'sub');
  if (claims === null || issuer === null || subject === null) return null;
  const own = isObject(claims['kubernetes.io']) ? claims['kubernetes.io'] : {};
  return {
    issuer,
    subject,
    audiences: [claims['aud'] ?? []].flat().map(String),
    expiresMs: Number(claims['exp'] ?? 0) * 1000,
    namespace: textAt(own, 'namespace') ?? '',
    serviceAccount: textAt(own, 'serviceaccount.name') ?? '',
    pod: textAt(own, 'pod.name') ?? '',
  };
}

function decoded(part: string): JsonObject | null {
  try {
    const value = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export type Checked = 'signed' | 'not-signed' | 'unreachable';

/** What the issuer says of a token that names it. */
export function checkSignature(account: Account, issuer: string, token: string): Checked {
  const found = account.issuers.get(issuer);
  if (found === undefined) return 'not-signed';
  if (found.silentUntilMs > account.kernel.nowMs()) return 'unreachable';
  return found.hasSigned(token) ? 'signed' : 'not-signed';
}
