import type { Step } from '../../diagnosis/cause.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../diagnosis/document.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Expectation, Scenario } from './scenario.ts';

/** A line of one of the two columns: what people saw, and what Rollcall said of it. */
export interface StoryLine {
  /** ms after the beginning. */
  readonly atMs: number;
  readonly side: 'seen' | 'rollcall';
  readonly text: string;
}

/** How a machine of the story stands, by its name in the scenario: `workers-1`. */
export type MachineState = 'never' | 'not-ready' | 'ready' | 'gone';

export interface StoryStage {
  readonly kernel: Kernel;
  /** What the world answers to everything that the diagnosis asks, at this moment. */
  readonly diagnose: () => Promise<DiagnosisDocument>;
  readonly stateOf: (machine: string) => MachineState;
  /** Does a move by its name; throws when it does not know it. */
  readonly move: (does: string, given: Readonly<Record<string, string>>) => void;
  readonly onLine: (line: StoryLine) => void;
}

export interface Unmet {
  readonly expectation: Expectation;
  /** What was there instead. */
  readonly instead: string;
}

/** A cause when Rollcall put it at the head of what it says for the first time. */
export interface Named {
  readonly cause: string;
  /** ms after the beginning. */
  readonly atMs: number;
  /** What to do about it, as it was said then. */
  readonly remedy: readonly Step[];
}

/** A scenario that is being played. */
export interface Story {
  /** What somebody saw; a line of the left column. */
  readonly tell: (text: string) => void;
  /** Looks when it is time to; the world stands still meanwhile. */
  readonly rest: () => Promise<void>;
  /** What was expected by now and has not come. */
  readonly unmet: () => readonly Unmet[];
  /** What was the headline until now, in the order in which it was named. */
  readonly named: () => readonly Named[];
  /** What the last look said, of which the right column tells what was new; null before it. */
  readonly heard: () => DiagnosisDocument | null;
  readonly endMs: number;
}

/** Plans the moves and looks of a scenario; they happen as the kernel goes on. */
export function startStory(scenario: Scenario, stage: StoryStage): Story {
  const { kernel } = stage;
  const startMs = kernel.nowMs();
  const said = (side: StoryLine['side'], text: string): void =>
    stage.onLine({ atMs: kernel.nowMs() - startMs, side, text });
  const opinions = createOpinions((text) => said('rollcall', text));
  let isDue = false;
  let heard: DiagnosisDocument | null = null;
  kernel.every(scenario.lookEveryMs, () => {
    isDue = true;
  });
  for (const move of scenario.moves)
    kernel.after(move.atMs, () => {
      if (move.says !== null) said('seen', move.says);
      stage.move(move.does, move.with);
    });
  const checks = planChecks(scenario, stage, opinions);
  return {
    tell: (text) => said('seen', text),
    async rest() {
      if (!isDue) return;
      isDue = false;
      heard = await stage.diagnose();
      opinions.hear(heard, kernel.nowMs() - startMs);
    },
    unmet: checks,
    named: opinions.named,
    heard: () => heard,
    endMs: startMs + scenario.untilMs,
  };
}

interface Opinions {
  readonly hear: (document: DiagnosisDocument, atMs: number) => void;
  /** When a cause was the headline for the first time, ms; null when never. */
  readonly firstMs: (cause: string) => number | null;
  readonly named: () => readonly Named[];
}

function remedyOf({ subjects }: DiagnosisDocument, cause: string): readonly Step[] {
  const isRoot = (one: Finding): boolean => one.cause === cause && one.role === 'root';
  return subjects.flatMap(({ findings }) => findings).find(isRoot)?.remedy ?? [];
}

/** Says of each machine what is new of it. */
function createOpinions(say: (text: string) => void): Opinions {
  const last = new Map<string, string>();
  const first = new Map<string, Named>();
  return {
    hear(document, atMs) {
      const { headline } = document;
      for (const subject of document.subjects) {
        const name = subject.node ?? subject.name;
        const opinion = opinionOf(subject);
        if (last.get(name) !== opinion) say(`${name}: ${opinion}`);
        last.set(name, opinion);
      }
      if (headline === null || first.has(headline.cause)) return;
      const { cause } = headline;
      first.set(cause, { cause, atMs, remedy: remedyOf(document, cause) });
    },
    firstMs: (cause) => first.get(cause)?.atMs ?? null,
    named: () => [...first.values()],
  };
}

function opinionOf({ verdict, stage, findings }: SubjectReport): string {
  const root = findings.find(
    ({ role, confidence }) => role === 'root' && confidence !== 'possible',
  );
  if (root !== undefined) return `${root.cause} (${root.stage}, ${root.confidence})`;
  const shared = findings.find(({ role }) => role === 'consequence');
  if (typeof shared?.explainedBy === 'string') return `${shared.explainedBy} (${shared.stage})`;
  if (verdict === 'usable') return 'usable';
  return `${verdict === 'not-usable' ? 'not usable' : 'cannot tell'}${stage === null ? '' : `, at ${stage}`}`;
}

/** Looks at each expectation at its moment. */
function planChecks(
  { expect }: Scenario,
  { kernel, stateOf }: StoryStage,
  opinions: Opinions,
): () => readonly Unmet[] {
  const seen = new Map<Expectation, MachineState>();
  for (const expectation of expect)
    kernel.after(expectation.byMs, () => {
      if (expectation.machine !== null) seen.set(expectation, stateOf(expectation.machine));
    });
  return () =>
    expect.flatMap((expectation) => {
      const instead = insteadOf(expectation, seen.get(expectation) ?? null, opinions);
      return instead === null ? [] : [{ expectation, instead }];
    });
}

function insteadOf(
  { headline, byMs, machine, is }: Expectation,
  state: MachineState | null,
  opinions: Opinions,
): string | null {
  if (machine !== null && state !== is) return `${machine} is ${state ?? 'not looked at yet'}`;
  if (headline === null) return null;
  const firstMs = opinions.firstMs(headline);
  if (firstMs !== null && firstMs <= byMs) return null;
  if (firstMs !== null) return `named after ${firstMs / 1000} s`;
  const others = opinions.named().map(({ cause }) => cause);
  return others.length === 0 ? 'no cause was named' : `named were ${others.join(', ')}`;
}
