import type { JsonObject } from '../../../evidence/json.ts';
import { CONTROLLER } from '../../../manifests/controller.ts';
import { settle } from '../../../adapters/system/settle.ts';
import { overTripwires } from '../../../adapters/system/tripwires.ts';
import type { Violation } from '../../../sim/invariants/contract.ts';
import { type LogLine, runUntil } from '../../../sim/kernel/kernel.ts';
import type { ApiUser } from '../../../sim/kube/contract.ts';
import { type Call, Calls, type Deed, type Fate } from '../../../sim/programs/call.ts';
import { LOAD_RULES } from '../../../sim/programs/load-rules.ts';
import { REFUSAL_RULES } from '../../../sim/programs/refusal-rules.ts';
import { RECORD_RULES } from '../../../sim/programs/record-rules.ts';
import { SimulatedRecords } from '../../../sim/programs/records.ts';
import type { ProgramRule, RuleListener, RuleScene } from '../../../sim/programs/rules.ts';
import { createSmallWorld, type Move } from '../../../sim/programs/small-world.ts';
import { WRITE_RULES } from '../../../sim/programs/write-rules.ts';
import { type CalmReport, END_RULES, endOf, type LoadBook, startLoadBook } from './calm.ts';
import type { ControllerBug } from './planted.ts';
import { NAMESPACE, Replica } from './replica.ts';
import type { ControllerFault, ControllerStage } from './stage.ts';

/** A fault at its moment. */
export interface PlannedFault {
  readonly fault: ControllerFault;
  /** After the beginning, ms. */
  readonly atMs: number;
  readonly lastsMs: number;
}

/** Everything that happens in one run, drawn or enumerated beforehand. */
export interface ControllerPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly moves: readonly Move[];
  readonly faults: readonly PlannedFault[];
  /** Asked of each call in the chaos. */
  readonly fate: Fate;
  /** Faults begin and calls go wrong within this time, ms. */
  readonly chaosMs: number;
  readonly wholeMs: number;
  /** True to restart all of them where a watch has lost an event, which only a new listing shows. */
  readonly restartsAfterLoss: boolean;
  readonly isDryRun: boolean;
  readonly keepReportsMs: number;
  readonly delayMostMs: number;
  readonly bug: ControllerBug | null;
  /** Its roles and their bindings; it may do everything without them. */
  readonly roles?: readonly JsonObject[];
  readonly onLine?: (line: LogLine) => void;
}

export interface ControllerResult {
  readonly violations: readonly Violation[];
  /** By rule. */
  readonly evaluations: ReadonlyMap<string, number>;
  /** By class. */
  readonly faults: ReadonlyMap<string, number>;
  readonly end: CalmReport | null;
  readonly calls: number;
  readonly starts: number;
}

/** Who it is, with every right where its roles are not what is looked at. */
function userOf({ roles }: ControllerPlan): ApiUser {
  return {
    name: `system:serviceaccount:${NAMESPACE}:${CONTROLLER}`,
    groups: [...(roles === undefined ? ['system:masters'] : []), 'system:authenticated'],
  };
}

/** How long a kubelet waits before it starts a container again, ms. */
const RESTART_MS = 1_500;

/** Faults by which a watch loses events against its contract. */
const LOSING: ReadonlySet<string> = new Set(['F18', 'F23']);

const ALL_RULES: readonly ProgramRule[] = [
  ...WRITE_RULES,
  ...RECORD_RULES,
  ...LOAD_RULES,
  ...REFUSAL_RULES,
];

/** Rules that are checked of controllers; those of liveness, and of memory, at the end of the calm. */
export const CONTROLLER_RULES: ReadonlySet<string> = new Set([
  ...ALL_RULES.map(({ rule }) => rule),
  ...END_RULES,
]);

interface Book {
  readonly violations: Violation[];
  readonly evaluations: Map<string, number>;
}

interface Running {
  readonly plan: ControllerPlan;
  readonly stage: ControllerStage;
  readonly book: Book;
  readonly load: LoadBook;
  readonly calls: { count: number };
  readonly lost: { count: number };
}

/** Lets the controllers of a plan run in a small world to its end. */
export async function runControllers(plan: ControllerPlan): Promise<ControllerResult> {
  return overTripwires(async () => {
    const running = begin(plan);
    const { stage, book, calls } = running;
    const { kernel } = stage;
    const startMs = kernel.nowMs();
    let end: CalmReport | null = null;
    try {
      await runUntil(kernel, startMs + plan.wholeMs, settle);
      const unheardMost = plan.restartsAfterLoss ? 0 : running.lost.count;
      const ending = { isDryRun: plan.isDryRun, unheardMost };
      end = await endOf(stage, running.load, ruleScene(running, 'L'), ending);
      for (const { onEnd } of stage.listeners) onEnd?.();
    } catch (error) {
      book.violations.push({
        rule: 'thrown',
        atMs: kernel.nowMs(),
        subject: 'the world',
        what: thrown(error),
      });
    }
    for (const replica of stage.replicas) replica.kill();
    const faults = Map.groupBy(plan.faults, ({ fault }) => fault.id);
    return {
      ...book,
      faults: new Map([...faults].map(([id, all]) => [id, all.length])),
      end,
      calls: calls.count,
      starts: stage.replicas.reduce((sum, { starts }) => sum + starts, 0),
    };
  });
}

function thrown(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = /\b(?:src|dist)\/[\w./-]+:\d+/.exec(stack)?.[0];
  return `${String(error)}${place === undefined ? '' : `, in ${place}`}`;
}

function begin(plan: ControllerPlan): Running {
  const { seed, moves, onLine } = plan;
  const world = createSmallWorld({ seed, moves, ...(onLine === undefined ? {} : { onLine }) });
  const { kernel, server, people } = world;
  for (const role of plan.roles ?? []) people.create(role);
  const records = new SimulatedRecords(() => kernel.nowMs());
  const startMs = kernel.nowMs();
  const isCalm = (): boolean => kernel.nowMs() - startMs >= plan.chaosMs;
  const counted = { count: 0 };
  const lost = { count: 0, isSo: plan.faults.some(({ fault }) => LOSING.has(fault.id)) };
  const fate = (call: Call): Deed | null => {
    counted.count++;
    const deed = isCalm() ? null : plan.fate(call);
    if (deed === 'skipped') lost.count++;
    return deed;
  };
  const calls = new Calls(fate);
  const book: Book = { violations: [], evaluations: new Map() };
  const listeners: RuleListener[] = [];
  const load = startLoadBook(kernel);
  const listener = {
    onWrite: (entry: Parameters<NonNullable<RuleListener['onWrite']>>[0]) => {
      load.wrote(entry);
      for (const { onWrite } of listeners) onWrite?.(entry);
    },
    onRead: (
      program: string,
      plural: string,
      how: Parameters<NonNullable<RuleListener['onRead']>>[2],
    ) => {
      load.asked(how);
      for (const { onRead } of listeners) onRead?.(program, plural, how);
    },
    onSaid: (program: string, line: string) => {
      kernel.log(program, line);
      for (const { onSaid } of listeners) onSaid?.(program, line);
    },
  };
  const scene = {
    ...plan,
    kernel,
    server,
    user: userOf(plan),
    aws: null,
    cluster: 'small',
    records,
    calls,
    listener,
  };
  const replicas = Array.from(
    { length: plan.replicas },
    (_, index) => new Replica(scene, `r${index + 1}`),
  );
  const stage: ControllerStage = { ...world, beganMs: startMs, replicas, records, listeners };
  const running = { plan, stage, book, load, calls: counted, lost };
  for (const { rule, start } of ALL_RULES) listeners.push(start(ruleScene(running, rule)));
  for (const replica of replicas) keepRunning(stage, replica);
  kernel.after(plan.chaosMs, () => {
    if (plan.restartsAfterLoss && (lost.isSo || lost.count > 0))
      for (const replica of replicas) replica.kill();
  });
  for (const planned of plan.faults) kernel.after(planned.atMs, () => strike(stage, planned));
  return running;
}

function ruleScene(
  { stage, book, plan }: Running,
  rule: string,
): RuleScene & { readonly violatedRule: (rule: string, subject: string, what: string) => void } {
  const { kernel, people, records } = stage;
  const violatedRule = (of: string, subject: string, what: string): void => {
    const isKnown = book.violations.some((one) => one.rule === of && one.what === what);
    if (!isKnown) book.violations.push({ rule: of, atMs: kernel.nowMs(), subject, what });
  };
  return {
    ...plan,
    kernel,
    people,
    records,
    evaluated: () => book.evaluations.set(rule, (book.evaluations.get(rule) ?? 0) + 1),
    violated: (subject, what) => violatedRule(rule, subject, what),
    violatedRule,
  };
}

function keepRunning({ kernel }: ControllerStage, replica: Replica): void {
  replica.start();
  kernel.every(RESTART_MS, () => replica.start());
}

function strike(stage: ControllerStage, { fault, lastsMs, atMs }: PlannedFault): void {
  const { kernel } = stage;
  kernel.log('chaos', `${fault.id}: ${fault.what}`);
  const undo = fault.strike(stage, kernel.random(`chaos/${fault.id}/${atMs}`), lastsMs);
  kernel.after(lastsMs, undo);
}
