import { REDACTED } from './mark.ts';

/** What stands behind the prefix of a token; a dot or a tilde joins its parts. */
const BODY = '[A-Za-z0-9_+/=.~-]';

/**
 * Prefixes by which the services that give out tokens mark them, so that scanners find them: each
 * service's own documentation of secret scanning tells its prefix.
 */
const PREFIXES = [
  'gh[pousr]_|github_pat_',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|sa|c)[-_]|GR1348941',
  'xox[a-z](?:\\.xox[a-z])?-|xapp-\\d-|xwfp-',
  '[srp]k_(?:live|test)_|whsec_',
  'AIza|ya29\\.|GOCSPX-|1//0',
  'pypi-AgE|rubygems_|dckr_(?:pat|oat)_',
  'hv[sbr]\\.|dp\\.(?:pt|st|ct|sa|scim|audit)\\.',
  'do[por]_v1_|flyv1_',
  'SG\\.[A-Za-z0-9_-]{16,24}\\.|NR(?:AK|II|JS|RA|BR|SP)-',
  'sntry[su]_|PMAK-|lin_(?:api|oauth)_',
  'shp(?:at|ca|pa|ss)_|sq0(?:atp|csp|idp)-|pscale_(?:tkn|pw|oauth)_',
  'sk-(?:proj|ant|svcacct|or-v1)-|nvapi-',
  'AT(?:ATT3|CTT3|BB)|CFPAT-|tskey-(?:auth|api|client)-|AGE-SECRET-KEY-1',
  '[A-Za-z0-9]{14}\\.atlasv1\\.|[A-Za-z0-9]{3}[78]Q~',
  'IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz',
].join('|');

/** Prefixes that words have too, so that only letters and digits count behind them. */
const PLAIN_PREFIXES =
  'npm_|hf_|figd_|ntn_|secret_|gsk_|r8_|xai-|pplx-|pul-|dapi|nfp_|rnd_|fo1_|akp_|vc[pik]_|EAAA|sk-';
const PLAIN_LEAST = 20;

/** Shorter texts behind a prefix are words: `sk-file`, `hf_hub`. */
const BODY_LEAST = 12;

const KEY_BLOCK = '(?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\\d)';

/** Forms that give a secret away wherever it stands, and what is left of them. */
export const TOKEN_FORMS: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      `-----BEGIN ${KEY_BLOCK}-----(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [\\w-]+,[0-9A-F]+|(?:Version|Comment): [^\\n]{0,80}|\\s|\\\\+[nr])*[A-Za-z0-9+/=\\s\\\\]*(?:-----END ${KEY_BLOCK}-----)?`,
      'g',
    ),
    `${REDACTED} `,
  ],
  [new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXES})${BODY}{${BODY_LEAST},}`, 'g'), REDACTED],
  [
    new RegExp(`(?<![A-Za-z0-9])(?:${PLAIN_PREFIXES})[A-Za-z0-9]{${PLAIN_LEAST},}${BODY}*`, 'g'),
    REDACTED,
  ],
  // Within longer words too, as in names of files.
  [/(?:AKIA|ASIA)[A-Z0-9]{12,}/g, REDACTED],
  // Names of machines are compared in small letters.
  [/(?<![a-z0-9])(?:akia|asia)[a-z2-7]{16}(?![a-z0-9])/g, REDACTED],
  [/(?<![A-Za-z0-9])ey[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)*/g, REDACTED],
  [/(?:(?<=_)|(?<![A-Za-z0-9]))eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_.-]*/g, REDACTED],
  [/\bk8s-aws-v1\.[A-Za-z0-9_=-]+/g, `k8s-aws-v1.${REDACTED}`],
  [/(?<![A-Za-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9])/g, REDACTED],
  [/(?<![A-Za-z0-9.])s\.[A-Za-z0-9]{24}(?![A-Za-z0-9])/g, REDACTED],
  [/(?<![A-Za-z0-9])K10[0-9a-f]{40,90}::[\w-]{1,60}:[^\s"']+/g, REDACTED],
  [/(?<![A-Za-z0-9])(?:SK|key-)[0-9a-f]{32}(?![A-Za-z0-9])/g, REDACTED],
  [/(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/g, REDACTED],
  [/(?<![A-Za-z0-9])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g, REDACTED],
  [/(\bbot)?(?<!\d)\d{8,10}:[\w-]{35}(?![\w-])/g, `$1${REDACTED}`],
  [
    /\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id|i|d)?|pbkdf2[\w-]{0,20}|scrypt)\$[^\s:"',]{10,}/g,
    REDACTED,
  ],
  [/\b(?:grub\.)?pbkdf2[\w-]{0,20}[$.]\w{0,10}[$.]?\d{3,9}[$.][^\s:"',)]{10,}/g, REDACTED],
  [/(?<![\w*])\*[0-9A-F]{40}(?!\w)/g, REDACTED],
  [/(\/hooks?\/)[\w-]{20,}/g, `$1${REDACTED}`],
  [/\{S?(?:MD5|SHA)\d{0,3}\}[A-Za-z0-9+/=]{20,}/g, REDACTED],
  [
    /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/|webhook\.office\.com\/)[^\s"'<>]+/g,
    `$1${REDACTED}`,
  ],
];

/**
 * True for a text that may hold one of these forms: a joint of letters with a known prefix before
 * it, or a prefix that needs none.
 */
export const TOKEN_MARK = new RegExp(
  [
    '[-_.~](?=[\\w+/=.~-]{12})(?<=(?:gh[pousr]|pat|gl[a-z]{1,5}|xox[a-z.]{1,6}|xapp|xwfp|k_(?:live|test)|whsec|ya29|GOCSPX|npm|pypi|rubygems|dckr_[po]at|hv[sbr]|dp\\.[a-z]{2,5}|v1|SG|NR[A-Z]{2}|sntry[su]|PMAK|lin_[a-z]{3,5}|shp[a-z]{2}|sq0[a-z]{3}|pscale_[a-z]{2,5}|sk(?:-[a-z0-9-]{2,8})?|nvapi|CFPAT|tskey-[a-z]{3,6}|Q|hf|figd|ntn|secret|gsk|r8|xai|pplx|pul|nfp|rnd|fo1|akp|vc[pik]|key).)',
    '\\.(?<=(?:[a-z0-9]{6}|(?<![\\w.])s).)[A-Za-z0-9]{16}|\\.(?<=(?:ey[\\w-]{8,2000}|[MNO][\\w-]{23,27}).)[\\w-]',
    'A(?:3T|KIA|SIA|BIA|CCA|Iza|T(?:ATT|CTT|BB))|a[sk]ia[a-z2-7]|IQoJ|oGZXIvYXdz|GR13|EAAA|dapi|SK[0-9a-f]{8}|K10[0-9a-f]{8}|1//0|-----|AGE-SECRET|\\$\\w{1,12}\\$|\\}[A-Za-z0-9+/=]{20}|\\d:[\\w-]{35}|slack\\.com|discord|webhook\\.office|-us\\d|pbkdf2|\\*[0-9A-F]{40}|\\/hooks?\\/',
  ].join('|'),
);

const KEY_END = new RegExp(`-----END ${KEY_BLOCK}-----`, 'g');

/** The end of a private key whose beginning was cut off: its body stands before its last line. */
export function redactKeyEnds(text: string): string {
  if (!text.includes('-----END')) return text;
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
  const pieces = before.slice(start).split(/(\s+|(?<!\\)\\+n)/);
  const isBody = (piece: string): boolean =>
    piece.length >= KEY_LINE_LEAST && /[A-Z]/.test(piece) && /[a-z]/.test(piece);
  const first = pieces.findIndex(isBody);
  const words = first < 0 ? pieces.slice(0, -1) : pieces.slice(0, first);
  return before.slice(0, start) + words.join('');
}
