import { isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { admitted } from './admission.ts';
import { tracked, writeTracked } from './apply/managed.ts';
import type { KubeObject } from './contract.ts';
import { storedAs } from './events.ts';
import { apiVersionOf, type KubeKind } from './kinds.ts';
import { alreadyExists, badRequest, invalid, StatusError, Undecodable } from './refusal.ts';
import { withKey, wrong } from './rules/fields.ts';
import { rulesOf } from './rules/table.ts';
import { decoded } from './schema/shape.ts';
import { schemaOf } from './schema/schema.ts';
import { newUid, objectKey, type Scope, secondsStamp } from './scope.ts';
import { metadataOf } from './store.ts';
import { forCreate } from './strategy.ts';
import { wordOf } from './word.ts';

/** A generated name is cut to this length before its ending (apiserver storage/names). */
const GENERATED_BASE_MAX = 58;
const GENERATED_TRIES = 8;

/**
 * Creates an object; 201 with what is stored.
 *
 * @param owners its `managedFields` when it was applied, maybe none, else null
 * @throws Refusal
 */
export function create(scope: Scope, body: Json, owners: Json = null): KubeObject {
  const object = received(scope, body);
  const ready = forCreate(scope, admitted(scope, withIdentity(scope, object), null));
  const fresh = owners === null ? tracked(scope, ready, null) : withManagedFields(ready, owners);
  const name = wordOf(metadataOf(fresh)['name']);
  const key = objectKey(scope, name);
  const known = scope.table.get(key);
  if (known !== null) throw taken(scope, name, known);
  if (scope.isDryRun) return fresh;
  assertVersionless(object);
  return writeTracked(scope, owners !== null, null, () =>
    scope.core.store.write(scope.table, key, fresh),
  );
}

export function withManagedFields(object: KubeObject, managedFields: Json): KubeObject {
  const own =
    Array.isArray(managedFields) && managedFields.length === 0 ? undefined : managedFields;
  return { ...object, metadata: withKey(metadataOf(object), 'managedFields', own) };
}

/**
 * The object in a body, checked against the path.
 *
 * @param before the stored object as this API shows it; what is the very same there was checked
 * @throws Refusal 400
 */
export function received(scope: Scope, body: Json, before: KubeObject | null = null): KubeObject {
  const { kind, namespace } = scope;
  if (!isObject(body)) throw badRequest(`the body of the request is not an object`);
  assertKind(kind, body);
  const given = textAt(body, 'metadata.namespace') ?? '';
  const own = namespace ?? '';
  if (given !== '' && given !== own)
    throw badRequest(
      `the namespace of the provided object does not match the namespace sent on the request`,
    );
  const isPlaced = given === own;
  const metadata = isPlaced ? metadataOf(body) : { ...metadataOf(body), namespace: own };
  const apiVersion = apiVersionOf(kind);
  const isWhole =
    body['metadata'] === metadata &&
    body['kind'] === kind.kind &&
    body['apiVersion'] === apiVersion;
  const object = isWhole ? body : { ...body, apiVersion, kind: kind.kind, metadata };
  return shaped(scope, object, before);
}

/** Without the fields that the kind does not have, of which strict clients hear. */
function shaped(
  { kind, query, warnings }: Scope,
  object: KubeObject,
  before: KubeObject | null,
): KubeObject {
  const { value, unknown } = decoded(object, schemaOf(kind), before ?? {});
  const kept = storedAs(kind, value);
  const whole = rulesOf(kind).defaults?.(kept) ?? kept;
  if (unknown.length === 0) return whole;
  const told = unknown.map((path) => `unknown field "${path}"`);
  const level = query['fieldValidation'] ?? 'Warn';
  if (level === 'Strict') throw new Undecodable(kind, `strict decoding error: ${told.join(', ')}`);
  if (level === 'Warn') warnings.push(...told);
  return whole;
}

function assertKind(kind: KubeKind, body: JsonObject): void {
  const [apiVersion, name] = [body['apiVersion'] ?? '', body['kind'] ?? ''];
  if (kind.custom !== null) assertCustomKind(kind, body);
  if (name !== '' && name !== kind.kind)
    throw badRequest(
      `${wordOf(name)} in version "${kind.version}" cannot be handled as a ${kind.kind}: ` +
        `converting (${kind.version}.${wordOf(name)}) to (${kind.group || 'core'}.${kind.kind}): ` +
        'unknown conversion',
    );
  if (apiVersion !== '' && apiVersion !== apiVersionOf(kind))
    throw badRequest(
      `${kind.kind} in version "${wordOf(apiVersion)}" cannot be handled as a ${kind.kind}: no kind ` +
        `"${kind.kind}" is registered for version "${wordOf(apiVersion)}" in scheme ` +
        '"pkg/runtime/scheme.go:111"',
    );
}

/** Custom resources say themselves what they are. */
function assertCustomKind(kind: KubeKind, body: JsonObject): void {
  const [apiVersion, name] = [body['apiVersion'] ?? '', body['kind'] ?? ''];
  if (name === '') throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(body)}'`);
  if (name === kind.kind && apiVersion !== '') return;
  const wrongKind = { ...kind, kind: wordOf(name) };
  if (name !== kind.kind)
    throw invalid(wrongKind, wordOf(metadataOf(body)['name'] ?? ''), [
      wrong('kind', wordOf(name), `must be ${kind.kind}`),
    ]);
}

function withIdentity(scope: Scope, object: KubeObject): KubeObject {
  const { core, kind } = scope;
  const given = metadataOf(object);
  const metadata: Record<string, Json> = { ...given };
  for (const key of SET_BY_SERVER) delete metadata[key];
  metadata['name'] = nameOf(scope, given);
  metadata['uid'] = newUid(core.random);
  metadata['creationTimestamp'] = secondsStamp(core.kernel.nowMs());
  if (kind.hasGeneration) metadata['generation'] = 1;
  return { ...object, metadata };
}

function taken(scope: Scope, name: string, known: KubeObject): StatusError {
  const isEnding = metadataOf(known)['deletionTimestamp'] !== undefined;
  return alreadyExists(scope.kind, name, isEnding ? 'object is being deleted: ' : '');
}

/** The storage refuses it, so it is told after everything else that is wrong. */
function assertVersionless(object: KubeObject): void {
  if ((metadataOf(object)['resourceVersion'] ?? '') === '') return;
  const message = 'resourceVersion should not be set on objects to be created';
  throw new StatusError({ code: 500, message });
}

const SET_BY_SERVER = [
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
];

function nameOf(scope: Scope, metadata: JsonObject): string {
  const given = metadata['name'];
  if (typeof given === 'string' && given !== '') return given;
  const base = metadata['generateName'];
  if (typeof base !== 'string' || base === '') throw invalid(scope.kind, '', NAMELESS);
  const start = base.slice(0, GENERATED_BASE_MAX);
  for (let attempt = 1; ; attempt++) {
    const name = start + scope.core.random.word(5);
    if (scope.table.get(objectKey(scope, name)) === null || attempt === GENERATED_TRIES)
      return name;
  }
}

const NAMELESS = [
  {
    reason: 'FieldValueRequired',
    message: 'Required value: name or generateName is required',
    field: 'metadata.name',
  },
];
