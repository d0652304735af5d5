import type { JoinState } from './state.ts';

/** Why a join ended without a node that stays. */
export type JoinFailure =
  | 'name-taken'
  | 'name-denied'
  | 'command-failed'
  | 'command-did-nothing'
  | 'credentials-refused'
  | 'deleted-again'
  | 'leftovers'
  | 'time-over'
  /** What came of it is not known. */
  | 'time-over-unseen';

/** One thing to do, and why. */
export type JoinStep =
  | { readonly do: 'wait'; readonly why: string }
  /** Run COMMAND. */
  | { readonly do: 'run'; readonly why: string }
  /** Restart the kubelet. */
  | { readonly do: 'restart'; readonly why: string }
  /** Take an earlier join back. */
  | { readonly do: 'reset'; readonly why: string }
  | { readonly do: 'joined'; readonly why: string }
  | { readonly do: 'failed'; readonly failure: JoinFailure; readonly why: string };

export interface Decision {
  readonly state: JoinState;
  readonly step: JoinStep;
}

export function wait(state: JoinState, why: string): Decision {
  return { state, step: { do: 'wait', why } };
}

export function failed(state: JoinState, failure: JoinFailure, why: string): Decision {
  return { state, step: { do: 'failed', failure, why } };
}

/** `20 s`, `1.5 s`. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
