import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import { textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { Alarm } from '../../runtime/alarm.ts';
import { perform, type Performed, type PerformTools } from '../../runtime/perform.ts';
import { Refusals } from '../../runtime/reflector/refusals.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';
import type { ReflectorState } from '../../runtime/reflector/reflector-options.ts';
import { decide } from './decide.ts';
import { GoneAges } from './gone-ages.ts';
import { OwnWrites } from './own-writes.ts';
import { type KnownReport, NODE_REPORTS, readReport } from './report.ts';

export interface ReportKeeperOptions extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  /** How long the report of a machine stays that is gone, ms; asked in each round. */
  readonly keepMs: () => number;
  /** True to have the server check every write and store nothing; asked before each write. */
  readonly isDryRun: () => boolean;
  readonly onPerformed: (action: Action, performed: Performed) => void;
}

/** Writes of one round, and how many of them are under way at once. */
const ACTIONS_MAX = 500;
const PARALLEL_MAX = 8;
/** From a round with a failure to the next, ms. */
const AFTER_FAILURE_MS = 5_000;
/** The most between rounds while the identity may not write, ms. */
const REFUSED_RETRY_MS = 45_000;
/** Reports go when their time is over, which nothing reports. */
const ROUND_MS = 60_000;
/** Of reports that the server could not confirm for so long, nobody knows how they are now. */
const STALE_MS = 30_000;
/** While nobody knows, it is looked at again so often, ms. */
const UNKNOWN_MS = 1_000;
/** The same while a write of ours was not seen. */
const UNSEEN_MS = 5_000;

/** What a round works from, besides the reports. */
interface Rows {
  readonly rows: readonly RollCallRow[];
  readonly areWhole: boolean;
}

/** As a leader has it; another may lead as soon as it is over. */
export interface MayWrite {
  readonly signal: AbortSignal;
  /** Asked right before each write. */
  readonly isLeading: () => boolean;
}

/** Keeps one NodeReport for each machine as the roll call has it. */
export class ReportKeeper {
  readonly #options: ReportKeeperOptions;
  readonly #reports: Reflector<KnownReport>;
  readonly #due: Alarm;
  readonly #own: OwnWrites;
  readonly #ages: GoneAges;
  readonly #refusals: Refusals;
  /** The last round ended at a refusal of the identity. */
  #isRefused = false;
  #rows: Rows | null = null;

  constructor(options: ReportKeeperOptions) {
    const { api, clock, random } = options;
    this.#options = options;
    this.#due = new Alarm(clock);
    this.#ages = new GoneAges(clock);
    this.#refusals = new Refusals(random, REFUSED_RETRY_MS);
    this.#own = new OwnWrites(clock, async (name) => this.#readReport(name));
    this.#reports = new Reflector<KnownReport>({
      api,
      clock,
      random,
      resource: NODE_REPORTS,
      project: readReport,
      onChange: ({ key }) => {
        this.#own.shown(key);
        this.#due.ring();
      },
    });
  }

  /**
   * The roll call as it is now.
   *
   * @param areWhole false where a machine may be missing, as some list could not be read
   */
  setRows(rows: readonly RollCallRow[], areWhole: boolean): void {
    this.#rows = { rows, areWhole };
    this.#due.ring();
  }

  /** How the reports are followed. */
  state(): ReflectorState {
    return this.#reports.state();
  }

  /** Writes until the signal ends it. @throws what is a bug and no failure of the API server */
  async run(may: MayWrite): Promise<void> {
    await Promise.all([this.#reports.run(may.signal), this.#keep(may)]);
  }

  async #keep(may: MayWrite): Promise<void> {
    let restMs = 0;
    for (;;) {
      await this.#due.pause(restMs, this.#restMostMs(), may.signal);
      if (may.signal.aborted) return;
      this.#due.answer();
      const isDone = await this.#round(may);
      // What failed is still to be written, and no change reports that.
      if (!isDone) this.#due.ring();
      restMs = isDone ? 0 : this.#restAfterFailureMs();
    }
  }

  #restAfterFailureMs(): number {
    return this.#isRefused ? this.#refusals.nextMs() : AFTER_FAILURE_MS;
  }

  #restMostMs(): number {
    if (!this.#isFresh()) return UNKNOWN_MS;
    return this.#own.isWaiting() ? UNSEEN_MS : ROUND_MS;
  }

  /** False when a write failed. What refuses one write refuses the others of the round. */
  async #round(may: MayWrite): Promise<boolean> {
    const actions = await this.#actions();
    const parallelMax = this.#isRefused ? 1 : PARALLEL_MAX;
    this.#isRefused = false;
    let hasFailed = false;
    for (let at = 0; at < actions.length && !may.signal.aborted; at += parallelMax) {
      const batch = actions.slice(at, at + parallelMax);
      const done = await Promise.all(batch.map((action) => this.#perform(action, may)));
      hasFailed ||= done.some(({ outcome }) => outcome !== 'done' && outcome !== 'conflict');
      this.#isRefused = done.some(isRefusal);
      if (this.#isRefused) return false;
    }
    if (!hasFailed) this.#refusals.reset();
    return !hasFailed;
  }

  /** A leader that had lost its Lease begins with what it knew then. */
  #isFresh(): boolean {
    const { isSynced, staleMs } = this.#reports.state();
    return isSynced && staleMs <= STALE_MS;
  }

  /** Nothing while a list is missing; what we wrote ourselves is first to be seen. */
  async #actions(): Promise<readonly Action[]> {
    const { clock, keepMs } = this.#options;
    if (this.#rows === null || !this.#isFresh()) return [];
    await this.#own.refresh(this.#reports.state().counts.listings);
    const reports = this.#own.over(new Map(this.#reports.entries()));
    this.#ages.keep((name) => reports.has(name));
    const decided = decide({
      ...this.#rows,
      reports,
      nowMs: clock.nowMs(),
      goneForMs: (name, goneSinceMs) => this.#ages.ageMs(name, goneSinceMs),
      keepMs: keepMs(),
      actionsMax: ACTIONS_MAX,
    });
    return decided.filter(({ object }) => !this.#own.isUnseen(object.name));
  }

  async #readReport(name: string): Promise<KnownReport | null | undefined> {
    try {
      return readReport(await this.#options.api.get(NODE_REPORTS, { name }));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      return error.failure === 'not-found' ? null : undefined;
    }
  }

  async #perform(action: Action, { signal, isLeading }: MayWrite): Promise<Performed> {
    const { onPerformed } = this.#options;
    const stamp = goneStampOf(action);
    if (stamp !== null) this.#ages.stamped(action.object.name, stamp);
    const isDryRun = this.#options.isDryRun();
    const performed = await perform(action, this.#options, {
      isDryRun,
      signal,
      isAllowed: isLeading,
    });
    if (this.#isToBeSeen(action, performed))
      this.#own.wrote(action.object.name, this.#reports.state().counts.listings);
    onPerformed(action, performed);
    return performed;
  }

  /** Not a write that left everything as it was, and not one that the watch has shown already. */
  #isToBeSeen({ object: { name, seen }, write }: Action, { outcome, object }: Performed): boolean {
    if (this.#options.isDryRun() || (outcome !== 'done' && outcome !== 'conflict')) return false;
    const known = this.#own.newest(name, this.#reports.get(name))?.resourceVersion ?? null;
    const before = seen?.resourceVersion ?? null;
    if (known !== before) return false;
    const after = textAt(object ?? {}, 'metadata.resourceVersion');
    return outcome === 'conflict' || write.verb === 'delete' || after !== before;
  }
}

/** A refusal lasts until somebody changes a grant. */
function isRefusal({ failure }: Performed): boolean {
  return failure === 'denied' || failure === 'unauthenticated';
}

/** When the machine went, as this write says it; null where it says nothing of it. */
function goneStampOf({ write }: Action): number | null {
  if (write.verb !== 'patch' || write.patch.type !== 'merge') return null;
  return isoMs(textAt(write.patch.change, 'status.goneSince'));
}
