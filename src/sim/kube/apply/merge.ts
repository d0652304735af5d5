import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { setOwn } from '../patch/merge.ts';
import type { ListSchema, Schema } from '../schema/shapes.ts';
import { fieldSchema, itemElement } from './compare.ts';
import type { FieldSet } from './field-set.ts';

/** The live value with what was applied put over it. */
export function mergedValue(live: Json | undefined, applied: Json, schema: Schema): Json {
  if (isObject(applied) && isObject(live) && isGranular(schema))
    return mergedObject(live, applied, schema);
  if (
    Array.isArray(applied) &&
    Array.isArray(live) &&
    schema.is === 'list' &&
    schema.type !== 'atomic'
  )
    return mergedList(live as readonly Json[], applied as readonly Json[], schema);
  return applied;
}

function isGranular(schema: Schema): boolean {
  if (schema.is === 'object' || schema.is === 'map') return !schema.isAtomic;
  return schema.is === 'anything';
}

function mergedObject(live: JsonObject, applied: JsonObject, schema: Schema): Json {
  const merged: Record<string, Json> = { ...live };
  for (const [key, value] of Object.entries(applied)) {
    const own = Object.hasOwn(live, key) ? live[key] : undefined;
    setOwn(merged, key, mergedValue(own, value, fieldSchema(schema, key)));
  }
  return merged;
}

function mergedList(live: readonly Json[], applied: readonly Json[], schema: ListSchema): Json {
  const items = new Map(live.map((item) => [itemElement(item, schema), item] as const));
  for (const item of applied) {
    const element = itemElement(item, schema);
    items.set(element, mergedValue(items.get(element), item, schema.element));
  }
  return [...items.values()];
}

/** The value without the places of a set; a container that only they filled goes with them. */
export function without(value: Json, gone: FieldSet, schema: Schema): Json | undefined {
  if (gone.kids.size === 0) return gone.self ? undefined : value;
  if (isObject(value)) return withoutFields(value, gone, schema);
  if (!Array.isArray(value) || schema.is !== 'list') return value;
  const kept = (value as readonly Json[]).flatMap((item) => {
    const inner = gone.kids.get(itemElement(item, schema));
    const rest = inner === undefined ? item : without(item, itemGone(inner), schema.element);
    return rest === undefined ? [] : [rest];
  });
  return kept.length === 0 && gone.self ? undefined : kept;
}

/** An item goes as a whole when it is itself given up. */
function itemGone(inner: FieldSet): FieldSet {
  return inner.self ? { self: true, kids: new Map() } : inner;
}

function withoutFields(value: JsonObject, gone: FieldSet, schema: Schema): Json | undefined {
  const kept: Record<string, Json> = { ...value };
  for (const [element, inner] of gone.kids) {
    const key = element.slice(2);
    const own = Object.hasOwn(kept, key) ? kept[key] : undefined;
    if (own === undefined) continue;
    const rest = without(own, inner, fieldSchema(schema, key));
    if (rest === undefined || isEmptied(rest, own)) delete kept[key];
    else setOwn(kept, key, rest);
  }
  return Object.keys(kept).length === 0 && gone.self ? undefined : kept;
}

function isEmptied(rest: Json, own: Json): boolean {
  const size = (value: Json): number => (isObject(value) ? Object.keys(value).length : 1);
  return size(rest) === 0 && size(own) > 0;
}
