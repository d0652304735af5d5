import { compactStamp } from '../logs/stamps.ts';

/** What a token of `aws eks get-token` is made from. */
export interface EksTokenParts {
  readonly region: string;
  readonly clusterName: string;
  readonly accessKeyId: string;
  /** By the clock of the machine that signs. */
  readonly signedMs: number;
  /** Hexadecimal; whoever checks it knows the secret key. */
  readonly signature: string;
}

/** A presigned STS GetCallerIdentity in base64url (aws-iam-authenticator, pkg/token/token.go). */
export function eksToken(parts: EksTokenParts): string {
  const stamp = compactStamp(parts.signedMs);
  const scope = `${stamp.slice(0, 8)}/${parts.region}/sts/aws4_request`;
  const query = [
    ['Action', 'GetCallerIdentity'],
    ['Version', '2011-06-15'],
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${parts.accessKeyId}/${scope}`],
    ['X-Amz-Date', stamp],
    ['X-Amz-Expires', '60'],
    ['X-Amz-SignedHeaders', 'host;x-k8s-aws-id'],
    ['x-k8s-aws-id', parts.clusterName],
    ['X-Amz-Signature', parts.signature],
  ].map(([key = '', value = '']) => `${key}=${encodeURIComponent(value)}`);
  const url = `https://sts.${parts.region}.amazonaws.com/?${query.join('&')}`;
  const base64 = btoa(url).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `k8s-aws-v1.${base64}`;
}
