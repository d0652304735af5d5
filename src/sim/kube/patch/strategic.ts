import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { badRequest } from '../refusal.ts';
import { ANYTHING, type ListSchema, type Schema } from '../schema/shapes.ts';
import { setOwn } from './merge.ts';
import { wordOf } from '../word.ts';

const PATCH = '$patch';
const RETAIN = '$retainKeys';
const ORDER = '$setElementOrder/';
const DROP = '$deleteFromPrimitiveList/';

/**
 * Strategic merge patch: lists are merged by the keys that the schema names; the target itself where
 * nothing changes. @throws Refusal 400
 */
export function strategicPatch(target: Json | undefined, patch: JsonObject, schema: Schema): Json {
  const directive = patch[PATCH];
  if (directive === 'delete') return {};
  if (directive === 'replace') return without(patch, PATCH);
  if (directive !== undefined && directive !== 'merge')
    throw badRequest(`unknown patch type found in patch: ${wordOf(directive)}`);
  const merged: Record<string, Json> = isObject(target) ? { ...target } : {};
  retain(merged, patch[RETAIN]);
  for (const [key, value] of Object.entries(patch)) {
    if (key === PATCH || key === RETAIN || key.startsWith(ORDER)) continue;
    if (key.startsWith(DROP)) dropValues(merged, key.slice(DROP.length), value);
    else if (value === null) delete merged[key];
    else mergeField(merged, key, value, patch, fieldSchema(schema, key));
  }
  orderOnly(merged, patch, schema);
  return isObject(target) && isSame(target, merged) ? target : merged;
}

function isSame(before: JsonObject, after: JsonObject): boolean {
  const keys = Object.keys(after);
  return (
    keys.length === Object.keys(before).length &&
    keys.every((key) => Object.hasOwn(before, key) && before[key] === after[key])
  );
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}

function retain(merged: Record<string, Json>, keys: Json | undefined): void {
  if (!Array.isArray(keys)) return;
  for (const key of Object.keys(merged)) if (!keys.includes(key)) delete merged[key];
}

function dropValues(merged: Record<string, Json>, key: string, values: Json): void {
  const list = merged[key];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  merged[key] = (list as readonly Json[]).filter((one) => !values.includes(one));
}

function fieldSchema(schema: Schema, key: string): Schema {
  if (schema.is === 'object') return schema.fields.get(key) ?? ANYTHING;
  return schema.is === 'map' ? schema.element : ANYTHING;
}

function mergeField(
  merged: Record<string, Json>,
  key: string,
  value: Json,
  patch: JsonObject,
  schema: Schema,
): void {
  const own = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (isObject(value)) {
    if (value[PATCH] === 'delete') delete merged[key];
    else setOwn(merged, key, strategicPatch(own, value, schema));
  } else if (Array.isArray(value) && schema.is === 'list' && schema.merges) {
    const order = patch[ORDER + key];
    setOwn(merged, key, mergedList(own, value as readonly Json[], schema, order));
  } else setOwn(merged, key, value);
}

/** An order may be set for a list that the patch leaves as it is. */
function orderOnly(merged: Record<string, Json>, patch: JsonObject, schema: Schema): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ORDER)) continue;
    const field = key.slice(ORDER.length);
    const type = fieldSchema(schema, field);
    const list = merged[field];
    if (patch[field] !== undefined || type.is !== 'list' || !Array.isArray(list)) continue;
    merged[field] = mergedList(list as Json, [], type, patch[key]);
  }
}

function mergedList(
  own: Json | undefined,
  patch: readonly Json[],
  schema: ListSchema,
  order: Json | undefined,
): Json {
  const before: readonly Json[] = Array.isArray(own) ? (own as readonly Json[]) : [];
  if (patch.some((item) => isObject(item) && item[PATCH] === 'replace'))
    return patch.filter((item) => !(isObject(item) && item[PATCH] === 'replace'));
  const items =
    schema.mergeKey === null ? unionOf(before, patch) : mergedItems(before, patch, schema);
  const wanted = Array.isArray(order) ? (order as readonly Json[]) : patch.filter(isKept);
  return ordered(items, before, wanted, schema.mergeKey);
}

function isKept(item: Json): boolean {
  return !(isObject(item) && item[PATCH] === 'delete');
}

function unionOf(before: readonly Json[], patch: readonly Json[]): readonly Json[] {
  return [...before, ...patch.filter((one) => !before.includes(one))];
}

function mergedItems(
  before: readonly Json[],
  patch: readonly Json[],
  { mergeKey, element }: ListSchema,
): readonly Json[] {
  const items: (Json | null)[] = [...before];
  const places = new Map<Json, number[]>();
  const note = (item: Json, index: number): void => {
    const id = identityOf(item, mergeKey);
    const known = places.get(id);
    if (known === undefined) places.set(id, [index]);
    else known.push(index);
  };
  before.forEach(note);
  for (const item of patch) {
    if (!isObject(item) || mergeKey === null)
      throw badRequest('the patch has an item without keys');
    if (item[mergeKey] === undefined)
      throw badRequest(`map: map[] does not contain declared merge key: ${mergeKey}`);
    const id = identityOf(item, mergeKey);
    const [at] = places.get(id) ?? [];
    if (item[PATCH] === 'delete') {
      for (const index of places.get(id) ?? []) items[index] = null;
      places.delete(id);
    } else if (at === undefined) note(item, items.push(strategicPatch({}, item, element)) - 1);
    else items[at] = strategicPatch(items[at] ?? {}, item, element);
  }
  return items.filter((item) => item !== null);
}

/** What tells items apart: a scalar itself, JSON behind a mark of all else. */
function identityOf(item: Json, mergeKey: string | null): Json {
  const own = mergeKey !== null && isObject(item) ? (item[mergeKey] ?? null) : item;
  return typeof own === 'object' && own !== null ? `\0${JSON.stringify(own)}` : own;
}

function placesOf(items: readonly Json[], mergeKey: string | null): ReadonlyMap<Json, number> {
  return new Map(items.map((item, index) => [identityOf(item, mergeKey), index]));
}

/**
 * What the patch names in the order of the patch, the rest in its own, and between the two the
 * order in which they stood.
 */
function ordered(
  items: readonly Json[],
  before: readonly Json[],
  wanted: readonly Json[],
  mergeKey: string | null,
): Json {
  const [places, stood] = [placesOf(wanted, mergeKey), placesOf(before, mergeKey)];
  const placeOf = (item: Json): number => places.get(identityOf(item, mergeKey)) ?? -1;
  const stoodAt = (item: Json): number => stood.get(identityOf(item, mergeKey)) ?? -1;
  const named = items.filter((item) => placeOf(item) >= 0);
  const others = items.filter((item) => placeOf(item) < 0);
  named.sort((a, b) => placeOf(a) - placeOf(b));
  const result: Json[] = [];
  let next = 0;
  for (const item of named) {
    const place = stoodAt(item);
    for (; next < others.length && stoodAt(others[next] as Json) <= place; next++)
      result.push(others[next] as Json);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}
