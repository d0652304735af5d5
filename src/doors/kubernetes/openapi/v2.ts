import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';
import { customSchema } from '../custom-resources.ts';
import type { Site } from '../site.ts';
import { pathsOf } from './paths.ts';
import { SchemaWriter } from './schemas.ts';

/** `/openapi/v2`, which kubectl up to 1.26 asks for: every kind in one document. */
export function openApiV2(site: Site, kinds: readonly KubeKind[]): JsonObject {
  const writer = new SchemaWriter('#/definitions/');
  for (const kind of kinds) writer.addKind(kind, customSchema(site, kind));
  const definitions = [...writer.definitions].map(([name, schema]) => [name, older(schema)]);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: site.version },
    paths: Object.fromEntries(kinds.flatMap(olderPaths)) as JsonObject,
    definitions: Object.fromEntries(definitions) as JsonObject,
  };
}

/** What version 2 does not know is said as text, which is how such values are mostly written. */
const TEXT: JsonObject = { type: 'string' };

/** Words of version 3 alone. */
const NEWER = new Set(['allOf', 'oneOf', 'anyOf', 'not', 'nullable', 'default']);

/** A schema of version 3 as version 2 has it. */
function older(schema: JsonObject): JsonObject {
  const whole = schema['oneOf'] === undefined ? schema : { ...TEXT, ...schema };
  const entries = Object.entries(whole)
    .filter(([key]) => !NEWER.has(key))
    .map(([key, value]) => [key, olderPart(key, value)]);
  return { ...Object.fromEntries(entries), ...referred(schema['allOf']) } as JsonObject;
}

function referred(allOf: Json | undefined): JsonObject {
  const [only] = Array.isArray(allOf) ? (allOf as readonly Json[]) : [];
  return isObject(only) && typeof only['$ref'] === 'string' ? { $ref: only['$ref'] } : {};
}

function olderPart(key: string, value: Json): Json {
  if (!isObject(value)) return value;
  if (key === 'items' || key === 'additionalProperties') return older(value);
  if (key !== 'properties') return value;
  const entries = Object.entries(value).filter(([, one]) => isObject(one));
  return Object.fromEntries(entries.map(([name, one]) => [name, older(one as JsonObject)]));
}

function olderPaths(kind: KubeKind): readonly (readonly [string, JsonObject])[] {
  return pathsOf(kind).map(([path, item]) => {
    const methods = Object.entries(item).map(([method, operation]) => [
      method,
      olderOperation(operation as JsonObject),
    ]);
    return [path, Object.fromEntries(methods) as JsonObject];
  });
}

function olderOperation({ requestBody, ...operation }: JsonObject): JsonObject {
  const content = isObject(requestBody) ? requestBody['content'] : undefined;
  const consumes = isObject(content) ? { consumes: Object.keys(content) } : {};
  const parameters = (operation['parameters'] as readonly JsonObject[]).map(
    ({ name, in: place, schema }) => ({ name, in: place, ...(schema as JsonObject) }),
  );
  return { ...operation, ...consumes, parameters } as JsonObject;
}
