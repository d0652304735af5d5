import {
  type Call,
  CALL_KINDS,
  type CallKind,
  type Deed,
  DEEDS_OF,
} from '../../../sim/programs/call.ts';
import type { Move } from '../../../sim/programs/small-world.ts';
import type { Violation } from '../../../sim/invariants/contract.ts';
import { type ControllerPlan, type ControllerResult, runControllers } from './run.ts';
import { twinDifference } from './twin.ts';

const SECOND_MS = 1000;

/** Two Nodes; one breaks and is well again, one goes, and a third comes. */
const MOVES: readonly Move[] = [
  { atMs: 0, node: 'n1', move: 'comes' },
  { atMs: 0, node: 'n2', move: 'comes' },
  { atMs: 5 * SECOND_MS, node: 'n1', move: 'breaks' },
  { atMs: 8 * SECOND_MS, node: 'n3', move: 'comes' },
  { atMs: 11 * SECOND_MS, node: 'n2', move: 'goes' },
  { atMs: 14 * SECOND_MS, node: 'n1', move: 'mends' },
  { atMs: 17 * SECOND_MS, node: 'n3', move: 'cordoned' },
];

/** One replica; what goes wrong is enumerated. */
const QUIET_PLAN: ControllerPlan = {
  seed: 1,
  replicas: 1,
  moves: MOVES,
  faults: [],
  fate: () => null,
  chaosMs: 22 * SECOND_MS,
  wholeMs: 75 * SECOND_MS,
  restartsAfterLoss: false,
  isDryRun: false,
  keepReportsMs: 3_600 * SECOND_MS,
  delayMostMs: 10,
  bug: null,
};

/** A call of the quiet run, and what becomes of it. */
export interface SystematicCase {
  readonly kind: CallKind;
  readonly ordinal: number;
  readonly deed: Deed;
  /** What the call is in the quiet run. */
  readonly what: string;
}

/** The quiet run, and each way in which one of its calls can go wrong. */
export interface SystematicLane {
  readonly quiet: ControllerResult;
  readonly cases: readonly SystematicCase[];
}

export async function systematicLane(): Promise<SystematicLane> {
  const calls: Call[] = [];
  const fate = (call: Call): null => {
    calls.push(call);
    return null;
  };
  const quiet = await runControllers({ ...QUIET_PLAN, fate });
  const cases = calls.flatMap(({ kind, ordinal, what }) =>
    DEEDS_OF[kind].map((deed) => ({ kind, ordinal, deed, what })),
  );
  return { quiet, cases };
}

/** `write 3 lost-answer`, by which a case is asked for again. */
export function caseName({ kind, ordinal, deed }: SystematicCase): string {
  return `${kind} ${ordinal} ${deed}`;
}

/** The case of that name. */
export function caseNamed(cases: readonly SystematicCase[], name: string): SystematicCase | null {
  return cases.find((one) => caseName(one) === name) ?? null;
}

/** Runs a case; it has to end as the quiet run does. */
export async function runCase(
  { quiet }: SystematicLane,
  one: SystematicCase,
  more: Partial<ControllerPlan> = {},
): Promise<readonly Violation[]> {
  const plan: ControllerPlan = {
    ...QUIET_PLAN,
    ...more,
    fate: ({ kind, ordinal }) => (kind === one.kind && ordinal === one.ordinal ? one.deed : null),
  };
  const result = await runControllers(plan);
  return [...result.violations, ...twinDifference(result, quiet)];
}

/** How many cases there are of each kind. */
export function countsOf(cases: readonly SystematicCase[]): ReadonlyMap<string, number> {
  const rows = CALL_KINDS.flatMap((kind) =>
    DEEDS_OF[kind].map((deed): readonly [string, number] => [
      `${kind}, ${deed}`,
      cases.filter((one) => one.kind === kind && one.deed === deed).length,
    ]),
  );
  return new Map(rows.filter(([, count]) => count > 0));
}
