import type { JsonObject } from '../../../evidence/json.ts';
import { type PodView, podView } from '../objects/pod.ts';

/** Pods by the UID of the one that looks after them. */
export interface OwnedPods {
  of(ownerUid: string): ReadonlyMap<string, PodView>;
  /** A pod counts for the node it is meant for, also before the scheduler has bound it. */
  byNode(ownerUid: string): ReadonlyMap<string, readonly PodView[]>;
  /** @returns the owner's UID, null for a bare pod */
  onChange(type: string, object: JsonObject): string | null;
}

class Owned {
  readonly pods = new Map<string, PodView>();
  readonly byNode = new Map<string, readonly PodView[]>();

  remove(pod: PodView): void {
    const known = this.pods.get(pod.uid);
    if (known === undefined) return;
    this.pods.delete(pod.uid);
    const node = placeOf(known);
    const rest = (this.byNode.get(node) ?? []).filter(({ uid }) => uid !== pod.uid);
    if (rest.length === 0) this.byNode.delete(node);
    else this.byNode.set(node, rest);
  }

  set(pod: PodView): void {
    this.remove(pod);
    this.pods.set(pod.uid, pod);
    const node = placeOf(pod);
    const others = this.byNode.get(node);
    this.byNode.set(node, others === undefined ? [pod] : [...others, pod]);
  }
}

/** Its node, or the one that it is meant for. */
export function placeOf({ spec }: PodView): string {
  return spec.nodeName === '' ? (spec.pinnedTo ?? '') : spec.nodeName;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** @param ownerKind only pods of these owners are kept; DaemonSets are asked by node too */
export function createOwnedPods(ownerKind: 'DaemonSet' | 'ReplicaSet'): OwnedPods {
  const byOwner = new Map<string, Owned>();
  return {
    of: (ownerUid) => byOwner.get(ownerUid)?.pods ?? NONE,
    byNode: (ownerUid) => byOwner.get(ownerUid)?.byNode ?? NONE,
    onChange: (type, object) => {
      const pod = podView(object);
      if (pod.owner === null || pod.owner.kind !== ownerKind) return null;
      const owned = byOwner.get(pod.owner.uid) ?? new Owned();
      byOwner.set(pod.owner.uid, owned);
      if (type === 'DELETED') owned.remove(pod);
      else if (ownerKind === 'DaemonSet') owned.set(pod);
      else owned.pods.set(pod.uid, pod);
      return pod.owner.uid;
    },
  };
}

/**
 * Creations and deletions that were asked for and not yet seen: until then an owner is left alone,
 * or it would ask for them twice (controller.ControllerExpectations).
 */
export class Expectations {
  readonly #waits = new Map<
    string,
    { creations: number; deletions: Set<string>; untilMs: number }
  >();

  expect(ownerUid: string, creations: number, deletions: readonly string[], nowMs: number): void {
    const untilMs = nowMs + EXPECTATIONS_TIMEOUT_MS;
    this.#waits.set(ownerUid, { creations, deletions: new Set(deletions), untilMs });
  }

  seen(ownerUid: string, type: string, pod: PodView): void {
    const wait = this.#waits.get(ownerUid);
    if (wait === undefined) return;
    if (type === 'ADDED') wait.creations--;
    if (type === 'DELETED' || pod.isTerminating) wait.deletions.delete(pod.uid);
  }

  creationRefused(ownerUid: string): void {
    const wait = this.#waits.get(ownerUid);
    if (wait !== undefined) wait.creations--;
  }

  areMet(ownerUid: string, nowMs: number): boolean {
    const wait = this.#waits.get(ownerUid);
    if (wait === undefined || nowMs >= wait.untilMs) return true;
    return wait.creations <= 0 && wait.deletions.size === 0;
  }
}

/** ExpectationsTimeout of the controller package. */
const EXPECTATIONS_TIMEOUT_MS = 5 * 60_000;
/** BurstReplicas of the ReplicaSet and DaemonSet controllers differ: 500 and 250. */
export const REPLICA_BURST = 500;
export const DAEMON_BURST = 250;
