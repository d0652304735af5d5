const REDACTED = '‹redacted›';

/** Shapes of secrets that logs, kubeconfigs and user data carry; the kept groups name the field. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, REDACTED],
  [/\bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g, REDACTED],
  [/\bk8s-aws-v1\.[A-Za-z0-9_=-]+/g, `k8s-aws-v1.${REDACTED}`],
  [/((?:X-Amz-(?:Signature|Credential|Security-Token))=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/(\bBearer\s+)[A-Za-z0-9._~+/=-]{6,}/gi, `$1${REDACTED}`],
  [/(\bBasic\s+)[A-Za-z0-9+/=]{8,}/g, `$1${REDACTED}`],
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, REDACTED],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/:@"']{1,200}:[^\s/@"']{1,200}@/gi, `$1${REDACTED}@`],
  [
    /((?:aws_?)?(?:secret_?access_?key|session_?token|security_?token)["']?\s*[:=]\s*["']?)[A-Za-z0-9/+=_-]{8,}/gi,
    `$1${REDACTED}`,
  ],
  [
    /((?:password|passwd|client-key-data|client-certificate-data|certificate-authority-data|certificate-key|b64-cluster-ca|token|secret)["']?\s*[:=]\s*["']?)(?!‹)[^\s"',}&\]]{6,}/gi,
    `$1${REDACTED}`,
  ],
  [
    /(--(?:token|session-token|security-token|password|certificate-key|b64-cluster-ca|tls-bootstrap-token)[ =]+)(?!‹)["']?[^\s"']+/gi,
    `$1${REDACTED}`,
  ],
  // A secret access key is 40 characters of base64; hashes have no capitals.
  [
    /(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g,
    REDACTED,
  ],
  [
    /\b(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{200,}={0,2}/g,
    REDACTED,
  ],
];

/** The text without anything that opens a door; idempotent, linear in its length. */
export function redact(text: string): string {
  let clean = text;
  for (const [secret, replacement] of SECRETS) clean = clean.replace(secret, replacement);
  return clean;
}

// biome-ignore lint: control characters are what this expression is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const BIDIRECTIONAL = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
// biome-ignore lint: the escape character starts a terminal sequence
const TERMINAL_SEQUENCE =
  /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** The text without terminal sequences, control or bidirectional characters; tabs become blanks. */
export function printable(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(/\t/g, ' ')
    .replace(CONTROL, '')
    .replace(BIDIRECTIONAL, '');
}

/** Characters beyond the cut that are looked at, so that a secret across the cut is seen whole. */
const LOOKED_AT = 4000;

/** What may be shown of a line: printable, without secrets, at most `lengthMax` characters. */
export function excerptOf(text: string, lengthMax = 400): string {
  const clean = redact(printable(text.slice(0, lengthMax + LOOKED_AT)))
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length <= lengthMax ? clean : `${clean.slice(0, lengthMax - 1)}…`;
}
