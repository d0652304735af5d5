import { type Adoption, adoptionsOf, type GoneOwners, rememberGone } from './adoption.ts';
import { decide, type Decision, type GateView } from './decide.ts';
import { type Judgement, judge } from './judge.ts';
import { type Held, holdsBefore, nextHeld, type NodeMemory, rememberNode } from './memory.ts';
import type { NodeFacts } from './node-facts.ts';
import { hasLabels } from './node-selector.ts';
import { isPlacedByLabels } from './placement.ts';
import { type Decided, isReleased } from './plan.ts';
import type { GatePolicy, TaintRelease } from './policy.ts';
import type { Scene, Surroundings } from './proofs/saying.ts';
import { isOfThisBoot, keyOfPolicy, keyOfVersion, recordKey, recordOf } from './record.ts';
import { viewOf } from './view.ts';

export interface LookInput {
  readonly node: NodeFacts;
  readonly before: NodeMemory | undefined;
  readonly policies: readonly GatePolicy[];
  readonly around: Surroundings;
  /** Wall clock, ms. */
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly isWithinBudget: (policy: GatePolicy) => boolean;
  /** Taints that documents gave up; none when not given. */
  readonly releases?: readonly TaintRelease[];
  /** True for a Node that was there when this process began. */
  readonly isAtStart: boolean;
}

/** What one policy says of a node, and what it decided. */
export interface LookedPolicy extends Decided {
  readonly view: GateView;
  readonly judgement: Judgement;
}

/** One look at one Node. */
export interface Look {
  readonly node: NodeFacts;
  readonly memory: NodeMemory;
  /** Of every policy that selects the node. */
  readonly decided: readonly LookedPolicy[];
  /** Startup taints of other programs that one of these policies removes. */
  readonly adoptions: readonly Adoption[];
  /** When time alone can change something, ms from now; null for never. */
  readonly againMs: number | null;
}

/** True for a policy that is for this node. */
export function isFor(policy: GatePolicy, node: NodeFacts, around: Surroundings): boolean {
  const { requirements, placedBy } = policy.selects;
  if (!hasLabels(requirements, node.labels)) return false;
  if (placedBy === null) return true;
  const set = around.daemonSet(placedBy);
  return set.state !== 'seen' || isPlacedByLabels(set.value, node);
}

/** The end of the boot before the present one, as far as anything tells. */
function bootFloor(policy: GatePolicy, node: NodeFacts, memory: NodeMemory): number | null {
  if (!policy.isBoundToBoot) return null;
  if (memory.bootFloorMs !== null) return memory.bootFloorMs;
  const record = recordOf(policy, node);
  return record !== null && !isOfThisBoot(record, node) ? record.atMs : null;
}

const NO_HOLDS: ReadonlySet<string> = new Set();

const RESTARTED = 'its kubelet restarted after the gate opened it';

interface Step {
  readonly key: string;
  readonly held: Held;
  readonly looked: LookedPolicy;
}

/** A gate that is renamed is a new one, and its nodes are as shut as they were under the old name. */
function isHeldByOther(policy: GatePolicy, { node, policies, releases = [] }: LookInput): boolean {
  const { key, effect } = policy.taint;
  return node.taints.some((taint) => {
    if (taint.key === key && taint.effect === effect) return false;
    return (
      policies.some((one) => one.taint.key === taint.key && one.taint.effect === taint.effect) ||
      releases.some((one) => isReleased(taint, one))
    );
  });
}

/** A restart of the kubelet is why a node is shut, or would be, though everything is proven. */
function whyOf({ why }: Judgement, { opened, verdict }: GateView, { act }: Decision): string {
  if (opened !== 'before-restart' || act === 'open') return why;
  return verdict === 'proven' ? RESTARTED : `${RESTARTED}; ${why}`;
}

function lookWith(policy: GatePolicy, memory: NodeMemory, input: LookInput): Step {
  const { node, around, nowMs, monotonicMs, isWithinBudget } = input;
  const bootFloorMs = bootFloor(policy, node, memory);
  const { freshnessMs, isBoundToBoot } = policy;
  const formerHolds = isBoundToBoot ? holdsBefore(memory) : NO_HOLDS;
  const scene: Scene = { node, around, nowMs, bootFloorMs, formerHolds, freshnessMs };
  const judgement = judge(policy, scene);
  const key = keyOfVersion(policy);
  const held = nextHeld(memory.held.get(key), judgement, monotonicMs, 'any' in policy.needs);
  const view = viewOf({
    policy,
    node,
    memory,
    judgement,
    held,
    nowMs: monotonicMs,
    isWithinBudget: isWithinBudget(policy),
    isHeldByOther: isHeldByOther(policy, input),
  });
  const decision = decide(view);
  const why = policy.refusedWhy ?? whyOf(judgement, view, decision);
  return { key, held, looked: { policy, decision, why, view, judgement } };
}

function withAll(known: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> {
  return more.every((one) => known.has(one)) ? known : new Set([...known, ...more]);
}

/** Most looks find what the one before found; then nothing is made again. */
function heldAfter(before: NodeMemory['held'], steps: readonly Step[]): NodeMemory['held'] {
  const isSame =
    before.size === steps.length && steps.every(({ key, held }) => before.get(key) === held);
  return isSame ? before : new Map(steps.map(({ key, held }) => [key, held]));
}

function shutAfter(
  before: NodeMemory['shutSince'],
  shut: readonly string[],
  monotonicMs: number,
): NodeMemory['shutSince'] {
  if (before.size === shut.length && shut.every((key) => before.has(key))) return before;
  return new Map(shut.map((key) => [key, before.get(key) ?? monotonicMs]));
}

/** A policy with a record of its own on the Node is not remembered here. */
function isOpenNow({ policy, decision, view }: LookedPolicy): boolean {
  const isOpen = decision.act === 'open' && !view.isShut && !view.isShutAgain;
  return isOpen && recordKey(policy) === null;
}

function remembered(
  memory: NodeMemory,
  steps: readonly Step[],
  goneOwners: GoneOwners,
  { monotonicMs }: LookInput,
): NodeMemory {
  const looked = steps.map((step) => step.looked);
  const keys = (some: readonly LookedPolicy[]): readonly string[] =>
    some.map(({ policy }) => keyOfPolicy(policy));
  const shut = keys(looked.filter(({ view }) => view.isShut));
  return {
    ...memory,
    held: heldAfter(memory.held, steps),
    seenShut: withAll(memory.seenShut, shut),
    shutSince: shutAfter(memory.shutSince, shut, monotonicMs),
    opened: withAll(memory.opened, keys(looked.filter(isOpenNow))),
    goneOwners,
  };
}

function soonest(looked: readonly LookedPolicy[], adoptions: readonly Adoption[]): number | null {
  let soonestMs = Infinity;
  for (const { restMs } of adoptions) if (restMs > 0 && restMs < soonestMs) soonestMs = restMs;
  for (const { decision } of looked) soonestMs = Math.min(soonestMs, decision.againMs ?? Infinity);
  return soonestMs === Infinity ? null : soonestMs;
}

/** Looks at one Node with all policies; pure, so that a look can be repeated. */
export function lookAt(input: LookInput): Look {
  const { node, policies, around, monotonicMs } = input;
  const memory = rememberNode(input.before, node, input.isAtStart);
  const selected = policies.filter((policy) => isFor(policy, node, around));
  const steps = selected.map((policy) => lookWith(policy, memory, input));
  const decided = steps.map(({ looked }) => looked);
  const gone = rememberGone(memory.goneOwners, node, () => around.daemonSets(), monotonicMs);
  const adoptions = adoptionsOf(node, selected, gone, monotonicMs);
  return {
    node,
    memory: remembered(memory, steps, gone, input),
    decided,
    adoptions,
    againMs: soonest(decided, adoptions),
  };
}
