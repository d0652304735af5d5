import { piped, sequence } from '../../src/diagnosis/report/shell-words.ts';

/** Programs and their verbs that change nothing, as far as a command may go. */
const READS: readonly RegExp[] = [
  /^(?:kubectl|oc) (?:(?:-n|--namespace) \S+ )?(?:get|describe|logs|auth can-i|auth whoami)\b/,
  /^aws [a-z0-9-]+ (?:(?:describe|get|list|simulate|batch-get)-[a-z-]+|filter-log-events)\b/,
  /^journalctl(?! .*--(?:vacuum|rotate|flush|sync))/,
  /^(?:cat|grep|ls|ss|getent|nslookup|dig|df|free|findmnt|lsblk|lsmod|stat|uptime|ps|last|id)\b/,
  /^(?:printf|echo|head|tail|sort|wc|cut|tr|jq|base64 -d|iostat|getenforce|ausearch)\b/,
  /^(?:hostname(?: -[fis])?|date(?: -u)?(?: \+[%A-Za-z:-]+)?|mount|timedatectl(?: show| status)?|cloud-init status.*)$/,
  /^chronyc (?:-n )?(?:sources|tracking)\b/,
  /^ip (?:-\S+ )*(?:addr|address|link|neigh|route|rule)(?: (?:show|list).*)?$/,
  /^systemctl (?:status|cat|show|is-active|is-enabled|list-unit-files|list-units)\b/,
  /^crictl (?:--\S+ \S+ )*(?:info|ps|pods|images|inspect|inspecti|inspectp|logs|version)\b/,
  /^ctr -n \S+ \w+ ls\b/,
  /^(?:iptables-save(?: -t \w+)?|iptables (?:--version|-S .*|-L .*)|swapon --show)$/,
  /^sed (?!.*(?:-i|--in-place))/,
  /^awk (?!.*(?:system\(|getline|print[^|]*>))/,
  /^openssl (?:x509|verify|s_client|pkey|dgst)\b(?!.* -out )/,
  /^sysctl (?!.*(?:-w|-p|=))/,
  /^dmesg(?! .*(?:-c|-C|--clear))/,
  /^(?:kubelet --version|containerd config dump|nodeadm config check .*|apiclient get .*)$/,
  /^(?:ec2-metadata(?: -\w)?|ethtool -S \w+|(?:kubectl|oc) version)$/,
];

const CURL_SENDS = / (?:-d|--data\S*|-F|--form|-T|--upload-file)\b/;
const CURL_WRITES = / (?:-[A-Za-z]*o|--output) (?!\/dev\/null)|-[A-Za-z]*O\b/;
const TOKEN = /^curl -sX PUT .*http:\/\/169\.254\.169\.254\/latest\/api\/token/;

function isReadingCurl(command: string): boolean {
  if (!command.startsWith('curl ')) return false;
  if (TOKEN.test(command)) return true;
  return !/ (?:-[a-zA-Z]*X|--request)\b/.test(command) && !CURL_SENDS.test(command);
}

/** Redirections that write nothing, and placeholders, which look like some. */
const HARMLESS = /2>&1|2>\/dev\/null|<\/dev\/null|<[a-z][a-z-]*>/g;

function redirects(command: string): boolean {
  const bare = command.replace(/"[^"]*"|'[^']*'/g, 'X').replace(HARMLESS, '');
  return /[<>&`]/.test(bare);
}

function isReading(stage: string): boolean {
  const program = stage.replace(/^(?:sudo |timeout \d+ )+/, '').replace(HARMLESS, 'X');
  if (program.startsWith('curl ')) return isReadingCurl(program) && !CURL_WRITES.test(program);
  return READS.some((verb) => verb.test(program.trim()));
}

/** Each command of a line, those inside substitutions and loops included. */
function commandsIn(line: string): readonly string[] {
  const inner: string[] = [];
  let rest = line;
  for (let open = /\$\(([^()]*)\)/.exec(rest); open !== null; open = /\$\(([^()]*)\)/.exec(rest)) {
    inner.push(open[1] ?? '');
    rest = rest.replace(open[0], 'X');
  }
  const unlooped = rest.replace(/^for \w+ in [^;]+; do (.*); done$/, '$1');
  const commands = [...inner, ...sequence(unlooped)];
  return commands.map((command) => command.replace(/^(?:[A-Z_]+=X; )+/, ''));
}

/** What of a command line may change something, in a sentence; null when all of it only reads. */
export function whatWrites(line: string): string | null {
  for (const command of commandsIn(line)) {
    if (redirects(command)) return `\`${command}\` redirects`;
    const writing = piped(command).find((stage) => !isReading(stage));
    if (writing !== undefined) return `\`${writing}\` is not known to only read`;
  }
  return null;
}
