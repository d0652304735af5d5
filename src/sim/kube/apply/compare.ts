import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { ANYTHING, type ListSchema, type Schema } from '../schema/shapes.ts';
import { type FieldSet, isNothing, ITSELF, NOTHING, union } from './field-set.ts';

/** The parts of a value by their path elements; null where it is owned as a whole. */
export function partsOf(value: Json, schema: Schema): ReadonlyMap<string, Part> | null {
  if (isObject(value)) return objectParts(value, schema);
  if (!Array.isArray(value) || schema.is !== 'list' || schema.type === 'atomic') return null;
  return listParts(value as readonly Json[], schema);
}

export interface Part {
  readonly value: Json;
  readonly schema: Schema;
}

function objectParts(value: JsonObject, schema: Schema): ReadonlyMap<string, Part> | null {
  if (schema.is === 'scalar' || schema.is === 'list') return null;
  if (schema.is !== 'anything' && schema.isAtomic) return null;
  const parts = new Map<string, Part>();
  for (const [key, one] of Object.entries(value)) {
    if (one !== null) parts.set(`f:${key}`, { value: one, schema: fieldSchema(schema, key) });
  }
  return parts;
}

export function fieldSchema(schema: Schema, key: string): Schema {
  if (schema.is === 'object') return schema.fields.get(key) ?? ANYTHING;
  return schema.is === 'map' ? schema.element : ANYTHING;
}

function listParts(list: readonly Json[], schema: ListSchema): ReadonlyMap<string, Part> {
  return new Map(
    list.map((value) => [itemElement(value, schema), { value, schema: schema.element }] as const),
  );
}

/** Keys that an item leaves out have the default of their field; a port's protocol is TCP. */
const KEY_DEFAULTS: JsonObject = { protocol: 'TCP' };

export function itemElement(item: Json, { type, keys }: ListSchema): string {
  if (type === 'set' || !isObject(item)) return `v:${JSON.stringify(item)}`;
  const pairs = keys
    .toSorted()
    .map((key) => [key, item[key] ?? KEY_DEFAULTS[key] ?? null] as const);
  return `k:${JSON.stringify(Object.fromEntries(pairs))}`;
}

/**
 * The places of a value.
 *
 * @param isNew true to name the containers too, as a change that brings them does
 */
export function setOf(value: Json, schema: Schema, isNew: boolean, isItem = false): FieldSet {
  const parts = partsOf(value, schema);
  if (parts === null || parts.size === 0) return ITSELF;
  const kids = new Map<string, FieldSet>();
  for (const [element, part] of parts)
    kids.set(element, setOf(part.value, part.schema, isNew, !element.startsWith('f:')));
  return { self: isNew || isItem, kids };
}

/** What came or changed between two states, and what went. */
export interface Comparison {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

const SAME: Comparison = { changed: NOTHING, removed: NOTHING };

export function compare(before: Json, after: Json, schema: Schema): Comparison {
  if (isEqual(before, after)) return SAME;
  const [was, is] = [partsOf(before, schema), partsOf(after, schema)];
  if (was === null || is === null) return { changed: ITSELF, removed: NOTHING };
  const [changed, removed] = [new Map<string, FieldSet>(), new Map<string, FieldSet>()];
  const note = (into: Map<string, FieldSet>, element: string, set: FieldSet): void => {
    if (!isNothing(set)) into.set(element, union(into.get(element) ?? NOTHING, set));
  };
  for (const [element, { value, schema: own }] of is) {
    const old = was.get(element);
    const inner = old === undefined ? null : compare(old.value, value, own);
    note(changed, element, inner === null ? setOf(value, own, true) : inner.changed);
    if (inner !== null) note(removed, element, inner.removed);
  }
  for (const [element, { value, schema: own }] of was)
    if (!is.has(element)) note(removed, element, setOf(value, own, true));
  return { changed: { self: false, kids: changed }, removed: { self: false, kids: removed } };
}
