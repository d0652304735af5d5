import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { StatusCause } from '../refusal.ts';

/** The object at a key, empty when there is none. */
export function objectAt(value: Json | undefined, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

export function listIn(value: Json | undefined, key: string): readonly Json[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

export function textIn(value: Json | undefined, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}

/** The same object with a key set, or without it. */
export function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest;
}

/** The same object with what it lacks of the defaults. */
export function filled(object: JsonObject, defaults: JsonObject): JsonObject {
  for (const key of Object.keys(defaults))
    if (!Object.hasOwn(object, key)) return { ...defaults, ...object };
  return object;
}

/** Changes one part of an object; the object itself where the part stays. */
export function changedPart(
  object: JsonObject,
  key: string,
  change: (part: JsonObject) => JsonObject,
): JsonObject {
  const part = object[key];
  if (!isObject(part)) return object;
  const changed = change(part);
  return changed === part ? object : { ...object, [key]: changed };
}

/** Changes every object of a list, the list itself where all stay. */
export function changedItems(
  object: JsonObject,
  key: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = object[key];
  if (!Array.isArray(list)) return object;
  const items = (list as readonly Json[]).map((item) => (isObject(item) ? change(item) : item));
  const isSame = items.every((item, index) => item === list[index]);
  return isSame ? object : { ...object, [key]: items };
}

export function required(field: string, why = ''): StatusCause {
  const message = why === '' ? 'Required value' : `Required value: ${why}`;
  return { reason: 'FieldValueRequired', message, field };
}

/** A value as Go's `%q` and its JSON printing show it in messages. */
export function wrong(field: string, value: Json, why: string): StatusCause {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`;
  return { reason: 'FieldValueInvalid', message, field };
}

export function unsupported(field: string, value: Json, supported: readonly string[]): StatusCause {
  const known = supported.map((one) => JSON.stringify(one)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${known}`;
  return { reason: 'FieldValueNotSupported', message, field };
}

export function forbiddenField(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}

export function duplicate(field: string, value: Json): StatusCause {
  const message = `Duplicate value: ${JSON.stringify(value)}`;
  return { reason: 'FieldValueDuplicate', message, field };
}

export const IMMUTABLE = 'field is immutable';
