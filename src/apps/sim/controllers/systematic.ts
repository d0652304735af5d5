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
import { controllerRoles, type Right, rightName, takeAway } from './rights.ts';
import type { ControllerFault } from './stage.ts';
import { twinDifference } from './twin.ts';
import type { JsonObject } from '../../../evidence/json.ts';

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

/** When a right is taken away and given back, ms, and how long the run goes on. */
const TAKEN_MS = 10 * SECOND_MS;
const LACKED_MS = 80 * SECOND_MS;
const WHOLE_MS = 190 * SECOND_MS;

/** Runs with its own roles, of which one right is taken away for a while. */
export async function runWithout(
  right: Right | null,
  more: Partial<ControllerPlan> = {},
): Promise<ControllerResult> {
  const roles = controllerRoles();
  const faults = right === null ? [] : [{ fault: lack(roles, right), ...WHILE_LACKED }];
  const spans = { chaosMs: TAKEN_MS + LACKED_MS, wholeMs: WHOLE_MS };
  return runControllers({ ...QUIET_PLAN, ...spans, roles, faults, ...more });
}

/** What does not hold without a right; the quiet run has all of them. */
export async function violationsWithout(
  right: Right,
  quiet: ControllerResult,
): Promise<readonly Violation[]> {
  const result = await runWithout(right);
  return [...result.violations, ...twinDifference(result, quiet)];
}

const WHILE_LACKED = { atMs: TAKEN_MS, lastsMs: LACKED_MS } as const;

function lack(roles: readonly JsonObject[], right: Right): ControllerFault {
  return {
    id: 'right',
    what: `it may not ${rightName(right)}`,
    lastsMs: [LACKED_MS, LACKED_MS],
    isTwinned: true,
    strike: ({ people }) => takeAway(people, roles, right),
  };
}

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
