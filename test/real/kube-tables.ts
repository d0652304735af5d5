/** Writes the tables of src/sim/kube that a real API server is asked for: fields and first roles. */
import { writeFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from '../../src/evidence/json.ts';
import { BUILT_IN_KINDS } from '../../src/sim/kube/kinds.ts';
import { listIn, objectAt, textIn, withKey } from '../../src/sim/kube/rules/fields.ts';
import { wordOf } from '../../src/sim/kube/word.ts';
import type { ControlPlane } from './control-plane.ts';

export interface GeneratedTable {
  /** Below the root of the checkout. */
  readonly path: string;
  readonly text: string;
}

/** Both tables as this server has them. */
export async function kubeTables({ client }: ControlPlane): Promise<readonly GeneratedTable[]> {
  const openApi = JSON.parse(await client.text('/openapi/v2')) as JsonObject;
  const roles = await Promise.all(
    ROLE_PATHS.map(async (path) => JSON.parse(await client.text(path)) as JsonObject),
  );
  return [
    { path: 'src/sim/kube/schema/table.generated.ts', text: schemaTable(openApi) },
    { path: 'src/sim/kube/auth/bootstrap.generated.ts', text: roleTable(roles) },
  ];
}

export function writeTables(tables: readonly GeneratedTable[]): void {
  for (const { path, text } of tables) writeFileSync(path, text);
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLE_PATHS = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'].map(
  (plural) => `${RBAC}/${plural}`,
);

const ROLE_HEAD = `/**
 * The roles and bindings that kube-apiserver 1.36.3 makes for itself when it starts, one JSON object
 * a line, as it was seen to have them; made by test/real/kube-tables.test.ts.
 */
`;

function roleTable(lists: readonly JsonObject[]): string {
  const lines = lists.flatMap((list) => {
    const kind = textIn(list, 'kind').replace(/List$/, '');
    return listIn(list, 'items').map((item) => JSON.stringify(roleRow(kind, item)));
  });
  return `${ROLE_HEAD}export const BOOTSTRAP_ROLES = \`\n${lines.join('\n')}\n\`;\n`;
}

function roleRow(kind: string, item: Json): JsonObject {
  const metadata = objectAt(item, 'metadata');
  const { name = '', namespace } = metadata;
  const labels = withKey(objectAt(metadata, 'labels'), 'kubernetes.io/bootstrapping', undefined);
  const gathers = isObject(item) && item['aggregationRule'] !== undefined;
  const parts = ['aggregationRule', ...(gathers ? [] : ['rules']), 'roleRef', 'subjects'];
  const own = parts.flatMap((key): [string, Json][] => {
    const value = isObject(item) ? item[key] : undefined;
    return value === undefined ? [] : [[key, value]];
  });
  return {
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...Object.fromEntries(own),
  };
}

const SCHEMA_HEAD = `/**
 * The fields of the served kinds as the OpenAPI document of kube-apiserver 1.36.3 lists them; made
 * by test/real/kube-tables.test.ts. One definition a line, each field with the code of its type:
 * s i n b text, integer, number, boolean; q quantity; x integer or text; t u time, microtime; y base64;
 * o anything; @Name object, ! one that is replaced whole, ^ one whose unnamed keys go; <…> map;
 * […] list, = a set, {a+b} keyed by a and b, ~key merged by key in strategic patches.
 */
`;

function schemaTable(openApi: JsonObject): string {
  const lines = new SchemaWriter(objectAt(openApi, 'definitions')).lines();
  return `${SCHEMA_HEAD}export const SCHEMA_TABLE = \`\n${lines.join('\n')}\n\`;\n`;
}

const SCALARS: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'q',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'x',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 't',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'u',
};
const TYPES: Readonly<Record<string, string>> = { integer: 'i', number: 'n', boolean: 'b' };
const STRATEGY = 'x-kubernetes-patch-strategy';

class SchemaWriter {
  readonly #definitions: JsonObject;
  readonly #waiting: string[] = [];

  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
  }

  lines(): readonly string[] {
    this.#waiting.push(...this.#roots());
    const lines = new Map<string, string>();
    for (let name = this.#waiting.pop(); name !== undefined; name = this.#waiting.pop())
      if (!lines.has(name)) lines.set(name, this.#line(name));
    return [...new Set(lines.values())].toSorted();
  }

  #roots(): readonly string[] {
    const served = new Set(
      BUILT_IN_KINDS.map(({ group, version, kind }) => `${group}/${version}/${kind}`),
    );
    return Object.entries(this.#definitions).flatMap(([name, definition]) => {
      const kinds = listIn(definition, 'x-kubernetes-group-version-kind').map(
        (one) => `${textIn(one, 'group')}/${textIn(one, 'version')}/${textIn(one, 'kind')}`,
      );
      return kinds.some((one) => served.has(one)) ? [name] : [];
    });
  }

  #line(name: string): string {
    const fields = Object.entries(objectAt(this.#definitions[name], 'properties')).map(
      ([key, property]) => `${key}:${this.#field(property)}`,
    );
    return `${shortName(name)} ${fields.join(' ')}`;
  }

  #field(property: Json): string {
    const code = this.#code(property);
    const isRetaining = textIn(property, STRATEGY) === 'retainKeys' && code.startsWith('@');
    return isRetaining ? `${code}^` : code;
  }

  #code(property: Json | undefined): string {
    const reference = textIn(property, '$ref').split('/').at(-1) ?? '';
    if (reference !== '') return this.#reference(reference, property);
    switch (textIn(property, 'type')) {
      case 'string':
        return stringCode(textIn(property, 'format'));
      case 'array':
        return this.#list(property);
      case 'object':
        return this.#map(property);
      default:
        return TYPES[textIn(property, 'type')] ?? 'o';
    }
  }

  #reference(name: string, property: Json | undefined): string {
    const scalar = SCALARS[name];
    if (scalar !== undefined) return scalar;
    const definition = this.#definitions[name];
    if (Object.keys(objectAt(definition, 'properties')).length === 0)
      return textIn(definition, 'type') === 'string' ? 's' : 'o';
    this.#waiting.push(name);
    return `@${shortName(name)}${isAtomic(definition) || isAtomic(property) ? '!' : ''}`;
  }

  #map(property: Json | undefined): string {
    const more = isObject(property) ? property['additionalProperties'] : undefined;
    if (more === undefined) return 'o';
    return `<${this.#code(more)}>${isAtomic(property) ? '!' : ''}`;
  }

  #list(property: Json | undefined): string {
    const items = isObject(property) ? property['items'] : undefined;
    const type = textIn(property, 'x-kubernetes-list-type');
    const keys = listIn(property, 'x-kubernetes-list-map-keys').map(wordOf).join('+');
    const strategy = textIn(property, STRATEGY);
    const marks = [
      type === 'map' ? `{${keys}}` : '',
      type === 'set' ? '=' : '',
      strategy.includes('merge') ? `~${textIn(property, 'x-kubernetes-patch-merge-key')}` : '',
      strategy.includes('retainKeys') ? '^' : '',
    ];
    return `[${this.#code(items)}]${marks.join('')}`;
  }
}

function stringCode(format: string): string {
  if (format === 'byte') return 'y';
  return format === 'date-time' ? 't' : 's';
}

function isAtomic(schema: Json | undefined): boolean {
  return textIn(schema, 'x-kubernetes-map-type') === 'atomic';
}

/** The last part of a name, with its group where core/v1 has the same one. */
function shortName(name: string): string {
  const own = name.split('.').at(-1) ?? '';
  return /\.api\.(?:events|rbac|flowcontrol)\..*\.(?:Event|EventSeries|EventSource|Subject)$/.test(
    name,
  )
    ? `${own}Of${name.split('.')[3] ?? ''}`
    : own;
}
