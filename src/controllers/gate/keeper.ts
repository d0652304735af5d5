import { textAt } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { pause } from '../../runtime/abort.ts';
import { perform, type Performed, type PerformTools } from '../../runtime/perform.ts';
import { WorkQueue } from '../../runtime/queue/work-queue.ts';
import type { ReflectorLimits } from '../../runtime/reflector/reflector-options.ts';
import { conditionPlan } from './condition.ts';
import { BlastBudget } from './budget.ts';
import { GateCaches, type PolicyKind } from './caches.ts';
import { type Look, lookAt } from './look.ts';
import { Memories } from './memories.ts';
import type { NodeFacts } from './node-facts.ts';
import { planOf } from './plan.ts';
import type { GatePolicy, PolicyReading } from './policy.ts';
import { OwnWrites } from './own-writes.ts';
import { RefusedWrites } from './refused-writes.ts';
import { keyOfPolicy } from './record.ts';
import { troublesAt } from './trouble.ts';

export interface GateKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  /** Times of what follows the cluster; the usual ones when not given. */
  readonly limits?: Partial<ReflectorLimits>;
  readonly policyKinds: readonly PolicyKind[];
  readonly fixed: readonly PolicyReading[];
  /** True to have the server check every write and store nothing. */
  readonly isDryRun: boolean;
  /** True to keep a condition of each Node that tells what is wrong. */
  readonly tellsTrouble: boolean;
  /** Told of each look at a Node, and how long it took, ms. */
  readonly onLook: (look: Look, tookMs: number) => void;
  readonly onPerformed: (write: GateWrite, written: GateWritten) => void;
  readonly onGone: (name: string) => void;
  /** Told of all policies when one of them changes. */
  readonly onPolicies: (readings: readonly PolicyReading[]) => void;
}

/** A write, and the look that led to it. */
export interface GateWrite {
  readonly look: Look;
  readonly action: Action;
  /** True for the taints, false for the condition that tells of trouble. */
  readonly isOfTaints: boolean;
}

/** How a write ended, and how long the API server took, ms. */
export interface GateWritten extends Performed {
  readonly tookMs: number;
}

interface Plan {
  readonly look: Look;
  readonly write: GateWrite | null;
  /** After how long time alone can change it, ms. */
  readonly againMs: number | null;
}

/** A plan, and what it was made of besides the Node. */
interface Made extends Plan {
  readonly policies: readonly GatePolicy[];
  readonly atMs: number;
}

export interface LeadOptions {
  readonly stop: AbortSignal;
  readonly lost: AbortSignal;
  readonly isLeading: () => boolean;
}

const WRITES_AT_ONCE = 16;
/** What is told waits for its turn, so that it never holds up a gate. */
const TELLS_AT_ONCE = 2;
/** The watch brings what was missed, and with it the next look; in case it does not, ms. */
const AFTER_CONFLICT_MS = 1_000;
/** What is known must reach so near to the end of a dwell, ms. */
const CONFIRMED_MS = 2_500;
/** A server that has nothing to say takes a second to say so, and is asked before the dwell is over, ms. */
const CONFIRMS_MS = 1_300;
/** Between two looks at whether the watch has shown what was written, ms. */
const OVERDUE_MS = 15_000;
/** While it has not answered, the gate looks again so often, ms. */
const UNCONFIRMED_MS = 100;
/** A plan that waited longer for its turn is made again, as time alone can change it, ms. */
const PLAN_MS = 100;
/** Caches that are not filled are looked at again after this, ms. */
const NOT_READY_MS = 1_000;

/** What a write is to do, however its Node and its proofs change meanwhile. */
function whatOf({ look, action, isOfTaints }: GateWrite): string {
  if (!isOfTaints) return action.why.name;
  const acts = look.decided.map(({ policy, decision }) => `${keyOfPolicy(policy)} ${decision.act}`);
  return acts.join();
}

function sooner(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Looks at every Node when something of it changes, and writes what the policies decide. */
export class GateKeeper {
  readonly caches: GateCaches;
  readonly #options: GateKeeperOptions;
  readonly #memories: Memories;
  readonly #budget = new BlastBudget();
  readonly #own: OwnWrites;
  readonly #refused: RefusedWrites;
  /** The versions of Nodes that a write met with a conflict. */
  readonly #conflicts = new Map<string, string>();
  /** What is to be written to Nodes whose turn has not come: nothing is planned twice. */
  readonly #made = new Map<string, Made>();
  /** For taints, and for the conditions that tell; null while another replica leads. */
  #queues: { readonly taints: WorkQueue; readonly tells: WorkQueue } | null = null;
  #isRelooking = false;
  #hasLookedAtAll = false;
  /** What was checked last in a dry run, by Node: the same is not checked again. */
  readonly #checked = new Map<string, string>();

  constructor(options: GateKeeperOptions) {
    this.#options = options;
    this.#memories = new Memories(options.clock);
    this.#own = new OwnWrites(options.clock);
    this.#refused = new RefusedWrites(options);
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
    const broken = Promise.withResolvers<never>();
    const onBug = (error: unknown): void => broken.reject(error);
    const taints = this.#newQueue(leading, WRITES_AT_ONCE, true, onBug);
    const tells = this.#newQueue(leading, TELLS_AT_ONCE, false, onBug);
    this.#queues = { taints, tells };
    void this.#observeAll();
    const ends = { stop: leading.stop, cut: leading.lost };
    try {
      const runs = [taints.run(ends), tells.run(ends), this.#lookAgain(taints, leading)];
      await Promise.race([Promise.all(runs), broken.promise]);
    } finally {
      this.#queues = null;
    }
  }

  /** An event is the next look at what was written; one that does not come is not waited for. */
  async #lookAgain(taints: WorkQueue, { stop, lost }: LeadOptions): Promise<void> {
    const end = AbortSignal.any([stop, lost]);
    while (!end.aborted) {
      await pause(this.#options.clock, OVERDUE_MS, end);
      for (const name of this.#own.takeOverdue()) taints.add(name);
    }
  }

  #newQueue(
    leading: LeadOptions,
    runsAtOnce: number,
    isOfTaints: boolean,
    onBug: (error: unknown) => void,
  ): WorkQueue {
    const { clock, random } = this.#options;
    return new WorkQueue({
      clock,
      random,
      reconcile: async (name) => await this.#reconcile(name, leading, isOfTaints),
      onBug,
      limits: { runsAtOnce },
    });
  }

  /** What a look at a node would say now; nothing follows from it. */
  peek(name: string): Look | null {
    const node = this.caches.node(name);
    return this.caches.isReady() && node !== undefined ? this.#lookAt(node) : null;
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
    if (!this.caches.isReady()) return;
    this.#options.onPolicies(this.caches.readings());
    for (const name of this.caches.nodeNames()) this.#observe(name);
    this.#hasLookedAtAll = true;
  }

  /** Looks at once, so that an interruption between two writes is seen too. */
  #observe(name: string): void {
    this.#made.delete(name);
    const look = this.#look(name);
    if (look === null || this.#queues === null || this.#own.isAwaited(look.node)) return;
    const plan = this.#planOf(look);
    const { write } = plan;
    const againMs = write === null ? plan.againMs : this.#refusedMs(write);
    const { taints, tells } = this.#queues;
    if (againMs !== null) taints.addAfter(name, Math.ceil(againMs));
    if (write === null || againMs !== null) return;
    const [policies, atMs] = [this.caches.policies(), this.#options.clock.monotonicMs()];
    this.#made.set(name, { ...plan, policies, atMs });
    (write.isOfTaints ? taints : tells).add(name);
  }

  /** How long a write that was refused still waits, ms; null for one that may be tried. */
  #refusedMs(write: GateWrite): number | null {
    return this.#refused.restMs(write.look.node.name, whatOf(write)) || null;
  }

  /** null while decisions are not possible. */
  #look(name: string): Look | null {
    if (!this.caches.isReady()) return null;
    const node = this.caches.node(name);
    if (node === undefined) {
      this.#forget(name);
      return null;
    }
    const { clock, onLook } = this.#options;
    const startMs = clock.monotonicMs();
    const look = this.#lookAt(node);
    const tookMs = clock.monotonicMs() - startMs;
    this.#memories.set(name, look.memory);
    for (const policy of this.#budget.take(name, look.decided))
      for (const lost of this.#budget.lostOf(policy)) {
        this.#made.delete(lost);
        this.#queues?.taints.add(lost);
      }
    onLook(look, tookMs);
    return look;
  }

  #lookAt(node: NodeFacts): Look {
    const { clock } = this.#options;
    return lookAt({
      node,
      before: this.#memories.get(node.name),
      policies: this.caches.policies(),
      around: this.caches,
      nowMs: clock.nowMs(),
      monotonicMs: clock.monotonicMs(),
      isWithinBudget: (policy) => this.#budget.allows(policy, node.name),
      releases: this.caches.releases(),
      isAtStart: !this.#hasLookedAtAll,
    });
  }

  #forget(name: string): void {
    if (!this.#memories.leave(name)) return;
    this.#budget.forget(name);
    this.#own.forget(name);
    this.#refused.forget(name);
    this.#conflicts.delete(name);
    this.#checked.delete(name);
    this.#options.onGone(name);
  }

  /** The taints first: what is wrong with a node can be told a moment later. */
  #planOf(look: Look): Plan {
    const { clock, tellsTrouble } = this.#options;
    const { node } = look;
    if (node.isLeaving) return { look, write: null, againMs: null };
    if (this.#isUnconfirmed(look)) return { look, write: null, againMs: UNCONFIRMED_MS };
    const againMs = this.#beforeOpening(look);
    const nowMs = clock.nowMs();
    const taints = planOf({ ...look, nowMs, releases: this.caches.releases() });
    if (taints !== null)
      return { look, write: { look, action: taints, isOfTaints: true }, againMs };
    if (!tellsTrouble) return { look, write: null, againMs };
    const told = conditionPlan(node, troublesAt(look, clock.monotonicMs()), nowMs);
    return {
      look,
      write: told.action === null ? null : { look, action: told.action, isOfTaints: false },
      againMs: sooner(againMs, told.againMs),
    };
  }

  /** Time opens a node after its dwell, and no event tells what the watches have not brought. */
  #isUnconfirmed({ decided }: Look): boolean {
    let sinceMs = Infinity;
    for (const { policy, decision, view } of decided)
      if (decision.act === 'open' && policy.dwellMs > 0)
        sinceMs = Math.min(sinceMs, view.heldMs - view.dwellMs);
    return sinceMs < Infinity && !this.caches.isConfirmed(CONFIRMED_MS + sinceMs);
  }

  /** When time alone can change something; shortly before a dwell is over, what is known is confirmed. */
  #beforeOpening({ decided, againMs }: Look): number | null {
    const dwells = decided.some(({ decision }) => decision.reason === 'Dwelling');
    if (againMs === null || !dwells) return againMs;
    if (againMs > CONFIRMS_MS) return againMs - CONFIRMS_MS;
    this.caches.isConfirmed(0);
    return againMs;
  }

  /** @returns after how many ms it looks again */
  async #reconcile(
    name: string,
    { isLeading }: LeadOptions,
    isOfTaints: boolean,
  ): Promise<number | null> {
    if (!this.caches.isReady()) return NOT_READY_MS;
    const made = this.#takeMade(name);
    const look = made?.look ?? this.#look(name);
    if (look === null) return null;
    if (this.#own.isAwaited(look.node)) return null;
    const { write, againMs } = made ?? this.#planOf(look);
    if (write === null || !isLeading() || this.#isChecked(write)) return againMs;
    const refusedMs = this.#refusedMs(write);
    if (refusedMs !== null) return refusedMs;
    if (write.isOfTaints === isOfTaints) return await this.#perform(write, isLeading);
    (write.isOfTaints ? this.#queues?.taints : this.#queues?.tells)?.add(name);
    return null;
  }

  /** The plan of the last look, where everything is as it was then. */
  #takeMade(name: string): Plan | null {
    const made = this.#made.get(name);
    this.#made.delete(name);
    if (made === undefined || this.#isRelooking) return null;
    const isSame =
      made.look.node === this.caches.node(name) && made.policies === this.caches.policies();
    return isSame && this.#options.clock.monotonicMs() - made.atMs <= PLAN_MS ? made : null;
  }

  #isChecked({ look, action }: GateWrite): boolean {
    const isSame = this.#checked.get(look.node.name) === action.why.text;
    return this.#options.isDryRun && isSame;
  }

  async #perform(write: GateWrite, isLeading: LeadOptions['isLeading']): Promise<number | null> {
    const { clock, isDryRun, onPerformed } = this.#options;
    const { look, action } = write;
    const startMs = clock.monotonicMs();
    const isAllowed = (): boolean =>
      isLeading() && look.decided.every(({ policy }) => this.caches.isFollowed(policy));
    const performed = await perform(action, this.#options, { isDryRun, isAllowed });
    const { outcome, object } = performed;
    onPerformed(write, { ...performed, tookMs: clock.monotonicMs() - startMs });
    if (outcome === 'conflict') return await this.#afterConflict(look.node);
    if (outcome === 'done' && isDryRun) {
      this.#checked.set(look.node.name, action.why.text);
      return null;
    }
    if (outcome !== 'done') return this.#refused.refused(look.node.name, whatOf(write), performed);
    this.#refused.forget(look.node.name);
    this.#conflicts.delete(look.node.name);
    this.#own.written(look.node, textAt(object ?? {}, 'metadata.resourceVersion'));
    return null;
  }

  /** The watch brings the change that it met; where it does not, the Node is read. */
  async #afterConflict({ name, resourceVersion }: NodeFacts): Promise<number> {
    const isAgain = this.#conflicts.get(name) === resourceVersion;
    this.#conflicts.set(name, resourceVersion);
    if (isAgain) await this.caches.refreshNode(name);
    return AFTER_CONFLICT_MS;
  }
}
