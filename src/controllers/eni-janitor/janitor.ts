import type { AwsAction } from '../../ports/aws-action.ts';
import { PortError } from '../../ports/port-error.ts';
import { pause } from '../../runtime/abort.ts';
import type { PerformedAws } from '../../runtime/perform-aws.ts';
import { decide } from './decide.ts';
import { type DeleteEnd, deleteInterface } from './delete-interface.ts';
import type { EniRules, EniSights, JudgedInterface } from './facts.ts';
import { type ClockReading, readClocks, scanInterfaces, type ScanTools } from './scan.ts';

/** `report`: looks and deletes nothing. */
export const JANITOR_MODES = ['off', 'report', 'delete'] as const;
export type WorkingMode = Exclude<(typeof JANITOR_MODES)[number], 'off'>;

export interface JanitorOptions extends ScanTools {
  readonly cluster: string;
  /** Names this start of the program in records. */
  readonly identity: string;
  readonly mode: WorkingMode;
  readonly isDryRun: () => boolean;
  /** How many are deleted within one hour at most. */
  readonly hourly: number;
  readonly performAws: (
    action: AwsAction,
    tookEffect: () => Promise<boolean>,
    isAllowed: () => boolean,
  ) => Promise<PerformedAws>;
  /** What a whole look shows. */
  readonly onJudged: (judged: readonly JudgedInterface[]) => void;
  /** What became of one. */
  readonly onEnd: (judged: JudgedInterface, end: DeleteEnd) => void;
  /** A look of which a part failed, and of which nothing is known therefore. */
  readonly onBlind: (error: PortError) => void;
}

/** As a leader has it; another may lead as soon as it is over. */
export interface MayDelete {
  readonly signal: AbortSignal;
  /** Asked right before each deletion. */
  readonly isLeading: () => boolean;
}

const HOUR_MS = 3_600_000;
/** The CNI itself waits for five minutes, within which a slow machine still attaches its interface. */
const AGE_MS = HOUR_MS / 2;
const APART_MS = HOUR_MS / 6;

/**
 * From one pass to the next, ms, and how much one may delete. The budget is spread over the hour, so
 * that it holds without any memory: whoever is started again first looks twice, a pass apart.
 */
export function paceOf(hourly: number): { readonly everyMs: number; readonly most: number } {
  const everyMs = Math.max(APART_MS, Math.ceil(HOUR_MS / hourly));
  return { everyMs, most: Math.max(1, Math.floor((hourly * everyMs) / HOUR_MS)) };
}

/** Deletes interfaces that the CNI of this cluster left behind, or reports them. */
export class EniJanitor {
  readonly #options: JanitorOptions;
  readonly #began: ClockReading;
  #sights: EniSights = new Map();

  constructor(options: JanitorOptions) {
    this.#options = options;
    this.#began = readClocks(options.clock);
  }

  /** Passes until the signal ends it; what another leader saw in between is not known. */
  async run(may: MayDelete): Promise<void> {
    this.#sights = new Map();
    const { clock, hourly } = this.#options;
    const { everyMs, most } = paceOf(hourly);
    while (!may.signal.aborted) {
      await this.#pass({ ageMs: AGE_MS, apartMs: everyMs, most }, may);
      await pause(clock, everyMs, may.signal);
    }
  }

  async #pass(rules: EniRules, may: MayDelete): Promise<void> {
    const { cluster, onBlind, onJudged, mode } = this.#options;
    try {
      const scan = await scanInterfaces(cluster, this.#began, this.#options);
      const { judged, sights } = decide(scan, this.#sights, rules);
      this.#sights = sights;
      onJudged(judged);
      const due = mode === 'delete' ? judged.filter(({ verdict }) => verdict === 'delete') : [];
      for (const one of due) if (!(await this.#delete(one, may))) return;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      onBlind(error);
    }
  }

  /** False where the others of this pass are not tried. */
  async #delete(one: JudgedInterface, may: MayDelete): Promise<boolean> {
    const { identity, isDryRun, onEnd, performAws, aws, clock } = this.#options;
    const why = { kind: 'finding', name: 'leaked-network-interfaces', text: one.why } as const;
    const order = { id: identity, askedBy: 'eni-janitor', why, isDryRun: isDryRun() };
    const mayWrite = (): boolean => may.isLeading() && !may.signal.aborted;
    const end = await deleteInterface(one.network, order, { aws, clock, performAws, mayWrite });
    onEnd(one, end);
    return mayWrite() && end.failure !== 'denied';
  }
}
