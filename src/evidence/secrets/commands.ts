import { REDACTED } from './mark.ts';

/** An argument: quoted, or up to the next blank. */
const WORD = `(?:"[^"\\n]{1,2000}"|'[^'\\n]{1,2000}'|\ue000[^\ue000\\n]{1,2000}\ue000|[^\\s"'|;&‹]+)`;
/** Further arguments of the same command. */
const MORE = '[^|;&\\n]{0,200}?';

function argument(program: string, flag: string, before = '\\b'): readonly [RegExp, string] {
  return [
    new RegExp(`(${before}(?:${program})\\b${MORE}\\s${flag})(?!‹)${WORD}`, 'g'),
    `$1${REDACTED}`,
  ];
}

const CLIENTS = 'docker|podman|nerdctl|buildah|helm|oc|az|skopeo|oras|crane|ctr|crictl|cosign';
const READERS =
  'passwd|chpasswd|--password-stdin|--stdin-password|sudo\\s+-S|cryptsetup|realm|adcli|kinit|gpg|openssl|login|htpasswd|smbpasswd';

/** Secrets that only their place in a command, a line of settings or an address gives away. */
export const COMMAND_FORMS: readonly (readonly [RegExp, string])[] = [
  // Lines of a paste that were joined may have no blank before the command.
  argument(`(?:${CLIENTS})\\b${MORE}\\blogin`, '-p[ =]?', ''),
  argument('mysql\\w*|mariadb\\w*|mongo\\w*|sshpass|expect|zip|7z', '-p\\s?'),
  argument('useradd|usermod|adduser', '(?:-p|--password)[ =]?'),
  argument('ldap\\w{2,12}', '-w\\s?'),
  argument('amazon-ssm-agent|ssm-setup-cli', '-{1,2}(?:activation-)?code[ =]?'),
  argument('snmp\\w{2,10}', '-[cAX]\\s?'),
  argument('net\\s+user', '[\\w.-]{1,60}\\s+'),
  argument('redis-cli|redis-benchmark', '-a\\s?'),
  argument('(?:rabbitmqctl)\\b\\s+(?:add_user|change_password)', '\\S{1,100}\\s+'),
  argument('htpasswd', `-\\w{0,6}b\\w{0,6}\\s+\\S{1,200}\\s+\\S{1,100}\\s+`),
  [new RegExp(`(\\bvault\\s+login\\s+)(?![-‹])${WORD}`, 'g'), `$1${REDACTED}`],
  [new RegExp(`(--from-literal(?:=|\\s+)["']?[\\w.-]{1,200}=)(?!‹)${WORD}`, 'g'), `$1${REDACTED}`],
  [
    new RegExp(`(\\baws_(?:secret_access_key|session_token)\\s+)(?![‹=:])${WORD}`, 'gi'),
    `$1${REDACTED}`,
  ],
  [/(\bpass:)[^\s"'‹]{4,}/g, `$1${REDACTED}`],
  [
    /(\bConvertTo-SecureString\s+(?:-String\s+)?)(["'])(?!‹)[^"'\n]{1,2000}\2/gi,
    `$1$2${REDACTED}$2`,
  ],
  [/(\b(?:PSK|EAP|XAUTH)\s+)(["'])(?!‹)[^"'\n]{1,2000}\2/g, `$1$2${REDACTED}$2`],
  [
    /(\bcreateUser\s+\S{1,100}\s+(?:MD5|SHA\S{0,6})\s+)(["']?)(?!‹)[^"'\n]{1,200}\2/g,
    `$1$2${REDACTED}$2`,
  ],
  [/(\bsend(?:_user)?\s+(?:--\s+)?")(?!‹)[^"\n]{1,500}(\\r")/g, `$1${REDACTED}$2`],
  [/(\bfollowing password[^\n]{0,80}:\s{0,20})(?!‹)\S{6,}/gi, `$1${REDACTED}`],
  [
    /(\b(?:verification|security|one-time|login|access|authentication) (?:pass)?code(?: is|:) ?)\d{4,10}/gi,
    `$1${REDACTED}`,
  ],
  [/(\bBUNDLE_[A-Z0-9_]{1,80}__[A-Z0-9_]{1,80}=)(?!‹)\S+/g, `$1${REDACTED}`],
  // Lines of `USER:PASSWORD` that somebody gives to chpasswd.
  [
    /(\bchpasswd:[^]{0,400}?\n\s{1,20}-?\s{0,4}[a-z_][\w-]{0,31}:)(?!‹)([^\s:'"]{4,200})(?=\s*$)/gm,
    `$1${REDACTED}`,
  ],
  [
    /(\becho\s+["']?[a-z_][\w-]{0,31}:)(?!‹)[^\s"'|]{4,200}(["']?\s{0,20}\+?\s{0,4}chpasswd)/g,
    `$1${REDACTED}$2`,
  ],
  // Each pair of a cookie, up to the end of the header.
  [
    /((?:^|[\s"'])(?:Set-)?Cookie["']?:\s?["']?)(?!‹)[^\s;"']{1,2000}(?:;\s?[^\s;"']{1,2000}){0,50}/gi,
    `$1${REDACTED}`,
  ],
  [
    new RegExp(`(\\becho\\b|\\bprintf\\b)[^|\\n]{1,500}(\\|[^|\\n]{0,100}?(?:${READERS}))`, 'g'),
    `$1 ${REDACTED} $2`,
  ],
  [new RegExp(`((?:${READERS})[^<\\n]{0,100}<<<\\s*)(?!‹)${WORD}`, 'g'), `$1${REDACTED}`],
  // `-u NAME:PASSWORD`, not `-u UID:GID`.
  [
    /((?:^|\s)(?:-u|-U|--(?:proxy-)?user|--(?:src-|dest-)?creds)[ =]*["']?[^\s:%"'‹]{1,100}[:%])(?!\d+(?:\s|$)|‹)[^\s"']+/g,
    `$1${REDACTED}`,
  ],
  [
    /(\bIDENTIFIED\s+BY\s+|\bPASSWORD\s+)(["'\ue000])(?!‹)[^"'\ue000\n]{1,2000}\2/gi,
    `$1$2${REDACTED}$2`,
  ],
  [
    /((?:^|[\s"'`/])-{0,2}(?:requirepass|masterauth|bindpw|rootpw)\s+["']?)(?!‹)[^\s"']{4,}/gi,
    `$1${REDACTED}`,
  ],
  [/(\blogin\s+\S{1,100}\s+password\s+)(?!‹)\S+/g, `$1${REDACTED}`],
  // A line of .pgpass: host, port, database, user, password.
  [
    /((?:^|\s)[\w.*-]{1,200}:(?:\d{4,5}|\*):[A-Za-z*][\w*-]{0,60}:[A-Za-z*][\w*-]{0,60}:)(?![\s‹])\S{4,200}/g,
    `$1${REDACTED}`,
  ],
  // In the name of a file a URL has colons in place of its slashes.
  [/(:\/\/?|https?:::?)[^\s/:@"']{0,200}:[^\s/"'‹]{1,200}@/g, `$1${REDACTED}@`],
  [/(:\/\/?)[^\s/:@"'‹]{16,200}@/g, `$1${REDACTED}@`],
  [/(proxy["']?\s*[:=]\s*["']?)[^\s/:@"']{1,200}:[^\s/"'‹]{1,200}@/gi, `$1${REDACTED}@`],
  [/(%3A%2F%2F)[^\s%]{0,200}%3A[^\s"']{1,200}?%40/gi, `$1${REDACTED}%40`],
  [
    /((?:X-Amz-(?:Signature|Credential|Security-Token)|[?&](?:Signature|sig))=)[^&\s"']+/gi,
    `$1${REDACTED}`,
  ],
  [/(\bBearer\s+)(?!‹)[A-Za-z0-9._~+/=-]{6,}/gi, `$1${REDACTED}`],
  [/(\bBasic\s+)(?!‹)[A-Za-z0-9+/=]{8,}/g, `$1${REDACTED}`],
  [
    /((?:mnemonic|(?:seed|recovery)[_ -]?phrase)["']?\s*[:=]\s*["']?)(?:[a-z]{3,12}[ \t]+){3,30}[a-z]{3,12}/gi,
    `$1${REDACTED}`,
  ],
];

/** True for a text that may hold one of these forms. */
export const COMMAND_MARK =
  /[\s=:]-{1,2}[a-zA-Z]|\||<<<|pass:|net\s{1,8}user|(?:[Ll](?:ogin|OGIN)|[Rr](?:equirepass|EQUIREPASS)|[Mm](?:asterauth|ASTERAUTH)|[Bb](?:indpw|INDPW)|[Rr](?:ootpw|OOTPW)|add_user|change_password|secret_access_key|session_token|SECRET_ACCESS_KEY|SESSION_TOKEN)\s|[Ii](?:dentified|DENTIFIED)|[Pp](?:assword|ASSWORD)\s|:\/|@|%40|%3[Aa]|[Ss]ig(?:nature)?=|[Xx]-[Aa](?:mz|MZ)|[Bb]earer\s|BEARER|Basic\s|phrase|mnemonic|:[a-zA-Z*]|[Ss]ecure[Ss]tring|PSK|EAP|XAUTH|createUser|send|[Ff]ollowing [Pp]assword|[Cc](?:ode|ODE)(?: (?:is|IS)|:)|BUNDLE_|chpasswd|[Cc]ookie/;
