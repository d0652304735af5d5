import { type Json, textAt } from '../../evidence/json.ts';
import { admitted } from './admission.ts';
import type { KubeObject } from './contract.ts';
import { tracked, writeTracked } from './apply/managed.ts';
import { create, received, withManagedFields } from './create.ts';
import { isEqual } from '../../evidence/equal.ts';
import { badRequest, conflict, invalidVersion, notFound, type StatusError } from './refusal.ts';
import { withKey } from './rules/fields.ts';
import { objectKey, type Scope, stored } from './scope.ts';
import { metadataOf } from './store.ts';
import { forUpdate } from './strategy.ts';
import { wordOf } from './word.ts';

/** Replaces an object, or its status; what stays the same keeps its version. @throws Refusal */
export function update(scope: Scope, body: Json): { object: KubeObject; isNew: boolean } {
  const before = stored(scope);
  const object = received(scope, body, before);
  const name = textAt(object, 'metadata.name') ?? '';
  if (name !== scope.name) throw wrongName(name, scope.name);
  if (before === null) return { object: createdByUpdate(scope, object), isNew: true };
  assertVersion(scope, object, before);
  return { object: replaced(scope, object, before), isNew: false };
}

function createdByUpdate(scope: Scope, object: KubeObject): KubeObject {
  if (!scope.kind.createsOnUpdate || scope.subresource !== null)
    throw notFound(scope.kind, scope.name);
  assertUid(scope, metadataOf(object)['uid'], '');
  // A version that was meant for an earlier object of this name does not matter.
  const version = metadataOf(object)['resourceVersion'];
  const metadata = withKey(metadataOf(object), 'resourceVersion', undefined);
  const made = create(scope, { ...object, metadata });
  // Only what is stored gets another one.
  // An empty version is one that is not given.
  return scope.isDryRun ? withVersion(made, version === '' ? undefined : version) : made;
}

function withVersion(object: KubeObject, version: Json | undefined): KubeObject {
  return { ...object, metadata: withKey(metadataOf(object), 'resourceVersion', version) };
}

function assertVersion(scope: Scope, object: KubeObject, before: KubeObject): void {
  const [asked, own] = [metadataOf(object), metadataOf(before)];
  assertUid(scope, asked['uid'], own['uid']);
  const version = asked['resourceVersion'] ?? '';
  if (version === '' || version === '0') {
    if (scope.kind.needsVersion) throw invalidVersion(scope.kind, scope.name);
  } else if (version !== own['resourceVersion']) throw conflict(scope.kind, scope.name);
}

export function wrongName(name: string, onUrl: string): StatusError {
  return badRequest(
    `the name of the object (${name}) does not match the name on the URL (${onUrl})`,
  );
}

function assertUid(scope: Scope, asked: Json | undefined, own: Json | undefined): void {
  if (asked === undefined || asked === '' || asked === own) return;
  throw conflict(
    scope.kind,
    scope.name,
    `StorageError: invalid object, Code: 4, Key: ${storageKey(scope)}, ResourceVersion: 0, ` +
      `AdditionalErrorMsg: Precondition failed: UID in precondition: ${wordOf(asked)}, ` +
      `UID in object meta: ${wordOf(own)}`,
  );
}

/** Where etcd has the object; a few kinds are kept under older names. */
function storageKey(scope: Scope): string {
  const { custom, group, plural } = scope.kind;
  const folder = custom === null ? (STORED_AS[plural] ?? plural) : `${group}/${plural}`;
  return `${scope.isDryRun ? '' : '/registry'}/${folder}/${objectKey(scope)}`;
}

const STORED_AS: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
};

/**
 * Stores a new state of an existing object, which may be its end.
 *
 * @param owners its `managedFields` when it was applied, maybe none, else null
 */
export function replaced(
  scope: Scope,
  object: KubeObject,
  before: KubeObject,
  owners: Json = null,
): KubeObject {
  const ready = forUpdate(scope, admitted(scope, object, before), before);
  const after = owned(scope, ready, before, owners);
  if (after === before) return before;
  if (scope.isDryRun) return after;
  return writeTracked(scope, owners !== null, before, () => {
    const ends = isFinished(after);
    const { store } = scope.core;
    const written = store.write(scope.table, objectKey(scope), ends ? null : after);
    // Who takes the last finalizer away is answered without it; watches tell what was stored.
    return ends ? after : written;
  });
}

function owned(scope: Scope, object: KubeObject, before: KubeObject, owners: Json): KubeObject {
  if (owners === null) return object === before ? before : tracked(scope, object, before);
  const isSame = object === before && isEqual(metadataOf(before)['managedFields'] ?? [], owners);
  return isSame ? before : withManagedFields(object, owners);
}

/** Marked for deletion, without grace and without finalizers left. */
export function isFinished(object: KubeObject): boolean {
  const metadata = metadataOf(object);
  if (metadata['deletionTimestamp'] === undefined) return false;
  if (Number(metadata['deletionGracePeriodSeconds'] ?? 0) > 0) return false;
  const finalizers = metadata['finalizers'];
  return !Array.isArray(finalizers) || finalizers.length === 0;
}
