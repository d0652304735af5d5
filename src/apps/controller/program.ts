import { Resident, type Standing } from '../../collection/resident/resident.ts';
import { ReportKeeper } from '../../controllers/node-reports/keeper.ts';
import { changeLines } from '../../diagnosis/roll-call/changes.ts';
import type { RollCallDocument } from '../../diagnosis/roll-call/document.ts';
import { rollCallOf } from '../../diagnosis/roll-call/roll-call.ts';
import type { LookClients } from '../../collection/look-clients.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import type { Random } from '../../ports/random.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { whenAborted } from '../../runtime/abort.ts';
import { type ElectionState, type Leading } from '../../runtime/election/election-options.ts';
import { LeaderElection } from '../../runtime/election/election.ts';
import { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { declareMetrics } from './metrics.ts';

export interface ControllerSettings {
  readonly cluster: string | null;
  /** Where the Lease is. */
  readonly namespace: string;
  /** Another one for each start of the program. */
  readonly identity: string;
  /** True to keep a NodeReport for each machine. */
  readonly writesReports: boolean;
  /** How long the report of a machine stays that is gone, ms. */
  readonly keepReportsMs: number;
  readonly isDryRun: boolean;
}

export interface ControllerTools {
  readonly clients: LookClients & { readonly kube: KubeApi };
  readonly writes: KubeWrites;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly random: Random;
  /** One line for a person who reads the log. */
  readonly say: (line: string) => void;
}

/** What the program knows of itself. */
export interface ControllerState {
  readonly resident: ReturnType<Resident['health']>;
  readonly election: ElectionState;
  /** null before the first judgement. */
  readonly rollCall: RollCallDocument | null;
}

const LEASE = 'rollcall-controller';

/** The roll call that stays: every replica keeps it, the one that leads writes. */
export class Controller {
  readonly #settings: ControllerSettings;
  readonly #tools: ControllerTools;
  readonly #resident: Resident;
  readonly #keeper: ReportKeeper;
  readonly registry = new MetricsRegistry();
  readonly #metrics = declareMetrics(this.registry, () => this.#resident.health().lists);
  #election: LeaderElection;
  #rollCall: RollCallDocument | null = null;

  constructor(settings: ControllerSettings, tools: ControllerTools) {
    const { clients, random } = tools;
    this.#settings = settings;
    this.#tools = tools;
    this.#resident = new Resident({
      clients,
      random,
      cluster: settings.cluster,
      onStanding: (standing) => this.#take(standing),
    });
    this.#keeper = this.#reportKeeper();
    this.#election = this.#candidate();
  }

  state(): ControllerState {
    return {
      resident: this.#resident.health(),
      election: this.#election.state(),
      rollCall: this.#rollCall,
    };
  }

  /** Runs until the signal ends it. @throws what is a bug and no failure of a source */
  async run(stop: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const either = AbortSignal.any([stop, ending.signal]);
    const { writesReports } = this.#settings;
    const parts = [
      this.#resident.run(either),
      // Who writes nothing needs no Lease.
      writesReports ? this.#leadAgain(either) : whenAborted(either),
    ];
    try {
      await Promise.all(parts);
    } finally {
      ending.abort();
      await Promise.allSettled(parts);
    }
  }

  #reportKeeper(): ReportKeeper {
    const { clients, writes, recorder, random } = this.#tools;
    const { keepReportsMs, isDryRun } = this.#settings;
    return new ReportKeeper({
      api: clients.kube,
      writes,
      recorder,
      clock: clients.clock,
      random,
      cluster: this.#settings.cluster ?? clients.described?.clusterName ?? '',
      keepMs: keepReportsMs,
      isDryRun,
      onPerformed: (action, { outcome, why }) => {
        this.#metrics.performed(action, outcome);
        if (outcome !== 'done' && outcome !== 'conflict') this.#tools.say(why);
      },
    });
  }

  #candidate(): LeaderElection {
    const { clients, writes, random, say } = this.#tools;
    const { namespace, identity } = this.#settings;
    return new LeaderElection({
      api: clients.kube,
      writes,
      clock: clients.clock,
      random,
      lease: { namespace, name: LEASE },
      identity,
      lead: async (leading) => this.#lead(leading),
      onChange: ({ phase, holder, lastError }) => {
        this.#metrics.lead(phase === 'leading');
        if (lastError !== null) say(`Lease ${namespace}/${LEASE}: ${lastError.message}`);
        else if (phase === 'leading') say(`leads as ${identity}`);
        else if (holder !== null && holder !== identity) say(`${holder} leads`);
      },
    });
  }

  /** A Lease that was lost is another's; it is waited for again. */
  async #leadAgain(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const end = await this.#election.run(stop);
      if (end === 'lost')
        this.#tools.say('lost the Lease; nothing is written until it leads again');
      if (!stop.aborted) this.#election = this.#candidate();
    }
  }

  async #lead({ stop, lost }: Leading): Promise<void> {
    const either = AbortSignal.any([stop, lost]);
    await this.#keeper.run(either);
  }

  #take(standing: Standing): void {
    const { document, observations, nowMs } = standing;
    const rollCall = rollCallOf({ document, observations, nowMs, expected: [] });
    for (const line of changeLines(this.#rollCall, rollCall)) this.#tools.say(line);
    this.#rollCall = rollCall;
    this.#metrics.observe(standing, rollCall);
    this.#keeper.setRows(rollCall.rows);
  }
}
