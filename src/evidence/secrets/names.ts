/** Names of fields, variables, flags, headers and parameters that hold secrets. */

/** Whatever stands behind these is one. */
const PASSWORDS = [
  'pass(?:word|wd|phrase|code|wort)',
  '(?<![a-z])pass',
  '(?:store|key|db|sql|smtp|mail|ssh|ftp|user|admin|root|ldap|bind|redis|wifi|http|proxy)pass',
  '(?<![a-z])pwd',
  '(?<![a-z])pw',
  '(?<=[a-z])Pw',
  'bindpw',
  'snmp[_ -]?community|(?<=snmp )community',
  '(?<![a-z])(?:pre[_-]?)?shared[_-]?key|(?<![a-z])psk',
  '(?<![a-z])pin(?:[_-]?(?:value|code))?(?=["\']?\\s?[=:\\s]\\s?["\']?\\d{4,12}(?!\\d))',
];

/** What stands behind these is one, unless it is a path, a name of AWS or the reason of an error. */
const SECRETS = [
  'client[_-]key[_-]data|client[_-]certificate[_-]data|certificate[_-]authority[_-]data',
  'certificate[_-]?key|b64[_-]cluster[_-]ca',
  '(?:secret[_-]?)?access[_-]?key|secret[_-]?key(?:[_-]?base)?',
  '(?:api|app|auth|private|secret|encryption|signing|master|account|shared[_-]?access|licen[sc]e|service|consumer|storage|sealing|deploy|host|instrumentation)[_-]?key',
  'token|(?<!checksum\\/)secret|credentials|(?<![a-z])creds?',
  '(?<![a-z])dsn|connection[_-]?string',
  'cookie|authorization',
  'mnemonic|seed[_-]?phrase|recovery[_-]?phrase',
  '(?:webhook|hook)[_-]?url|(?<![a-z])webhook(?=["\']?[ \\t]?[:=][ \\t]?["\']?https?:)',
  '(?<![a-z])salt|licen[sc]e|(?<![a-z])otp[_-]?secret',
];

/** What stands behind these is one where it looks drawn by chance. */
const PERHAPS = [
  '(?<![a-z])(?:[a-z]{0,20}[_-])?key|(?<![a-z])auth|(?<=[_-])auth',
  '(?<![a-z])(?:sid|session(?:[_-]?(?:id|key))?|sig(?:nature)?|sas|nonce|jwt|bearer|hmac|cipher)',
  'x-amz-(?:signature|credential|security-token)',
];

const SUFFIX =
  '(?:[_-]?(?:\\d{1,3}|prod(?:uction)?|dev|staging|stage|test|live|b64|base64|value|plain|text|hash|string|raw|old|new|current|previous|primary|secondary|main|backup|ro|rw|admin|root|data|code))?';

export type Strength = 'password' | 'secret' | 'perhaps';

function anyOf(names: readonly string[]): string {
  return `(?:${names.join('|')})`;
}

const NAMES: Readonly<Record<Strength, string>> = {
  password: anyOf(PASSWORDS),
  secret: anyOf(SECRETS),
  perhaps: anyOf(PERHAPS),
};

/**
 * Any of them, with a group that names its strength. The suffix stands once: each time that it is
 * repeated, every program compiles for milliseconds more.
 */
export const ANY_NAME = `(?:(?<password>${NAMES.password})|(?<secret>${NAMES.secret})|(?<perhaps>${NAMES.perhaps}))${SUFFIX}`;

const STEM =
  /pass|pw|psk|pin|shared|secret|token|key|cred|(?<![a-z])auth|dsn|cookie|phrase|mnemonic|hook|salt|licen|sid|sess|sig|sas|nonce|jwt|bearer|hmac|cipher|community|data|ca["'`\\\s:=]|connection|value/i;

/** As long as the longest suffix; the suffixes themselves take seven times as long to compile. */
const SUFFIX_OR_MORE = '[\\w-]{0,11}';

/** Names before their values; looked for from the sign between them, as signs and flags are few. */
const BEFORE_VALUE = new RegExp(
  [
    `[:=>](?<=(?:${NAMES.password}|${NAMES.secret}|${NAMES.perhaps})${SUFFIX_OR_MORE}["'\`\ue000\\\\]{0,20}[ \\t]{0,40}.)`,
    `\\s(?<=${NAMES.password}${SUFFIX_OR_MORE}["'\`]?\\s)`,
    '\\s(?<=[\\s"\'`]--?[a-z][\\w-]{0,60}\\s)|,(?<=["\'`]--?[a-z][\\w-]{0,60}["\'`],)',
    'value["\'`\ue000\\\\]{0,20}\\s{0,8}[:=]',
  ].join('|'),
  'i',
);

/** True for a text in which a name of a secret has something behind it. */
export function mayNameSecret(text: string): boolean {
  return STEM.test(text) && BEFORE_VALUE.test(text);
}

/** Names of fields are words of few programs, and asked millions of times. */
const FIELDS_MAX = 5000;
const STRENGTHS = new Map<string, Strength | null>();
const WHOLE = new RegExp(`${ANY_NAME}$`, 'i');

/** How surely a field of this name holds a secret, null when it does not. */
export function strengthOfField(field: string): Strength | null {
  const known = STRENGTHS.get(field);
  if (known !== undefined) return known;
  const groups = WHOLE.exec(field)?.groups;
  const named = (['password', 'secret', 'perhaps'] as const).find(
    (strength) => groups?.[strength] !== undefined,
  );
  const strength = named ?? null;
  if (STRENGTHS.size < FIELDS_MAX) STRENGTHS.set(field, strength);
  return strength;
}
