import { textAt } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { perform, type Performed, type PerformTools } from '../../runtime/perform.ts';
import { WorkQueue } from '../../runtime/queue/work-queue.ts';
import { BlastBudget } from './budget.ts';
import { GateCaches, type PolicyKind } from './caches.ts';
import { type Look, lookAt } from './look.ts';
import type { NodeMemory } from './memory.ts';
import { planOf } from './plan.ts';
import type { GatePolicy, PolicyReading } from './policy.ts';
import { OwnWrites } from './own-writes.ts';

export interface GateKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  readonly policyKinds: readonly PolicyKind[];
  readonly fixed: readonly PolicyReading[];
  /** True to have the server check every write and store nothing. */
  readonly isDryRun: boolean;
  /** Told of each look at a Node by the replica that leads. */
  readonly onLook: (look: Look, action: Action | null) => void;
  readonly onPerformed: (look: Look, action: Action, performed: Performed) => void;
  readonly onGone: (name: string) => void;
}

export interface LeadOptions {
  readonly stop: AbortSignal;
  readonly lost: AbortSignal;
  readonly isLeading: () => boolean;
}

const WRITES_AT_ONCE = 32;
/** The watch brings what was missed, and with it the next look; in case it does not, ms. */
const AFTER_CONFLICT_MS = 1_000;
const AFTER_REFUSAL_MS = 5_000;
/** Caches that are not filled are looked at again after this, ms. */
const NOT_READY_MS = 1_000;

/** Looks at every Node when something of it changes, and writes what the policies decide. */
export class GateKeeper {
  readonly caches: GateCaches;
  readonly #options: GateKeeperOptions;
  readonly #memories = new Map<string, NodeMemory>();
  readonly #budget = new BlastBudget();
  readonly #own: OwnWrites;
  #queue: WorkQueue | null = null;
  #isRelooking = false;

  constructor(options: GateKeeperOptions) {
    this.#options = options;
    this.#own = new OwnWrites(options.clock);
    this.caches = new GateCaches({
      ...options,
      onNode: (name) => this.#observe(name),
      onAll: () => void this.#observeAll(),
    });
  }

  /** Follows the cluster until the signal ends it; every replica does. @throws what is a bug */
  async run(signal: AbortSignal): Promise<void> {
    await this.caches.run(signal);
  }

  /** Writes while it leads. @throws what is a bug */
  async lead(leading: LeadOptions): Promise<void> {
    const { clock, random } = this.#options;
    let bug: { readonly error: unknown } | null = null;
    const queue = new WorkQueue({
      clock,
      random,
      reconcile: async (name) => await this.#reconcile(name, leading),
      onBug: (error) => {
        bug = { error };
      },
      limits: { runsAtOnce: WRITES_AT_ONCE },
    });
    this.#queue = queue;
    void this.#observeAll();
    await queue.run({ stop: leading.stop, cut: leading.lost });
    this.#queue = null;
    if (bug !== null) throw (bug as { readonly error: unknown }).error;
  }

  /** How many nodes a policy selects, and how many of them lost a proof. */
  countOf(policy: GatePolicy): { readonly selected: number; readonly lost: number } {
    return {
      selected: this.#budget.selectedBy(policy),
      lost: this.#budget.lostOf(policy).length,
    };
  }

  /** Many changes at once, as of a listing, are one look at all. */
  async #observeAll(): Promise<void> {
    if (this.#isRelooking) return;
    this.#isRelooking = true;
    await Promise.resolve();
    this.#isRelooking = false;
    if (this.caches.isReady()) for (const name of this.caches.nodeNames()) this.#observe(name);
  }

  /** Looks at once, so that an interruption between two writes is seen too. */
  #observe(name: string): void {
    const look = this.#look(name);
    if (look === null || this.#queue === null || this.#own.isAwaited(look.node)) return;
    const action = this.#planOf(look);
    this.#options.onLook(look, action);
    if (action !== null) this.#queue.add(name);
    else if (look.againMs !== null) this.#queue.addAfter(name, Math.ceil(look.againMs));
  }

  /** null while decisions are not possible. */
  #look(name: string): Look | null {
    if (!this.caches.isReady()) return null;
    const node = this.caches.node(name);
    if (node === undefined) {
      this.#forget(name);
      return null;
    }
    const { clock } = this.#options;
    const look = lookAt({
      node,
      before: this.#memories.get(name),
      policies: this.caches.policies(),
      around: this.caches,
      nowMs: clock.nowMs(),
      monotonicMs: clock.monotonicMs(),
      isWithinBudget: (policy) => this.#budget.isWithin(policy),
    });
    this.#memories.set(name, look.memory);
    const changed = this.#budget.take(name, look.decided);
    for (const policy of changed) for (const lost of this.#budget.lostOf(policy)) this.#queue?.add(lost);
    return look;
  }

  #forget(name: string): void {
    if (!this.#memories.delete(name)) return;
    this.#budget.forget(name);
    this.#own.forget(name);
    this.#options.onGone(name);
  }

  #planOf({ node, memory, decided }: Look): Action | null {
    if (node.isLeaving) return null;
    return planOf({ node, memory, decided, nowMs: this.#options.clock.nowMs() });
  }

  /** @returns after how many ms it looks again */
  async #reconcile(name: string, { isLeading }: LeadOptions): Promise<number | null> {
    if (!this.caches.isReady()) return NOT_READY_MS;
    const look = this.#look(name);
    if (look === null) return null;
    const waitMs = this.#own.awaitedMs(look.node);
    if (waitMs > 0) return waitMs;
    const action = this.#planOf(look);
    if (action === null || !isLeading()) return look.againMs;
    return await this.#perform(look, action);
  }

  async #perform(look: Look, action: Action): Promise<number | null> {
    const { isDryRun, onPerformed } = this.#options;
    const performed = await perform(action, this.#options, { isDryRun });
    const { outcome, object, retryAfterMs } = performed;
    onPerformed(look, action, performed);
    if (outcome === 'done' && isDryRun) return AFTER_REFUSAL_MS;
    if (outcome === 'done') {
      const version = textAt(object ?? {}, 'metadata.resourceVersion');
      this.#own.written(look.node, version);
      return this.#own.awaitedMs(this.caches.node(look.node.name) ?? look.node) || null;
    }
    return Math.max(retryAfterMs ?? 0, outcome === 'conflict' ? AFTER_CONFLICT_MS : AFTER_REFUSAL_MS);
  }
}
