import type { GatePolicy } from './policy.ts';
import type { LookedPolicy } from './look.ts';
import { keyOfPolicy } from './record.ts';

interface Count {
  readonly selected: Set<string>;
  readonly lost: Set<string>;
}

/**
 * A node in service whose proof is seen to fail, or whose kubelet restarted where that counts; one
 * that rebooted has to prove itself again.
 */
function isLost({ view }: LookedPolicy): boolean {
  if (view.opened === 'before-restart') return true;
  if (view.verdict !== 'unproven' || view.isDone) return false;
  return view.opened === 'now' || (view.opened === 'never' && view.isInService && !view.isShut);
}

/**
 * How many nodes of each policy lost a proof. Where they are more than its share, the proof is
 * suspected and no further node is shut again.
 */
export class BlastBudget {
  readonly #counts = new Map<string, Count>();

  isWithin(policy: GatePolicy): boolean {
    const count = this.#counts.get(keyOfPolicy(policy));
    if (count === undefined) return true;
    return count.lost.size <= this.#most(policy, count);
  }

  /** Whether one node more may be shut again, if it is not among those that count already. */
  allows(policy: GatePolicy, node: string): boolean {
    const count = this.#counts.get(keyOfPolicy(policy));
    if (count === undefined) return policy.blastShareMax > 0;
    const more = count.lost.has(node) ? 0 : 1;
    return count.lost.size + more <= this.#most(policy, count);
  }

  /** Nodes of a policy whose proof is lost. */
  lostOf(policy: GatePolicy): readonly string[] {
    return [...(this.#counts.get(keyOfPolicy(policy))?.lost ?? [])];
  }

  /** How many nodes a policy selects. */
  selectedBy(policy: GatePolicy): number {
    return this.#counts.get(keyOfPolicy(policy))?.selected.size ?? 0;
  }

  /** Takes a look at a node. @returns the policies for which it is another answer now */
  take(node: string, decided: readonly LookedPolicy[]): readonly GatePolicy[] {
    const isSelectedBy = (key: string): boolean =>
      decided.some(({ policy }) => keyOfPolicy(policy) === key);
    for (const [key, count] of this.#counts)
      if (count.selected.has(node) && !isSelectedBy(key)) drop(count, node);
    return decided.filter((looked) => this.#changes(looked, node)).map(({ policy }) => policy);
  }

  forget(node: string): void {
    for (const count of this.#counts.values()) drop(count, node);
  }

  #changes(looked: LookedPolicy, node: string): boolean {
    const { policy } = looked;
    const before = this.isWithin(policy);
    const key = keyOfPolicy(policy);
    const count = this.#counts.get(key) ?? { selected: new Set(), lost: new Set() };
    this.#counts.set(key, count);
    count.selected.add(node);
    if (isLost(looked)) count.lost.add(node);
    else count.lost.delete(node);
    return before !== this.isWithin(policy);
  }

  /** One node may always be shut again, but none where the share is zero. */
  #most({ blastShareMax }: GatePolicy, { selected }: Count): number {
    return blastShareMax === 0 ? 0 : Math.max(1, Math.floor(blastShareMax * selected.size));
  }
}

function drop({ selected, lost }: Count, node: string): void {
  selected.delete(node);
  lost.delete(node);
}
