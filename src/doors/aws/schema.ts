/**
 * The models of the services, as the AWS SDK carries them: tuples that begin with a kind
 * (`@smithy/core`, "static schemas"). From here on they are plain shapes.
 */

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

const LIST = 1;
const MAP = 2;
const STRUCTURES: ReadonlySet<unknown> = new Set([3, 4, -3]);
const OPERATION = 9;
/** Lists and maps of simple shapes are one number: the simple shape and these. */
const LIST_OF = 64;
const MAP_OF = 128;
/** Bits of traits that come as a number. */
const LABEL_BIT = 1;
const QUERY_PARAMETERS_BIT = 64;

const EMPTY: Shape = { kind: 'structure', name: 'Unit', members: [] };

/** @returns null when the package has no such operation */
export function operationIn(
  module: Readonly<Record<string, unknown>>,
  name: string,
): Operation | null {
  const schema = module[`${name}$`];
  if (!Array.isArray(schema) || schema[0] !== OPERATION) return null;
  const [, , , traits, input, output] = schema as readonly unknown[];
  return { name, http: httpOf(traits), input: shapeOf(input), output: shapeOf(output) };
}

/** Names of all operations of a package. */
export function operationNames(module: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(module)
    .filter(([, schema]) => Array.isArray(schema) && schema[0] === OPERATION)
    .map(([name]) => name.slice(0, -1));
}

function httpOf(traits: unknown): Operation['http'] {
  const http = textOrList(traits, 'http');
  if (!Array.isArray(http)) return null;
  const [method, path, status] = http as readonly unknown[];
  return { method: String(method), path: String(path), status: Number(status) };
}

function textOrList(traits: unknown, name: string): unknown {
  return typeof traits === 'object' && traits !== null
    ? (traits as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Follows what is only named, up to a member's own traits. */
function resolved(schema: unknown): unknown {
  let here = schema;
  while (typeof here === 'function') here = (here as () => unknown)();
  return here;
}

const SHAPES = new WeakMap<object, Shape>();

function shapeOf(schema: unknown): Shape {
  const here = resolved(schema);
  if (typeof here === 'number') return numbered(here);
  if (!Array.isArray(here)) return EMPTY;
  const known = SHAPES.get(here);
  if (known !== undefined) return known;
  const made = listed(here as readonly unknown[]);
  SHAPES.set(here, made);
  return made;
}

function numbered(schema: number): Shape {
  if (schema >= MAP_OF) {
    const value = member('value', schema - MAP_OF);
    return { kind: 'map', key: member('key', 0), value };
  }
  if (schema >= LIST_OF) return { kind: 'list', item: member('member', schema - LIST_OF) };
  return { kind: SIMPLE[schema] ?? 'document' };
}

type Simple = 'text' | 'number' | 'flag' | 'time' | 'bytes' | 'document';

const SIMPLE: Readonly<Record<number, Simple>> = {
  0: 'text',
  1: 'number',
  2: 'flag',
  4: 'time',
  5: 'time',
  6: 'time',
  7: 'time',
  17: 'number',
  19: 'number',
  21: 'bytes',
};

function listed(schema: readonly unknown[]): Shape {
  const [kind, , name] = schema;
  if (kind === 0) return shapeOf(schema[4]);
  if (kind === LIST) return { kind: 'list', item: member('member', schema[4]) };
  if (kind === MAP)
    return { kind: 'map', key: member('key', schema[4]), value: member('value', schema[5]) };
  if (!STRUCTURES.has(kind)) return EMPTY;
  const names = schema[4] as readonly string[];
  const schemas = schema[5] as readonly unknown[];
  const members = names.map((one, index) => member(one, schemas[index]));
  return { kind: 'structure', name: String(name), members };
}

/** A member is its schema, or a pair of that and traits of its own. */
function member(name: string, schema: unknown): Member {
  const isPair = Array.isArray(schema) && schema.length === 2;
  const [own, traits] = isPair ? (schema as readonly unknown[]) : [schema, 0];
  return { name, traits: traitsOf(traits), shape: () => shapeOf(own) };
}

function traitsOf(traits: unknown): Traits {
  const text = (name: string): string | null => {
    const value = textOrList(traits, name);
    return typeof value === 'string' ? value : null;
  };
  const bits = typeof traits === 'number' ? traits : 0;
  const queryName = text('httpQuery');
  const isLabel = (bits & LABEL_BIT) !== 0 || textOrList(traits, 'httpLabel') !== undefined;
  const isQuery = queryName !== null || (bits & QUERY_PARAMETERS_BIT) !== 0;
  return {
    xmlName: text('xmlName'),
    ec2QueryName: text('ec2QueryName'),
    isFlattened: textOrList(traits, 'xmlFlattened') !== undefined,
    place: isLabel ? 'path' : isQuery ? 'query' : null,
    queryName,
  };
}
