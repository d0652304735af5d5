import type { GateView } from './decide.ts';
import type { Judgement } from './judge.ts';
import { dwellAfter, type Held, type NodeMemory } from './memory.ts';
import { hasTaint, type NodeFacts } from './node-facts.ts';
import type { GatePolicy } from './policy.ts';
import { awaitsMarks, keyOfPolicy, openedBy } from './record.ts';

export interface ViewInput {
  readonly policy: GatePolicy;
  readonly node: NodeFacts;
  readonly memory: NodeMemory;
  readonly judgement: Judgement;
  readonly held: Held;
  /** By the monotonic clock. */
  readonly nowMs: number;
  readonly isWithinBudget: boolean;
  /** True while another gate keeps the node from its start, or one that was given up still does. */
  readonly isHeldByOther: boolean;
}

/**
 * True for a node that was there before the policy, and that nothing holds since its start. Where the age of the policy is unknown, one that
 * was open when this process began counts as long as nothing is seen to fail.
 */
function isInService({ policy, node, memory, judgement, isHeldByOther }: ViewInput): boolean {
  if (isHeldByOther) return false;
  const { createdMs, refusedWhy } = policy;
  if (createdMs !== null && node.createdMs !== null) return node.createdMs < createdMs;
  const isSeen = refusedWhy === null && judgement.verdict !== 'unknown';
  return !isSeen && memory.wasAtStart && !memory.seenShut.has(keyOfPolicy(policy));
}

/** Someone may have put our taint back on a node that was done: it is looked at again. */
function isDone(
  policy: GatePolicy,
  node: NodeFacts,
  opened: GateView['opened'],
  carries: boolean,
): boolean {
  if (policy.mode !== 'bootstrap-only' || opened !== 'now') return false;
  return !awaitsMarks(policy, node) && (!carries || !policy.isBoundToBoot);
}

/** Gathers what is known of one policy on one node. */
export function viewOf(input: ViewInput): GateView {
  const { policy, node, memory, judgement, held, nowMs, isWithinBudget } = input;
  const { provenSinceMs, lostSinceMs } = held;
  const opened = openedBy(policy, node, memory);
  const isShut = hasTaint(node, policy.taint);
  const isShutAgain = policy.regressTaint !== null && hasTaint(node, policy.regressTaint);
  return {
    verdict: policy.refusedWhy === null ? judgement.verdict : 'refused',
    heldMs: provenSinceMs === null ? 0 : nowMs - provenSinceMs,
    dwellMs: dwellAfter(held, policy.dwellMs),
    lostMs: lostSinceMs === null ? 0 : nowMs - lostSinceMs,
    regressAfterMs: policy.regressAfterMs,
    opened,
    isDone: isDone(policy, node, opened, isShut || isShutAgain),
    isShut,
    isShutAgain,
    isInService: isInService(input),
    isWithinBudget,
  };
}
