import { isObject, type Json } from '../../evidence/json.ts';
import type { KubeObject, PatchType } from './contract.ts';
import { applied } from './apply/apply.ts';
import { create, received } from './create.ts';
import { shownAs } from './events.ts';
import { jsonPatch, OPERATIONS_MAX, PatchFailure } from './patch/json.ts';
import { mergePatch } from './patch/merge.ts';
import { goPrinted } from './patch/go-text.ts';
import { assertRestorable, unfit } from './patch/restore.ts';
import { strategicPatch } from './patch/strategic.ts';
import { badRequest, conflict, notFound, StatusError, Undecodable } from './refusal.ts';
import { schemaOf } from './schema/schema.ts';
import { type Scope, stored } from './scope.ts';
import { metadataOf } from './store.ts';
import { replaced, wrongName } from './update.ts';
import { wordOf } from './word.ts';

/** Changes an object by a patch; a version in the patch must be the stored one. @throws Refusal */
export function patch(scope: Scope, type: PatchType, body: Json): KubeObject {
  const before = stored(scope);
  if (type === 'strategic' && scope.kind.custom !== null) throw unsupportedPatch();
  if (type === 'apply') return byApplying(scope, before, body);
  if (before === null) throw notFound(scope.kind, scope.name);
  const shown = shownAs(scope.kind, before);
  const object = receivedPatched(scope, type, body, shown);
  const { name = '', resourceVersion = '' } = metadataOf(object);
  if (name !== scope.name) throw wrongName(wordOf(name), scope.name);
  if (resourceVersion !== '' && resourceVersion !== metadataOf(before)['resourceVersion'])
    throw conflict(scope.kind, scope.name);
  return replaced(scope, object, before);
}

/** The object as a patch leaves it, which is what a refusal shows. @throws Refusal 422 */
function receivedPatched(scope: Scope, type: PatchType, body: Json, shown: KubeObject): KubeObject {
  const patched = patchedBy(scope, type, shown, body);
  try {
    return received(scope, patched, shown);
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    throw unfit(type === 'strategic' ? goPrinted(body) : JSON.stringify(patched), error.why);
  }
}

/** Server-side apply to an object that exists. */
function byApplying(scope: Scope, before: KubeObject | null, body: Json): KubeObject {
  if (before === null) throw notFound(scope.kind, scope.name);
  const merged = applied(scope, before, body);
  const { managedFields } = metadataOf(merged);
  const object = received(scope, merged, before);
  const { name = '', resourceVersion = '' } = metadataOf(object);
  if (name !== scope.name) throw wrongName(wordOf(name), scope.name);
  if (resourceVersion !== metadataOf(before)['resourceVersion'])
    throw conflict(scope.kind, scope.name);
  return replaced(scope, object, before, managedFields ?? []);
}

/** Server-side apply of an object that is new. */
export function createdByApplying(scope: Scope, body: Json): KubeObject {
  const object = applied(scope, null, body);
  return create({ ...scope, name: '' }, object, metadataOf(object)['managedFields'] ?? []);
}

/** The object as a patch leaves it, unchecked. @throws Refusal 400, 415, 422 */
export function patchedBy(scope: Scope, type: PatchType, before: KubeObject, body: Json): Json {
  if (type === 'json') return byOperations(before, body);
  const prefix = type === 'merge' ? 'error decoding patch: ' : '';
  if (!isObject(body)) throw badRequest(prefix + cannotUnmarshal(body, 'map[string]interface {}'));
  if (type === 'merge') return mergePatch(before, body);
  assertRestorable(body, schemaOf(scope.kind));
  return strategicPatch(before, body, schemaOf(scope.kind));
}

function byOperations(before: KubeObject, body: Json): Json {
  if (!Array.isArray(body))
    throw badRequest(`error decoding patch: ${cannotUnmarshal(body, '[]handlers.jsonPatchOp')}`);
  if (body.length > OPERATIONS_MAX) throw tooManyOperations(body.length);
  try {
    return jsonPatch(before, body as readonly Json[]);
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    throw unprocessable();
  }
}

function unsupportedPatch(): StatusError {
  const message =
    'the body of the request was in an unknown format - accepted media types include: ' +
    'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}

/** The server keeps to itself which operation did not fit. */
function unprocessable(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} });
}

function cannotUnmarshal(body: Json, type: string): string {
  const what = Array.isArray(body) ? 'array' : isObject(body) ? 'object' : typeof body;
  return `json: cannot unmarshal ${what} into Go value of type ${type}`;
}

function tooManyOperations(count: number): StatusError {
  const message = `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${count}`;
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message, details: {} });
}
