import { isObject, type JsonObject } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';
import {
  type ListSchema,
  metadataSchema,
  type ObjectSchema,
  type Schema,
  schemaOf,
} from '../../../sim/kube/schema/schema.ts';
import { describe } from './descriptions.ts';

/** Schemas by the name under which others refer to them. */
export type Definitions = Map<string, JsonObject>;

const ROOT = 'io.k8s.api.v1.';

/** Small types of Kubernetes that are more than a scalar of JSON. */
const OWN_SCALARS: Readonly<Record<string, readonly [string, JsonObject]>> = {
  q: ['Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  t: ['Time', { type: 'string', format: 'date-time' }],
  u: ['MicroTime', { type: 'string', format: 'date-time' }],
  x: ['IntOrString', { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }],
};

const SCALARS: Readonly<Record<string, JsonObject>> = {
  s: { type: 'string' },
  i: { type: 'integer', format: 'int64' },
  n: { type: 'number', format: 'double' },
  b: { type: 'boolean' },
  y: { type: 'string', format: 'byte' },
};

/** Writes schemas in one dialect, and collects what they refer to. */
export class SchemaWriter {
  readonly definitions: Definitions = new Map();
  readonly #refRoot: string;

  /** @param refRoot `#/components/schemas/` or `#/definitions/` */
  constructor(refRoot: string) {
    this.#refRoot = refRoot;
  }

  /**
   * Adds a kind under its own name.
   *
   * @param customSchema `openAPIV3Schema` of its CustomResourceDefinition
   */
  addKind(kind: KubeKind, customSchema: JsonObject | null): void {
    const { group, version } = kind;
    const marks = {
      'x-kubernetes-group-version-kind': [{ group, kind: kind.kind, version }],
    };
    if (kind.custom === null) {
      const schema = schemaOf(kind);
      this.#define(schema);
      const name = definitionName(schema.name);
      this.definitions.set(name, { ...this.definitions.get(name), ...marks });
      return;
    }
    const reversed = group.split('.').toReversed().join('.');
    this.definitions.set(`${reversed}.${version}.${kind.kind}`, {
      ...this.#customSchema(customSchema),
      ...marks,
    });
  }

  #customSchema(schema: JsonObject | null): JsonObject {
    const own = schema ?? { type: 'object' };
    const properties = isObject(own['properties']) ? own['properties'] : {};
    const metadata = this.write(metadataSchema());
    return {
      ...own,
      properties: { ...properties, ...TYPE_FIELDS, metadata },
    };
  }

  write(schema: Schema): JsonObject {
    switch (schema.is) {
      case 'anything':
        return { type: 'object' };
      case 'scalar':
        return this.#scalar(schema.code);
      case 'object':
        this.#define(schema);
        return this.#ref(definitionName(schema.name));
      case 'map':
        return { type: 'object', additionalProperties: this.write(schema.element) };
      default:
        return this.#list(schema);
    }
  }

  #scalar(code: string): JsonObject {
    const own = OWN_SCALARS[code];
    if (own === undefined) return SCALARS[code] ?? { type: 'string' };
    const name = `${ROOT}${own[0]}`;
    this.definitions.set(name, own[1]);
    return this.#ref(name);
  }

  #ref(name: string): JsonObject {
    return { $ref: `${this.#refRoot}${name}` };
  }

  #list(schema: ListSchema): JsonObject {
    const merge = schema.merges ? { 'x-kubernetes-patch-strategy': strategyOf(schema) } : {};
    const key = schema.mergeKey === null ? {} : { 'x-kubernetes-patch-merge-key': schema.mergeKey };
    const keys = schema.keys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': schema.keys };
    return {
      type: 'array',
      items: this.write(schema.element),
      'x-kubernetes-list-type': schema.type,
      ...keys,
      ...merge,
      ...key,
    };
  }

  #define(schema: ObjectSchema): void {
    const name = definitionName(schema.name);
    if (this.definitions.has(name)) return;
    // Set before it is filled, as it may contain itself.
    this.definitions.set(name, {});
    const properties = [...schema.fields].map(([field, value]) => [
      field,
      described(this.#field(value), describe(schema.name, field)),
    ]);
    const text = describe(schema.name);
    this.definitions.set(name, {
      type: 'object',
      ...(text === null ? {} : { description: text }),
      properties: Object.fromEntries(properties) as JsonObject,
    });
  }

  #field(schema: Schema): JsonObject {
    const written = this.write(schema);
    if (schema.is !== 'object') return written;
    return {
      ...written,
      ...(schema.retainsKeys ? { 'x-kubernetes-patch-strategy': 'retainKeys' } : {}),
      ...(schema.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }
}

const TYPE_FIELDS: JsonObject = { apiVersion: { type: 'string' }, kind: { type: 'string' } };

function strategyOf({ element }: ListSchema): string {
  return element.is === 'object' && element.retainsKeys ? 'merge,retainKeys' : 'merge';
}

/** What stands beside a reference has no effect, so that it is wrapped. */
function described(schema: JsonObject, description: string | null): JsonObject {
  const { $ref, ...rest } = schema;
  const text = description === null ? {} : { description };
  if ($ref === undefined) return { ...schema, ...text };
  if (description === null && Object.keys(rest).length === 0) return schema;
  return { allOf: [{ $ref }], ...rest, ...text };
}

/** Types that share a name have their group before it, in lower case. */
export function definitionName(name: string): string {
  const upper = name.search(/[A-Z]/);
  const group = upper <= 0 ? '' : `${name.slice(0, upper)}.`;
  return `${ROOT}${group}${name.slice(Math.max(0, upper))}`;
}
