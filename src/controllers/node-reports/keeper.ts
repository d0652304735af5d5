import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import { textAt } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { Alarm } from '../../runtime/alarm.ts';
import { perform, type Performed, type PerformTools } from '../../runtime/perform.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';
import type { ReflectorState } from '../../runtime/reflector/reflector-options.ts';
import { decide } from './decide.ts';
import { type KnownReport, NODE_REPORTS, readReport } from './report.ts';

export interface ReportKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  /** How long the report of a machine stays that is gone, ms. */
  readonly keepMs: number;
  /** True to have the server check every write and store nothing. */
  readonly isDryRun: boolean;
  readonly onPerformed: (action: Action, performed: Performed) => void;
}

/** Writes of one round, and how many of them are under way at once. */
const ACTIONS_MAX = 500;
const PARALLEL_MAX = 8;
/** From a round with a failure to the next, ms. */
const AFTER_FAILURE_MS = 5_000;
/** Reports go when their time is over, which nothing reports. */
const ROUND_MS = 60_000;
/** A watch that has not shown our own write by then is not waited for. */
const OWN_WRITE_MS = 10_000;

interface OwnWrite {
  /** What the report must no longer be; null for one that was made. */
  readonly before: string | null;
  readonly untilMs: number;
}

/** Keeps one NodeReport for each machine as the roll call has it. */
export class ReportKeeper {
  readonly #options: ReportKeeperOptions;
  readonly #reports: Reflector<KnownReport>;
  readonly #due: Alarm;
  readonly #own = new Map<string, OwnWrite>();
  #rows: readonly RollCallRow[] | null = null;

  constructor(options: ReportKeeperOptions) {
    const { api, clock, random } = options;
    this.#options = options;
    this.#due = new Alarm(clock);
    this.#reports = new Reflector<KnownReport>({
      api,
      clock,
      random,
      resource: NODE_REPORTS,
      project: readReport,
      onChange: () => this.#due.ring(),
    });
  }

  /** The roll call as it is now. */
  setRows(rows: readonly RollCallRow[]): void {
    this.#rows = rows;
    this.#due.ring();
  }

  /** How the reports are followed. */
  state(): ReflectorState {
    return this.#reports.state();
  }

  /** Writes until the signal ends it. @throws what is a bug and no failure of the API server */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#reports.run(signal), this.#keep(signal)]);
  }

  async #keep(signal: AbortSignal): Promise<void> {
    let restMs = 0;
    for (;;) {
      await this.#due.pause(restMs, ROUND_MS, signal);
      if (signal.aborted) return;
      this.#due.answer();
      const isDone = await this.#round(signal);
      restMs = isDone ? 0 : AFTER_FAILURE_MS;
      // What failed is still to be written, and no change reports that.
      if (!isDone) this.#due.ring();
    }
  }

  /** False when a write failed. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const actions = this.#actions();
    let hasFailed = false;
    for (let at = 0; at < actions.length && !signal.aborted; at += PARALLEL_MAX) {
      const batch = actions.slice(at, at + PARALLEL_MAX);
      const done = await Promise.all(batch.map((action) => this.#perform(action)));
      hasFailed ||= done.some(({ outcome }) => outcome !== 'done' && outcome !== 'conflict');
    }
    return !hasFailed;
  }

  /** Nothing while a list is missing; what we wrote ourselves is first to be seen. */
  #actions(): readonly Action[] {
    const { clock, keepMs } = this.#options;
    if (this.#rows === null || !this.#reports.state().isSynced) return [];
    const decided = decide({
      reports: new Map(this.#reports.entries()),
      rows: this.#rows,
      nowMs: clock.nowMs(),
      keepMs,
      actionsMax: ACTIONS_MAX,
    });
    return decided.filter(({ object }) => !this.#awaits(object.name));
  }

  #awaits(name: string): boolean {
    const own = this.#own.get(name);
    if (own === undefined) return false;
    const isOld = this.#options.clock.monotonicMs() >= own.untilMs;
    const version = this.#reports.get(name)?.resourceVersion ?? null;
    if (!isOld && version === own.before) return true;
    this.#own.delete(name);
    return false;
  }

  async #perform(action: Action): Promise<Performed> {
    const { isDryRun, onPerformed, clock } = this.#options;
    const performed = await perform(action, this.#options, { isDryRun });
    const { outcome, object } = performed;
    const hasChanged = textAt(object ?? {}, 'metadata.resourceVersion') !== null;
    if (outcome === 'done' && !isDryRun && (hasChanged || action.write.verb === 'delete')) {
      const before = action.object.seen?.resourceVersion ?? null;
      const untilMs = clock.monotonicMs() + OWN_WRITE_MS;
      this.#own.set(action.object.name, { before, untilMs });
    }
    onPerformed(action, performed);
    return performed;
  }
}
