import type { Look, LookedPolicy } from '../look.ts';
import type { SeenTaint } from '../node-facts.ts';
import type { GatePolicy, TaintRelease } from '../policy.ts';
import { keyOfPolicy, notEnforcedMs } from '../record.ts';

/** How many nodes of a gate are how. */
export interface GateCounts {
  readonly selected: number;
  readonly held: number;
  /** Held for longer than its expiry. */
  readonly expired: number;
  /** Never had the taint before the gate put it. */
  readonly notEnforced: number;
  /** Lost a proof and were not shut again, as too many did. */
  readonly suspected: number;
}

type Standing = 'open' | 'held' | 'expired' | 'suspected';

/** What is known of the nodes of every NodeGate; of a node nothing but a word is kept. */
export class GateTally {
  readonly #gates = new Map<string, Map<string, Standing>>();
  /** By gate, the nodes that never had its taint. */
  readonly #unenforced = new Map<string, Set<string>>();
  /** Taints on nodes, by node; policies have no opinion about them. */
  readonly #left = new Map<string, ReadonlySet<string>>();

  /**
   * @param nowMs by the monotonic clock
   * @returns true where a node no longer carries a taint that nobody wants, for which a gate may wait
   */
  take(look: Look, nowMs: number): boolean {
    const { node, decided, memory } = look;
    for (const looked of decided) {
      const { kind, uid } = looked.policy.source;
      if (kind !== 'NodeGate' || uid === null) continue;
      const nodes = this.#gates.get(uid) ?? new Map<string, Standing>();
      this.#gates.set(uid, nodes);
      const sinceMs = memory.shutSince.get(keyOfPolicy(looked.policy)) ?? nowMs;
      nodes.set(node.name, standingOf(looked, nowMs - sinceMs));
    }
    for (const [uid, nodes] of this.#gates)
      if (!decided.some(({ policy }) => isGate(policy, uid))) nodes.delete(node.name);
    this.#takeUnenforced(look);
    return this.#takeLeft(look);
  }

  forget(node: string): void {
    this.#left.delete(node);
    for (const nodes of this.#gates.values()) nodes.delete(node);
    for (const nodes of this.#unenforced.values()) nodes.delete(node);
  }

  forgetGate(uid: string): void {
    this.#gates.delete(uid);
    this.#unenforced.delete(uid);
  }

  countsOf(uid: string): GateCounts {
    const standings = [...(this.#gates.get(uid)?.values() ?? [])];
    const count = (...which: readonly Standing[]): number =>
      standings.filter((one) => which.includes(one)).length;
    return {
      selected: standings.length,
      held: count('held', 'expired'),
      expired: count('expired'),
      notEnforced: this.#unenforced.get(uid)?.size ?? 0,
      suspected: count('suspected'),
    };
  }

  /** True while a node carries such a taint that no policy wants there. */
  isLeft(releases: readonly TaintRelease[]): boolean {
    const all = [...this.#left.values()];
    return releases.some(({ key, effect }) => all.some((taints) => taints.has(`${key}:${effect}`)));
  }

  #takeUnenforced({ node, decided }: Look): void {
    for (const nodes of this.#unenforced.values()) nodes.delete(node.name);
    for (const { policy } of decided) {
      const { uid } = policy.source;
      if (uid === null || notEnforcedMs(policy, node) === null) continue;
      const nodes = this.#unenforced.get(uid) ?? new Set();
      this.#unenforced.set(uid, nodes.add(node.name));
    }
  }

  #takeLeft({ node: { name, taints }, decided }: Look): boolean {
    const isWanted = ({ key, effect }: SeenTaint): boolean =>
      decided.some(({ policy }) => isOf(policy, key, effect));
    const left = taints.filter((taint) => !isWanted(taint));
    if (left.length === 0) return this.#left.delete(name);
    this.#left.set(name, new Set(left.map(({ key, effect }) => `${key}:${effect}`)));
    return false;
  }
}

function isGate({ source }: GatePolicy, uid: string): boolean {
  return source.kind === 'NodeGate' && source.uid === uid;
}

/** Whether a taint is one of a policy's two. */
function isOf({ taint, regressTaint }: GatePolicy, key: string, effect: string): boolean {
  if (taint.key === key && taint.effect === effect) return true;
  return regressTaint !== null && regressTaint.key === key && regressTaint.effect === effect;
}

function standingOf({ policy, view, decision }: LookedPolicy, shutMs: number): Standing {
  if (decision.reason === 'ProofSuspected') return 'suspected';
  if (!view.isShut) return view.isShutAgain ? 'held' : 'open';
  return policy.expiryMs !== null && shutMs >= policy.expiryMs ? 'expired' : 'held';
}
