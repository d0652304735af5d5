/** Looks for tests, and a play of them through the state machine. */
import type { JoinNode, JoinNodeLook, JoinSeen } from '../../domain/nodes/join.ts';
import { decide } from './decide.ts';
import { JOIN_RULES, type JoinRules } from './rules.ts';
import { type JoinState, newJoin } from './state.ts';
import type { JoinStep } from './step.ts';

export const NODE: JoinNode = {
  uid: 'uid-1',
  name: 'ip-10-0-1-5.ec2.internal',
  owner: 'ours',
  ownerName: null,
  isReady: true,
  message: '',
  isInitialized: true,
  isDeleting: false,
  isOfThisBoot: true,
};

export const ABSENT: JoinNodeLook = { state: 'absent', name: NODE.name };
export const LISTED = { state: 'listed', privateDnsName: NODE.name } as const;
export const UNLISTED = { state: 'absent', message: 'EC2 does not list i-1 yet.' } as const;
export const KUBEADM_LEFT = { paths: ['/etc/kubernetes/kubelet.conf'], foreign: null };

export function present(change: Partial<JoinNode> = {}): JoinNodeLook {
  return { state: 'present', node: { ...NODE, ...change } };
}

export function unseen(why: Extract<JoinNodeLook, { state: 'unknown' }>['why']): JoinNodeLook {
  return { state: 'unknown', why, message: `It is ${why}.` };
}

/** A machine that never joined, with all that a look does not ask for. */
export function seen(atMs: number, change: Partial<JoinSeen> = {}): JoinSeen {
  return {
    atMs,
    node: unseen('no-credentials'),
    cloud: null,
    kubelet: 'running',
    checks: [],
    leftovers: { paths: [], foreign: null },
    isCommandRunning: false,
    ...change,
  };
}

export const RULES: JoinRules = { ...JOIN_RULES, canReset: true };

export function joining(change: Partial<JoinState> = {}): JoinState {
  return { ...newJoin('i-1', 0), ...change };
}

/** A join whose COMMAND has ended with 0 at the start. */
export function watching(change: Partial<JoinState> = {}): JoinState {
  return joining({ phase: 'watching', tries: 1, exitCode: 0, ...change });
}

/** The steps of one look after another. */
export function play(
  state: JoinState,
  looks: readonly JoinSeen[],
  rules: JoinRules = RULES,
): { readonly steps: readonly JoinStep[]; readonly state: JoinState } {
  const steps: JoinStep[] = [];
  let now = state;
  for (const look of looks) {
    const decision = decide(now, look, rules);
    now = decision.state;
    steps.push(decision.step);
  }
  return { steps, state: now };
}

export function deeds(steps: readonly JoinStep[]): string {
  return steps.map((step) => (step.do === 'failed' ? step.failure : step.do)).join(' ');
}
