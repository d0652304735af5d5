import { PODS } from '../gate/daemon-pods.ts';
import type { LeadOptions } from '../gate/keeper.ts';
import type { Look } from '../gate/look.ts';
import { NODE_GATES } from '../gate/policies/node-gate.ts';
import { keyOfPolicy } from '../gate/record.ts';
import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeApi, KubeSelection } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { perform, type Performed, type PerformTools } from '../../runtime/perform.ts';
import { WorkQueue } from '../../runtime/queue/work-queue.ts';
import { EvictionBudget, type Moment, type Spending, type Spent } from './budget.ts';
import { evictionOf, likeSelector } from './eviction.ts';
import { readAll, readOne } from './live.ts';
import { NodePasts } from './node-pasts.ts';
import { noteAction, readNoted, unreadableText } from './noted.ts';
import { type PodFacts, readPod } from './pod.ts';
import { replacementAmong } from './replacement.ts';
import { type AskBudget, type JudgedSlipIn, judgePod, limitsOf, workloadOf } from './slip-in.ts';
import { type GateStanding, standingsOf } from './standing.ts';
import { whatToLookAt } from './suspicion.ts';

/** How an attempt to evict ended. */
export interface EvictionEnd {
  readonly slipIn: JudgedSlipIn;
  readonly performed: Performed;
}

/** What came after an eviction; null where nothing did. */
export interface Replacement {
  readonly slipIn: JudgedSlipIn;
  readonly by: PodFacts | null;
}

export interface SlipInKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  readonly isDryRun: boolean;
  /** What a look at a Node says now; null where nothing can be said. */
  readonly peek: (name: string) => Look | null;
  /** False while a list is not known to be current: then nobody is evicted. */
  readonly isCurrent: () => boolean;
  readonly onFound: (slipIn: JudgedSlipIn) => void;
  /** Told right before an eviction is sent. */
  readonly onEvicts: (slipIn: JudgedSlipIn) => void;
  readonly onEnd: (end: EvictionEnd) => void;
  readonly onReplaced: (replacement: Replacement) => void;
}

interface Known extends JudgedSlipIn {
  /** Not tried again before, by the monotonic clock. */
  readonly notBeforeMs: number;
}

interface Awaited {
  readonly slipIn: JudgedSlipIn;
  readonly selection: KubeSelection;
  /** UIDs of the Pods that were there before. */
  readonly before: ReadonlySet<string>;
  readonly sinceMs: number;
}

const SWEEP = 'sweep';
const SWEEP_MS = 10 * 60_000;
const FIRST_SWEEP_MS = 5_000;
/** A write that follows from the same look is done by then. */
const SETTLED_MS = 1_000;
const AGAIN_MS = 30_000;
const KNOWN_AGAIN_MS = 60_000;
const PAGE_SIZE = 500;
/** After a budget or the API server has refused an eviction. */
const REFUSED_MS = 60_000;
const REPLACED_LOOK_MS = 2_000;
const REPLACED_LOOK_MOST_MS = 30_000;
const READY_MS = 2 * 60_000;
const REPLACED_MS = 15 * 60_000;

/** Finds the Pods that came to nodes too early, and has them replaced where a gate asks for it. */
export class SlipInKeeper {
  readonly #options: SlipInKeeperOptions;
  readonly #pasts = new NodePasts();
  readonly #budget = new EvictionBudget();
  /** By UID of the Pod. */
  readonly #known = new Map<string, Known>();
  readonly #awaited = new Map<string, Awaited>();
  #queue: WorkQueue | null = null;
  #hasChanged = true;

  constructor(options: SlipInKeeperOptions) {
    this.#options = options;
  }

  /** Every slip-in that is known now. */
  slipIns(): readonly JudgedSlipIn[] {
    return [...this.#known.values()];
  }

  /** Takes a look at a Node; every replica does. */
  look(look: Look): void {
    const past = this.#pasts.take(look);
    const { isChange, isSuspect, isLosing } = whatToLookAt(look, past);
    this.#hasChanged ||= isChange;
    if (this.#queue === null) return;
    if (isLosing) this.#queue.add(`loss/${look.node.name}`);
    if (isSuspect) this.#queue.addAfter(`node/${look.node.name}`, SETTLED_MS);
  }

  gone(name: string): void {
    this.#pasts.forget(name);
    for (const [uid, { pod }] of this.#known) if (pod.nodeName === name) this.#known.delete(uid);
  }

  /** Looks and evicts while it leads. @throws what is a bug */
  async lead(leading: LeadOptions): Promise<void> {
    const broken = Promise.withResolvers<never>();
    const { clock, random } = this.#options;
    const queue = new WorkQueue({
      clock,
      random,
      reconcile: async (key) => await this.#reconcile(key, leading),
      onBug: (error) => broken.reject(error),
      // One after the other, so that budgets are kept and nothing is in a hurry.
      limits: { runsAtOnce: 1 },
    });
    this.#queue = queue;
    this.#hasChanged = true;
    this.#budget.begin(clock.monotonicMs());
    queue.addAfter(SWEEP, FIRST_SWEEP_MS);
    try {
      await Promise.race([queue.run({ stop: leading.stop, cut: leading.lost }), broken.promise]);
    } finally {
      this.#queue = null;
    }
  }

  async #reconcile(key: string, leading: LeadOptions): Promise<number | null> {
    const [what, name = ''] = key.split('/');
    if (what === SWEEP) return await this.#sweep(leading);
    if (what === 'loss') return await this.#noteBeforeLoss(name);
    if (what === 'pod') return await this.#lookForReplacement(name);
    return await this.#lookAtNode(name, leading);
  }

  /** Pods that were there before a proof was lost have not slipped in through it. */
  async #noteBeforeLoss(name: string): Promise<null> {
    const pods = await this.#podsOf({ fieldSelector: `spec.nodeName=${name}` });
    const look = this.#options.peek(name);
    if (look !== null) this.#pasts.noteBeforeLoss(look, new Set(pods.map(({ uid }) => uid)));
    return null;
  }

  async #lookAtNode(name: string, leading: LeadOptions): Promise<number | null> {
    const pods = await this.#podsOf({ fieldSelector: `spec.nodeName=${name}` });
    const there = new Set(pods.map(({ uid }) => uid));
    if (this.#options.peek(name) === null) return AGAIN_MS;
    for (const [uid, { pod }] of this.#known)
      if (pod.nodeName === name && !there.has(uid)) this.#known.delete(uid);
    const standings = this.#standings(name) ?? [];
    for (const pod of pods) await this.#judge(pod, standings, leading);
    const isSuspect = standings.some(({ isNeverOpened }) => isNeverOpened);
    const hasKnown = pods.some(({ uid }) => this.#known.has(uid));
    if (isSuspect) return AGAIN_MS;
    return hasKnown ? KNOWN_AGAIN_MS : null;
  }

  /** Page by page, so that a large cluster costs no more memory than a small one. */
  async #sweep(leading: LeadOptions): Promise<number> {
    if (!this.#hasChanged && this.#known.size === 0) return SWEEP_MS;
    this.#hasChanged = false;
    const standings = new Map<string, readonly GateStanding[] | null>();
    for await (const { items } of this.#options.api.list(PODS, { pageSize: PAGE_SIZE }))
      for (const pod of items.map(readPod)) {
        if (pod === null || pod.nodeName === '') continue;
        if (!standings.has(pod.nodeName))
          standings.set(pod.nodeName, this.#standings(pod.nodeName));
        const own = standings.get(pod.nodeName) ?? null;
        if (own !== null) await this.#judge(pod, own, leading);
      }
    for (const { pod } of this.#known.values()) this.#queue?.add(`node/${pod.nodeName}`);
    return SWEEP_MS;
  }

  /** null while nothing can be said of a node. */
  #standings(name: string): readonly GateStanding[] | null {
    const look = this.#options.peek(name);
    return look === null ? null : standingsOf(look, this.#pasts.of(look.node));
  }

  async #judge(
    pod: PodFacts,
    standings: readonly GateStanding[],
    leading: LeadOptions,
  ): Promise<void> {
    const known = this.#known.get(pod.uid);
    const judged = judgePod(pod, standings, known, this.#ask);
    if (judged === null) {
      this.#known.delete(pod.uid);
      return;
    }
    const notBeforeMs = known?.notBeforeMs ?? 0;
    this.#known.set(pod.uid, { ...judged, notBeforeMs });
    if (known === undefined) this.#options.onFound(judged);
    const isDue = this.#options.clock.monotonicMs() >= notBeforeMs;
    if (judged.decision.act === 'evict' && isDue) await this.#evict(judged, leading);
  }

  readonly #ask: AskBudget = (policy, pod) => {
    const spending = this.#spending(policy, pod);
    return {
      isWithinHour: this.#budget.isWithinHour(spending),
      isWithinWorkload: this.#budget.isWithinWorkload(spending),
    };
  };

  #spending(policy: JudgedSlipIn['policy'], pod: JudgedSlipIn['pod']): Spending {
    const nowMs = this.#options.clock.monotonicMs();
    const of = { workload: workloadOf(pod), pod: pod.uid, limits: limitsOf(policy) };
    return { gate: keyOfPolicy(policy), ...of, nowMs };
  }

  /** Reads everything once more before: what was listed may be another by now. */
  async #evict(listed: JudgedSlipIn, leading: LeadOptions): Promise<void> {
    const { isCurrent, onEvicts } = this.#options;
    const { namespace, labels, uid } = listed.pod;
    const selection = { namespace, labelSelector: likeSelector(labels) };
    try {
      const pod = await readOne(this.#options.api, listed.pod);
      const before = await this.#podsOf(selection);
      const gate = await this.#learn(listed);
      const standings = this.#standings(listed.pod.nodeName) ?? [];
      const slipIn = pod?.uid === uid ? judgePod(pod, standings, listed, this.#ask) : null;
      if (slipIn?.decision.act !== 'evict' || !isCurrent() || !leading.isLeading()) return;
      const spent = await this.#note(slipIn, gate, leading);
      if (spent === null) return;
      onEvicts(slipIn);
      const performed = await this.#perform(slipIn, spent, leading);
      if (performed.outcome !== 'done' || this.#options.isDryRun) return;
      this.#await(slipIn, selection, before);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#ended(listed, unsent(error));
    }
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  }

  /** Takes in what the gate notes of evictions, also of another leader. @throws PortError */
  async #learn({ policy }: JudgedSlipIn): Promise<JsonObject> {
    const { name, uid } = policy.source;
    const gate = await this.#options.api.get(NODE_GATES, { name });
    if (textAt(gate, 'metadata.uid') !== uid)
      throw new PortError({ failure: 'conflict', message: `NodeGate ${name} is another by now` });
    const noted = readNoted(gate);
    if (noted === null) throw new PortError({ failure: 'invalid', message: unreadableText(name) });
    this.#budget.learn(keyOfPolicy(policy), noted, this.#moment());
    return gate;
  }

  /**
   * Notes the eviction before it is sent, so that whoever leads after a crash counts it. Of two
   * that note at once one gets a conflict, and evicts nothing. null where it was not noted.
   */
  async #note(
    slipIn: JudgedSlipIn,
    gate: JsonObject,
    { isLeading }: LeadOptions,
  ): Promise<Spent | null> {
    const { pod, policy } = slipIn;
    const { isDryRun } = this.#options;
    const spent = this.#budget.spend(this.#spending(policy, pod));
    const all = this.#budget.toNote(keyOfPolicy(policy), this.#moment());
    const action = noteAction(gate, all, `an eviction of ${pod.namespace}/${pod.name} is noted`);
    const guarded = { isDryRun, isAllowed: isLeading };
    const noted = await perform(action, this.#options, guarded);
    if (noted.outcome === 'done') return spent;
    this.#budget.end(spent, null);
    this.#ended(slipIn, noted);
    return null;
  }

  async #perform(
    slipIn: JudgedSlipIn,
    spent: Spent,
    { isLeading }: LeadOptions,
  ): Promise<Performed> {
    const { isDryRun, clock } = this.#options;
    const action = evictionOf(slipIn);
    const performed = await perform(action, this.#options, { isDryRun, isAllowed: isLeading });
    const isSpent = performed.outcome === 'done' || performed.outcome === 'unclear';
    this.#budget.end(spent, isSpent && !isDryRun ? clock.monotonicMs() : null);
    this.#ended(slipIn, performed);
    return performed;
  }

  /** What was checked in a dry run is not checked again. */
  #ended(slipIn: JudgedSlipIn, performed: Performed): void {
    const { isDryRun, clock, onEnd } = this.#options;
    const isChecked = isDryRun && performed.outcome === 'done';
    const waitMs = isChecked ? Infinity : Math.max(performed.retryAfterMs ?? 0, REFUSED_MS);
    const notBeforeMs = clock.monotonicMs() + waitMs;
    this.#known.set(slipIn.pod.uid, { ...slipIn, notBeforeMs });
    onEnd({ slipIn, performed });
  }

  #await(slipIn: JudgedSlipIn, selection: KubeSelection, pods: readonly PodFacts[]): void {
    const { uid } = slipIn.pod;
    const before = new Set(pods.map((pod) => pod.uid));
    const sinceMs = this.#options.clock.monotonicMs();
    this.#known.delete(uid);
    this.#awaited.set(uid, { slipIn, selection, before, sinceMs });
    this.#queue?.addAfter(`pod/${uid}`, REPLACED_LOOK_MS);
  }

  async #podsOf(selection: KubeSelection): Promise<readonly PodFacts[]> {
    return await readAll(this.#options.api, PODS, selection, readPod);
  }

  /** The Pod that the same controller made since. */
  async #lookForReplacement(uid: string): Promise<number | null> {
    const awaited = this.#awaited.get(uid);
    if (awaited === undefined) return null;
    const { slipIn, selection, before, sinceMs } = awaited;
    const pods = await this.#podsOf(selection);
    const by = replacementAmong(pods, before, slipIn.pod);
    const agoMs = this.#options.clock.monotonicMs() - sinceMs;
    const isOver = by === null ? agoMs >= REPLACED_MS : by.isReady || agoMs >= READY_MS;
    if (!isOver) return Math.min(REPLACED_LOOK_MOST_MS, Math.max(REPLACED_LOOK_MS, agoMs));
    this.#awaited.delete(uid);
    this.#options.onReplaced({ slipIn, by });
    return null;
  }
}

function unsent({ message, failure, retryAfterMs }: PortError): Performed {
  return {
    outcome: 'refused',
    why: message,
    object: null,
    failure,
    retryAfterMs,
    unrecorded: null,
  };
}
