const REDACTED = '‹redacted›';

/** A value behind its field: quoted to its closing quote, else up to a blank or a quote. */
const VALUE = '(?:"(?:[^"\\\\]|\\\\.){1,2000}(?:"|$)|\'[^\']{1,2000}(?:\'|$)|[^\\s"\']+)';

/** Names of fields and flags whose values open doors, whatever stands before the name. */
const FIELDS = [
  'client[_-]key[_-]data',
  'client[_-]certificate[_-]data',
  'certificate[_-]authority[_-]data',
  'certificate[_-]?key',
  'b64[_-]cluster[_-]ca',
  '(?:secret[_-]?)?access[_-]?key',
  '(?:api|auth|private|secret|encryption|signing)[_-]?key',
  'token',
  'secret',
  'credentials',
].join('|');
/** Logs end a sentence on the name of a field, and give the reason behind it: those are words. */
const NO_REASON = '(?![a-z]{6,60}:\\s)(?!(?<=credentials: )[a-z]{1,20} [a-z])';
const PASSWORDS = 'password|passwd|passphrase|(?<![a-z])pwd|[a-z]_pwd';

function flags(names: string): RegExp {
  return new RegExp(`(--(?:[a-z0-9-]{0,60}-)?(?:${names})(?:=|\\s+))(?![‹-])${VALUE}`, 'gi');
}

/** Shapes of secrets that logs, kubeconfigs and user data carry; the kept groups name the field. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [\w-]+,[0-9A-F]+|\s|\\+[nr])*[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    `${REDACTED} `,
  ],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}/g, REDACTED],
  // Names of machines are compared in small letters.
  [/(?<![a-z0-9])(?:akia|asia)[a-z2-7]{16}(?![a-z0-9])/g, REDACTED],
  [/eyJ[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?/g, REDACTED],
  [/\bey[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g, REDACTED],
  [/\bk8s-aws-v1\.[A-Za-z0-9_=-]+/g, `k8s-aws-v1.${REDACTED}`],
  [/\b(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=_%-]+/g, REDACTED],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{16,}/g, REDACTED],
  [/((?:X-Amz-(?:Signature|Credential|Security-Token))=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/(\bBearer\s+)[A-Za-z0-9._~+/=-]{6,}/gi, `$1${REDACTED}`],
  [/(\bBasic\s+)[A-Za-z0-9+/=]{8,}/g, `$1${REDACTED}`],
  [/(?<![A-Za-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9])/g, REDACTED],
  [/(:\/\/?)[^\s/:@"']{1,200}:[^\s/"']{1,200}@/g, `$1${REDACTED}@`],
  [/(:\/\/?)[^\s/:@"']{16,200}@/g, `$1${REDACTED}@`],
  [/(proxy["']?\s*[:=]\s*["']?)[^\s/:@"']{1,200}:[^\s/"']{1,200}@/gi, `$1${REDACTED}@`],
  [
    /((?:^|\s)(?:-u|-U|--user|--proxy-user)[ =]*["']?[^\s:"'‹]{1,100}:)(?!\d+(?:\s|$))[^\s"']+/g,
    `$1${REDACTED}`,
  ],
  [flags(`${FIELDS}|${PASSWORDS}`), `$1${REDACTED}`],
  [new RegExp(`((?:${PASSWORDS})["']?\\s*[:=]\\s*)(?!["']?‹)${VALUE}`, 'gi'), `$1${REDACTED}`],
  [
    new RegExp(
      `((?:${FIELDS})["']?\\s*[:=]\\s*)(?!["']?‹)${NO_REASON}(?=["']?[^\\s"']{6})${VALUE}`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
];

function countOf(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}

/**
 * Base64 of 40 characters is a secret access key, longer one a key's or a token's body. Hashes have
 * no capitals, and names and paths, which are made of the same letters, have fewer.
 */
function redactRun(run: string): string {
  const digits = countOf(run, /\d/g);
  const share = run.length === 40 || run.length >= 200 ? 0.01 : ([0.33, 0.25][digits] ?? 0.2);
  const least = run.length * share;
  const isMixed = countOf(run, /[A-Z]/g) >= least && countOf(run, /[a-z]/g) >= least;
  return isMixed && (digits > 0 || share > 0.3) ? REDACTED : run;
}

const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY-----/g;

/** The end of a private key whose beginning was cut off: its body stands before its last line. */
function redactKeyEnds(text: string): string {
  if (!text.includes('PRIVATE KEY-----')) return text;
  let clean = '';
  let from = 0;
  for (const match of text.matchAll(KEY_END)) {
    clean += `${withoutKeyBody(text.slice(from, match.index))}${REDACTED}`;
    from = match.index + match[0].length;
  }
  return clean + text.slice(from);
}

const KEY_LINE_LEAST = 16;

function withoutKeyBody(before: string): string {
  let start = before.length;
  while (start > 0 && /[A-Za-z0-9+/=\s\\]/.test(before[start - 1] ?? '')) start--;
  const pieces = before.slice(start).split(/(\s+|\\+n)/);
  const isBody = (piece: string): boolean =>
    piece.length >= KEY_LINE_LEAST && /[A-Z]/.test(piece) && /[a-z]/.test(piece);
  const first = pieces.findIndex(isBody);
  const words = first < 0 ? pieces.slice(0, -1) : pieces.slice(0, first);
  return before.slice(0, start) + words.join('');
}

/** What secrets without the name of their field begin with. */
const BARE_MARK =
  /PRIVATE KEY|AKIA|ASIA|a[sk]ia[a-z2-7]{16}|ey[A-Za-z0-9_-]{8}|k8s-aws-v1|IQoJ|oGZXIvYXdz|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|-[uU][ =]|--/;
/** What stands before the `@` of an address with a password in it. */
const ADDRESS_MARK = /:\/|proxy/i;
const BOOTSTRAP_TOKEN = /[a-z0-9]{6}\.[a-z0-9]{16}/;
const BASE64_RUN = /[A-Za-z0-9+/]{40}/;
const CAPITAL = /[A-Z]/;
/** What stands behind the name of a field that holds a secret. */
const FIELD_MARK =
  /(?:key|token|secret|credentials|passwd|password|passphrase|pwd|data|ca|signature|credential)["']?\s*[:=]|(?:bearer|basic)\s/i;

/** False for most texts of objects, by tests that cost far less than to look for every secret. */
function mayHoldSecret(text: string): boolean {
  if (BARE_MARK.test(text) || FIELD_MARK.test(text)) return true;
  if (text.includes('@') && ADDRESS_MARK.test(text)) return true;
  if (text.includes('.') && BOOTSTRAP_TOKEN.test(text)) return true;
  // Without a capital letter a run is a hash or a name.
  return text.length >= 40 && CAPITAL.test(text) && BASE64_RUN.test(text);
}

/** The text without anything that opens a door; idempotent, linear in its length. */
export function redact(text: string): string {
  if (!mayHoldSecret(text)) return text;
  let clean = text;
  for (const [secret, replacement] of SECRETS) clean = clean.replace(secret, replacement);
  clean = redactKeyEnds(clean);
  return clean.replace(/[A-Za-z0-9+/]{40,}={0,2}/g, redactRun);
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

/** So much of a line's beginning is always shown: when, where, by whom or of what it was said. */
const HEAD = 120;
const GAP = ' … ';
const BEFORE = 40;
const BEHIND = 80;
/** The last of the words tell where they end; what is before may have been cut out as a secret. */
const TAIL = 24;

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/**
 * What may be shown of a long line: as `excerptOf`, but where the words for which it is quoted are
 * not in its beginning, the beginning, `…`, and the part around them.
 */
export function excerptAround(text: string, words: string, lengthMax = 400): string {
  const whole = redact(printable(text)).replace(/\s+/g, ' ').trim();
  if (whole.length <= lengthMax) return whole;
  const said = oneLine(redact(words));
  const place = said === '' ? -1 : whole.lastIndexOf(said.slice(-TAIL));
  const end = place < 0 ? 0 : place + Math.min(said.length, TAIL);
  if (end + BEHIND < lengthMax) return `${whole.slice(0, lengthMax - 1)}…`;
  const room = lengthMax - HEAD - GAP.length - 1;
  const wanted = end - said.length - BEFORE;
  const first = Math.max(wanted, Math.min(end + BEHIND, whole.length) - room, HEAD);
  const shown = whole.slice(first, first + room);
  const isCut = first + shown.length < whole.length;
  return `${whole.slice(0, HEAD)}${GAP}${shown}${isCut ? '…' : ''}`;
}

/** What may be shown of a value that a longer text carried: nothing when it is part of a secret. */
export function excerptWithin(value: string, shownText: string): string {
  const clean = redact(printable(value));
  return shownText.includes(clean) ? excerptOf(value) : REDACTED;
}

/** Fields of objects and answers that hold a secret by their name alone. */
const SECRET_FIELD =
  /^(?:.*password|passwd|token|tlsBootstrapToken|sessionToken|secretAccessKey|client-key-data|certificateKey|auth)$/i;
const SHORTEST_SECRET = 8;
const DEPTH_MAX = 400;

function cleanText(text: string, field: string): string {
  if (text !== '' && SECRET_FIELD.test(field)) return REDACTED;
  if (text.length < SHORTEST_SECRET) return text;
  const plain = printableLines(text);
  return redact(plain);
}

// biome-ignore lint: control characters are what this expression is about
const UNPRINTABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

/** Texts of objects keep their lines, which parsers of configuration need. */
function printableLines(text: string): string {
  return UNPRINTABLE.test(text) ? text.split('\n').map(printable).join('\n') : text;
}

/**
 * A value of objects, lists and texts, all texts without secrets; the same value when there are
 * none. What is nested deeper than 400 levels is left out.
 */
export function redactValue<T>(value: T, field = '', depth = 0): T {
  if (typeof value === 'string') return cleanText(value, field) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (CLEAN.has(value)) return value;
  if (depth > DEPTH_MAX) return (Array.isArray(value) ? [] : {}) as T;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactValue(item, field, depth + 1));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  const cleaned: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const entry: unknown = value[key as keyof typeof value];
    const clean = redactValue(entry, key, depth + 1);
    if (clean !== entry) cleaned.push([key, clean]);
  }
  if (cleaned.length === 0) return value;
  // Of two entries of one name the later counts, in the place of the earlier.
  return Object.fromEntries([...Object.entries(value), ...cleaned]) as T;
}

/** Objects in which no secret is, for as long as somebody holds them. */
const CLEAN = new WeakSet<object>();

/**
 * As `redactValue`, for a value that many objects hold: it and the parts right below it are not
 * looked through again. Nobody may change it afterwards.
 */
export function redactShared<T>(value: T): T {
  const clean = redactValue(value);
  if (typeof clean !== 'object' || clean === null) return clean;
  for (const part of [clean, ...Object.values(clean)])
    if (typeof part === 'object' && part !== null) CLEAN.add(part);
  return clean;
}
