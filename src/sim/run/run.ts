import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { Injection, FaultScene } from '../faults/contract.ts';
import type { RefusedCall } from '../faults/refused-call.ts';
import { createLooking } from '../faults/looking.ts';
import type { Invariant, Look, Violation, Watching } from '../invariants/contract.ts';
import { startInvariants } from '../invariants/invariants.ts';
import { type LogLine, runUntil } from '../kernel/kernel.ts';
import { Marks } from '../marks/marks.ts';
import { type Judged, judge, type TrueState } from '../oracle/judge.ts';
import { ailmentsOf } from '../oracle/ailments.ts';
import { type Ailment, EffectBook } from '../oracle/effects.ts';
import { presentTruths } from '../oracle/moments.ts';
import { addSettingTruths } from '../oracle/setting-truths.ts';
import { trueStates } from '../oracle/states.ts';
import { Truths } from '../oracle/truths.ts';
import type { PlantedBug } from '../planted/contract.ts';
import type { Swarm } from '../swarm/swarm.ts';
import { ADMIN, buildCluster } from '../cluster/simulated-cluster.ts';
import { type Chaos, startChaos } from './chaos.ts';
import { type History, followHistory } from './history.ts';
import type { RunResult } from './log.ts';
import { planLooks } from './looks.ts';

/** What Rollcall said at one look. */
export interface Said {
  readonly way: Look['way'];
  readonly observations: Observations;
  readonly document: DiagnosisDocument;
  readonly printed: readonly string[];
  readonly refused: readonly RefusedCall[];
  /** Documents that were left out. */
  readonly left: readonly string[];
}

/** A look that is due; the world stands still meanwhile. */
export interface LookRequest {
  readonly stage: FaultScene;
  /** Counts from 0. */
  readonly number: number;
  readonly isLast: boolean;
  /** Instance ids of machines that do not work. */
  readonly broken: readonly string[];
}

export interface RunOptions {
  readonly swarm: Swarm;
  readonly injections: readonly Injection[];
  readonly onLine?: (line: LogLine) => void;
  /** A mistake in what runs in the world. */
  readonly bug?: PlantedBug | null;
  /** Starts what of Rollcall runs in the world between looks. */
  readonly begin?: (stage: FaultScene) => void;
  /** Lets code that waits go on as far as it can. */
  readonly settle: () => Promise<void>;
  readonly look: (request: LookRequest) => Promise<readonly Said[]>;
  readonly onJudged?: (judged: Judged, look: Look) => void;
  /** Ends the run at the first violation. */
  readonly endsAtViolation?: boolean;
}

/** Builds the world of a swarm, lets chaos and calm happen, and looks at it as the seed has planned. */
export async function run(options: RunOptions): Promise<RunResult> {
  const running = start(options);
  const { stage, swarm, book } = running;
  const looks = planLooks(swarm);
  const startMs = stage.simulated.kernel.nowMs();
  let number = 0;
  try {
    for (const atMs of looks) {
      await runUntil(stage.simulated.kernel, startMs + atMs, options.settle);
      await lookAt(running, { number: number++, isLast: number === looks.length });
      if (options.endsAtViolation === true && book.violations.length > 0) break;
    }
  } catch (error) {
    // A world that breaks is a failure like any other, told with the line that repeats it.
    const atMs = stage.simulated.kernel.nowMs();
    book.violations.push({ rule: 'thrown', atMs, subject: 'the world', what: thrownWords(error) });
  }
  return resultOf(running, number);
}

/** What was thrown, and the place in our own code that it came from. */
function thrownWords(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = /\b(?:src|dist)\/[\w./-]+:\d+/.exec(stack)?.[0];
  return `${String(error)}${place === undefined ? '' : `, in ${place}`}`;
}

interface Book {
  readonly violations: Violation[];
  readonly evaluations: Map<string, number>;
}

interface Running {
  readonly options: RunOptions;
  readonly swarm: Swarm;
  readonly stage: FaultScene;
  readonly truths: Truths;
  readonly effects: EffectBook;
  /** What machines show at a look, beyond what is remembered of their Nodes. */
  readonly closer: Map<string, Ailment>;
  readonly ailment: (instanceId: string) => Ailment;
  readonly marks: Marks;
  readonly chaos: Chaos;
  readonly history: History;
  readonly book: Book;
  readonly checks: readonly { readonly invariant: Invariant; readonly watching: Watching }[];
}

function start(options: RunOptions): Running {
  const { swarm, injections, onLine } = options;
  const listening = onLine === undefined ? {} : { onLine };
  const simulated = buildCluster({ setting: swarm.world, seed: swarm.seed, ...listening });
  const stage = {
    simulated,
    people: simulated.world.client(ADMIN),
    looking: createLooking(swarm.seed),
  };
  const effects = new EffectBook();
  const closer = new Map<string, Ailment>();
  const ailment: Running['ailment'] = (id) => closer.get(id) ?? effects.of(id);
  const truths = new Truths({ nowMs: () => simulated.kernel.nowMs(), ailment });
  const marks = new Marks();
  addSettingTruths(simulated, truths);
  const book: Book = { violations: [], evaluations: new Map() };
  const checks = startInvariants(options.bug ?? null).map((invariant) => {
    const watching = watchingOf(invariant.rule, stage, marks, book);
    invariant.watch?.(watching);
    return { invariant, watching };
  });
  options.begin?.(stage);
  const history = followHistory(stage, { truths, marks, effects });
  const chaos = startChaos(stage, injections, { truths, marks, chaosMs: swarm.chaosMs });
  return {
    options,
    swarm,
    stage,
    truths,
    effects,
    closer,
    ailment,
    marks,
    chaos,
    history,
    book,
    checks,
  };
}

function watchingOf(rule: string, stage: FaultScene, marks: Marks, book: Book): Watching {
  return {
    stage,
    marks,
    evaluated: () => book.evaluations.set(rule, (book.evaluations.get(rule) ?? 0) + 1),
    violated(subject, what) {
      const isKnown = book.violations.some((one) => one.rule === rule && one.what === what);
      const atMs = stage.simulated.kernel.nowMs();
      if (!isKnown) book.violations.push({ rule, atMs, subject, what });
    },
  };
}

async function lookAt(
  running: Running,
  { number, isLast }: Pick<LookRequest, 'number' | 'isLast'>,
): Promise<void> {
  const { stage, chaos, options } = running;
  lookCloser(running);
  const states = trueStates(stage, chaos.struck());
  const broken = states.flatMap(({ isUsable, instanceId }) => (isUsable ? [] : [instanceId]));
  const said = await options.look({ stage, number, isLast, broken });
  for (const one of said) check(running, one, states, isLast);
  running.closer.clear();
}

/** What is true of this moment alone is seen at each look. */
function lookCloser({ stage, truths, effects, closer }: Running): void {
  truths.setPresent(presentTruths(stage));
  for (const [id, ailment] of ailmentsOf(stage, effects)) closer.set(id, ailment);
}

function check(
  { stage, truths, ailment, marks, chaos, options, checks }: Running,
  said: Said,
  states: readonly TrueState[],
  isLast: boolean,
): void {
  const atMs = stage.simulated.kernel.nowMs();
  const look: Look = {
    ...said,
    atMs,
    isCalm: chaos.isCalm(),
    isLast,
    isWhole: said.refused.length === 0 && said.left.length === 0,
    judged: judge(said.document, { truths, ailment }, states),
    states,
  };
  for (const judged of look.judged) {
    markJudgement(marks, judged, look);
    options.onJudged?.(judged, look);
  }
  for (const { invariant, watching } of checks) invariant.look?.(look, watching);
}

function markJudgement(marks: Marks, { judgement }: Judged, { isWhole }: Look): void {
  if (!isWhole && judgement === 'named') marks.reach('cause-named-despite-gaps');
  if (!isWhole && judgement === 'open') marks.reach('gap-hid-the-cause');
}

function resultOf({ stage, book, chaos, history, marks }: Running, looks: number): RunResult {
  const happened = chaos.happened();
  const faults = Map.groupBy(happened, ({ name }) => name.split('.')[0] ?? name);
  return {
    violations: book.violations,
    happened,
    counts: {
      events: stage.simulated.kernel.events(),
      joins: history.joins(),
      looks,
      evaluations: book.evaluations,
      faults: new Map([...faults].map(([id, all]) => [id, all.length])),
    },
    marks: marks.reached(),
  };
}
