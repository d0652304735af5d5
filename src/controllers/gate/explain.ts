import { excerptOf } from '../../evidence/redact.ts';
import { lookAt, type Look, type LookedPolicy } from './look.ts';
import { ownerOfTaint, ownerState, type OwnerState } from './foreign-taints.ts';
import type { ProofSaying } from './judge.ts';
import { hasTaint, type NodeFacts } from './node-facts.ts';
import type { GatePolicy, GateTaint, ObjectName, PolicyRefusal } from './policy.ts';
import { proofText } from './proofs/say.ts';
import { durationText, type Looked, type Surroundings } from './proofs/saying.ts';
import { notEnforcedMs, recordOf, timeText } from './record.ts';

export interface ExplainedProof {
  readonly proof: string;
  readonly state: 'proven' | 'unproven' | 'unknown';
  /** Who says so and what is missing, one clause. */
  readonly says: string;
  /** Since when it is proven, ISO 8601; null where nobody says. */
  readonly since: string | null;
}

export interface ExplainedGate {
  readonly kind: string;
  readonly name: string;
  readonly taint: string;
  readonly regressTaint: string | null;
  /** `shut` by the startup taint, `shut-again` by the regress taint. */
  readonly state: 'open' | 'shut' | 'shut-again';
  readonly openedAt: string | null;
  readonly dwellSeconds: number;
  readonly isDryRun: boolean;
  /** When the gate found that the node had never had its taint; null where it had. */
  readonly notEnforced: { readonly at: string; readonly ageSeconds: number | null } | null;
  /** What follows, one sentence. */
  readonly next: string;
  readonly proofs: readonly ExplainedProof[];
}

export interface ForeignTaintSeen {
  readonly taint: string;
  readonly owner: string | null;
  /** Whether its owner is installed; a taint without an owner stays until somebody removes it. */
  readonly ownerState: OwnerState;
  /** The gate that removes it once its owner is gone; null for none. */
  readonly adoptedBy: string | null;
}

/** What `rollcall gate explain` prints. */
export interface GateExplanation {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'GateExplanation';
  readonly node: string;
  readonly uid: string;
  readonly bootId: string | null;
  /** `unknown`: a gate is shut, and one of its proofs could not be looked at. */
  readonly state: 'open' | 'shut' | 'unknown';
  readonly gates: readonly ExplainedGate[];
  readonly otherTaints: readonly ForeignTaintSeen[];
  readonly refusals: readonly string[];
  /** Kinds of policies that could not be read, with the reason. */
  readonly notRead: readonly string[];
}

export interface ExplainInput {
  readonly node: NodeFacts;
  readonly policies: readonly GatePolicy[];
  readonly refusals: readonly PolicyRefusal[];
  readonly notRead: readonly string[];
  readonly around: Surroundings;
  /** All of the cluster; asked for only where they show the owner of a taint. */
  readonly daemonSets: Looked<readonly ObjectName[]>;
  /** Wall clock, ms. */
  readonly nowMs: number;
}

/** A controller that is at work opens a gate within this time, ms. */
const OPENS_WITHIN_MS = 30_000;

const SHOWN_CHARS_MAX = 2_000;

function shown(text: string): string {
  return excerptOf(text, SHOWN_CHARS_MAX);
}

function taintText({ key, effect }: { readonly key: string; readonly effect: string }): string {
  return `${key}:${effect}`;
}

function explainedProof({ proof, saying }: ProofSaying): ExplainedProof {
  const isProven = saying.state === 'proven';
  const sinceMs = isProven ? saying.sinceMs : null;
  return {
    proof: shown(proofText(proof)),
    state: saying.state,
    says: shown(isProven ? saying.by : saying.why),
    since: sinceMs === null ? null : timeText(sinceMs),
  };
}

function stateOf({ view }: LookedPolicy): ExplainedGate['state'] {
  if (view.isShut) return 'shut';
  return view.isShutAgain ? 'shut-again' : 'open';
}

/** Since when the last of the proofs holds; null where one does not say. */
function provenSince({ judgement }: LookedPolicy): number | null {
  const times = judgement.sayings.map(({ saying }) =>
    saying.state === 'proven' ? saying.sinceMs : null,
  );
  return times.includes(null) || times.length === 0
    ? null
    : Math.max(...times.filter((ms) => ms !== null));
}

const IS_RUNNING = 'see whether the controller runs: kubectl -n rollcall get lease rollcall-gate';

function nextOfProven(looked: LookedPolicy, nowMs: number): string {
  const { dwellMs } = looked.policy;
  const sinceMs = provenSince(looked);
  const dwell = `It opens when all proofs have held for ${durationText(dwellMs)}`;
  if (sinceMs === null || nowMs - sinceMs < dwellMs + OPENS_WITHIN_MS) return `${dwell}.`;
  return `${dwell}, and they hold for ${durationText(nowMs - sinceMs)}; ${IS_RUNNING}.`;
}

function nextOf(looked: LookedPolicy, nowMs: number): string {
  const { policy, view, why } = looked;
  if (view.verdict === 'refused') return `It stays as it is; correct the policy: ${why}`;
  const isOpen = stateOf(looked) === 'open';
  if (isOpen && view.opened === 'before-restart') return `It is shut until all is proven: ${why}.`;
  if (isOpen)
    return view.verdict === 'proven' || view.isDone
      ? 'It stays open.'
      : `It is open, though: ${why}.`;
  if (policy.isDryRun) return 'It is a dry run, so nothing changes.';
  if (view.verdict === 'proven') return nextOfProven(looked, nowMs);
  return `It stays shut. Missing: ${why}.`;
}

function notEnforcedOf({ policy }: LookedPolicy, node: NodeFacts): ExplainedGate['notEnforced'] {
  const atMs = notEnforcedMs(policy, node);
  if (atMs === null) return null;
  const ageMs = node.createdMs === null ? null : Math.max(0, atMs - node.createdMs);
  return { at: timeText(atMs), ageSeconds: ageMs === null ? null : ageMs / 1000 };
}

function explainedGate(looked: LookedPolicy, { node }: Look, nowMs: number): ExplainedGate {
  const { policy, judgement } = looked;
  const { source, taint, regressTaint, dwellMs, isDryRun } = policy;
  const record = recordOf(policy, node);
  return {
    kind: source.kind,
    name: source.name,
    taint: taintText(taint),
    regressTaint: regressTaint === null ? null : taintText(regressTaint),
    state: stateOf(looked),
    openedAt: record === null ? null : timeText(record.atMs),
    dwellSeconds: dwellMs / 1000,
    isDryRun,
    notEnforced: notEnforcedOf(looked, node),
    next: shown(nextOf(looked, nowMs)),
    proofs: judgement.sayings.map(explainedProof),
  };
}

function isOfGate({ policy }: LookedPolicy, taint: NodeFacts['taints'][number]): boolean {
  const ours: readonly (GateTaint | null)[] = [policy.taint, policy.regressTaint];
  return ours.some((one) => one?.key === taint.key && one.effect === taint.effect);
}

function overall({ decided, node }: Look): GateExplanation['state'] {
  const shut = decided.filter(
    ({ policy, view }) => view.isShutAgain || hasTaint(node, policy.taint),
  );
  if (shut.length === 0) return 'open';
  return shut.some(({ view }) => view.verdict === 'unknown' || view.verdict === 'refused')
    ? 'unknown'
    : 'shut';
}

/** DaemonSets are asked for once, where a taint of the node has an owner that they show. */
function withOwners({ around, daemonSets }: ExplainInput): Surroundings {
  return {
    daemonSet: (name) => around.daemonSet(name),
    daemonPods: (set, node) => around.daemonPods(set, node),
    daemonSets: () => daemonSets,
    csiNode: (node) => around.csiNode(node),
  };
}

/** Says of one node what each of its gates waits for, from what the cluster has now. */
export function explainNode(input: ExplainInput): GateExplanation {
  const { node, policies, refusals, notRead, nowMs } = input;
  const look = lookAt({
    node,
    before: undefined,
    policies,
    around: withOwners(input),
    nowMs,
    monotonicMs: 0,
    isWithinBudget: () => true,
    isAtStart: true,
  });
  const { decided } = look;
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'GateExplanation',
    node: node.name,
    uid: node.uid,
    bootId: node.bootId,
    state: overall(look),
    gates: decided.map((one) => explainedGate(one, look, nowMs)),
    otherTaints: node.taints
      .filter((taint) => !decided.some((one) => isOfGate(one, taint)))
      .map((taint) => ({
        taint: taintText(taint),
        owner: ownerOfTaint(taint.key),
        ownerState: ownerState(taint.key, input.daemonSets),
        adoptedBy: look.adoptions.find((one) => one.taint === taint)?.policy.source.name ?? null,
      })),
    refusals: refusals.map(({ source, why }) => shown(`${source.kind} ${source.name}: ${why}`)),
    notRead: notRead.map(shown),
  };
}
