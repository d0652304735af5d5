import type { JoinNodeLook, JoinSeen } from '../../domain/nodes/join.ts';
import type { JoinRules } from './rules.ts';
import type { JoinState } from './state.ts';
import { type Decision, failed, wait } from './step.ts';

type Blind = Extract<JoinNodeLook, { state: 'unknown' }>;

/** COMMAND is done, and the Node cannot be read. No answer is never taken for a deletion. */
export function blind(state: JoinState, seen: JoinSeen, look: Blind, rules: JoinRules): Decision {
  if (look.why === 'no-answer') return wait(forgiven(state), look.message);
  if (look.why === 'no-credentials') return withoutCredentials(state, seen, rules);
  return refused(state, seen, look, rules);
}

function forgiven(state: JoinState): JoinState {
  return { ...state, memory: { ...state.memory, refusedSinceMs: null } };
}

function withoutCredentials(state: JoinState, seen: JoinSeen, rules: JoinRules): Decision {
  const isWaiting = seen.atMs - state.memory.sinceMs < rules.registrationMs;
  if (isWaiting) return wait(forgiven(state), 'The kubelet has no credentials yet.');
  const runs = seen.kubelet === 'stopped' ? 'the kubelet does not run and ' : '';
  const how = state.exitCode === null ? 'ended' : `ended with ${state.exitCode}`;
  const why = `COMMAND ${how}, but ${runs}there are no kubelet credentials.`;
  return again(state, seen, { failure: 'command-did-nothing', why }, rules);
}

function refused(state: JoinState, seen: JoinSeen, look: Blind, rules: JoinRules): Decision {
  const sinceMs = state.memory.refusedSinceMs ?? seen.atMs;
  const next = { ...state, memory: { ...state.memory, refusedSinceMs: sinceMs } };
  if (seen.atMs - sinceMs < rules.refusedMs) return wait(next, look.message);
  if (look.why === 'denied') return failed(next, 'name-denied', look.message);
  return again(next, seen, { failure: 'credentials-refused', why: look.message }, rules);
}

interface GivenUp {
  readonly failure: 'command-did-nothing' | 'credentials-refused';
  readonly why: string;
}

/** Credentials come only from COMMAND. */
function again(
  state: JoinState,
  { leftovers }: JoinSeen,
  { failure, why }: GivenUp,
  { triesMax, canReset }: JoinRules,
): Decision {
  const needsReset = leftovers.paths.length > 0;
  if (state.tries >= triesMax || (needsReset && !canReset)) return failed(state, failure, why);
  const next = { ...state, phase: 'before' as const };
  return needsReset ? { state: next, step: { do: 'reset', why } } : wait(next, why);
}
