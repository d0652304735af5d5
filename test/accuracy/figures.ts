/** Counts what was judged, by group, and compares it with what was reached before. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccuracyCase, Paste } from './cases.ts';
import { type Judged, type Outcome, OUTCOMES } from './judge.ts';
import type { LiveState } from './live/state.ts';

type Outcomes = Readonly<Record<string, Outcome>>;

/** The one place of the floors; `node tools/accuracy.ts` writes it, and only upwards. */
export const FLOORS_PATH = join(import.meta.dirname, 'floors.json');

export interface Floors {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** What was measured. */
  readonly commit: string;
  readonly outcomes: Outcomes;
  /** Headlines that stand on the stage of the truth. */
  readonly stagesRight: number;
}

export function readFloors(): Floors {
  return JSON.parse(readFileSync(FLOORS_PATH, 'utf8')) as Floors;
}

export interface Group {
  readonly name: string;
  readonly ids: readonly string[];
}

/** The groups of which figures are kept; pastes and live states count by themselves. */
export function groupsOf(
  cases: readonly AccuracyCase[],
  pastes: readonly Paste[],
  states: readonly LiveState[],
): readonly Group[] {
  const decided = (answer: AccuracyCase['decidable']): readonly string[] =>
    cases.filter(({ decidable }) => decidable === answer).map(({ id }) => id);
  return [
    { name: 'all', ids: cases.map(({ id }) => id) },
    { name: 'decidable', ids: decided('yes') },
    { name: 'partly', ids: decided('partly') },
    { name: 'undecidable', ids: decided('no') },
    { name: 'pastes', ids: pastes.map(({ id }) => id) },
    { name: 'live', ids: states.map(({ id }) => id) },
  ];
}

export function outcomesOf(judged: readonly Judged[]): Outcomes {
  return Object.fromEntries(judged.map(({ id, outcome }) => [id, outcome]));
}

export interface Figures {
  readonly cases: number;
  readonly right: number;
  /** Right, or accepted and among the first three that are offered. */
  readonly firstThree: number;
  readonly silent: number;
  readonly wrong: number;
}

export function figuresOf({ ids }: Group, outcomes: Outcomes): Figures {
  const count = (...these: readonly Outcome[]): number =>
    ids.filter((id) => these.some((outcome) => outcome === outcomes[id])).length;
  return {
    cases: ids.length,
    right: count('right'),
    firstThree: count('right', 'near'),
    silent: count('near', 'silent'),
    wrong: count('wrong'),
  };
}

/** One line of a group. */
export function figureLine({ name }: Group, figures: Figures): string {
  const { cases, right, firstThree, silent, wrong } = figures;
  return `${name.padEnd(12)} ${right} of ${cases} right, ${firstThree} among the first three, ${silent} silent, ${wrong} wrong`;
}

/** How many headlines stand on the stage of the truth, of those that the truth gives one. */
export function stagesOf(judged: readonly Judged[]): {
  readonly right: number;
  readonly of: number;
} {
  const staged = judged.filter(({ isStageRight }) => isStageRight !== null);
  return {
    right: staged.filter(({ isStageRight }) => isStageRight === true).length,
    of: staged.length,
  };
}

export function stageLine(judged: readonly Judged[]): string {
  const { right, of } = stagesOf(judged);
  return `${'stage'.padEnd(12)} ${right} of ${of} headlines stand on the stage of the truth`;
}

/** True when the figures of a group have sunk below those that were reached. */
export function isBelow(now: Figures, floor: Figures): boolean {
  return now.right < floor.right || now.firstThree < floor.firstThree;
}

const rankOf = (outcome: Outcome | undefined): number =>
  outcome === undefined ? OUTCOMES.length : OUTCOMES.indexOf(outcome);

/** A case whose outcome is another one than was recorded. */
export interface Change {
  readonly id: string;
  readonly text: string;
}

function changeOf({ id, outcome, said }: Judged, { outcomes }: Floors): Change {
  return { id, text: `${id} was ${outcomes[id] ?? 'not recorded'} and is ${outcome}: ${said}` };
}

/** Each case with a worse outcome than the recorded one. */
export function worseThan(floors: Floors, judged: readonly Judged[]): readonly Change[] {
  return judged
    .filter(({ id, outcome }) => rankOf(outcome) > rankOf(floors.outcomes[id]))
    .map((one) => changeOf(one, floors));
}

/** Each case with a better outcome than the recorded one, new ones among them. */
export function betterThan(floors: Floors, judged: readonly Judged[]): readonly Change[] {
  return judged
    .filter(({ id, outcome }) => rankOf(outcome) < rankOf(floors.outcomes[id]))
    .map((one) => changeOf(one, floors));
}
