import type { KubeKind } from '../kinds.ts';
import { ANYTHING, type ListSchema, type ObjectSchema, type Schema } from './shapes.ts';
import { SCHEMA_TABLE } from './table.generated.ts';

export type { ListSchema, ObjectSchema, Schema };

/** The definitions, each read when it is first asked for. */
const LINES: ReadonlyMap<string, string> = new Map(
  SCHEMA_TABLE.trim()
    .split('\n')
    .map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), line.slice(space + 1)] as const;
    }),
);
const DEFINITIONS = new Map<string, ReadonlyMap<string, Schema>>();

function fieldsOf(name: string): ReadonlyMap<string, Schema> {
  const known = DEFINITIONS.get(name);
  if (known !== undefined) return known;
  const fields = new Map<string, Schema>();
  // Set before it is filled, as a definition may contain itself.
  DEFINITIONS.set(name, fields);
  for (const field of (LINES.get(name) ?? '').split(' ')) {
    const colon = field.indexOf(':');
    if (colon > 0) fields.set(field.slice(0, colon), schemaOfCode(field.slice(colon + 1)));
  }
  return fields;
}

function schemaOfCode(code: string): Schema {
  if (code.startsWith('@')) return objectOf(code);
  if (code.startsWith('<')) return mapOf(code);
  if (code.startsWith('[')) return listOf(code);
  return code === 'o' ? ANYTHING : { is: 'scalar', code };
}

function objectOf(code: string): ObjectSchema {
  const name = code.replace(/^@/, '').replace(/[!^]+$/, '');
  return {
    is: 'object',
    name,
    fields: fieldsOf(name),
    isAtomic: code.includes('!'),
    retainsKeys: code.endsWith('^'),
    keepsUnknown: false,
  };
}

function mapOf(code: string): Schema {
  const end = code.lastIndexOf('>');
  return {
    is: 'map',
    element: schemaOfCode(code.slice(1, end)),
    isAtomic: code.slice(end).includes('!'),
  };
}

function listOf(code: string): ListSchema {
  const end = code.lastIndexOf(']');
  const marks = code.slice(end + 1);
  const keys = /\{([^}]*)\}/.exec(marks)?.[1]?.split('+') ?? [];
  const merge = /~(\w*)/.exec(marks);
  return {
    is: 'list',
    element: schemaOfCode(code.slice(1, end)),
    type: keys.length > 0 ? 'map' : marks.includes('=') ? 'set' : 'atomic',
    keys,
    merges: merge !== null,
    mergeKey: merge?.[1] || null,
  };
}

const ROOTS = new Map<string, ObjectSchema>();

/** What objects of a kind hold. */
export function schemaOf(kind: KubeKind): ObjectSchema {
  return kind.custom?.schema ?? builtIn(kind);
}

function builtIn({ group, kind }: KubeKind): ObjectSchema {
  const name = group === 'events.k8s.io' ? 'EventOfevents' : kind;
  const known = ROOTS.get(name);
  if (known !== undefined) return known;
  const made = objectOf(`@${name}`);
  ROOTS.set(name, made);
  return made;
}

/** What stands in `metadata` of every kind. */
export function metadataSchema(): Schema {
  return objectOf('@ObjectMeta');
}
