import { type FeedHealth, feedHealth } from '../../collection/resident/feeds.ts';
import { Resident, type Standing } from '../../collection/resident/resident.ts';
import { allListeners } from '../../collection/resident/all-listeners.ts';
import type { ResidentListener } from '../../collection/resident/listener.ts';
import type { EntryTrail } from '../../controllers/auth/entry-trail.ts';
import { MachineNotes } from '../../controllers/auth/machine-notes.ts';
import type { AuthKeeper, AuthMode } from '../../controllers/auth/keeper.ts';
import { shutOutIn } from '../../controllers/fix/auth/targets.ts';
import { actionsOf } from '../../controllers/lifecycle/actions.ts';
import type { Happening } from '../../controllers/lifecycle/happening.ts';
import { sentenceOf } from '../../controllers/lifecycle/words.ts';
import { ReportKeeper } from '../../controllers/node-reports/keeper.ts';
import { changeLines } from '../../diagnosis/roll-call/changes.ts';
import type { RollCallDocument } from '../../diagnosis/roll-call/document.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { rollCallOf } from '../../diagnosis/roll-call/roll-call.ts';
import { areRowsWhole, withUnread } from '../../diagnosis/roll-call/whole.ts';
import type { LookClients } from '../../collection/look-clients.ts';
import type { AwsEvents } from '../../ports/aws-events.ts';
import { startTimer, type Timer } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import type { Random } from '../../ports/random.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { pause, whenAborted } from '../../runtime/abort.ts';
import type { ElectionState, Leading } from '../../runtime/election/election-options.ts';
import { LeaderElection } from '../../runtime/election/election.ts';
import { EventPublisher } from '../../runtime/events/event-publisher.ts';
import type { WebhookPublisher } from '../../runtime/webhook/webhook-publisher.ts';
import { createAuthKeeper } from './auth.ts';
import { createEntryTrail } from './entry-trail.ts';
import { FollowedLists } from './followed-lists.ts';
import { LifecycleWatch } from './lifecycle-watch.ts';
import { MachineNewsPart } from './machine-news.ts';
import type { EniJanitor } from '../../controllers/eni-janitor/janitor.ts';
import type { Logger } from '../../runtime/log/logger.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { together } from '../../runtime/together.ts';
import { type ControllerMetrics, declareMetrics } from './metrics.ts';

export interface ControllerSettings {
  readonly cluster: string | null;
  /** Where the Lease is. */
  readonly namespace: string;
  /** Another one for each start of the program. */
  readonly identity: string;
  /** True to keep a NodeReport for each machine. */
  readonly writesReports: boolean;
  /** True to write Events about what happens to Nodes. */
  readonly writesEvents: boolean;
  /** What is done where aws-auth lost a mapping of nodes. */
  readonly auth: AuthMode;
  /** Asked at each use, as it may change while the program runs. */
  readonly live: () => LiveSettings;
}

export interface LiveSettings {
  /** How long the report of a machine stays that is gone, ms. */
  readonly keepReportsMs: number;
  readonly isDryRun: boolean;
}

export interface ControllerTools {
  readonly clients: LookClients & { readonly kube: KubeApi };
  readonly writes: KubeWrites;
  readonly recorder: Pick<Recorder, 'append' | 'notes'>;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
  /** Records what is heard and judged; null for nobody. */
  readonly recording: StandingRecorder | null;
  /** Told of each happening while this replica leads; null for nobody. */
  readonly webhook: Pick<WebhookPublisher, 'publish' | 'run'> | null;
  /** Runs while this replica leads; null where nobody asked for it. */
  readonly janitor: Pick<EniJanitor, 'run'> | null;
  /** Received from while this replica leads; null where no queue is configured. */
  readonly awsEvents: AwsEvents | null;
}

/** Who keeps what a resident hears and judges. */
export interface StandingRecorder {
  readonly listener: ResidentListener;
  readonly take: (standing: Standing) => Promise<void>;
}

/** What the program knows of itself. */
export interface ControllerState {
  readonly resident: ReturnType<Resident['health']>;
  readonly election: ElectionState;
  /** null before the first judgement. */
  readonly rollCall: RollCallDocument | null;
}

const LEASE = 'rollcall-controller';
/** How often it is looked at which lists are followed. */
const TELL_LISTS_MS = 5_000;

/** The roll call that stays: every replica keeps it, the one that leads writes. */
export class Controller {
  readonly #settings: ControllerSettings;
  readonly #tools: ControllerTools;
  readonly #resident: Resident;
  readonly #keeper: ReportKeeper;
  /** null where nobody asked for it. */
  readonly #auth: AuthKeeper | null;
  /** null where nobody asked for it, or AWS is not open. */
  readonly #trail: EntryTrail | null;
  readonly #news: MachineNewsPart | null;
  readonly #machineNotes = new MachineNotes();
  readonly #lifecycle = new LifecycleWatch();
  readonly #lists = new FollowedLists();
  readonly #events: EventPublisher;
  readonly registry: MetricsRegistry;
  readonly #metrics: ControllerMetrics;
  #election: LeaderElection;
  #rollCall: RollCallDocument | null = null;
  /** With machines that could not be read, which have not gone by that. */
  #known: RollCallDocument | null = null;
  #again: Timer | null = null;

  constructor(settings: ControllerSettings, tools: ControllerTools) {
    const { clients, random, writes, recording } = tools;
    const { clock } = clients;
    this.#settings = settings;
    this.#tools = tools;
    this.registry = tools.registry;
    this.#metrics = declareMetrics(tools.registry, () => this.#resident.health().lists);
    const heard = recording === null ? [] : [recording.listener];
    this.#resident = new Resident({
      clients,
      random,
      cluster: settings.cluster,
      listener: allListeners([this.#lifecycle.listener, ...heard]),
      onStanding: async (standing) => this.#take(standing),
    });
    const source = { component: LEASE, instance: settings.identity };
    this.#events = new EventPublisher({
      writes,
      clock,
      random,
      source,
      onFailing: ({ message }) => tools.log.warn(`Events are not written: ${message}`),
    });
    this.#keeper = this.#reportKeeper();
    this.#auth = this.#authKeeper();
    this.#trail = this.#entryTrail();
    this.#news = this.#newsPart();
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
    const { writesReports, writesEvents, auth } = this.#settings;
    // Who writes nothing needs no Lease.
    const { webhook, janitor, awsEvents } = this.#tools;
    const led = [webhook, janitor, awsEvents].some((part) => part !== null);
    const needsLease = writesReports || writesEvents || auth === 'restore' || led;
    const parts = [
      async (end: AbortSignal) => this.#resident.run(end),
      async (end: AbortSignal) => this.#tellLists(end),
      async (end: AbortSignal) => this.#events.run(end),
      async (end: AbortSignal) => this.#auth?.run(end) ?? whenAborted(end),
      async (end: AbortSignal) => this.#trail?.run(end) ?? whenAborted(end),
      async (end: AbortSignal) => webhook?.run(end) ?? whenAborted(end),
      async (end: AbortSignal) => (needsLease ? this.#leadAgain(end) : whenAborted(end)),
    ];
    await together(parts, stop).finally(() => this.#again?.cancel());
  }

  #reportKeeper(): ReportKeeper {
    const { clients, writes, recorder, random } = this.#tools;
    const { live } = this.#settings;
    return new ReportKeeper({
      api: clients.kube,
      writes,
      recorder,
      clock: clients.clock,
      random,
      cluster: this.#clusterName() ?? '',
      keepMs: () => live().keepReportsMs,
      isDryRun: () => live().isDryRun,
      onPerformed: (action, { outcome, why }) => {
        this.#metrics.performed(action, outcome);
        if (outcome !== 'done' && outcome !== 'conflict') this.#tools.log.warn(why, { outcome });
      },
    });
  }

  #newsPart(): MachineNewsPart | null {
    const { awsEvents: events, clients, random, log } = this.#tools;
    if (events === null) return null;
    return new MachineNewsPart({
      events,
      clock: clients.clock,
      random,
      log,
      registry: this.registry,
      report: (news) => this.#resident.report(news),
    });
  }

  #authKeeper(): AuthKeeper | null {
    const { auth: mode, identity, live, writesEvents } = this.#settings;
    if (mode === 'off') return null;
    const { clients, writes, random, recorder, log } = this.#tools;
    const isDryRun = (): boolean => live().isDryRun;
    const settings = { mode, identity, kube: clients.kube, clock: clients.clock, isDryRun };
    return createAuthKeeper(settings, {
      writes,
      random,
      recorder,
      machineNotes: this.#machineNotes,
      log,
      registry: this.registry,
      publish: (note) => {
        if (writesEvents && !isDryRun() && this.#election.isLeading()) this.#events.publish(note);
      },
    });
  }

  #entryTrail(): EntryTrail | null {
    const { clients, log } = this.#tools;
    const { aws, clock } = clients;
    if (aws === null || this.#settings.auth === 'off') return null;
    return createEntryTrail({ aws, clock, log, machineNotes: this.#machineNotes });
  }

  #clusterName(): string | null {
    return this.#settings.cluster ?? this.#tools.clients.described?.clusterName ?? null;
  }

  #candidate(): LeaderElection {
    const { clients, writes, random, log } = this.#tools;
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
        if (lastError !== null) log.warn(`Lease ${namespace}/${LEASE}: ${lastError.message}`);
        else if (phase === 'leading') log.info(`leads as ${identity}`);
        else if (holder !== null && holder !== identity) log.info(`${excerptOf(holder)} leads`);
      },
    });
  }

  /** A Lease that was lost is another's; it is waited for again. */
  async #leadAgain(stop: AbortSignal): Promise<void> {
    for (;;) {
      const end = await this.#election.run(stop);
      if (end === 'stopped') return;
      this.#tools.log.warn('lost the Lease; nothing is written until it leads again');
      this.#election = this.#candidate();
    }
  }

  async #lead({ stop, lost, isLeading }: Leading): Promise<void> {
    const signal = AbortSignal.any([stop, lost]);
    const { janitor } = this.#tools;
    const runs = [this.#settings.writesReports ? this.#keeper : null, janitor]
      .filter((part) => part !== null)
      .map((part) => async (end: AbortSignal) => part.run({ signal: end, isLeading }));
    const auth = this.#auth;
    if (auth !== null) runs.push(async (end) => auth.lead({ signal: end, isLeading }));
    const news = this.#news;
    if (news !== null) runs.push(async (end) => news.run(end));
    if (runs.length === 0) await whenAborted(signal);
    await together(runs, signal);
  }

  async #take(standing: Standing): Promise<void> {
    const taken = this.#news?.taking();
    const { document, observations, nowMs } = standing;
    const { log, recording, clients } = this.#tools;
    const rollCall = rollCallOf({ document, observations, nowMs, expected: [] });
    const areWhole = areRowsWhole(observations, clients.aws !== null);
    const known = areWhole ? rollCall : withUnread(this.#known, rollCall);
    for (const line of changeLines(this.#known, known)) log.info(line);
    this.#known = known;
    const { happenings, lookAgainMs } = this.#lifecycle.take(standing, clients.aws !== null);
    this.#lookAgain(lookAgainMs, nowMs);
    for (const happening of happenings) this.#tell(happening);
    this.#rollCall = rollCall;
    this.#metrics.observe(standing, rollCall);
    this.#keeper.setRows(this.#withNotes(rollCall.rows), areWhole);
    const shutOut = areWhole ? shutOutIn(observations) : [];
    this.#auth?.setShutOut(shutOut);
    this.#trail?.setShutOut(shutOut, this.#clusterName());
    await recording?.take(standing);
    taken?.();
  }

  /** What the keeper of aws-auth did is a word in the report of each machine. */
  #withNotes(rows: RollCallDocument['rows']): RollCallDocument['rows'] {
    const nowMs = this.#tools.clients.clock.nowMs();
    return rows.map((row) => {
      const own = this.#machineNotes.of(row.instanceId, nowMs);
      return own === null ? row : { ...row, note: row.note === null ? own : `${own}; ${row.note}` };
    });
  }

  /** A right that is taken away changes nothing that a judgement would see at once. */
  async #tellLists(end: AbortSignal): Promise<void> {
    const { log, clients } = this.#tools;
    while (!end.aborted) {
      await pause(clients.clock, TELL_LISTS_MS, end);
      for (const { isWarning, text } of this.#lists.take(this.#followed()))
        if (isWarning) log.warn(text);
        else log.info(text);
    }
  }

  #followed(): readonly FeedHealth[] {
    const { lists } = this.#resident.health();
    const keepsReports = this.#settings.writesReports && this.#election.isLeading();
    if (!keepsReports) return lists;
    return [...lists, feedHealth('NodeReport', false, this.#keeper.state())];
  }

  /** A deletion waits a little for the Event that explains it. */
  #lookAgain(atMs: number | null, nowMs: number): void {
    this.#again?.cancel();
    this.#again = null;
    if (atMs === null) return;
    const { clock } = this.#tools.clients;
    this.#again = startTimer(clock, Math.max(0, atMs - nowMs), () => this.#resident.judgeSoon());
  }

  /** What the first look shows was there before, and is news to nobody. */
  #tell(happening: Happening): void {
    this.#metrics.happened(happening);
    if (this.#rollCall === null) return;
    const { kind: what, instanceId } = happening;
    this.#tools.log.info(sentenceOf(happening), {
      happening: what,
      node: happening.node,
      instanceId,
    });
    const { writesEvents, live } = this.#settings;
    if (live().isDryRun || !this.#election.isLeading()) return;
    const { event, webhook } = actionsOf(happening);
    this.#tools.webhook?.publish(webhook);
    if (!writesEvents || event === null) return;
    const { kind, name, uid } = event.regarding;
    // As the kubelet does: an Event of a Node whose UID nobody knows carries its name.
    const about = { apiVersion: 'v1', kind, namespace: null, name, uid: uid ?? name };
    this.#events.publish({ about, type: event.type, reason: event.reason, message: event.message });
  }
}
