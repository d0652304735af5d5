import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import { isEqual } from '../../evidence/equal.ts';
import { invalid, type StatusCause } from './refusal.ts';
import { IMMUTABLE, wrong } from './rules/fields.ts';
import { metadataCauses, metadataUpdateCauses } from './rules/metadata.ts';
import { rulesOf } from './rules/table.ts';
import type { Scope } from './scope.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** What is stored when an object comes. @throws Refusal 422 */
export function forCreate(scope: Scope, object: KubeObject): KubeObject {
  const rules = rulesOf(scope.kind);
  const bare = scope.kind.hasStatus && scope.kind.kind !== 'Node' ? withStatus(object) : object;
  const ready = rules.created?.(bare, scope) ?? bare;
  const own = rules.validate?.(ready, scope) ?? [];
  if (rules.looksAtMetadataLast === true) assertValid(scope, ready, own);
  assertValid(scope, ready, [...metadataCauses(scope.kind, ready), ...own]);
  return ready;
}

/** What is stored when an object, or a part of it, changes. @throws Refusal 422 */
export function forUpdate(scope: Scope, object: KubeObject, before: KubeObject): KubeObject {
  const rules = rulesOf(scope.kind);
  const now = keptObject(scope, object, before);
  const isWhole = scope.subresource === null;
  assertUid(scope, object, before);
  const ready = counted(
    scope,
    isWhole ? (rules.updated?.(now, before, scope) ?? now) : now,
    before,
  );
  if (isEqual(ready, before)) return before;
  const isValidated = isWhole || scope.kind.custom !== null;
  const isSameMetadata = object['metadata'] === before['metadata'];
  assertValid(scope, ready, [
    ...(isSameMetadata ? [] : metadataCauses(scope.kind, ready)),
    ...(isSameMetadata ? [] : metadataUpdateCauses(ready, before)),
    ...(isValidated ? (rules.validate?.(ready, scope) ?? []) : []),
    ...(isWhole ? (rules.validateUpdate?.(ready, before) ?? []) : []),
  ]);
  return ready;
}

function assertUid(scope: Scope, object: KubeObject, before: KubeObject): void {
  const uid = metadataOf(object)['uid'];
  if (uid === undefined || uid === '' || uid === metadataOf(before)['uid']) return;
  throw invalid(scope.kind, scope.name, [wrong('metadata.uid', uid, IMMUTABLE)]);
}

function assertValid(scope: Scope, object: KubeObject, causes: readonly StatusCause[]): void {
  if (causes.length === 0) return;
  throw invalid(scope.kind, wordOf(metadataOf(object)['name'] ?? ''), causes);
}

/** Metadata that a client cannot change. */
const FIXED = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'generateName',
  'managedFields',
  'resourceVersion',
];

function keptObject(
  { subresource, kind }: Scope,
  object: KubeObject,
  before: KubeObject,
): KubeObject {
  const own = metadataOf(before);
  const metadata = keptMetadata(metadataOf(object), own);
  if (subresource === 'status') {
    const written = kind.custom === null ? metadata : own;
    return withStatus({ ...before, metadata: written }, object['status'] ?? {});
  }
  if (!kind.hasStatus) return metadata === object['metadata'] ? object : { ...object, metadata };
  return withStatus({ ...object, metadata }, before['status']);
}

function keptMetadata(metadata: JsonObject, own: JsonObject): JsonObject {
  if (metadata === own) return own;
  const kept: Record<string, Json> = { ...metadata };
  for (const key of FIXED) {
    const value = own[key];
    if (value === undefined) delete kept[key];
    else kept[key] = value;
  }
  return kept;
}

function withStatus(object: KubeObject, status?: Json): KubeObject {
  if (status !== undefined) return { ...object, status };
  const { status: _, ...rest } = object;
  return rest;
}

/** Counts a generation when something besides metadata and status changed. */
function counted(scope: Scope, object: KubeObject, before: KubeObject): KubeObject {
  if (!scope.kind.hasGeneration || scope.subresource === 'status') return object;
  const without = (one: KubeObject): KubeObject => ({ ...one, metadata: null, status: null });
  if (isEqual(without(object), without(before))) return object;
  const metadata = metadataOf(object);
  const generation = Number(metadata['generation'] ?? 0) + 1;
  return { ...object, metadata: { ...metadata, generation } };
}
