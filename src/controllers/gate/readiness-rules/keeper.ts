import { listAt, textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import type { Random } from '../../../ports/random.ts';
import type { EventNote } from '../../../runtime/events/event-correlator.ts';
import { Alarm } from '../../../runtime/alarm.ts';
import { perform, type Performed, type PerformTools } from '../../../runtime/perform.ts';
import { Reflector } from '../../../runtime/reflector/reflector.ts';
import { adoptedNote } from '../foreign-notes.ts';
import type { GateWrite, GateWritten } from '../keeper.ts';
import type { Look } from '../look.ts';
import { OwnWrites } from '../own-writes.ts';
import { NODE_READINESS_RULES } from '../policies/node-readiness-rule.ts';
import { decideRule } from './decide.ts';
import { type NodeEvaluation, RuleEvaluations } from './evaluations.ts';
import { type KnownRule, readRule } from './rule.ts';
import { type FailedNode, ruleStatus, STATUS_NODES_MAX } from './status.ts';

export interface RuleKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  /** True to have the server check every write and store nothing. */
  readonly isDryRun: boolean;
  /** True once every node was looked at, so that what no node has is known. */
  readonly isReady: () => boolean;
  readonly onPerformed: (action: Action, performed: Performed) => void;
  readonly onNote: (note: EventNote) => void;
}

/** Between two writes of one status, so that a storm of joins is not one of statuses too, ms. */
const REST_MS = 2_000;
const AFTER_FAILURE_MS = 5_000;
const ROUND_MS = 60_000;

/**
 * Keeps the finalizer and the status of every NodeReadinessRule, of what the gate's looks found.
 * It follows the rules itself, and writes while it runs.
 */
export class RuleKeeper {
  readonly #options: RuleKeeperOptions;
  readonly #rules: Reflector<KnownRule>;
  readonly #due: Alarm;
  readonly #own: OwnWrites;
  readonly #evaluations = new RuleEvaluations();
  /** By rule and node. */
  readonly #failed = new Map<string, Map<string, FailedNode>>();

  constructor(options: RuleKeeperOptions) {
    const { api, clock, random } = options;
    this.#options = options;
    this.#due = new Alarm(clock);
    this.#own = new OwnWrites(clock);
    this.#rules = new Reflector<KnownRule>({
      api,
      clock,
      random,
      resource: NODE_READINESS_RULES,
      project: readRule,
      onChange: () => this.#due.ring(),
    });
  }

  /** Takes what the gate saw of a node. */
  look(look: Look): void {
    if (this.#evaluations.take(look, this.#nowMs())) this.#due.ring();
  }

  gone(node: string): void {
    this.#evaluations.forget(node);
    for (const nodes of this.#failed.values()) nodes.delete(node);
    this.#due.ring();
  }

  /** Takes how a write of taints ended: the nodes on which one failed are in the status. */
  performed({ look, isOfTaints }: GateWrite, { outcome, why }: GateWritten): void {
    if (!isOfTaints || outcome === 'conflict') return;
    for (const { policy, decision } of look.decided) {
      const { kind, uid } = policy.source;
      if (kind !== 'NodeReadinessRule' || uid === null || decision.act === 'keep') continue;
      const reason = decision.act === 'open' ? 'RemoveTaintError' : 'AddTaintError';
      if (outcome === 'done') this.#failed.get(uid)?.delete(look.node.name);
      else this.#fail(uid, { nodeName: look.node.name, reason, message: why, atMs: this.#nowMs() });
    }
    this.#due.ring();
  }

  evaluationsOf(uid: string): ReadonlyMap<string, NodeEvaluation> {
    return this.#evaluations.of(uid);
  }

  /** Writes until the signal ends it. @throws what is a bug and no failure of the API server */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#rules.run(signal), this.#keep(signal)]);
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #fail(uid: string, failed: FailedNode): void {
    const nodes = this.#failed.get(uid) ?? new Map<string, FailedNode>();
    this.#failed.set(uid, nodes);
    if (nodes.size < STATUS_NODES_MAX) nodes.set(failed.nodeName, failed);
  }

  async #keep(signal: AbortSignal): Promise<void> {
    let restMs = 0;
    for (;;) {
      await this.#due.pause(restMs, ROUND_MS, signal);
      if (signal.aborted) return;
      this.#due.answer();
      restMs = (await this.#round(signal)) ? REST_MS : AFTER_FAILURE_MS;
    }
  }

  /** False when a write failed. */
  async #round(signal: AbortSignal): Promise<boolean> {
    if (!this.#options.isReady() || !this.#rules.state().isSynced) return true;
    this.#forgetGone();
    let isWell = true;
    for (const rule of this.#rules.values()) {
      if (signal.aborted) return true;
      this.#tellAdopted(rule);
      const action = this.#own.isAwaited(rule) ? null : this.#decide(rule);
      if (action !== null && !(await this.#perform(rule, action))) isWell = false;
    }
    return isWell;
  }

  /** A node that the status lists was looked at by whoever wrote it. */
  #tellAdopted(rule: KnownRule): void {
    const adopted = this.#evaluations.takeAdopted(rule.uid);
    if (adopted.length === 0) return;
    const listed = listAt(rule.status, 'nodeEvaluations').map((one) => textAt(one, 'nodeName'));
    for (const node of adopted)
      if (!listed.includes(node.name)) this.#options.onNote(adoptedNote(node, rule));
  }

  #forgetGone(): void {
    const known = new Set([...this.#rules.values()].map(({ uid }) => uid));
    for (const uid of this.#failed.keys()) if (!known.has(uid)) this.#failed.delete(uid);
    for (const uid of this.#evaluations.rules())
      if (!known.has(uid)) this.#evaluations.forgetRule(uid);
  }

  #decide(rule: KnownRule): Action | null {
    const evaluations = this.#evaluations.of(rule.uid);
    const failed = [...(this.#failed.get(rule.uid)?.values() ?? [])];
    const status = ruleStatus({ rule, evaluations, failed });
    return decideRule({ rule, status, isLeft: this.#evaluations.isLeft(rule.taint) });
  }

  async #perform(rule: KnownRule, action: Action): Promise<boolean> {
    const { isDryRun, onPerformed } = this.#options;
    const performed = await perform(action, this.#options, { isDryRun });
    const version = textAt(performed.object ?? {}, 'metadata.resourceVersion');
    if (performed.outcome === 'done' && !isDryRun) {
      this.#own.written(rule, version);
      // What else it needs comes with the next round, which the watch brings.
      this.#due.ring();
    }
    onPerformed(action, performed);
    return performed.outcome === 'done' || performed.outcome === 'conflict';
  }
}
