import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';

/** One sentence for each value that a schema does not take; a few of them are enough. */
export function faultsOf(schema: JsonObject, value: Json, path = ''): readonly string[] {
  const type = textAt(schema, 'type');
  if (type !== null && !isOfType(value, type)) return [`${named(path)} must be of type ${type}`];
  const own = [...enumFaults(schema, value, path), ...textFaults(schema, value, path)];
  return [...own, ...numberFaults(schema, value, path), ...innerFaults(schema, value, path)];
}

function named(path: string): string {
  return path === '' ? 'the values' : path;
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function enumFaults(schema: JsonObject, value: Json, path: string): readonly string[] {
  const allowed = listAt(schema, 'enum');
  if (allowed.length === 0 || allowed.includes(value)) return [];
  const words = allowed.map((one) => (one === '' ? 'nothing' : (textAt({ one }, 'one') ?? '')));
  return [`${named(path)} must be one of ${words.join(', ')}`];
}

function textFaults(schema: JsonObject, value: Json, path: string): readonly string[] {
  if (typeof value !== 'string') return [];
  const most = Number(textAt(schema, 'maxLength') ?? Infinity);
  if (value.length > most) return [`${named(path)} is longer than ${most} characters`];
  const pattern = textAt(schema, 'pattern');
  const fits = pattern === null || new RegExp(pattern).test(value);
  return fits ? [] : [`${named(path)} has a form that is not taken: ${JSON.stringify(value)}`];
}

function numberFaults(schema: JsonObject, value: Json, path: string): readonly string[] {
  if (typeof value !== 'number') return [];
  const least = Number(textAt(schema, 'minimum') ?? -Infinity);
  const most = Number(textAt(schema, 'maximum') ?? Infinity);
  return value < least || value > most ? [`${named(path)} must be from ${least} to ${most}`] : [];
}

function innerFaults(schema: JsonObject, value: Json, path: string): readonly string[] {
  if (Array.isArray(value)) return listFaults(schema, value as readonly Json[], path);
  return isObject(value) ? fieldFaults(schema, value, path) : [];
}

function listFaults(schema: JsonObject, value: readonly Json[], path: string): readonly string[] {
  const least = Number(textAt(schema, 'minItems') ?? 0);
  const most = Number(textAt(schema, 'maxItems') ?? Infinity);
  if (value.length < least || value.length > most)
    return [`${named(path)} must have from ${least} to ${most} items`];
  const isRepeating =
    schema['uniqueItems'] === true && new Set(value.map(String)).size < value.length;
  const items = schema['items'];
  return [
    ...(isRepeating ? [`${named(path)} has an item twice`] : []),
    ...(isObject(items)
      ? value.flatMap((one, index) => faultsOf(items, one, `${path}[${index}]`))
      : []),
  ];
}

function fieldFaults(schema: JsonObject, value: JsonObject, path: string): readonly string[] {
  const most = Number(textAt(schema, 'maxProperties') ?? Infinity);
  const fields = Object.entries(value);
  if (fields.length > most) return [`${named(path)} has more than ${most} fields`];
  return fields.flatMap(([name, one]) => fieldFaultsOf(schema, name, one, path));
}

function fieldFaultsOf(
  schema: JsonObject,
  name: string,
  value: Json,
  path: string,
): readonly string[] {
  const place = path === '' ? name : `${path}.${name}`;
  const names = at(schema, 'propertyNames');
  const misnamed = isObject(names) ? faultsOf({ type: 'string', ...names }, name, place) : [];
  if (misnamed.length > 0) return misnamed;
  const { properties, additionalProperties: others } = schema;
  const known = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : others;
  if (known === false) return [`there is no value ${JSON.stringify(place)}`];
  return isObject(known) ? faultsOf(known, value, place) : [];
}
