/**
 * The models of the services, as the AWS SDK carries them and `NormalizedSchema` of `@smithy/core`
 * reads them. From here on they are plain shapes.
 */
import type { DescribeInstances$ } from '@aws-sdk/client-ec2';
import { NormalizedSchema } from '@smithy/core/schema';

/** What stands at one place of a request or an answer. */
export type Shape =
  | { readonly kind: Simple }
  | { readonly kind: 'list'; readonly item: Member }
  | { readonly kind: 'map'; readonly key: Member; readonly value: Member }
  | { readonly kind: 'structure'; readonly name: string; readonly members: readonly Member[] };

export interface Member {
  readonly name: string;
  readonly traits: Traits;
  /** Read when it is needed, as shapes may hold themselves. */
  readonly shape: () => Shape;
}

export interface Traits {
  readonly xmlName: string | null;
  readonly ec2QueryName: string | null;
  readonly isFlattened: boolean;
  /** Where a REST service has it: in the path, in the query, or (null) in the body. */
  readonly place: 'path' | 'query' | null;
  readonly queryName: string | null;
}

export interface Operation {
  readonly name: string;
  readonly http: { readonly method: string; readonly path: string; readonly status: number } | null;
  readonly input: Shape;
  readonly output: Shape;
}

/** What clients export for each operation. */
type OperationSchema = typeof DescribeInstances$;
type SchemaTraits = ReturnType<NormalizedSchema['getMemberTraits']>;

const OPERATION: OperationSchema[0] = 9;

const EMPTY: Shape = { kind: 'structure', name: 'Unit', members: [] };

/** @returns null when the package has no such operation */
export function operationIn(
  module: Readonly<Record<string, unknown>>,
  name: string,
): Operation | null {
  const schema = module[`${name}$`];
  if (!isOperation(schema)) return null;
  const [, , , traits, input, output] = schema;
  return {
    name,
    http: httpOf(traits),
    input: shapeOf(NormalizedSchema.of(input)),
    output: shapeOf(NormalizedSchema.of(output)),
  };
}

function isOperation(schema: unknown): schema is OperationSchema {
  return Array.isArray(schema) && schema[0] === OPERATION;
}

/** Names of all operations of a package. */
export function operationNames(module: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(module)
    .filter(([, schema]) => isOperation(schema))
    .map(([name]) => name.slice(0, -1));
}

function httpOf(traits: OperationSchema[3]): Operation['http'] {
  const http: unknown = typeof traits === 'object' ? traits.http : undefined;
  if (!Array.isArray(http)) return null;
  const [method, path, status] = http as readonly unknown[];
  return { method: String(method), path: String(path), status: Number(status) };
}

const SHAPES = new WeakMap<object, Shape>();

function shapeOf(schema: NormalizedSchema): Shape {
  const key: unknown = schema.getSchema();
  if (typeof key !== 'object' || key === null) return readShape(schema);
  const known = SHAPES.get(key);
  if (known !== undefined) return known;
  const made = readShape(schema);
  SHAPES.set(key, made);
  return made;
}

function readShape(schema: NormalizedSchema): Shape {
  if (schema.isUnitSchema()) return EMPTY;
  if (schema.isListSchema())
    return { kind: 'list', item: member('member', schema.getValueSchema()) };
  if (schema.isMapSchema()) {
    const key = member('key', schema.getKeySchema());
    return { kind: 'map', key, value: member('value', schema.getValueSchema()) };
  }
  if (schema.isStructSchema()) return structureOf(schema);
  return { kind: simpleOf(schema) };
}

function structureOf(schema: NormalizedSchema): Shape {
  const members = [...schema.structIterator()].map(([name, one]) => member(name, one));
  return { kind: 'structure', name: schema.getName() ?? '', members };
}

type Simple = 'text' | 'number' | 'flag' | 'time' | 'bytes' | 'document';

/** @throws Error for a shape that is new in the SDK */
function simpleOf(schema: NormalizedSchema): Simple {
  if (schema.isStringSchema()) return 'text';
  if (schema.isBooleanSchema()) return 'flag';
  if (schema.isTimestampSchema()) return 'time';
  if (schema.isBlobSchema()) return 'bytes';
  if (schema.isDocumentSchema()) return 'document';
  if (schema.isNumericSchema() || schema.isBigIntegerSchema() || schema.isBigDecimalSchema())
    return 'number';
  throw new Error(`the AWS SDK has a shape of an unknown kind: ${schema.getName(true)}`);
}

function member(name: string, schema: NormalizedSchema): Member {
  return { name, traits: traitsOf(schema.getMemberTraits()), shape: () => shapeOf(schema) };
}

function traitsOf(traits: SchemaTraits): Traits {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const queryName = text(traits.httpQuery);
  const isQuery = queryName !== null || traits.httpQueryParams !== undefined;
  return {
    xmlName: text(traits.xmlName),
    ec2QueryName: text(traits.ec2QueryName),
    isFlattened: traits.xmlFlattened !== undefined,
    place: traits.httpLabel !== undefined ? 'path' : isQuery ? 'query' : null,
    queryName,
  };
}
