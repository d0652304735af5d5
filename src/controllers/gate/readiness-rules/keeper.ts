import { listAt, textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import type { EventNote } from '../../../runtime/events/event-correlator.ts';
import { adoptedNote } from '../foreign-notes.ts';
import type { GateWrite, GateWritten, LeadOptions } from '../keeper.ts';
import type { Look } from '../look.ts';
import { type KeeperTools, ObjectKeeper } from '../object-keeper.ts';
import type { GatePolicy } from '../policy.ts';
import { NODE_READINESS_RULES } from '../policies/node-readiness-rule.ts';
import { decideRule } from './decide.ts';
import { type NodeEvaluation, RuleEvaluations } from './evaluations.ts';
import { type KnownRule, readRule } from './rule.ts';
import { type FailedNode, ruleStatus, STATUS_NODES_MAX } from './status.ts';

export interface RuleKeeperOptions extends KeeperTools {
  readonly onNote: (note: EventNote) => void;
  /** Those that the gate follows now. */
  readonly policies: () => readonly GatePolicy[];
}

/** Keeps the finalizer and the status of every NodeReadinessRule, of what the gate's looks found. */
export class RuleKeeper {
  readonly #options: RuleKeeperOptions;
  readonly #keeper: ObjectKeeper<KnownRule>;
  readonly #evaluations = new RuleEvaluations();
  /** By rule and node. */
  readonly #failed = new Map<string, Map<string, FailedNode>>();

  constructor(options: RuleKeeperOptions) {
    this.#options = options;
    this.#keeper = new ObjectKeeper({
      ...options,
      resource: NODE_READINESS_RULES,
      project: readRule,
      decide: (rule) => this.#decide(rule),
      onRound: (all) => this.#takeAll(all),
    });
  }

  /** Takes what the gate saw of a node. */
  look(look: Look): void {
    if (this.#evaluations.take(look, this.#nowMs())) this.#keeper.ring();
  }

  gone(node: string): void {
    this.#evaluations.forget(node);
    for (const nodes of this.#failed.values()) nodes.delete(node);
    this.#keeper.ring();
  }

  /** Takes how a write of taints ended: the nodes on which one failed are in the status. */
  performed({ look, isOfTaints }: GateWrite, { outcome, why }: GateWritten): void {
    if (!isOfTaints || outcome === 'conflict') return;
    const nodeName = look.node.name;
    for (const { policy, decision } of look.decided) {
      const { kind, uid } = policy.source;
      if (kind !== 'NodeReadinessRule' || uid === null || decision.act === 'keep') continue;
      const reason = decision.act === 'open' ? 'RemoveTaintError' : 'AddTaintError';
      if (outcome === 'done') this.#failed.get(uid)?.delete(nodeName);
      else this.#fail(uid, { nodeName, reason, message: why, atMs: this.#nowMs() });
    }
    this.#keeper.ring();
  }

  evaluationsOf(uid: string): ReadonlyMap<string, NodeEvaluation> {
    return this.#evaluations.of(uid);
  }

  /** Writes while it leads. @throws what is a bug and no failure of the API server */
  async lead(leading: LeadOptions): Promise<void> {
    await this.#keeper.lead(leading);
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #fail(uid: string, failed: FailedNode): void {
    const nodes = this.#failed.get(uid) ?? new Map<string, FailedNode>();
    this.#failed.set(uid, nodes);
    if (nodes.size < STATUS_NODES_MAX) nodes.set(failed.nodeName, failed);
  }

  #takeAll(rules: readonly KnownRule[]): void {
    const known = new Set(rules.map(({ uid }) => uid));
    for (const uid of this.#failed.keys()) if (!known.has(uid)) this.#failed.delete(uid);
    for (const uid of this.#evaluations.rules())
      if (!known.has(uid)) this.#evaluations.forgetRule(uid);
    for (const rule of rules) this.#tellAdopted(rule);
  }

  /** A node that the status lists was looked at by whoever wrote it. */
  #tellAdopted(rule: KnownRule): void {
    const adopted = this.#evaluations.takeAdopted(rule.uid);
    if (adopted.length === 0) return;
    const listed = listAt(rule.status, 'nodeEvaluations').map((one) => textAt(one, 'nodeName'));
    for (const node of adopted)
      if (!listed.includes(node.name)) this.#options.onNote(adoptedNote(node, rule));
  }

  #decide(rule: KnownRule): Action | null {
    const evaluations = this.#evaluations.of(rule.uid);
    const failed = [...(this.#failed.get(rule.uid)?.values() ?? [])];
    const status = ruleStatus({ rule, evaluations, failed });
    const isLeft = this.#isFollowed(rule) || this.#evaluations.isLeft(rule.taint);
    return decideRule({ rule, status, isLeft });
  }

  /** Whoever keeps the taints may hear later than this that the rule is to go. */
  #isFollowed({ uid }: KnownRule): boolean {
    return this.#options.policies().some(({ source }) => source.uid === uid);
  }
}
