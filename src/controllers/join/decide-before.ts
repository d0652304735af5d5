import type { JoinCheck, JoinSeen } from '../../domain/nodes/join.ts';
import { counted } from '../../domain/words.ts';
import type { JoinRules } from './rules.ts';
import type { JoinState } from './state.ts';
import { type Decision, failed, wait } from './step.ts';

/** COMMAND is to run, or ran when the supervisor ended: nobody knows what came of it. */
export function decideBefore(state: JoinState, seen: JoinSeen, rules: JoinRules): Decision {
  if (state.phase === 'running') return interrupted(state, seen);
  if (state.tries >= rules.triesMax) return exhausted(state);
  if (seen.atMs < state.memory.quietUntilMs)
    return wait(state, 'COMMAND is run again after a pause.');
  const open = seen.checks.find((check) => isOpen(check, state, seen, rules));
  if (open !== undefined) return wait(state, open.message);
  return cleared(state, seen, rules);
}

/** What COMMAND left is watched as if it had ended well: it is taken back only when nothing comes of it. */
function interrupted(state: JoinState, { atMs }: JoinSeen): Decision {
  const memory = { ...state.memory, sinceMs: atMs };
  const next = { ...state, phase: 'watching' as const, memory };
  return wait(next, 'COMMAND ended while nobody watched; what it left is looked at.');
}

function exhausted(state: JoinState): Decision {
  const how = state.exitCode === null ? '' : `, the last time with ${state.exitCode}`;
  const why = `COMMAND was run ${counted(state.tries, 'time')}${how}, and there is no Node.`;
  return failed(state, 'command-failed', why);
}

/** Unknown holds nothing back but the cloud, which was asked for by name. */
function isOpen(
  { name, state: found }: JoinCheck,
  { memory }: JoinState,
  { atMs }: JoinSeen,
  { waitsForCloud, checksMs }: JoinRules,
): boolean {
  if (name === 'cloud') return waitsForCloud && found !== 'passed';
  return found === 'failed' && atMs - memory.sinceMs < checksMs;
}

function cleared(state: JoinState, { leftovers, kubelet }: JoinSeen, rules: JoinRules): Decision {
  const { paths, foreign } = leftovers;
  const again = state.tries > 0 && paths.length > 0;
  if (foreign === null && !again)
    return { state, step: { do: 'run', why: whyRun(state, kubelet === 'running') } };
  const what = foreign ?? `An earlier try left ${paths.join(', ')}.`;
  if (rules.canReset) return { state, step: { do: 'reset', why: what } };
  if (foreign === null) return { state, step: { do: 'run', why: what } };
  const fix = `Remove what it left, or name the command that does: --reset COMMAND`;
  return failed(state, 'leftovers', `${what} ${fix}`);
}

function whyRun({ tries }: JoinState, hasKubelet: boolean): string {
  if (tries > 0) return `COMMAND is run again, for the ${tries + 1}. time.`;
  return hasKubelet
    ? 'There is no Node of this machine, although a kubelet runs.'
    : 'There is no Node of this machine.';
}
