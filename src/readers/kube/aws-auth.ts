import { isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { AwsAuth, AwsAuthEntry } from '../../evidence/kinds.ts';
import { parseYamlDocuments } from '../text/parse.ts';

const LINES_MAX = 20_000;

interface Mapping {
  readonly entries: readonly AwsAuthEntry[];
  readonly malformed: string | null;
}

function entryOf(value: Json, arnField: string): AwsAuthEntry | null {
  const arn = textAt(value, arnField);
  if (arn === null) return null;
  const groups = listAt(value, 'groups').filter((group) => typeof group === 'string');
  return { arn, username: textAt(value, 'username'), groups };
}

function mapping(text: string | null, key: string, arnField: string): Mapping {
  if (text === null || text.trim() === '') return { entries: [], malformed: null };
  const lines = text.split('\n').slice(0, LINES_MAX);
  const [parsed] = [...parseYamlDocuments(lines, 1)];
  if (parsed === undefined) return { entries: [], malformed: null };
  if (!parsed.ok) return { entries: [], malformed: `${key}: ${parsed.why}` };
  if (parsed.value === null) return { entries: [], malformed: null };
  if (!Array.isArray(parsed.value)) return { entries: [], malformed: `${key} is not a list` };
  const list = parsed.value as readonly Json[];
  const entries = list.map((value) => (isObject(value) ? entryOf(value, arnField) : null));
  const broken = entries.some((entry) => entry === null);
  return {
    entries: entries.filter((entry) => entry !== null),
    malformed: broken ? `${key} has an entry without ${arnField}` : null,
  };
}

/** Reads the aws-auth ConfigMap's `data` as the authenticator would. */
export function parseAwsAuth(body: Json): AwsAuth {
  const roles = mapping(textAt(body, 'data.mapRoles'), 'mapRoles', 'rolearn');
  const users = mapping(textAt(body, 'data.mapUsers'), 'mapUsers', 'userarn');
  return {
    roles: roles.entries,
    users: users.entries,
    malformed: roles.malformed ?? users.malformed,
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
    if (match !== null) maps[match[2] ?? ''] = sectionText(lines.slice(index + 1));
  }
  return 'mapRoles' in maps || 'mapUsers' in maps ? parseAwsAuth({ data: maps }) : null;
}

/** The YAML text below a key, up to the next key, an empty line or the end of the block. */
function sectionText(below: readonly string[]): string {
  const body = /^-{3,}\s*$/.test(below[0] ?? '') ? below.slice(1) : below;
  const end = body.findIndex(
    (line) =>
      line.trim() === '' ||
      SECTION.test(line) ||
      /^(?:Events|BinaryData|kind|metadata|apiVersion):|^\$ /.test(line),
  );
  return body.slice(0, end < 0 ? undefined : end).join('\n');
}
