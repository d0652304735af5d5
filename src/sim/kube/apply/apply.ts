import { isObject, type Json } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { apiVersionOf } from '../kinds.ts';
import { badRequest, StatusError } from '../refusal.ts';
import { objectAt } from '../rules/fields.ts';
import { schemaOf } from '../schema/schema.ts';
import { type Scope, secondsStamp } from '../scope.ts';
import { metadataOf } from '../store.ts';
import { compare, setOf } from './compare.ts';
import {
  common,
  type FieldSet,
  fieldsOf,
  isNothing,
  minus,
  NOTHING,
  placesOf,
  union,
} from './field-set.ts';
import {
  firstOwner,
  isSameOwner,
  ownable,
  type Owner,
  ownersOf,
  plain,
  withOwners,
} from './managed.ts';
import { mergedValue, without } from './merge.ts';
import { assertTyped } from './typed.ts';

/**
 * What a live object becomes when a manager applies a configuration, with its owners; null live
 * when there is none yet. @throws Refusal 400, 409, 422, 500
 */
export function applied(scope: Scope, live: KubeObject | null, body: Json): KubeObject {
  const owner = applierOf(scope);
  if (!isObject(body))
    throw badRequest('error decoding YAML: the body of the request is no object');
  if (metadataOf(body)['managedFields'] !== undefined)
    throw badRequest('metadata.managedFields must be nil');
  assertTyped(scope.kind, body);
  const schema = schemaOf(scope.kind);
  const mine = ownable(scope, setOf(plain(body), schema, false));
  const owners = live === null ? [] : knownOwners(scope, live);
  const known = owners.find((one) => isSameOwner(one, owner));
  const others = owners.filter((one) => one !== known);
  const merged = mergedValue(live ?? undefined, withoutServerFields(body), schema);
  const given = minus(known?.set ?? NOTHING, mine);
  const abandoned = others.reduce((rest, one) => minus(rest, one.set), given);
  const object = (without(merged, abandoned, schema) ?? {}) as KubeObject;
  const { changed } =
    live === null ? { changed: NOTHING } : compare(plain(live), plain(object), schema);
  const contested = common(mine, changed);
  const isForced = scope.query['force'] === 'true';
  const kept = resolved(others, contested, isForced ? contested : migrated(scope, live));
  const isSame = known !== undefined && isEqual(fieldsOf(known.set), fieldsOf(mine));
  return withOwners(object, [...kept, isSame ? known : { ...owner, set: mine }]);
}

function knownOwners(scope: Scope, live: KubeObject): readonly Owner[] {
  const owners = ownersOf(live);
  return owners.length > 0 ? owners : [firstOwner(scope, live)];
}

/** What the server alone writes may stand in a configuration and changes nothing. */
function withoutServerFields(body: KubeObject): KubeObject {
  const { uid: _, resourceVersion, creationTimestamp: __, ...metadata } = metadataOf(body);
  return {
    ...body,
    metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  };
}

function applierOf(scope: Scope): Owner {
  const appliedBy = scope.query['fieldManager'] ?? '';
  if (appliedBy === '') throw ownerless();
  return {
    manager: appliedBy,
    operation: 'Apply',
    apiVersion: apiVersionOf(scope.kind),
    subresource: scope.subresource ?? '',
    time: secondsStamp(scope.core.kernel.nowMs()),
    set: NOTHING,
  };
}

function ownerless(): StatusError {
  const field = 'fieldManager';
  const message = 'Required value: is required for apply patch';
  const causes = [{ reason: 'FieldValueRequired', message, field }];
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `PatchOptions.meta.k8s.io "" is invalid: ${field}: ${message}`,
    details: { group: 'meta.k8s.io', kind: 'PatchOptions', causes },
  });
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What kubectl applied by itself and nobody changed since, it takes over without asking. */
function migrated(scope: Scope, live: KubeObject | null): FieldSet {
  if (live === null || scope.query['fieldManager'] !== 'kubectl') return NOTHING;
  const text = objectAt(metadataOf(live), 'annotations')[LAST_APPLIED];
  try {
    const before: unknown = JSON.parse(typeof text === 'string' ? text : '{}');
    if (!isObject(before as Json)) return NOTHING;
    const [was, schema] = [plain(before as KubeObject), schemaOf(scope.kind)];
    const { changed } = compare(was, plain(live), schema);
    return minus(ownable(scope, setOf(was, schema, false)), changed);
  } catch {
    return NOTHING;
  }
}

/**
 * The other owners, without what is taken from them.
 *
 * @param free what may be taken
 * @throws Refusal 409 when more would have to be
 */
function resolved(others: readonly Owner[], contested: FieldSet, free: FieldSet): readonly Owner[] {
  const conflicts = others
    .map((owner) => ({ owner, set: common(owner.set, contested) }))
    .filter(({ set }) => !isNothing(set));
  if (conflicts.length === 0) return others;
  const taken = conflicts.reduce((all, { set }) => union(all, set), NOTHING);
  if (!isNothing(minus(taken, free))) throw conflicting(conflicts);
  return others.map((one) => ({ ...one, set: minus(one.set, taken) }));
}

interface Conflict {
  readonly owner: Owner;
  readonly set: FieldSet;
}

function conflicting(conflicts: readonly Conflict[]): StatusError {
  const told = conflicts
    .toSorted((a, b) => (identifierOf(a.owner) < identifierOf(b.owner) ? -1 : 1))
    .map(({ owner, set }) => ({ who: words(owner), places: placesOf(set) }));
  const causes = told.flatMap(({ who, places }) =>
    places.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${who}`,
      field,
    })),
  );
  const [only] = causes;
  const message =
    only !== undefined && causes.length === 1
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${told.map(listed).join('\n')}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${message}`,
    details: { causes },
  });
}

function listed({ who, places }: { readonly who: string; readonly places: readonly string[] }) {
  return `conflicts with ${who}:\n${places.map((place) => `- ${place}`).join('\n')}`;
}

/** By which the server sorts owners: their entry as JSON, without time and fields. */
function identifierOf({ manager, operation, apiVersion, subresource }: Owner): string {
  return JSON.stringify({
    manager,
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

function words({ manager, operation, apiVersion, subresource }: Owner): string {
  if (operation !== 'Update') return `"${manager}"`;
  const part = subresource === '' ? '' : ` with subresource "${subresource}"`;
  return `"${manager}"${part} using ${apiVersion}`;
}
