/** One policy on one node: all that a decision is made of. Durations in ms. */
export interface GateView {
  /** What its proofs say; `refused` where the policy cannot be followed. */
  readonly verdict: 'proven' | 'unproven' | 'unknown' | 'refused';
  /** How long all proofs have held without interruption; 0 unless proven. */
  readonly heldMs: number;
  readonly dwellMs: number;
  /** How long one has been seen to fail; 0 unless unproven. */
  readonly lostMs: number;
  readonly regressAfterMs: number;
  /** Whether this policy has opened the node: now, in a former run of its kubelet or boot, or never. */
  readonly opened: 'now' | 'before-restart' | 'before' | 'never';
  /** True for a policy that only starts nodes up, and has done so. */
  readonly isDone: boolean;
  readonly isShut: boolean;
  /** True while the node carries the regress taint. */
  readonly isShutAgain: boolean;
  /** True for a node that is older than the policy. */
  readonly isInService: boolean;
  /** False where more nodes lost their proofs than the blast budget allows to shut again. */
  readonly isWithinBudget: boolean;
}

export type Reason = 'Opened' | 'Dwelling' | 'StaysOpen' | 'NotEnforced' | Restart | Trouble;
type Restart = 'Rebooted' | 'KubeletRestarted';
type Trouble = 'Unproven' | 'Unknown' | 'PolicyRefused' | 'ProofLost' | 'ProofSuspected';

/** `open`: both taints go; `keep`: nothing changes; the others put that taint. */
export interface Decision {
  readonly act: 'open' | 'keep' | 'put-startup' | 'put-regress';
  readonly reason: Reason;
  /** When time alone can change this decision, ms from now; null for never. */
  readonly againMs: number | null;
}

const REASONS = { unproven: 'Unproven', unknown: 'Unknown', refused: 'PolicyRefused' } as const;

function keep(reason: Reason, againMs: number | null = null): Decision {
  return { act: 'keep', reason, againMs };
}

/** Only here a node opens: every proof holds, and has held for the whole dwell. */
function decideProven(view: GateView): Decision {
  const restMs = view.dwellMs - view.heldMs;
  if (restMs <= 0) return { act: 'open', reason: 'Opened', againMs: null };
  const { act, reason } = view.opened === 'now' ? keep('Dwelling') : shut(view, 'Dwelling');
  return { act, reason, againMs: restMs };
}

/** A node that this policy has not opened in this boot. What is shut stays shut. */
function shut(view: GateView, reason: Reason): Decision {
  if (view.isShut || view.isShutAgain) return keep(reason);
  if (view.opened === 'before') return { act: 'put-regress', reason: 'Rebooted', againMs: null };
  if (view.opened === 'before-restart') return shutAgain(view, 'KubeletRestarted');
  if (view.isInService) return view.verdict === 'unproven' ? lost(view) : keep(reason);
  return { act: 'put-startup', reason: 'NotEnforced', againMs: null };
}

/** A node in service whose proof is seen to fail. What cannot be seen shuts nothing. */
function lost(view: GateView): Decision {
  const restMs = view.regressAfterMs - view.lostMs;
  if (view.isShut || view.isShutAgain) return keep('ProofLost');
  if (restMs > 0) return keep('ProofLost', restMs);
  return shutAgain(view, 'ProofLost');
}

function shutAgain({ isWithinBudget }: GateView, reason: Reason): Decision {
  return isWithinBudget ? { act: 'put-regress', reason, againMs: null } : keep('ProofSuspected');
}

/** What one policy does to one node now. */
export function decide(view: GateView): Decision {
  if (view.isDone) return keep('StaysOpen');
  if (view.verdict === 'proven') return decideProven(view);
  if (view.opened === 'now' && view.verdict === 'unproven') return lost(view);
  if (view.opened === 'now') return keep(REASONS[view.verdict]);
  return shut(view, REASONS[view.verdict]);
}
