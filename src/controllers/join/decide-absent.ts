import type { JoinSeen } from '../../domain/nodes/join.ts';
import { counted } from '../../domain/words.ts';
import { backoffMs, type JoinRules } from './rules.ts';
import type { JoinState } from './state.ts';
import { type Decision, failed, wait } from './step.ts';

/** COMMAND is done, and the API server has no Node of this name. */
export function absent(state: JoinState, seen: JoinSeen, rules: JoinRules): Decision {
  const gone = state.uid === null ? state : deleted(state, seen);
  const { memory } = gone;
  const isWaiting = seen.atMs - memory.sinceMs < rules.registrationMs;
  if (gone.deletions === 0 && isWaiting)
    return wait(gone, 'The kubelet has not registered its Node yet.');
  if (gone.deletions > 0 && gone.restarts > 0 && isWaiting)
    return wait(gone, 'The kubelet was restarted and has not registered its Node yet.');
  return cured(gone, seen, rules);
}

function deleted(state: JoinState, { atMs }: JoinSeen): JoinState {
  const { longestLifeMs, memory } = state;
  const lifeMs = atMs - (memory.nodeSinceMs ?? atMs);
  return {
    ...state,
    uid: null,
    deletions: state.deletions + 1,
    longestLifeMs: Math.max(longestLifeMs, lifeMs),
    memory: { ...memory, nodeSinceMs: null, keptSinceMs: null },
  };
}

/** A kubelet registers once per process, so that only a new process brings the Node back. */
function cured(state: JoinState, seen: JoinSeen, rules: JoinRules): Decision {
  const what = whatOf(state);
  const { cloud, atMs } = seen;
  if (cloud === null) return wait(state, `${what} EC2 is asked whether it lists the instance.`);
  if (cloud.state === 'absent')
    return wait(state, `${what} EC2 does not list the instance; a Node would be deleted again.`);
  if (state.restarts >= rules.restartsMax) return spent(state, what, rules);
  const quietUntilMs = Math.max(state.memory.quietUntilMs, blindUntilMs(state, seen, rules));
  if (atMs < quietUntilMs) return wait(state, `${what} The kubelet is restarted after a pause.`);
  const why =
    cloud.state === 'listed'
      ? `${what} EC2 lists the instance, and a kubelet registers its Node only when it starts.`
      : `${what} It is unknown whether EC2 lists the instance (${cloud.message}); a kubelet registers its Node only when it starts.`;
  return { state, step: { do: 'restart', why } };
}

function whatOf({ deletions }: JoinState): string {
  return deletions === 0
    ? 'The kubelet has credentials, but there is no Node: it was never registered, or deleted at once.'
    : `The Node was deleted (${counted(deletions, 'time')} so far).`;
}

/** Where EC2 cannot be asked, time alone makes the instance visible. */
function blindUntilMs({ memory, restarts }: JoinState, seen: JoinSeen, rules: JoinRules): number {
  if (seen.cloud?.state === 'listed') return 0;
  return memory.sinceMs + backoffMs(rules, restarts + 1);
}

/** What restarts do not bring back, another run of COMMAND may. */
function spent(state: JoinState, what: string, { canReset, triesMax }: JoinRules): Decision {
  const why = `${what} The kubelet was restarted ${counted(state.restarts, 'time')}.`;
  if (!canReset || state.tries >= triesMax) return failed(state, 'deleted-again', why);
  return { state: { ...state, phase: 'before' }, step: { do: 'reset', why } };
}
