import { at, isObject, type Json, type JsonObject, listAt } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import { isEqual } from '../../evidence/equal.ts';
import { badRequest, conflictOf, notFound, StatusError } from './refusal.ts';
import { restrictDeletion } from './node-restriction.ts';
import { objectKey, type Scope, secondsStamp, stored } from './scope.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** DeleteOptions as they stand in a body or a query. */
export interface Deletion {
  readonly graceSeconds: number | null;
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  readonly propagation: string | null;
}

export interface Deleted {
  readonly object: KubeObject;
  /** False when it only began: the object waits for its kubelet or its finalizers. */
  readonly isGone: boolean;
}

export function deletionOf(query: Readonly<Record<string, string>>, body: Json): Deletion {
  const text = (path: string): string | null => {
    const value = at(body, path) ?? query[path];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const own = at(body, 'gracePeriodSeconds');
  const grace = own ?? query['gracePeriodSeconds'];
  if (typeof own === 'string') throw badRequest(NO_NUMBER);
  assertPropagation(text('propagationPolicy'));
  return {
    graceSeconds: grace === undefined ? null : Number(grace),
    uid: text('preconditions.uid'),
    resourceVersion: text('preconditions.resourceVersion'),
    propagation: text('propagationPolicy') ?? orphaning(body),
  };
}

const NO_NUMBER =
  'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64';

function assertPropagation(policy: string | null): void {
  if (policy === null || ['Foreground', 'Background', 'Orphan'].includes(policy)) return;
  const message = `Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`;
  const causes = [{ reason: 'FieldValueNotSupported', message, field: 'propagationPolicy' }];
  throw new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: ${message}`,
    details: { group: 'meta.k8s.io', kind: 'DeleteOptions', causes },
  });
}

function orphaning(body: Json): string | null {
  return isObject(body) && body['orphanDependents'] === true ? 'Orphan' : null;
}

/** Deletes an object, or marks it for deletion. @throws Refusal 404, 409 */
export function remove(scope: Scope, deletion: Deletion): Deleted {
  const object = stored(scope);
  if (object === null) throw notFound(scope.kind, scope.name);
  assertPreconditions(scope, deletion, object);
  restrictDeletion(scope, object);
  const graceSeconds = graceOf(scope, deletion, object);
  const finalizers = finalizersOf(scope, deletion, object);
  const marked = markedObject(scope, object, graceSeconds, finalizers);
  if (graceSeconds === 0 && finalizers.length === 0)
    return gone(scope, endsGracefully(scope) ? markedFirst(scope, object, marked) : object);
  if (marked === object || scope.isDryRun) return { object: marked, isGone: false };
  const written = scope.core.store.write(scope.table, objectKey(scope), marked);
  return { object: written, isGone: false };
}

/** Pods are given time, be it none, by a write of its own (apiserver registry store, Delete). */
function endsGracefully({ kind }: Scope): boolean {
  return kind.kind === 'Pod' && kind.group === '';
}

function markedFirst(scope: Scope, object: KubeObject, marked: KubeObject): KubeObject {
  if (marked === object || scope.isDryRun) return marked;
  return scope.core.store.write(scope.table, objectKey(scope), marked);
}

function gone(scope: Scope, object: KubeObject): Deleted {
  if (scope.isDryRun) return { object, isGone: true };
  const { store } = scope.core;
  return { object: store.write(scope.table, objectKey(scope), null, object), isGone: true };
}

function assertPreconditions({ kind, name }: Scope, deletion: Deletion, object: KubeObject): void {
  const { uid, resourceVersion } = metadataOf(object);
  const refuse = (what: string, asked: string, own: Json | undefined, how: string): void => {
    if (asked === own) return;
    const why = `the ${what} in the precondition (${asked}) does not match the ${what} in record`;
    throw conflictOf(kind, name, `${why} (${wordOf(own)}). The object might have been ${how}`);
  };
  if (deletion.uid !== null) refuse('UID', deletion.uid, uid, 'deleted and then recreated');
  if (deletion.resourceVersion !== null)
    refuse('ResourceVersion', deletion.resourceVersion, resourceVersion, 'modified');
}

/** What a pod is given when neither it nor the request says (core/v1). */
const POD_GRACE_SECONDS = 30;

/** Only pods end gracefully, and only those that a kubelet may be running. */
function graceOf(scope: Scope, { graceSeconds }: Deletion, object: KubeObject): number {
  if (!endsGracefully(scope)) return 0;
  if (at(object, 'metadata.deletionTimestamp') !== undefined)
    return notNegative(graceSeconds ?? graceLeft(object));
  const own = at(object, 'spec.terminationGracePeriodSeconds');
  const asked = graceSeconds ?? (typeof own === 'number' ? own : POD_GRACE_SECONDS);
  const phase = at(object, 'status.phase');
  if (!at(object, 'spec.nodeName') || phase === 'Failed' || phase === 'Succeeded') return 0;
  return notNegative(asked);
}

/** A pod that already ends keeps its time, finished or not, until a request names a shorter one. */
function graceLeft(object: KubeObject): number {
  return Number(at(object, 'metadata.deletionGracePeriodSeconds') ?? 0);
}

/** Less than nothing is taken for a second (apiserver, rest.BeforeDelete). */
function notNegative(graceSeconds: number): number {
  return graceSeconds < 0 ? 1 : graceSeconds;
}

const BY_POLICY: Readonly<Record<string, string>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

function finalizersOf(scope: Scope, deletion: Deletion, object: KubeObject): readonly Json[] {
  const own = listAt(object, 'metadata.finalizers');
  const propagation = deletion.propagation ?? customaryPropagation(scope);
  const wanted = propagation === null ? undefined : BY_POLICY[propagation];
  const others = own.filter((one) => propagation === null || !isPropagation(one));
  const held = scope.kind.kind === 'Namespace' ? listAt(object, 'spec.finalizers') : [];
  const all = wanted === undefined ? others : [...others, wanted];
  return held.length > 0 && all.length === 0 ? held : all;
}

/** Jobs leave their pods behind unless told otherwise. */
function customaryPropagation({ kind, warnings }: Scope): string | null {
  if (kind.kind !== 'Job') return null;
  warnings.push(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background ' +
      'to remove them or set propagationPolicy=Orphan to suppress this warning',
  );
  return 'Orphan';
}

function isPropagation(finalizer: Json): boolean {
  return Object.values(BY_POLICY).some((one) => one === finalizer);
}

function markedObject(
  scope: Scope,
  object: KubeObject,
  graceSeconds: number,
  finalizers: readonly Json[],
): KubeObject {
  const metadata = metadataOf(object);
  const isNamespace = scope.kind.kind === 'Namespace';
  const kept = isNamespace || finalizers.length === 0 ? {} : { finalizers };
  if (metadata['deletionTimestamp'] !== undefined) {
    const left = graceLeft(object);
    if (left <= graceSeconds) return withMetadata(object, { ...metadata, ...kept });
    return withMetadata(object, { ...metadata, ...kept, ...endAt(scope, graceSeconds) });
  }
  const generation = Number(metadata['generation'] ?? 0) + 1;
  const begun = withMetadata(object, {
    ...metadata,
    ...endAt(scope, graceSeconds),
    ...kept,
    ...(scope.kind.hasGeneration ? { generation } : {}),
  });
  return isNamespace ? { ...begun, status: { phase: 'Terminating' } } : begun;
}

function endAt({ core, kind }: Scope, graceSeconds: number): JsonObject {
  const deletionTimestamp = secondsStamp(core.kernel.nowMs() + graceSeconds * 1000);
  if (kind.kind === 'Namespace') return { deletionTimestamp };
  return { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
}

/** The object itself where nothing of its metadata changed. */
function withMetadata(object: KubeObject, metadata: JsonObject): KubeObject {
  return isEqual(object['metadata'], metadata) ? object : { ...object, metadata };
}
