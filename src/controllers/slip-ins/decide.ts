import type { SlipInPolicy } from '../gate/policy.ts';

/** One Pod that is shown to have come too early: all that a decision is made of. */
export interface SlipInView {
  readonly mode: SlipInPolicy['mode'];
  readonly isShown: boolean;
  /** True when its containers started again after the node was proven. */
  readonly hasRestarted: boolean;
  readonly isLeaving: boolean;
  readonly hasFinished: boolean;
  readonly isOfDaemonSet: boolean;
  readonly isMirror: boolean;
  readonly isTolerating: boolean;
  /** False for a Pod that nobody would make again. */
  readonly hasController: boolean;
  readonly isProtected: boolean;
  /** Whether the gate may evict one more in this hour, and one more of this workload. */
  readonly isWithinHour: boolean;
  readonly isWithinWorkload: boolean;
}

export type Kept =
  | 'Tolerates'
  | 'NobodyMakesAnother'
  | 'Protected'
  | 'ReportOnly'
  | 'HourlyBudget'
  | 'WorkloadBudget';

/** `pass`: it is no slip-in; `keep`: it is one and stays, and why; `evict`: another is to be made. */
export type SlipInDecision =
  | { readonly act: 'pass' }
  | { readonly act: 'keep'; readonly why: Kept }
  | { readonly act: 'evict' };

const PASS: SlipInDecision = { act: 'pass' };

function keep(why: Kept): SlipInDecision {
  return { act: 'keep', why };
}

/** Pods that belong to their node, and those that are over or good by now. */
function isPassed(view: SlipInView): boolean {
  if (!view.isShown || view.mode === 'ignore') return true;
  if (view.isOfDaemonSet || view.isMirror) return true;
  return view.isLeaving || view.hasFinished || view.hasRestarted;
}

/** What is done about one Pod now. Only here a Pod is evicted: it is shown, allowed and replaced. */
export function decide(view: SlipInView): SlipInDecision {
  if (isPassed(view)) return PASS;
  if (view.isTolerating) return keep('Tolerates');
  if (!view.hasController) return keep('NobodyMakesAnother');
  if (view.isProtected) return keep('Protected');
  if (view.mode === 'report') return keep('ReportOnly');
  if (!view.isWithinHour) return keep('HourlyBudget');
  if (!view.isWithinWorkload) return keep('WorkloadBudget');
  return { act: 'evict' };
}
