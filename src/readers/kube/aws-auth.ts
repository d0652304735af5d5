import { at, type Json, textAt } from '../../evidence/json.ts';
import type { AwsAuth, AwsAuthEntry } from '../../evidence/kinds.ts';
import { entryOf, isSingleSignOn, readMapText } from './aws-auth-yaml.ts';

const LINES_MAX = 20_000;

interface Mapping {
  readonly entries: readonly AwsAuthEntry[];
  readonly malformed: string | null;
}

function mapping(body: Json, key: string, arnField: string): Mapping {
  const given = at(body, `data.${key}`);
  if (Array.isArray(given)) {
    const malformed = `${key} is a YAML list where a text holding one belongs`;
    return { entries: [], malformed };
  }
  const text = textAt(body, `data.${key}`) ?? '';
  const read = readMapText(text.split('\n').slice(0, LINES_MAX).join('\n'));
  if (!read.ok) return { entries: [], malformed: `${key}, line ${read.line}: ${read.why}` };
  const list = (read.list ?? []).filter((element) => !isSingleSignOn(element));
  const entries = list.map((element) => entryOf(element, arnField));
  const isBroken = entries.includes(null);
  return {
    entries: entries.filter((entry) => entry !== null),
    malformed: isBroken ? `${key} has an entry without ${arnField}` : null,
  };
}

/** Reads the aws-auth ConfigMap's `data` as the authenticator would. */
export function parseAwsAuth(body: Json): AwsAuth {
  const roles = mapping(body, 'mapRoles', 'rolearn');
  const users = mapping(body, 'mapUsers', 'userarn');
  return {
    roles: roles.entries,
    users: users.entries,
    malformed: roles.malformed ?? users.malformed,
  };
}

const TABLE_HEADER = /^ARN\s+USERNAME\s+GROUPS\b/;
const TABLE_ROW = /^(?<arn>arn:\S+)\s+(?<username>\S+)(?:\s+(?<groups>\S+))?/;

/** The rows that `eksctl get iamidentitymapping` prints; null when the lines hold no such table. */
export function awsAuthOfTable(lines: readonly string[]): AwsAuth | null {
  const head = lines.slice(0, LINES_MAX).findIndex((line) => TABLE_HEADER.test(line));
  if (head < 0) return null;
  const below = lines.slice(head + 1, LINES_MAX);
  const end = below.findIndex((line) => !TABLE_ROW.test(line));
  const entries = below.slice(0, end < 0 ? undefined : end).map((line): AwsAuthEntry => {
    const { arn = '', username = null, groups = '' } = TABLE_ROW.exec(line)?.groups ?? {};
    return { arn, username, groups: groups.split(',').filter((group) => group !== '') };
  });
  const isUser = ({ arn }: AwsAuthEntry): boolean => /:user\//.test(arn);
  return {
    roles: entries.filter((entry) => !isUser(entry)),
    users: entries.filter(isUser),
    malformed: null,
  };
}

const SECTION = /^(\s*)(mapRoles|mapUsers|mapAccounts):(?:\s*\|[-+]?)?\s*$/;

/**
 * The map inside a snippet (`mapRoles: |` without its ConfigMap) or inside `kubectl describe
 * configmap` (`mapRoles:` above a line of dashes); null when the lines hold none.
 */
export function awsAuthOfLines(lines: readonly string[]): AwsAuth | null {
  const maps: Record<string, string> = {};
  for (const [index, line] of lines.slice(0, LINES_MAX).entries()) {
    const match = SECTION.exec(line);
    if (match !== null) maps[match[2] ?? ''] = sectionText(lines, index + 1);
  }
  return 'mapRoles' in maps || 'mapUsers' in maps ? parseAwsAuth({ data: maps }) : null;
}

/** What ends a section: the next key, an empty line or the end of the block. */
function endsSection(line: string): boolean {
  return (
    line.trim() === '' ||
    SECTION.test(line) ||
    /^(?:Events|BinaryData|kind|metadata|apiVersion):|^\$ /.test(line)
  );
}

/** The YAML text from a line on, which stands below its key. */
function sectionText(lines: readonly string[], from: number): string {
  const start = /^-{3,}\s*$/.test(lines[from] ?? '') ? from + 1 : from;
  let end = start;
  while (end < lines.length && !endsSection(lines[end] ?? '')) end++;
  return lines.slice(start, end).join('\n');
}
