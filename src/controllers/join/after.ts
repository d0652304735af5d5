import { backoffMs, type JoinRules } from './rules.ts';
import type { JoinState } from './state.ts';

/** Noted before COMMAND starts, so that a start again knows of it. */
export function starting(state: JoinState): JoinState {
  return { ...state, phase: 'running', tries: state.tries + 1, restarts: 0, exitCode: null };
}

/** COMMAND has ended. Well or not: what counts is whether there is a Node. */
export function ended(
  state: JoinState,
  exitCode: number,
  atMs: number,
  rules: JoinRules,
): JoinState {
  const { memory, tries } = state;
  const isWell = exitCode === 0;
  const quietUntilMs = isWell ? memory.quietUntilMs : atMs + backoffMs(rules, tries);
  return {
    ...state,
    exitCode,
    phase: isWell ? 'watching' : 'before',
    memory: { ...memory, sinceMs: atMs, quietUntilMs, refusedSinceMs: null },
  };
}

/** Noted before the kubelet is restarted, so that no number of crashes exceeds the bound. */
export function restarting(state: JoinState, atMs: number, rules: JoinRules): JoinState {
  const restarts = state.restarts + 1;
  const quietUntilMs = atMs + backoffMs(rules, restarts);
  return { ...state, restarts, memory: { ...state.memory, sinceMs: atMs, quietUntilMs } };
}

/** Nothing of an earlier join is left; COMMAND is to run. */
export function cleared(state: JoinState, atMs: number): JoinState {
  const memory = { ...state.memory, sinceMs: atMs, refusedSinceMs: null, keptSinceMs: null };
  return { ...state, phase: 'before', uid: null, memory };
}
