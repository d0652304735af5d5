import { textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import type { Random } from '../../../ports/random.ts';
import { Alarm } from '../../../runtime/alarm.ts';
import { perform, type Performed, type PerformTools } from '../../../runtime/perform.ts';
import { Reflector } from '../../../runtime/reflector/reflector.ts';
import type { LeadOptions } from '../keeper.ts';
import type { Look } from '../look.ts';
import { OwnWrites } from '../own-writes.ts';
import { policyName, selectionWarning, sharedTaints } from '../policies/checks.ts';
import { NODE_GATES } from '../policies/node-gate.ts';
import type { GatePolicy } from '../policy.ts';
import { decideGate } from './decide.ts';
import { type KnownGate, readGateObject } from './gate-object.ts';
import { GateTally } from './tally.ts';

export interface NodeGateKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  /** True to have the server check every write and store nothing. */
  readonly isDryRun: boolean;
  /** True once every node was looked at, so that what no node has is known. */
  readonly isReady: () => boolean;
  readonly onPerformed: (action: Action, performed: Performed) => void;
  readonly policies: () => readonly GatePolicy[];
  readonly nodeCount: () => number;
}

const AT_ONCE = 8;
const REST_MS = 1_000;
const ROUND_MS = 10_000;
/** Counts alone are written no more often, so that nodes that join cost no write of theirs, ms. */
const COUNTS_MS = 300_000;

/** Keeps the finalizer and the status of every NodeGate. */
export class NodeGateKeeper {
  readonly #options: NodeGateKeeperOptions;
  readonly #gates: Reflector<KnownGate>;
  readonly #due: Alarm;
  readonly #own: OwnWrites;
  readonly #tally = new GateTally();
  #shared: ReadonlyMap<string, string> = new Map();
  /** Whether a deletion waited for its taints in the last round. */
  #isAnyLeaving = false;
  /** When the status of a gate was written last, by the monotonic clock. */
  readonly #writtenMs = new Map<string, number>();
  /** What was checked in a dry run, by gate: the same is not checked again. */
  readonly #checked = new Map<string, string>();

  constructor(options: NodeGateKeeperOptions) {
    const { api, clock, random } = options;
    this.#options = options;
    this.#due = new Alarm(clock);
    this.#own = new OwnWrites(clock);
    this.#gates = new Reflector<KnownGate>({
      api,
      clock,
      random,
      resource: NODE_GATES,
      project: readGateObject,
      onChange: () => this.#due.ring(),
    });
  }

  /** Takes what the gate saw of a node; it is written with the next round. */
  look(look: Look): void {
    const isLess = this.#tally.take(look, this.#options.clock.monotonicMs());
    if (isLess && this.#isAnyLeaving) this.#due.ring();
  }

  gone(node: string): void {
    this.#tally.forget(node);
  }

  /** Writes while it leads. @throws what is a bug and no failure of the API server */
  async lead({ stop, lost, isLeading }: LeadOptions): Promise<void> {
    const signal = AbortSignal.any([stop, lost]);
    await Promise.all([this.#gates.run(signal), this.#keep(signal, isLeading)]);
  }

  async #keep(signal: AbortSignal, isLeading: LeadOptions['isLeading']): Promise<void> {
    for (;;) {
      await this.#due.pause(REST_MS, ROUND_MS, signal);
      if (signal.aborted) return;
      this.#due.answer();
      await this.#round(signal, isLeading);
    }
  }

  async #round(signal: AbortSignal, isLeading: LeadOptions['isLeading']): Promise<void> {
    if (!this.#options.isReady() || !this.#gates.state().isSynced) return;
    this.#forgetGone();
    this.#shared = sharedTaints(this.#options.policies());
    this.#isAnyLeaving = [...this.#gates.values()].some(({ isLeaving }) => isLeaving);
    const due = [...this.#gates.values()].flatMap((gate) => {
      const action = this.#own.isAwaited(gate) ? null : this.#decide(gate);
      return action === null || this.#isChecked(action) ? [] : [{ gate, action }];
    });
    for (let at = 0; at < due.length && !signal.aborted; at += AT_ONCE) {
      const batch = due.slice(at, at + AT_ONCE);
      await Promise.all(batch.map(({ gate, action }) => this.#perform(gate, action, isLeading)));
    }
  }

  /** A gate that nobody can follow has worse trouble than what is unusual about it. */
  #warningsOf({ reading }: KnownGate, selected: number): readonly string[] {
    const [policy] = reading.policies;
    if (policy === undefined || policy.refusedWhy !== null) return [];
    const shared = this.#shared.get(policyName(policy)) ?? null;
    const selects = selectionWarning(policy, selected, this.#options.nodeCount());
    return [selects, shared].filter((one) => one !== null);
  }

  #forgetGone(): void {
    const known = new Set([...this.#gates.values()].map(({ uid }) => uid));
    for (const uid of this.#writtenMs.keys())
      if (!known.has(uid)) {
        this.#writtenMs.delete(uid);
        this.#tally.forgetGate(uid);
      }
  }

  #decide(gate: KnownGate): Action | null {
    const { clock } = this.#options;
    const writtenMs = this.#writtenMs.get(gate.uid) ?? -COUNTS_MS;
    const counts = this.#tally.countsOf(gate.uid);
    return decideGate({
      gate,
      counts,
      warnings: this.#warningsOf(gate, counts.selected),
      isLeft: this.#isFollowed(gate) || this.#tally.isLeft(gate.releases),
      isCountDue: clock.monotonicMs() - writtenMs >= COUNTS_MS,
      nowMs: clock.nowMs(),
    });
  }

  /** Whoever keeps the taints may hear later than this that the gate is to go. */
  #isFollowed({ uid }: KnownGate): boolean {
    return this.#options.policies().some(({ source }) => source.uid === uid);
  }

  #isChecked({ object, why }: Action): boolean {
    return this.#options.isDryRun && this.#checked.get(object.name) === why.text;
  }

  async #perform(
    gate: KnownGate,
    action: Action,
    isAllowed: LeadOptions['isLeading'],
  ): Promise<void> {
    const { clock, isDryRun, onPerformed } = this.#options;
    const performed = await perform(action, this.#options, { isDryRun, isAllowed });
    if (performed.outcome === 'done' && isDryRun) this.#checked.set(gate.name, action.why.text);
    else if (performed.outcome === 'done') {
      this.#own.written(gate, textAt(performed.object ?? {}, 'metadata.resourceVersion'));
      this.#writtenMs.set(gate.uid, clock.monotonicMs());
      this.#due.ring();
    }
    onPerformed(action, performed);
  }
}
