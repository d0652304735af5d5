import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { apiVersionOf } from '../kinds.ts';
import { listIn, objectAt, textIn, withKey } from '../rules/fields.ts';
import { rulesOf } from '../rules/table.ts';
import { schemaOf } from '../schema/schema.ts';
import { type Scope, secondsStamp } from '../scope.ts';
import { metadataOf } from '../store.ts';
import { compare, setOf } from './compare.ts';
import {
  type FieldSet,
  fieldSetOf,
  fieldsOf,
  isNothing,
  minus,
  NOTHING,
  union,
} from './field-set.ts';

/** Who set which fields, one entry of `metadata.managedFields`. */
export interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly set: FieldSet;
}

export function ownersOf(object: KubeObject): readonly Owner[] {
  return listIn(metadataOf(object), 'managedFields')
    .filter(isObject)
    .map((entry) => ({
      manager: textIn(entry, 'manager'),
      operation: textIn(entry, 'operation'),
      apiVersion: textIn(entry, 'apiVersion'),
      subresource: textIn(entry, 'subresource'),
      time: textIn(entry, 'time'),
      set: fieldSetOf(entry['fieldsV1']),
    }));
}

export function withOwners(object: KubeObject, owners: readonly Owner[]): KubeObject {
  const entries = owners
    .filter(({ set }) => !isNothing(set))
    .toSorted(byRank)
    .map(entryOf);
  const own = entries.length === 0 ? undefined : entries;
  return { ...object, metadata: withKey(metadataOf(object), 'managedFields', own) };
}

/** Appliers first, then by time and name, as the server writes them. */
function byRank(a: Owner, b: Owner): number {
  const rank = ({
    operation,
    time,
    manager,
    apiVersion,
    subresource,
  }: Owner): readonly string[] => [operation, time, manager, apiVersion, subresource];
  const [mine, theirs] = [rank(a), rank(b)];
  const at = mine.findIndex((part, index) => part !== theirs[index]);
  return at < 0 || (mine[at] ?? '') < (theirs[at] ?? '') ? -1 : 1;
}

function entryOf({ manager, operation, apiVersion, subresource, time, set }: Owner): JsonObject {
  return {
    manager,
    operation,
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsOf(set),
    ...(subresource === '' ? {} : { subresource }),
  };
}

/** Fields that belong to the server and to nobody else. */
const UNOWNED = fieldSetOf({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:uid': {},
    'f:creationTimestamp': {},
    'f:generation': {},
    'f:generateName': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
    'f:selfLink': {},
    'f:deletionTimestamp': {},
    'f:deletionGracePeriodSeconds': {},
  },
});

/** What a writer of an object, or of its status, may own. */
export function ownable(scope: Scope, set: FieldSet): FieldSet {
  const kids = new Map(minus(set, UNOWNED).kids);
  if (scope.subresource === 'status')
    for (const key of kids.keys()) if (key !== 'f:status' && key !== 'f:metadata') kids.delete(key);
  if (scope.subresource === null && scope.kind.hasStatus && scope.kind.kind !== 'Node')
    kids.delete('f:status');
  return { self: false, kids };
}

/** A change by a client that does not apply: it owns what it changed, others do no more. */
export function tracked(scope: Scope, object: KubeObject, before: KubeObject | null): KubeObject {
  const writtenBy = scope.query['fieldManager'] ?? '';
  const owners = before === null ? [] : ownersOf(before);
  const isDisowned = before !== null && scope.core.disowned.has(before);
  if (owners.length === 0 && (writtenBy === '' || isDisowned)) return object;
  if (scope.writesAs === 'scale' && !owners.some(ownsReplicas)) return object;
  const schema = schemaOf(scope.kind);
  const { changed, removed } = compare(
    plain(before ?? blank(scope, object)),
    plain(object),
    schema,
  );
  const [mine, gone] = saidAndGone(scope, object, ownable(scope, changed), removed);
  const owner = updateOwner(scope, writtenBy === '' ? scope.user.name : writtenBy);
  const others = owners.map((one) =>
    isSameOwner(one, owner) ? one : lessened(one, union(mine, gone)),
  );
  return withOwners(object, grown(others, owner, mine, gone));
}

/** A Scale shows the owners of its replicas alone; where it has none, who changes it is not noted. */
function ownsReplicas({ set }: Owner): boolean {
  return set.kids.get('f:spec')?.kids.has('f:replicas') === true;
}

/** A Scale of no replicas has no such field (`omitempty`): they belong to nobody then. */
function saidAndGone(
  { writesAs }: Scope,
  object: KubeObject,
  mine: FieldSet,
  removed: FieldSet,
): readonly [said: FieldSet, gone: FieldSet] {
  const isNone = writesAs === 'scale' && objectAt(object, 'spec')['replicas'] === 0;
  return isNone ? [NOTHING, union(mine, removed)] : [mine, removed];
}

/**
 * Stores an object, and remembers when nobody owns a field of it: from then on nobody who does not
 * apply is noted (apiserver fieldmanager, skipNonApplied). What is written here without a name was
 * never looked at, and may be noted later.
 *
 * @param before what it was; null when it is new
 */
export function writeTracked(
  scope: Scope,
  isApplied: boolean,
  before: KubeObject | null,
  write: () => KubeObject,
): KubeObject {
  const written = write();
  const { disowned } = scope.core;
  const isNoted = isApplied || (scope.query['fieldManager'] ?? '') !== '';
  const isLeft = isNoted || (before !== null && disowned.has(before));
  if (isLeft && metadataOf(written)['managedFields'] === undefined) disowned.add(written);
  return written;
}

/** What an object of this kind is before anybody said anything about it. */
function blank({ kind }: Scope, object: KubeObject): KubeObject {
  const parts = ['spec', 'status'].filter((key) => isObject(object[key]));
  const empty = Object.fromEntries(parts.map((key) => [key, {}]));
  return { ...empty, metadata: {}, ...rulesOf(kind).zero };
}

function updateOwner(scope: Scope, manager: string): Owner {
  return {
    manager,
    operation: 'Update',
    apiVersion: apiVersionOf(scope.kind),
    subresource: scope.writesAs ?? scope.subresource ?? '',
    time: secondsStamp(scope.core.kernel.nowMs()),
    set: NOTHING,
  };
}

export function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    a.apiVersion === b.apiVersion
  );
}

function lessened(owner: Owner, gone: FieldSet): Owner {
  return { ...owner, set: minus(owner.set, gone) };
}

function grown(
  owners: readonly Owner[],
  owner: Owner,
  mine: FieldSet,
  removed: FieldSet,
): readonly Owner[] {
  const known = owners.find((one) => isSameOwner(one, owner));
  if (known === undefined) return isNothing(mine) ? owners : [...owners, { ...owner, set: mine }];
  const set = minus(union(known.set, mine), removed);
  const isChanged = !isEqual(fieldsOf(set), fieldsOf(known.set));
  const time = isChanged ? owner.time : known.time;
  return owners.map((one) => (one === known ? { ...known, time, set } : one));
}

/** An object as ownership sees it. */
export function plain(object: KubeObject): Json {
  const metadata = withKey(metadataOf(object), 'managedFields', undefined);
  return { ...object, metadata };
}

/** The fields of an object that nobody was noted for. */
export function firstOwner(scope: Scope, object: KubeObject): Owner {
  const all = ownable(
    { ...scope, subresource: null },
    setOf(plain(object), schemaOf(scope.kind), true),
  );
  return { ...updateOwner({ ...scope, subresource: null }, 'before-first-apply'), set: all };
}
