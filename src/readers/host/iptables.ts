import { METADATA_ADDRESS, type MetadataRule } from '../../domain/network/metadata-path.ts';

const LINES_MAX = 200_000;
const RULES_MAX = 100;
const LINE_CHARS_MAX = 2_000;

const DESTINATION = new RegExp(String.raw` -d ${METADATA_ADDRESS.replaceAll('.', '\\.')}(?:/32)? `);
const PORT = /(?<not>! )?--dports? (?<ports>[\d:,]+)/;
const IN_INTERFACE = /(?<not>! )?-i (?<name>\S+)/;
const TO = /--to-destination (?<to>\S+)/;
const JUMP = / -j (?<target>\S+)/;

/**
 * The rules of `iptables-save` about TCP requests to port 80 of instance metadata, in the chains in
 * which they stand; whether another chain leads there is not followed.
 */
export function readIptablesRules(text: string): readonly MetadataRule[] {
  const rules: MetadataRule[] = [];
  for (const line of text.split('\n', LINES_MAX)) {
    if (rules.length === RULES_MAX) break;
    const rule = line.length > LINE_CHARS_MAX ? null : ruleIn(line);
    if (rule !== null) rules.push(rule);
  }
  return rules;
}

function ruleIn(line: string): MetadataRule | null {
  if (!line.startsWith('-A ') || !DESTINATION.test(line) || !isAboutHttp(line)) return null;
  const target = JUMP.exec(line)?.groups?.['target'] ?? '';
  const does = effectOf(target);
  // A program of the machine itself passes OUTPUT, a pod of it never does.
  if (does === null || (does === 'redirect' && line.startsWith('-A OUTPUT '))) return null;
  const { not = '', name = null } = IN_INTERFACE.exec(line)?.groups ?? {};
  return {
    text: line,
    does,
    to: TO.exec(line)?.groups?.['to'] ?? null,
    fromInterface: name === null ? null : `${not.trim()}${name}`,
  };
}

function isAboutHttp(line: string): boolean {
  if (line.includes(' -p udp ')) return false;
  const { not, ports } = PORT.exec(line)?.groups ?? {};
  if (ports === undefined) return true;
  return ports.split(',').some(hasHttp) !== (not !== undefined);
}

function hasHttp(range: string): boolean {
  const [from = 0, to = from] = range.split(':').map(Number);
  return from <= 80 && 80 <= to;
}

function effectOf(target: string): MetadataRule['does'] | null {
  if (target === 'DNAT' || target === 'REDIRECT') return 'redirect';
  return target === 'DROP' || target === 'REJECT' ? 'drop' : null;
}
