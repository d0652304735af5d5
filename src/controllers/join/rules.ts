/** Time limits and bounds of a join; all times in ms. */
export interface JoinRules {
  /** For everything together. */
  readonly limitMs: number;
  /** Starts of COMMAND. */
  readonly triesMax: number;
  /** Restarts of the kubelet after one run of COMMAND. */
  readonly restartsMax: number;
  /** The least time for which the Node has to stay Ready and initialized. */
  readonly keptMs: number;
  /** A kubelet registers its Node within this time after it starts. */
  readonly registrationMs: number;
  /** Checks that do not pass hold COMMAND back no longer than this. */
  readonly checksMs: number;
  /** Credentials that are refused, and a Node of another machine, are waited for as long as this. */
  readonly refusedMs: number;
  /** The wait after the first thing that did not help; it doubles. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** True when COMMAND waits until EC2 lists the instance. */
  readonly waitsForCloud: boolean;
  /** True when there is a command that takes an earlier join back. */
  readonly canReset: boolean;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

export const JOIN_RULES: JoinRules = {
  limitMs: 15 * MINUTE_MS,
  triesMax: 4,
  restartsMax: 6,
  // Four periods of the controller that deletes Nodes (--node-monitor-period, 5 s).
  keptMs: 20 * SECOND_MS,
  registrationMs: 15 * SECOND_MS,
  checksMs: MINUTE_MS,
  refusedMs: 2 * MINUTE_MS,
  backoffMs: 10 * SECOND_MS,
  backoffMaxMs: 2 * MINUTE_MS,
  waitsForCloud: false,
  canReset: false,
};

/** A Node that lived long before it was deleted has to stay for longer, up to this. */
const KEPT_MAX_MS = 5 * MINUTE_MS;

/** How long the Node has to stay, by what was observed so far. */
export function keptWindowMs(rules: JoinRules, longestLifeMs: number): number {
  return Math.max(rules.keptMs, Math.min(KEPT_MAX_MS, 2 * longestLifeMs));
}

/** The wait after so many things that did not help, the first of them counted as 1. */
export function backoffMs({ backoffMs: first, backoffMaxMs }: JoinRules, count: number): number {
  return Math.min(backoffMaxMs, first * 2 ** Math.min(10, Math.max(0, count - 1)));
}
