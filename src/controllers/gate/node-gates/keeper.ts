import type { Action } from '../../../ports/action.ts';
import type { Look, LookedPolicy } from '../look.ts';
import { type KeeperTools, ObjectKeeper } from '../object-keeper.ts';
import { policyName, selectionWarning, sharedTaints } from '../policies/checks.ts';
import { NODE_GATES } from '../policies/node-gate.ts';
import type { GatePolicy } from '../policy.ts';
import {
  decideGate,
  type GateCounts,
  gateStatus,
  type KnownGate,
  readKnownGate,
} from './status.ts';

export interface GateStatusKeeperOptions extends KeeperTools {
  readonly policies: () => readonly GatePolicy[];
  readonly nodeCount: () => number;
}

/** Whether a node is shut by a gate, and for longer than its expiry. */
type Standing = 'open' | 'held' | 'expired';

function standingOf({ view, policy }: LookedPolicy, shutMs: number): Standing {
  if (!view.isShut && !view.isShutAgain) return 'open';
  return policy.expiryMs !== null && shutMs > policy.expiryMs ? 'expired' : 'held';
}

/** Keeps the status of every NodeGate: whether it is followed, what is unusual, how many nodes. */
export class GateStatusKeeper {
  readonly #options: GateStatusKeeperOptions;
  readonly #keeper: ObjectKeeper<KnownGate>;
  /** By UID of the gate and by node. */
  readonly #standings = new Map<string, Map<string, Standing>>();
  #shared: ReadonlyMap<string, string> = new Map();

  constructor(options: GateStatusKeeperOptions) {
    this.#options = options;
    this.#keeper = new ObjectKeeper({
      ...options,
      resource: NODE_GATES,
      project: readKnownGate,
      decide: (gate) => this.#decide(gate),
      onRound: (all) => this.#takeAll(all),
    });
  }

  /** Takes what the gate saw of a node. */
  look({ node, memory, decided }: Look): void {
    const nowMs = this.#options.clock.monotonicMs();
    const seen = new Set<string>();
    let hasChanged = false;
    for (const looked of decided) {
      const { kind, uid } = looked.policy.source;
      if (kind !== 'NodeGate' || uid === null) continue;
      seen.add(uid);
      const sinceMs = memory.shutSince.get(`${kind}/${uid}`) ?? nowMs;
      if (this.#put(uid, node.name, standingOf(looked, nowMs - sinceMs))) hasChanged = true;
    }
    for (const [uid, nodes] of this.#standings)
      if (!seen.has(uid) && nodes.delete(node.name)) hasChanged = true;
    if (hasChanged) this.#keeper.ring();
  }

  gone(node: string): void {
    for (const nodes of this.#standings.values()) nodes.delete(node);
    this.#keeper.ring();
  }

  /** Writes until the signal ends it. @throws what is a bug and no failure of the API server */
  async run(signal: AbortSignal): Promise<void> {
    await this.#keeper.run(signal);
  }

  #put(uid: string, node: string, standing: Standing): boolean {
    const nodes = this.#standings.get(uid) ?? new Map<string, Standing>();
    this.#standings.set(uid, nodes);
    if (nodes.get(node) === standing) return false;
    nodes.set(node, standing);
    return true;
  }

  #takeAll(gates: readonly KnownGate[]): void {
    const known = new Set(gates.map(({ uid }) => uid));
    for (const uid of this.#standings.keys()) if (!known.has(uid)) this.#standings.delete(uid);
    this.#shared = sharedTaints(this.#options.policies());
  }

  #countsOf({ uid }: KnownGate): GateCounts {
    const all = [...(this.#standings.get(uid)?.values() ?? [])];
    const expired = all.filter((one) => one === 'expired').length;
    return { selected: all.length, held: all.filter((one) => one !== 'open').length, expired };
  }

  /** A gate that nobody can follow has worse trouble than what is unusual about it. */
  #warningsOf({ reading }: KnownGate, { selected }: GateCounts): readonly string[] {
    const [policy] = reading.policies;
    if (policy === undefined || policy.refusedWhy !== null) return [];
    const shared = this.#shared.get(policyName(policy)) ?? null;
    return [selectionWarning(selected, this.#options.nodeCount()), shared].filter(
      (one) => one !== null,
    );
  }

  #decide(gate: KnownGate): Action | null {
    const counts = this.#countsOf(gate);
    const warnings = this.#warningsOf(gate, counts);
    const nowMs = this.#options.clock.nowMs();
    return decideGate(gate, gateStatus({ gate, counts, warnings, nowMs }));
  }
}
