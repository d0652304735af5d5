import type { Look, LookedPolicy } from '../look.ts';
import type { NodeFacts } from '../node-facts.ts';
import { proofsOf } from '../judge.ts';

/** What a rule found on one node. */
export interface NodeEvaluation {
  readonly nodeName: string;
  /** What the node says of each condition, in the order of the rule; null for nothing. */
  readonly statuses: readonly (string | null)[];
  readonly isSatisfied: boolean;
  /** True while the node carries the rule's taint. */
  readonly isHeld: boolean;
  /** Since when it is so, ms since the epoch. */
  readonly sinceMs: number;
}

function statusesOf({ policy }: LookedPolicy, node: NodeFacts): readonly (string | null)[] {
  return proofsOf(policy).map((proof) =>
    proof.kind === 'condition' ? (node.conditions.get(proof.type)?.status ?? null) : null,
  );
}

function isSame(one: NodeEvaluation, other: NodeEvaluation): boolean {
  const { statuses } = other;
  return (
    one.isSatisfied === other.isSatisfied &&
    one.isHeld === other.isHeld &&
    one.statuses.length === statuses.length &&
    one.statuses.every((status, index) => status === statuses[index])
  );
}

function evaluationOf(looked: LookedPolicy, node: NodeFacts, nowMs: number): NodeEvaluation {
  return {
    nodeName: node.name,
    statuses: statusesOf(looked, node),
    isSatisfied: looked.view.verdict === 'proven',
    isHeld: looked.view.isShut,
    sinceMs: nowMs,
  };
}

type ByNode = Map<string, NodeEvaluation>;

/** A node that carried the taint of a rule before the rule looked at it. */
export interface AdoptedNode {
  readonly name: string;
  readonly uid: string;
}

const ADOPTIONS_MAX = 100;

/** What every NodeReadinessRule found on every node that it selects, by the looks of the gate. */
export class RuleEvaluations {
  readonly #byRule = new Map<string, ByNode>();
  /** Taints of rules that nodes still carry and no policy wants, by node. */
  readonly #left = new Map<string, ReadonlySet<string>>();
  readonly #adopted = new Map<string, AdoptedNode[]>();

  /** @returns true when anything changed that a status or a deletion depends on */
  take({ node, decided }: Look, nowMs: number): boolean {
    const seen = new Set<string>();
    let hasChanged = this.#takeTaints(node, decided);
    for (const looked of decided) {
      const { kind, uid } = looked.policy.source;
      if (kind !== 'NodeReadinessRule' || uid === null) continue;
      seen.add(uid);
      const evaluation = evaluationOf(looked, node, nowMs);
      if (!this.of(uid).has(node.name) && !looked.policy.isDryRun)
        this.#adopt(uid, node, evaluation);
      if (this.#put(uid, evaluation)) hasChanged = true;
    }
    for (const [uid, nodes] of this.#byRule)
      if (!seen.has(uid) && nodes.delete(node.name)) hasChanged = true;
    return hasChanged;
  }

  forget(node: string): void {
    this.#left.delete(node);
    for (const nodes of this.#byRule.values()) nodes.delete(node);
  }

  forgetRule(uid: string): void {
    this.#byRule.delete(uid);
    this.#adopted.delete(uid);
  }

  /** UIDs of the rules that are known. */
  rules(): readonly string[] {
    return [...this.#byRule.keys()];
  }

  of(uid: string): ReadonlyMap<string, NodeEvaluation> {
    return this.#byRule.get(uid) ?? new Map();
  }

  /** True while a node carries a taint that no policy wants there. */
  isLeft({ key, effect }: { readonly key: string; readonly effect: string }): boolean {
    const taint = `${key}:${effect}`;
    return [...this.#left.values()].some((taints) => taints.has(taint));
  }

  /** Nodes that a rule adopted since it was asked last. */
  takeAdopted(uid: string): readonly AdoptedNode[] {
    const adopted = this.#adopted.get(uid) ?? [];
    this.#adopted.delete(uid);
    return adopted;
  }

  #adopt(
    uid: string,
    { name, uid: nodeUid }: NodeFacts,
    { isHeld, isSatisfied }: NodeEvaluation,
  ): void {
    if (!isHeld || isSatisfied) return;
    const adopted = this.#adopted.get(uid) ?? [];
    this.#adopted.set(uid, adopted);
    if (adopted.length < ADOPTIONS_MAX) adopted.push({ name, uid: nodeUid });
  }

  #put(uid: string, evaluation: NodeEvaluation): boolean {
    const nodes: ByNode = this.#byRule.get(uid) ?? new Map();
    this.#byRule.set(uid, nodes);
    const known = nodes.get(evaluation.nodeName);
    if (known !== undefined && isSame(known, evaluation)) return false;
    nodes.set(evaluation.nodeName, evaluation);
    return true;
  }

  #takeTaints({ name, taints }: NodeFacts, decided: readonly LookedPolicy[]): boolean {
    const wanted = new Set(decided.map(({ policy: { taint } }) => `${taint.key}:${taint.effect}`));
    const left = taints
      .map(({ key, effect }) => `${key}:${effect}`)
      .filter((one) => !wanted.has(one));
    const before = this.#left.get(name);
    if (left.length === 0) return this.#left.delete(name);
    this.#left.set(name, new Set(left));
    return before?.size !== left.length || !left.every((one) => before.has(one));
  }
}
