import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { setOwn } from '../patch/merge.ts';
import { badRequest, type StatusError, Undecodable } from '../refusal.ts';
import type { ObjectSchema, Schema } from './shapes.ts';
import { wordOf } from '../word.ts';

/** What decoding found out of place. */
export interface Decoded {
  readonly value: JsonObject;
  /** Paths of fields that the kind does not have, dropped from the value. */
  readonly unknown: readonly string[];
}

const NOTHING: JsonObject = {};
/** Objects nested deeper than any real one are refused before they exhaust the stack. */
const DEPTH_MAX = 100;

/**
 * A body as the server's own types hold it.
 *
 * @param trusted an object of this kind whose very parts, wherever they stand, need no look
 * @throws Refusal 400 for a value of another type
 */
export function decoded(body: JsonObject, schema: ObjectSchema, trusted: JsonObject = {}): Decoded {
  const unknown: string[] = [];
  const shape = new Shape(schema.name, unknown);
  return { value: shape.object(body, schema, { ...ROOT, trusted }), unknown };
}

const ROOT = { path: '', depth: 0, owner: '' };

/** Where a value stands. */
interface Place {
  /** The definition whose field it is in: `PodSpec`. */
  readonly owner: string;
  /** `.spec.containers[0]` */
  readonly path: string;
  readonly depth: number;
  /** What stands there in the trusted object. */
  readonly trusted: Json | undefined;
}

class Shape {
  readonly #kind: string;
  readonly #unknown: string[];
  /** Of custom resources only fields are dropped; validation says what is of another type. */
  readonly #isLenient: boolean;

  constructor(kind: string, unknown: string[]) {
    this.#kind = kind;
    this.#unknown = unknown;
    this.#isLenient = kind === '';
  }

  /** The object itself where nothing of it was dropped. */
  object(value: JsonObject, schema: ObjectSchema, { path, depth, trusted }: Place): JsonObject {
    if (depth > DEPTH_MAX) throw badRequest('exceeded max depth');
    const known = isObject(trusted) ? trusted : NOTHING;
    let copy: Record<string, Json> | null = null;
    for (const key of Object.keys(value)) {
      const entry = value[key] as Json;
      if (known[key] === entry) continue;
      const field = schema.fields.get(key);
      if (field !== undefined && isPlain(entry, field)) continue;
      const owner = schema.name;
      const place = { path: `${path}.${key}`, depth: depth + 1, owner, trusted: known[key] };
      const kept = this.#field(entry, field, schema, place);
      if (kept === entry) continue;
      copy ??= { ...value };
      if (kept === undefined) delete copy[key];
      else setOwn(copy, key, kept);
    }
    return copy ?? value;
  }

  #field(
    entry: Json,
    field: Schema | undefined,
    owner: ObjectSchema,
    place: Place,
  ): Json | undefined {
    if (field === undefined) {
      if (owner.keepsUnknown) return entry;
      this.#unknown.push(place.path.slice(1));
      return undefined;
    }
    if (this.#isLenient && field.is !== 'object') {
      if (field.is === 'scalar' || entry === null) return entry;
    } else if (entry === null) return this.#isLenient ? entry : undefined;
    if (this.#isLenient && !isOfShape(entry, field)) return entry;
    const value = this.#value(entry, field, place);
    return !this.#isLenient && isEmpty(value, field) ? undefined : value;
  }

  #value(value: Json, schema: Schema, place: Place): Json {
    switch (schema.is) {
      case 'anything':
        return value;
      case 'scalar':
        return this.#scalar(value, schema.code, place);
      case 'object':
        if (!isObject(value)) throw this.#mistyped(value, place, `v1.${schema.name}`);
        return this.object(value, schema, place);
      case 'map':
        if (!isObject(value)) throw this.#mistyped(value, place, 'map[string]string');
        return this.#map(value, schema.element, place);
      default:
        if (!Array.isArray(value))
          throw this.#mistyped(value, place, `[]${goName(schema.element)}`);
        return this.#list(value as readonly Json[], schema.element, place);
    }
  }

  #map(value: JsonObject, element: Schema, { path, depth, owner }: Place): Json {
    let copy: Record<string, Json> | null = null;
    for (const key of Object.keys(value)) {
      const entry = value[key] as Json;
      if (isPlain(entry, element)) continue;
      const place = { path, depth: depth + 1, owner, trusted: undefined };
      const kept = this.#value(entry ?? '', element, place);
      if (kept === entry) continue;
      copy ??= { ...value };
      setOwn(copy, key, kept);
    }
    return copy ?? value;
  }

  #list(value: readonly Json[], element: Schema, place: Place): Json {
    const { path, depth, trusted } = place;
    const known = Array.isArray(trusted) ? (trusted as readonly Json[]) : [];
    let copy: Json[] | null = null;
    for (const [index, entry] of value.entries()) {
      const own = known[index];
      if (own === entry || isPlain(entry, element)) continue;
      const there = { ...place, path: `${path}[${index}]`, depth: depth + 1, trusted: own };
      const kept = this.#value(entry, element, there);
      if (kept === entry) continue;
      copy ??= [...value];
      copy[index] = kept;
    }
    return copy ?? value;
  }

  #scalar(value: Json, code: string, place: Place): Json {
    if (this.#isLenient) return value;
    if (fits(value, code)) return code === 'q' ? wordOf(value) : value;
    throw this.#mistyped(value, place, GO_TYPES[code] ?? 'string');
  }

  #mistyped(value: Json, { path, owner }: Place, wanted: string): StatusError {
    const place = owner + path.replaceAll(/\[\d+\]/g, '');
    const type = wanted === 'int32' && LONG.test(path) ? 'int64' : wanted;
    const why = `json: cannot unmarshal ${typeName(value)} into Go struct field ${place} of type ${type}`;
    return new Undecodable({ kind: this.#kind, version: 'v1' }, why);
  }
}

function isOfShape(value: Json, { is }: Schema): boolean {
  if (is === 'list') return Array.isArray(value);
  return is === 'anything' || isObject(value);
}

/** A text, a number or a truth value that is kept as it is. */
function isPlain(value: Json, schema: Schema): boolean {
  return schema.is === 'scalar' && schema.code !== 'q' && fits(value, schema.code);
}

/** Maps and lists without entries are as absent (`omitempty`). */
function isEmpty(value: Json, { is }: Schema): boolean {
  if (is === 'list') return Array.isArray(value) && value.length === 0;
  return is === 'map' && isObject(value) && Object.keys(value).length === 0;
}

function fits(value: Json, code: string): boolean {
  switch (code) {
    case 'i':
      return typeof value === 'number' && Number.isInteger(value);
    case 'n':
      return typeof value === 'number';
    case 'b':
      return typeof value === 'boolean';
    case 'q':
    case 'x':
      return typeof value === 'string' || typeof value === 'number';
    default:
      return typeof value === 'string';
  }
}

/** Whole numbers of 64 bits, by their names (core/v1, apps/v1 and batch/v1 types.go). */
const LONG =
  /\.(?:activeDeadlineSeconds|deletionGracePeriodSeconds|expirationSeconds|fsGroup|generation|observedGeneration|runAsGroup|runAsUser|terminationGracePeriodSeconds|tolerationSeconds)$/;

const GO_TYPES: Readonly<Record<string, string>> = {
  i: 'int32',
  n: 'float64',
  b: 'bool',
  q: 'resource.Quantity',
  t: 'v1.Time',
  u: 'v1.MicroTime',
  x: 'intstr.IntOrString',
};

function goName(element: Schema): string {
  return element.is === 'object' ? `v1.${element.name}` : 'string';
}

function typeName(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
