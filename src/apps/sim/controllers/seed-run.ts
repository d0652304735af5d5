import { CAUSES } from '../../../causes/index.generated.ts';
import type { Violation } from '../../../sim/invariants/contract.ts';
import { CONTROLLER_BUGS, type ControllerBug } from './planted.ts';
import { type ControllerResult, runControllers } from './run.ts';
import { hasTwin, planOfSeed, twinOf } from './seed.ts';
import { runCase, systematicLane, caseNamed } from './systematic.ts';
import { twinDifference } from './twin.ts';

/** The program by which a run is repeated. */
const TOOL = 'node tools/simulation-controllers.ts';

/** The line that repeats a run. */
export function repeatLine(what: string, bug: ControllerBug | null = null): string {
  return `${TOOL} ${what}${bug === null ? '' : ` --planted ${bug.id}`}`;
}

/** Of a cause that is loaded while a world runs, the kernel does not know when it is there. */
export async function loadCauses(): Promise<void> {
  await Promise.all(CAUSES.map(async (cause) => cause.load()));
}

export interface ControllerSeedRun {
  readonly result: ControllerResult;
  readonly violations: readonly Violation[];
}

/** @param isTwinned true to compare its end with that of the same seed without faults */
export async function runControllerSeed(
  seed: number,
  { isTwinned = false, bug = null }: { isTwinned?: boolean; bug?: ControllerBug | null } = {},
): Promise<ControllerSeedRun> {
  const plan = planOfSeed(seed, bug);
  const result = await runControllers(plan);
  if (!isTwinned || !hasTwin(plan)) return { result, violations: result.violations };
  const twin = await runControllers(twinOf(plan));
  return { result, violations: [...result.violations, ...twinDifference(result, twin)] };
}

/** What a violation says, a line each, with the line that repeats it. */
export function failureText(violations: readonly Violation[], repeat: string): string {
  const lines = violations.map(({ rule, subject, what }) => `${rule} ${subject}: ${what}`);
  return [...lines, `again: ${repeat}`].join('\n');
}

/** A bug that can be planted, and the cheapest run in which it is caught. */
export interface PlantedRun {
  readonly id: string;
  /** A seed, or the name of a systematic case. */
  readonly run: number | string;
}

/** One for each bug of controllers that can be planted. */
export const PLANTED_RUNS: readonly PlantedRun[] = [
  { id: 'P9', run: 1 },
  { id: 'P18', run: 4 },
  { id: 'P19', run: 15 },
  { id: 'P20', run: 164 },
  { id: 'P25', run: 11 },
  { id: 'P34', run: 'write 4 lost-answer' },
  { id: 'P41', run: 2 },
  { id: 'P42', run: 1 },
  { id: 'P48', run: 3 },
  { id: 'P49', run: 1 },
  { id: 'P50', run: 3 },
  { id: 'P51', run: 58 },
  { id: 'P52', run: 20 },
  { id: 'P53', run: 1 },
];

/** What catches a planted bug; null where nothing does. */
export async function caughtBy({ id, run }: PlantedRun): Promise<Violation | null> {
  const bug = CONTROLLER_BUGS.find((one) => one.id === id);
  if (bug === undefined) return null;
  const violations = await violationsOf(run, bug);
  return violations.find(({ rule }) => bug.caughtBy.includes(rule)) ?? null;
}

async function violationsOf(
  run: number | string,
  bug: ControllerBug,
): Promise<readonly Violation[]> {
  if (typeof run === 'number') return (await runControllerSeed(run, { bug })).violations;
  const lane = await systematicLane();
  const one = caseNamed(lane.cases, run);
  return one === null ? [] : runCase(lane, one, { bug });
}
