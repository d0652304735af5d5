import { createJudge, type Judge } from '../../engine/diagnose.ts';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { Random } from '../../ports/random.ts';
import { isAbortOf, pause, whenAborted } from '../../runtime/abort.ts';
import { Alarm } from '../../runtime/alarm.ts';
import type { LookClients } from '../look-clients.ts';
import type { LiveEvidence } from '../observe.ts';
import { createFeeds, type FeedHealth, type Feeds } from './feeds.ts';
import type { ResidentListener } from './listener.ts';
import { askAwsOnce, askDetailsOnce, type AwsRound } from './rounds.ts';
import { createResidentStore, NO_ROUND, type ResidentStore } from './store.ts';

/** How often what nothing reports is asked again, ms. */
export interface ResidentPace {
  /** AWS, when nothing changes. */
  readonly awsMs: number;
  /** AWS, after machines came or went. */
  readonly awsLeastMs: number;
  /** Consoles and logs of machines that are not well. */
  readonly detailsMs: number;
  /** A verdict may change by the passing of time alone. */
  readonly judgedMs: number;
}

const DEFAULT_PACE: ResidentPace = {
  awsMs: 60_000,
  awsLeastMs: 5_000,
  detailsMs: 60_000,
  judgedMs: 30_000,
};

export interface ResidentOptions {
  readonly clients: LookClients;
  readonly random: Random;
  /** null: as the kubeconfig or the instances' tags say. */
  readonly cluster: string | null;
  readonly pace?: Partial<ResidentPace>;
  /** Reports each judgement, in order. */
  readonly onStanding: (standing: Standing) => void | Promise<void>;
  /** Hears each object and answer too. */
  readonly listener?: ResidentListener | null;
  /** Hears the Nodes while everything else is still asked for. */
  readonly onFirstNodes?: (observations: Observations, nowMs: number) => void;
}

/** The roll call at one moment. */
export interface Standing extends LiveEvidence {
  /** From the first change that it takes in to the judgement, ms; null when only time passed. */
  readonly delayMs: number | null;
  /** How long the judgement took, ms. */
  readonly tookMs: number;
}

export interface ResidentHealth {
  readonly lists: readonly FeedHealth[];
  /** Since AWS answered a whole round, ms; null for never. */
  readonly awsAgeMs: number | null;
  /** Since the last judgement, ms; null for never. */
  readonly judgedAgeMs: number | null;
  readonly objects: number;
}

/** What comes with a change comes within this time, and is judged with it. */
const SETTLE_MS = 10;
/** What is not complete is looked at so often. */
const WAIT_MS = 25;
/** Lists become stale without a word. */
const TICK_MS = 1_000;

/** Keeps the roll call of one cluster, from its lists, watches and rounds of questions to AWS. */
export class Resident {
  readonly #options: ResidentOptions;
  readonly #pace: ResidentPace;
  readonly #store: ResidentStore = createResidentStore();
  readonly #judging: Judge = createJudge();
  readonly #news: Alarm;
  readonly #awsDue: Alarm;
  readonly #machinesDue: Alarm;
  readonly #feeds: Feeds | null;
  #cluster: string | null;
  /** By the monotonic clock; null for never. */
  #awsAtMs: number | null = null;
  #judgedAtMs: number | null = null;
  /** When everything that depends on the time was asked last. */
  #timedAtMs = Number.NEGATIVE_INFINITY;
  #latest: Standing | null = null;
  #firstNewsMs: number | null = null;
  #isShown = false;

  constructor(options: ResidentOptions) {
    const { clients, random, cluster, listener = null } = options;
    const { kube, clock, described } = clients;
    this.#options = options;
    this.#pace = { ...DEFAULT_PACE, ...options.pace };
    this.#cluster = cluster ?? described?.clusterName ?? null;
    this.#news = new Alarm(clock, SETTLE_MS);
    this.#awsDue = new Alarm(clock);
    this.#machinesDue = new Alarm(clock);
    const onNews = (isOfMachines: boolean): void => this.#hear(isOfMachines);
    this.#feeds =
      kube === null
        ? null
        : createFeeds({ kube, clock, random, store: this.#store, onNews, listener });
  }

  /** Runs until the signal ends it. @throws what is a bug and no failure of a source */
  async run(signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    const parts = [
      this.#feeds?.run(either) ?? whenAborted(either),
      this.#tick(either),
      this.#askAws(either),
      this.#judge(either),
      this.#askMachines(either),
    ];
    try {
      // They end with the signal alone: the first that fails ends the others.
      await Promise.all(parts);
    } catch (error) {
      // A question to AWS or to a machine that is under way ends with the reason of the signal.
      if (!isAbortOf(signal, error)) throw error;
    } finally {
      ending.abort();
      await Promise.allSettled(parts);
    }
  }

  /** Asks for a judgement although nothing is new: time alone may tell more. */
  judgeSoon(): void {
    this.#news.ring();
  }

  /** Has AWS asked at once, as it reports that machines changed. */
  report(news: readonly MachineNews[]): void {
    this.#options.listener?.reported(news);
    this.#hear(true);
  }

  health(): ResidentHealth {
    const nowMs = this.#options.clients.clock.monotonicMs();
    const age = (atMs: number | null): number | null => (atMs === null ? null : nowMs - atMs);
    return {
      lists: this.#feeds?.health() ?? [],
      awsAgeMs: age(this.#awsAtMs),
      judgedAgeMs: age(this.#judgedAtMs),
      objects: this.#store.size(),
    };
  }

  #hear(isOfMachines: boolean): void {
    this.#firstNewsMs ??= this.#options.clients.clock.monotonicMs();
    this.#news.ring();
    if (isOfMachines) this.#awsDue.ring();
  }

  /** What lists are whole is looked at every second, as silence reports nothing. */
  async #tick(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.clients;
    while (!signal.aborted) {
      if (this.#feeds?.settle() === true) this.#hear(false);
      this.#showFirst();
      await pause(clock, this.#isReady() ? TICK_MS : WAIT_MS, signal);
    }
  }

  #showFirst(): void {
    const { onFirstNodes, clients } = this.#options;
    if (this.#isShown || onFirstNodes === undefined) return;
    const hasNodes = this.#store.providerIds().length > 0;
    this.#isShown = this.#judgedAtMs !== null || hasNodes;
    if (this.#judgedAtMs === null && hasNodes)
      onFirstNodes(this.#observations(), clients.clock.nowMs());
  }

  async #askAws(signal: AbortSignal): Promise<void> {
    const { aws, clock } = this.#options.clients;
    if (aws === null) return whenAborted(signal);
    await this.#lists(signal);
    while (!signal.aborted) {
      this.#awsDue.answer();
      this.#take(
        await askAwsOnce(
          { aws, clock },
          this.#store,
          this.#cluster,
          signal,
          this.#options.listener,
        ),
      );
      await this.#awsDue.pause(this.#pace.awsLeastMs, this.#pace.awsMs, signal);
    }
  }

  #take(round: AwsRound): void {
    this.#cluster ??= round.cluster;
    this.#store.setAws(round);
    this.#awsAtMs = this.#options.clients.clock.monotonicMs();
    this.#hear(false);
  }

  /** Ends when each list is whole, or known not to be had. */
  async #lists(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.clients;
    while (this.#feeds !== null && !this.#store.isSettled() && !signal.aborted)
      await pause(clock, WAIT_MS, signal);
  }

  #isReady(): boolean {
    const { aws } = this.#options.clients;
    const areListed = this.#feeds === null || this.#store.isSettled();
    return areListed && (aws === null || this.#awsAtMs !== null);
  }

  async #judge(signal: AbortSignal): Promise<void> {
    const { judgedMs } = this.#pace;
    let tookMs = 0;
    for (;;) {
      // A judgement is given as long a rest as it took.
      await this.#news.pause(tookMs, judgedMs, signal);
      if (signal.aborted) return;
      this.#news.answer();
      if (this.#isReady()) tookMs = await this.#judgeOnce();
    }
  }

  /** @returns how long it took, ms */
  async #judgeOnce(): Promise<number> {
    const standing = await this.#standing();
    await this.#options.onStanding(standing);
    this.#latest = standing;
    this.#machinesDue.ring();
    return standing.tookMs;
  }

  #observations(): Observations {
    const { kube, clock, refusals } = this.#options.clients;
    const skewMs = kube?.skewMs() ?? null;
    const moment = { nowMs: clock.nowMs(), cluster: this.#cluster, skewMs, refusals };
    return this.#store.observations(moment);
  }

  async #standing(): Promise<Standing> {
    const { clock, kube } = this.#options.clients;
    const startMs = clock.monotonicMs();
    const firstMs = this.#firstNewsMs;
    this.#firstNewsMs = null;
    const nowMs = clock.nowMs();
    const observations = this.#observations();
    const holdsMs = this.#holdsMs(startMs, firstMs !== null);
    const document = await this.#judging.judge(observations, { holdsMs });
    const judgedMs = clock.monotonicMs();
    this.#judgedAtMs = judgedMs;
    return {
      observations,
      document,
      nowMs,
      cluster: this.#cluster,
      skewMs: kube?.skewMs() ?? null,
      delayMs: firstMs === null ? null : judgedMs - firstMs,
      tookMs: judgedMs - startMs,
    };
  }

  /**
   * What depends on the time alone is asked again when its turn has come, and not at each change:
   * news that come then are judged first.
   */
  #holdsMs(startMs: number, isNews: boolean): number {
    const { judgedMs } = this.#pace;
    const agedMs = startMs - this.#timedAtMs;
    if (agedMs < judgedMs) return Number.POSITIVE_INFINITY;
    if (isNews && agedMs < 2 * judgedMs) {
      this.#news.ring();
      return Number.POSITIVE_INFINITY;
    }
    this.#timedAtMs = startMs;
    return 0;
  }

  /** Asks machines of the latest standing; what they say is in the next one. */
  async #askMachines(signal: AbortSignal): Promise<void> {
    const { detailsMs } = this.#pace;
    let restMs = 0;
    for (;;) {
      await this.#machinesDue.pause(restMs, detailsMs, signal);
      if (signal.aborted) return;
      this.#machinesDue.answer();
      restMs = (await this.#askedMachines(signal)) ? detailsMs : 0;
    }
  }

  /** False when there was nothing to ask. */
  async #askedMachines(signal: AbortSignal): Promise<boolean> {
    if (this.#latest === null) return false;
    const { document, observations } = this.#latest;
    const { clients, listener = null } = this.#options;
    const heard = { listener, before: this.#store.rounds.details };
    const round = await askDetailsOnce(clients, document, observations, signal, heard);
    this.#store.setDetails(round);
    if (round === NO_ROUND) return false;
    this.#hear(false);
    return true;
  }
}
