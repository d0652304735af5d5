import type { JsonObject } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import {
  finalizersOf,
  isTerminating,
  keyOf,
  namespaceOf,
  type Owner,
  ownersOf,
  uidOf,
} from '../objects/meta.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue, type WorkQueue } from '../running/work-queue.ts';

/** Kinds that own something here or are owned. */
const KINDS = [
  'Node',
  'Pod',
  'ReplicaSet',
  'Deployment',
  'DaemonSet',
  'Lease',
  'CSINode',
  'Service',
  'EndpointSlice',
] as const;

interface Vertex {
  readonly kind: string;
  readonly object: JsonObject;
  readonly owners: readonly Owner[];
}

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** The garbage collector: what all owners of are gone goes too, by their UIDs. */
export function startGarbageCollector(world: World, options: ActorOptions = {}): Running {
  const name = 'generic-garbage-collector';
  return new GarbageCollector(createActor(world, name, controllerUser(name), options));
}

class GarbageCollector implements Running {
  readonly #actor: Actor;
  readonly #queue: WorkQueue;
  /** Objects by UID, as seen. */
  readonly #vertices = new Map<string, Vertex>();
  readonly #dependents = new Map<string, Set<string>>();

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#queue = createSyncQueue(actor, (uid) => this.#sync(uid));
    for (const kind of KINDS)
      actor.follow(kind, (type, object, before) => this.#onChange(kind, type, object, before));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onChange(kind: string, type: string, object: JsonObject, before: JsonObject | null): void {
    const uid = uidOf(object);
    if (type === 'DELETED') {
      this.#removed(uid);
      return;
    }
    const known = this.#vertices.get(uid);
    if (known !== undefined && before !== null && isSameForUs(before, object)) {
      this.#vertices.set(uid, { ...known, object });
      return;
    }
    this.#link(uid, { kind, object, owners: ownersOf(object) }, known);
    if (type === 'ADDED' || isTerminating(object)) this.#queue.add(uid);
  }

  #link(uid: string, vertex: Vertex, known: Vertex | undefined): void {
    this.#vertices.set(uid, vertex);
    for (const owner of known?.owners ?? []) this.#dependents.get(owner.uid)?.delete(uid);
    for (const owner of vertex.owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents === undefined) this.#dependents.set(owner.uid, new Set([uid]));
      else dependents.add(uid);
    }
  }

  #removed(uid: string): void {
    for (const owner of this.#vertices.get(uid)?.owners ?? []) {
      this.#dependents.get(owner.uid)?.delete(uid);
      if (this.#dependents.get(owner.uid)?.size === 0) this.#queue.add(owner.uid);
    }
    this.#vertices.delete(uid);
    for (const dependent of this.#dependents.get(uid) ?? []) this.#queue.add(dependent);
    if (this.#dependents.get(uid)?.size === 0) this.#dependents.delete(uid);
  }

  #sync(uid: string): void {
    const vertex = this.#vertices.get(uid);
    if (vertex === undefined) return;
    if (isTerminating(vertex.object)) this.#finish(uid, vertex);
    else if (vertex.owners.length > 0 && this.#mayBeOrphan(vertex)) this.#judge(uid, vertex);
  }

  #mayBeOrphan({ owners }: Vertex): boolean {
    return owners.some(({ uid }) => {
      const owner = this.#vertices.get(uid);
      return owner === undefined || isTerminating(owner.object);
    });
  }

  /** By the object as it is now: its owners may have let it go in the meantime. */
  #judge(uid: string, { kind, object }: Vertex): void {
    const now = this.#actor.client.get(kind, keyOf(object));
    if (now === null || uidOf(now) !== uid) return;
    const vertex = { kind, object: now, owners: ownersOf(now) };
    if (vertex.owners.length === 0) return;
    if (vertex.owners.every((owner) => !this.#lives(vertex, owner)))
      this.#delete(vertex, 'Background');
    else if (vertex.owners.some((owner) => this.#waitsForDependents(owner)))
      this.#delete(vertex, 'Foreground');
  }

  #waitsForDependents({ uid }: Owner): boolean {
    const owner = this.#vertices.get(uid);
    return (
      owner !== undefined &&
      isTerminating(owner.object) &&
      finalizersOf(owner.object).includes(FOREGROUND)
    );
  }

  /** An owner that was not seen yet is asked for before its dependents are thought orphans. */
  #lives({ object }: Vertex, owner: Owner): boolean {
    if (this.#vertices.has(owner.uid)) return true;
    if (!(KINDS as readonly string[]).includes(owner.kind)) return true;
    const namespace = namespaceOf(object);
    const isCluster = owner.kind === 'Node' || namespace === '';
    const found = this.#actor.client.get(
      owner.kind,
      isCluster ? owner.name : `${namespace}/${owner.name}`,
    );
    return found !== null && uidOf(found) === owner.uid;
  }

  #delete({ kind, object }: Vertex, propagationPolicy: 'Background' | 'Foreground'): void {
    this.#actor.client.delete(kind, keyOf(object), { uid: uidOf(object), propagationPolicy });
  }

  #finish(uid: string, { kind, object }: Vertex): void {
    const finalizers = finalizersOf(object);
    const dependents = [...(this.#dependents.get(uid) ?? [])];
    if (finalizers.includes(FOREGROUND)) {
      if (dependents.length === 0) this.#removeFinalizer(kind, object, FOREGROUND);
      for (const dependent of dependents) this.#queue.add(dependent);
    }
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) this.#orphan(dependent, uid);
      this.#removeFinalizer(kind, object, ORPHAN);
    }
  }

  #orphan(dependentUid: string, ownerUid: string): void {
    const dependent = this.#vertices.get(dependentUid);
    if (dependent === undefined) return;
    const { kind, object } = dependent;
    const ownerReferences = [{ $patch: 'delete', uid: ownerUid }];
    const patch = { metadata: { uid: dependentUid, ownerReferences } };
    this.#actor.client.patch(kind, keyOf(object), 'strategic', patch);
  }

  #removeFinalizer(kind: string, object: JsonObject, finalizer: string): void {
    const finalizers = finalizersOf(object).filter((entry) => entry !== finalizer);
    const patch = { metadata: { uid: uidOf(object), finalizers } };
    this.#actor.client.patch(kind, keyOf(object), 'merge', patch);
  }
}

/** True of a change in which neither owners, deletion nor finalizers changed: most are such. */
function isSameForUs(before: JsonObject, after: JsonObject): boolean {
  const [one, other] = [before['metadata'] as JsonObject, after['metadata'] as JsonObject];
  return (
    one === other ||
    (one['deletionTimestamp'] === other['deletionTimestamp'] &&
      isSameList(one['ownerReferences'], other['ownerReferences']) &&
      isSameList(one['finalizers'], other['finalizers']))
  );
}

function isSameList(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
