import { isEqual } from '../evidence/equal.ts';
import { isObject, type Json, type JsonObject, textAt } from '../evidence/json.ts';
import type { Action, ActionWrite } from '../ports/action.ts';

/**
 * What an object shows of a write whose answer was lost: it took effect, the object is another by
 * now so that it cannot any more, or neither is seen.
 */
export type Effect = 'took-effect' | 'overtaken' | 'not-seen';

/** @param object as it was read after the write was sent; null when there is none */
export function effectOf({ object: { seen }, write }: Action, object: JsonObject | null): Effect {
  const isRemoval = write.verb === 'delete' || write.verb === 'evict';
  if (seen === null) return madeNew(write, object);
  if (object === null) return absentAfter(write);
  if (textAt(object, 'metadata.uid') !== seen.uid) return isRemoval ? 'took-effect' : 'overtaken';
  const isSameVersion = textAt(object, 'metadata.resourceVersion') === seen.resourceVersion;
  if (isRemoval) return removed(write, object, isSameVersion);
  return changed(write, object, isSameVersion);
}

/** Of an object that was seen to be absent; an apply may still come, also where others made it. */
function madeNew(write: ActionWrite, object: JsonObject | null): Effect {
  if (object === null) return 'not-seen';
  if (isWithin(write, object) === true) return 'took-effect';
  return write.verb === 'create' ? 'overtaken' : 'not-seen';
}

function absentAfter({ verb }: ActionWrite): Effect {
  return verb === 'delete' || verb === 'evict' ? 'took-effect' : 'overtaken';
}

function removed(write: ActionWrite, object: JsonObject, isSameVersion: boolean): Effect {
  if (textAt(object, 'metadata.deletionTimestamp') !== null) return 'took-effect';
  // An eviction writes a condition before it deletes, so its version says nothing.
  const isGuarded = write.verb === 'delete' && write.requires === 'same-version';
  return isGuarded && !isSameVersion ? 'overtaken' : 'not-seen';
}

function changed(write: ActionWrite, object: JsonObject, isSameVersion: boolean): Effect {
  // What is left out of these is removed, so that content shows nothing while the version stays.
  const isWhole =
    write.verb === 'update' || (write.verb === 'patch' && write.patch.type === 'apply');
  if (isSameVersion && isWhole) return 'not-seen';
  const isThere = isWithin(write, object);
  if (isThere === true) return 'took-effect';
  if (isThere === null || isSameVersion) return 'not-seen';
  return isGuardedByVersion(write) ? 'overtaken' : 'not-seen';
}

/** True when another version keeps the write from taking effect later. */
export function isGuardedByVersion(write: ActionWrite): boolean {
  if (write.verb === 'create') return false;
  if (write.verb === 'update') return true;
  if (write.verb !== 'patch') return write.requires === 'same-version';
  const { patch, requires, subresource } = write;
  // These have no other precondition that every server checks.
  const hasOnlyVersion =
    patch.type === 'apply' || (patch.type !== 'json' && subresource !== undefined);
  return requires === 'same-version' || hasOnlyVersion;
}

/** Whether an object has what was written; null when that cannot be told. */
function isWithin(write: ActionWrite, object: JsonObject): boolean | null {
  if (write.verb === 'create') return hasContent(object, ownContent(write.object), 'kept');
  if (write.verb === 'update') return isReplaced(write, object);
  if (write.verb !== 'patch') return null;
  const { patch } = write;
  if (patch.type === 'json') return allOf(patch.operations.map((one) => hasOperation(object, one)));
  if (patch.type === 'apply') return hasContent(object, ownContent(patch.object), 'kept');
  if (write.subresource === 'scale') return null;
  return hasContent(object, ownContent(patch.change), patch.type);
}

function isReplaced(
  { object: sent, subresource }: Extract<ActionWrite, { verb: 'update' }>,
  object: JsonObject,
): boolean | null {
  if (subresource === 'status') return isEqual(object['status'] ?? null, sent['status'] ?? null);
  if (subresource !== undefined) return null;
  return isEqual(withoutStatus(ownContent(object)), withoutStatus(ownContent(sent)));
}

function withoutStatus(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'status'));
}

const SET_BY_SERVER = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
]);

/** Without what the server sets, and what is a precondition. */
function ownContent(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  const own = Object.entries(metadata).filter(([key]) => !SET_BY_SERVER.has(key));
  return { ...object, metadata: Object.fromEntries(own) };
}

/** How lists are written, and what null means: removed by a patch, nothing in an object. */
type Manner = 'merge' | 'strategic' | 'kept';

function hasContent(found: Json | undefined, wanted: Json, manner: Manner): boolean | null {
  if (wanted === null) return found === undefined || found === null;
  if (isObject(wanted)) return hasFields(found, wanted, manner);
  if (!Array.isArray(wanted)) return found === wanted;
  if (!Array.isArray(found)) return wanted.length === 0 && found === undefined;
  return hasItems(found as readonly Json[], wanted as readonly Json[], manner);
}

function hasFields(found: Json | undefined, wanted: JsonObject, manner: Manner): boolean | null {
  const entries = Object.entries(wanted);
  if (manner === 'strategic' && entries.some(([key]) => key.startsWith('$'))) return null;
  if (!isObject(found)) return found === undefined && entries.every(([, one]) => one === null);
  return allOf(
    entries.map(([key, one]) =>
      hasContent(Object.hasOwn(found, key) ? found[key] : undefined, one, manner),
    ),
  );
}

function hasItems(found: readonly Json[], wanted: readonly Json[], manner: Manner): boolean | null {
  if (manner !== 'strategic')
    return (
      found.length === wanted.length &&
      allOf(wanted.map((one, index) => hasContent(found[index], one, manner)))
    );
  return allOf(
    wanted.map((one) => {
      const each = found.map((item) => hasContent(item, one, manner));
      return each.includes(true) ? true : each.includes(null) ? null : false;
    }),
  );
}

/** False where one is false; null where one cannot be told. */
function allOf(each: readonly (boolean | null)[]): boolean | null {
  if (each.includes(false)) return false;
  return each.includes(null) ? null : true;
}

const PRECONDITIONS = new Set(['/metadata/uid', '/metadata/resourceVersion']);

/** Whether an operation of a JSON patch shows; null in lists, whose places move. */
function hasOperation(object: JsonObject, operation: JsonObject): boolean | null {
  const { op, value = null } = operation;
  const path = textAt(operation, 'path') ?? '';
  if (op === 'test' || PRECONDITIONS.has(path)) return true;
  const keys = path.split('/').slice(1).map(unescaped);
  const last = keys.pop();
  let parent: Json | undefined = object;
  for (const key of keys) {
    if (Array.isArray(parent)) return null;
    parent = isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
  }
  if (last === undefined || Array.isArray(parent)) return null;
  const found = isObject(parent) && Object.hasOwn(parent, last) ? parent[last] : undefined;
  if (op === 'remove') return found === undefined;
  if (op !== 'add' && op !== 'replace') return null;
  return found !== undefined && isEqual(found, value);
}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
