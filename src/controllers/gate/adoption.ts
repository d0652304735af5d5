import { hasSeenOwner, ownerOfTaint, ownerState } from './foreign-taints.ts';
import type { NodeFacts, SeenTaint } from './node-facts.ts';
import type { GatePolicy, ObjectName } from './policy.ts';
import type { Looked } from './proofs/saying.ts';

/** A startup taint of another program whose owner is gone, and the gate that removes it. */
export interface Adoption {
  readonly policy: GatePolicy;
  readonly taint: SeenTaint;
  /** Who would have removed it. */
  readonly owner: string;
  /** 0 once the owner has been gone for the dwell without interruption, ms. */
  readonly restMs: number;
}

/** Taint keys whose owner is gone, and since when, by the monotonic clock, ms. */
export type GoneOwners = ReadonlyMap<string, number>;

/** Since when the owners of the taints of a node are seen to be gone; one that is unknown is not. */
export function rememberGone(
  before: GoneOwners,
  { taints }: NodeFacts,
  daemonSets: () => Looked<readonly ObjectName[]>,
  nowMs: number,
): GoneOwners {
  const shown = taints.filter(({ key }) => hasSeenOwner(key));
  if (shown.length === 0 && before.size === 0) return before;
  const all = daemonSets();
  const gone = shown.filter(({ key }) => ownerState(key, all) === 'gone');
  return new Map(gone.map(({ key }) => [key, before.get(key) ?? nowMs]));
}

function isListed({ key, effect }: SeenTaint, { adoptTaints = [] }: GatePolicy): boolean {
  return adoptTaints.some((one) => one.key === key && one.effect === effect);
}

/**
 * Taints of a node that gates adopt by their list. A gate that cannot be followed adopts none.
 *
 * @param nowMs by the monotonic clock
 */
export function adoptionsOf(
  { taints }: NodeFacts,
  policies: readonly GatePolicy[],
  gone: GoneOwners,
  nowMs: number,
): readonly Adoption[] {
  if (gone.size === 0) return [];
  const able = policies.filter(({ refusedWhy, isDryRun }) => refusedWhy === null && !isDryRun);
  return taints.flatMap((taint) => {
    const sinceMs = gone.get(taint.key);
    const owner = ownerOfTaint(taint.key);
    const policy = able.find((one) => isListed(taint, one));
    if (sinceMs === undefined || owner === null || policy === undefined) return [];
    return [{ policy, taint, owner, restMs: Math.max(0, sinceMs + policy.dwellMs - nowMs) }];
  });
}

/** What was done, or would be, one clause. */
export function adoptionText({ policy, taint, owner }: Adoption): string {
  return `${policy.source.kind} ${policy.source.name} removed ${taint.key}:${taint.effect}, as ${owner} is not installed`;
}
