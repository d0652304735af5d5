import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { isEqual } from '../../../evidence/equal.ts';
import type { StatusCause } from '../refusal.ts';
import {
  duplicate,
  listIn,
  objectAt,
  required,
  textIn,
  unsupported,
  wrong,
} from '../rules/fields.ts';
import { wordOf } from '../word.ts';

/** More than these of one object would be no help. */
const CAUSES_MAX = 100;

/** What in a custom resource does not fit its structural schema. */
export function schemaCauses(value: Json, openApi: JsonObject): readonly StatusCause[] {
  const causes: StatusCause[] = [];
  visit(value, openApi, '', causes);
  return causes;
}

function visit(value: Json, schema: JsonObject, path: string, causes: StatusCause[]): void {
  if (causes.length >= CAUSES_MAX) return;
  const other = typeCause(value, schema, path);
  if (other !== null) {
    causes.push(other);
    return;
  }
  causes.push(...valueCauses(value, schema, path));
  if (isObject(value)) visitObject(value, schema, path, causes);
  else if (Array.isArray(value)) visitList(value as readonly Json[], schema, path, causes);
}

function visitObject(
  value: JsonObject,
  schema: JsonObject,
  path: string,
  causes: StatusCause[],
): void {
  const place = (key: string): string => (path === '' ? key : `${path}.${key}`);
  for (const key of listIn(schema, 'required'))
    if (!Object.hasOwn(value, wordOf(key))) causes.push(required(place(wordOf(key))));
  const properties = objectAt(schema, 'properties');
  const more = schema['additionalProperties'];
  for (const [key, own] of Object.entries(value)) {
    if (path === '' && (key === 'metadata' || key === 'kind' || key === 'apiVersion')) continue;
    const known = Object.hasOwn(properties, key) ? properties[key] : more;
    if (isObject(known)) visit(own, known, place(key), causes);
  }
}

function visitList(
  value: readonly Json[],
  schema: JsonObject,
  path: string,
  causes: StatusCause[],
): void {
  const items = schema['items'];
  if (isObject(items))
    value.forEach((own, index) => visit(own, items, `${path}[${index}]`, causes));
  const type = textIn(schema, 'x-kubernetes-list-type');
  if (type === 'set' || type === 'map') causes.push(...doubles(value, schema, path));
}

function doubles(value: readonly Json[], schema: JsonObject, path: string): readonly StatusCause[] {
  const keys = listIn(schema, 'x-kubernetes-list-map-keys').map(wordOf);
  const seen = new Set<string>();
  return value.flatMap((one, index) => {
    const own = isObject(one) && keys.length > 0 ? keys.map((key) => [key, one[key] ?? null]) : one;
    const text = JSON.stringify(own);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    const shown = keys.length > 0 ? (Object.fromEntries(own as [string, Json][]) as Json) : one;
    return [duplicate(`${path}[${index}]`, shown)];
  });
}

function typeCause(value: Json, schema: JsonObject, path: string): StatusCause | null {
  const type = textIn(schema, 'type');
  if (value === null && schema['nullable'] === true) return null;
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof value === 'string' || Number.isInteger(value)
      ? null
      : mistyped(path, 'integer,string', value);
  if (type === '' || typeOf(value) === type) return null;
  if (type === 'number' && typeof value === 'number') return null;
  return mistyped(path, type, value);
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function mistyped(path: string, type: string, value: Json): StatusCause {
  const own = typeOf(value);
  const shown = own === 'object' || own === 'array' ? own : JSON.stringify(own);
  const quoted = shown.startsWith('"') ? shown : JSON.stringify(shown);
  const message = `Invalid value: ${quoted}: ${path} in body must be of type ${type}: ${quoted}`;
  return { reason: 'FieldValueTypeInvalid', message, field: path === '' ? '<nil>' : path };
}

/** Limits of one value, each in the words of kube-openapi. */
function valueCauses(value: Json, schema: JsonObject, path: string): readonly StatusCause[] {
  const allowed = schema['enum'];
  if (Array.isArray(allowed) && !allowed.some((one) => isEqual(one as Json, value)))
    return [unsupported(path, value, allowed.map(wordOf))];
  if (typeof value === 'number') return numberCauses(value, schema, path);
  if (typeof value === 'string') return textCauses(value, schema, path);
  return Array.isArray(value) ? sizeCauses(value.length, schema, path) : [];
}

function numberCauses(value: number, schema: JsonObject, path: string): readonly StatusCause[] {
  const { minimum, maximum } = schema;
  const cause = (how: string, limit: number): StatusCause =>
    wrong(path, value, `${path} in body should be ${how} ${limit}`);
  return [
    ...(typeof minimum === 'number' && value < minimum
      ? [cause('greater than or equal to', minimum)]
      : []),
    ...(typeof maximum === 'number' && value > maximum
      ? [cause('less than or equal to', maximum)]
      : []),
  ];
}

function textCauses(value: string, schema: JsonObject, path: string): readonly StatusCause[] {
  const { minLength, maxLength, pattern } = schema;
  const causes: StatusCause[] = [];
  if (typeof maxLength === 'number' && value.length > maxLength)
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${maxLength} bytes`,
      field: path,
    });
  if (typeof minLength === 'number' && value.length < minLength)
    causes.push(wrong(path, value, `${path} in body should be at least ${minLength} chars long`));
  if (typeof pattern === 'string' && !matches(pattern, value))
    causes.push(wrong(path, value, `${path} in body should match '${pattern}'`));
  // The first one is all that is told.
  return causes.slice(0, 1);
}

/** A pattern that this language cannot read lets everything pass. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function sizeCauses(size: number, schema: JsonObject, path: string): readonly StatusCause[] {
  const { minItems, maxItems } = schema;
  if (typeof minItems === 'number' && size < minItems)
    return [wrong(path, size, `${path} in body should have at least ${minItems} items`)];
  if (typeof maxItems !== 'number' || size <= maxItems) return [];
  const message = `Too many: ${size}: must have at most ${maxItems} items`;
  return [{ reason: 'FieldValueTooMany', message, field: path }];
}
