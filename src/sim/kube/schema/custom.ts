import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { listIn, objectAt, textIn, withKey } from '../rules/fields.ts';
import { ANYTHING, type ListType, type ObjectSchema, type Schema } from './shapes.ts';
import { metadataSchema } from './schema.ts';
import { wordOf } from '../word.ts';

const STRING: Schema = { is: 'scalar', code: 's' };

/** Schemas nested deeper than this are taken as anything. */
const DEPTH_MAX = 60;

/** The shape of a custom resource by its `openAPIV3Schema`; metadata is that of every kind. */
export function customSchema(openApi: JsonObject): ObjectSchema {
  const own = objectSchema(openApi, 0);
  const fields = new Map(own.fields);
  fields.set('apiVersion', STRING);
  fields.set('kind', STRING);
  fields.set('metadata', metadataSchema());
  return { ...own, fields };
}

function schemaAt(openApi: Json | undefined, depth: number): Schema {
  if (!isObject(openApi) || depth > DEPTH_MAX) return ANYTHING;
  if (openApi['x-kubernetes-int-or-string'] === true) return { is: 'scalar', code: 'x' };
  switch (textIn(openApi, 'type')) {
    case 'object':
      return mapOrObject(openApi, depth);
    case 'array':
      return listSchema(openApi, depth);
    case 'integer':
      return { is: 'scalar', code: 'i' };
    case 'number':
      return { is: 'scalar', code: 'n' };
    case 'boolean':
      return { is: 'scalar', code: 'b' };
    case 'string':
      return STRING;
    default:
      return ANYTHING;
  }
}

function mapOrObject(openApi: JsonObject, depth: number): Schema {
  const more = openApi['additionalProperties'];
  const isMap = isObject(more) || more === true;
  if (!isMap || Object.keys(objectAt(openApi, 'properties')).length > 0)
    return objectSchema(openApi, depth);
  const element = isObject(more) ? schemaAt(more, depth + 1) : ANYTHING;
  return { is: 'map', element, isAtomic: openApi['x-kubernetes-map-type'] === 'atomic' };
}

function objectSchema(openApi: JsonObject, depth: number): ObjectSchema {
  const properties = Object.entries(objectAt(openApi, 'properties'));
  return {
    is: 'object',
    name: '',
    fields: new Map(properties.map(([key, value]) => [key, schemaAt(value, depth + 1)])),
    isAtomic: openApi['x-kubernetes-map-type'] === 'atomic',
    retainsKeys: false,
    keepsUnknown: openApi['x-kubernetes-preserve-unknown-fields'] === true,
  };
}

function listSchema(openApi: JsonObject, depth: number): Schema {
  const type = textIn(openApi, 'x-kubernetes-list-type');
  return {
    is: 'list',
    element: schemaAt(openApi['items'], depth + 1),
    type: type === 'set' || type === 'map' ? (type satisfies ListType) : 'atomic',
    keys: listIn(openApi, 'x-kubernetes-list-map-keys').map(wordOf),
    merges: false,
    mergeKey: null,
  };
}

/** The value with the defaults of its schema, itself when it lacks none. */
export function withSchemaDefaults(value: Json, openApi: Json | undefined): Json {
  if (!isObject(openApi)) return value;
  if (Array.isArray(value)) return listDefaults(value as readonly Json[], openApi);
  if (!isObject(value)) return value;
  let made: JsonObject = value;
  const set = (key: string, one: Json): void => {
    if (one !== made[key]) made = { ...made, [key]: one };
  };
  for (const [key, property] of Object.entries(objectAt(openApi, 'properties'))) {
    const own = Object.hasOwn(value, key) ? value[key] : undefined;
    const isLacking =
      own === undefined || (own === null && objectOf(property)['nullable'] !== true);
    const start = isLacking ? objectOf(property)['default'] : own;
    if (start !== undefined) set(key, withSchemaDefaults(start, property));
    else if (own === null) made = withKey(made, key, undefined);
  }
  const more = openApi['additionalProperties'];
  if (isObject(more))
    for (const [key, own] of Object.entries(value)) set(key, withSchemaDefaults(own, more));
  return made;
}

function objectOf(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

function listDefaults(list: readonly Json[], openApi: JsonObject): Json {
  const made = list.map((one) => withSchemaDefaults(one, openApi['items']));
  return made.every((one, index) => one === list[index]) ? list : made;
}
