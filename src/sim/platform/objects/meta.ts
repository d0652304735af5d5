import { type Json, type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';

export function nameOf(object: JsonObject): string {
  return textAt(object, 'metadata.name') ?? '';
}

/** Empty for kinds without one. */
export function namespaceOf(object: JsonObject): string {
  return textAt(object, 'metadata.namespace') ?? '';
}

/** `namespace/name`, or the name alone: what clients and queues call an object. */
export function keyOf(object: JsonObject): string {
  const namespace = namespaceOf(object);
  return namespace === '' ? nameOf(object) : `${namespace}/${nameOf(object)}`;
}

export function uidOf(object: JsonObject): string {
  return textAt(object, 'metadata.uid') ?? '';
}

export function versionOf(object: JsonObject): string {
  return textAt(object, 'metadata.resourceVersion') ?? '';
}

export function kindOf(object: JsonObject): string {
  return textAt(object, 'kind') ?? '';
}

export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  return textsAt(object, 'metadata.labels');
}

export function isTerminating(object: JsonObject): boolean {
  return textAt(object, 'metadata.deletionTimestamp') !== null;
}

export function finalizersOf(object: JsonObject): readonly Json[] {
  return listAt(object, 'metadata.finalizers');
}

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly isController: boolean;
  readonly blocksDeletion: boolean;
}

export function ownersOf(object: JsonObject): readonly Owner[] {
  return listAt(object, 'metadata.ownerReferences').map(ownerOf);
}

function ownerOf(reference: Json): Owner {
  return {
    apiVersion: textAt(reference, 'apiVersion') ?? '',
    kind: textAt(reference, 'kind') ?? '',
    name: textAt(reference, 'name') ?? '',
    uid: textAt(reference, 'uid') ?? '',
    isController: textAt(reference, 'controller') === 'true',
    blocksDeletion: textAt(reference, 'blockOwnerDeletion') === 'true',
  };
}

/** The one owner that looks after the object, null for a bare one. */
export function controllerOf(object: JsonObject): Owner | null {
  const found = listAt(object, 'metadata.ownerReferences').find(
    (reference) => textAt(reference, 'controller') === 'true',
  );
  return found === undefined ? null : ownerOf(found);
}

/** The reference by which `owner` looks after what it makes. */
export function controllerReference(owner: JsonObject): JsonObject {
  return {
    apiVersion: textAt(owner, 'apiVersion') ?? '',
    kind: kindOf(owner),
    name: nameOf(owner),
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** What an event is about (core/v1 ObjectReference). */
export interface ObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly namespace?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
}

export function referenceTo(object: JsonObject): ObjectReference {
  const namespace = namespaceOf(object);
  return {
    kind: kindOf(object),
    ...(namespace === '' ? {} : { namespace }),
    name: nameOf(object),
    uid: uidOf(object),
    apiVersion: textAt(object, 'apiVersion') ?? '',
    resourceVersion: versionOf(object),
  };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string | null;
  readonly lastHeartbeatTime: string | null;
}

export function conditionsOf(object: JsonObject): readonly Condition[] {
  return listAt(object, 'status.conditions').map(readCondition);
}

function readCondition(condition: Json): Condition {
  return {
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? '',
    reason: textAt(condition, 'reason') ?? '',
    message: textAt(condition, 'message') ?? '',
    lastTransitionTime: textAt(condition, 'lastTransitionTime'),
    lastHeartbeatTime: textAt(condition, 'lastHeartbeatTime'),
  };
}

export function conditionOf(object: JsonObject, type: string): Condition | null {
  const found = listAt(object, 'status.conditions').find(
    (condition) => (textAt(condition, 'type') ?? '') === type,
  );
  return found === undefined ? null : readCondition(found);
}
