import { keyOfPolicy } from '../gate/record.ts';
import { type GatePolicy, type SlipInPolicy, SLIP_INS_REPORTED } from '../gate/policy.ts';
import { decide, type Kept, type SlipInDecision } from './decide.ts';
import { hasRestarted, isTolerating, proofOf, type SlipInProof } from './evidence.ts';
import type { PodFacts } from './pod.ts';
import type { GateStanding } from './standing.ts';

/** A Pod that came to a node too early. */
export interface SlipIn {
  readonly pod: PodFacts;
  /** Of the gate whose taint it does not tolerate. */
  readonly policy: GatePolicy;
  readonly proof: SlipInProof;
}

/** A slip-in with what is done about it now. */
export interface JudgedSlipIn extends SlipIn {
  readonly decision: Exclude<SlipInDecision, { readonly act: 'pass' }>;
}

/** Whether one more eviction is within the budgets of a gate. */
export type AskBudget = (
  policy: GatePolicy,
  pod: PodFacts,
) => {
  readonly isWithinHour: boolean;
  readonly isWithinWorkload: boolean;
};

export function limitsOf({ slipIns }: GatePolicy): SlipInPolicy {
  return slipIns ?? SLIP_INS_REPORTED;
}

/** One for each workload: what makes its Pods. */
export function workloadOf({ controller, uid }: PodFacts): string {
  return controller?.uid ?? uid;
}

interface Shown {
  readonly standing: GateStanding;
  readonly proof: SlipInProof;
}

function isSameGate(a: GatePolicy, b: GatePolicy): boolean {
  return keyOfPolicy(a) === keyOfPolicy(b);
}

/** By the gate that does most about it; what was shown once stays shown. */
function shownBy(
  pod: PodFacts,
  standings: readonly GateStanding[],
  known: SlipIn | undefined,
): Shown | null {
  const all = standings.flatMap((standing): readonly Shown[] => {
    const before =
      known !== undefined && isSameGate(known.policy, standing.policy) ? known.proof : null;
    const proof = before ?? proofOf(pod, standing);
    return proof === null ? [] : [{ standing, proof }];
  });
  return all.find(({ standing }) => limitsOf(standing.policy).mode === 'evict') ?? all[0] ?? null;
}

/** Judges one Pod on a node whose gates are known; null where nothing shows that it slipped in. */
export function judgePod(
  pod: PodFacts,
  standings: readonly GateStanding[],
  known: SlipIn | undefined,
  ask: AskBudget,
): JudgedSlipIn | null {
  const shown = shownBy(pod, standings, known);
  if (shown === null) return null;
  const { standing, proof } = shown;
  const { policy } = standing;
  const decision = decide({
    mode: limitsOf(policy).mode,
    isShown: true,
    hasRestarted: hasRestarted(pod, standing),
    isLeaving: pod.isLeaving,
    hasFinished: pod.hasFinished,
    isOfDaemonSet: pod.controller?.kind === 'DaemonSet',
    isMirror: pod.isMirror,
    isTolerating: isTolerating(pod, standing),
    hasController: pod.controller !== null,
    isProtected: pod.protectedBy !== null,
    ...ask(policy, pod),
  });
  return decision.act === 'pass' ? null : { pod, policy, proof, decision };
}

/** Why it stays, one sentence. */
export function whyKept({ pod, policy }: SlipIn, why: Kept): string {
  const { perHour, perWorkload } = limitsOf(policy);
  const gate = `${policy.source.kind} ${policy.source.name}`;
  switch (why) {
    case 'Tolerates':
      return `It tolerates ${policy.taint.key}:${policy.taint.effect}, so it is never evicted; restart it.`;
    case 'NobodyMakesAnother':
      return `No controller would make another; replace it: kubectl -n ${pod.namespace} delete pod ${pod.name}`;
    case 'Protected':
      return `Its annotation ${pod.protectedBy ?? ''} asks not to evict it.`;
    case 'ReportOnly':
      return `${gate} only reports; set spec.slipIns.mode to evict, or restart the workload.`;
    case 'HourlyBudget':
      return `It waits: ${gate} evicts at most ${perHour} an hour.`;
    default:
      return `It waits: ${gate} evicts at most ${perWorkload} of a workload an hour.`;
  }
}
