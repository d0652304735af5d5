import { systemClock } from '../../adapters/system/clock.ts';
import type { ActRule } from '../../capacity/spot/act-rules.ts';
import { RecordWriter } from '../../collection/recording/writer.ts';
import { eventOfHappening, type Happening } from '../../collection/recording/change.ts';
import { startLimit } from '../../collection/time-limit.ts';
import type { SpotKeeper } from '../../controllers/spot/keeper.ts';
import { startTimer } from '../../ports/clock.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { isAbortOf, pause } from '../../runtime/abort.ts';
import { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { together } from '../../runtime/together.ts';
import { type CliContext, SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { placeOf } from '../cli/live/live-recording.ts';
import { type Clients, openClients } from '../cli/live/open-clients.ts';
import { openForWriting, told } from '../cli/live/record-target.ts';
import { timeLimitMs } from '../cli/live/time-limit.ts';
import type { Address } from '../cli/options/address.ts';
import { endedBySignal, serveHealth } from '../controller/serving.ts';
import { Blanks } from './blanks.ts';
import { FollowedNodes } from './followed-nodes.ts';
import { Market, type MarketOptions, momentOf } from './market.ts';
import { declareSpotMetrics, type SpotMetrics } from './metrics.ts';
import { spotLine, type SpotLine, type WatchOutput } from './printer.ts';
import { type OpenedKeeper, openKeeper } from './opened-keeper.ts';

export interface SpotWatchOrder extends Omit<MarketOptions, 'source'> {
  readonly flags: LiveFlags;
  readonly forMs: number | null;
  readonly record: string | null;
  readonly listen: Address | null;
  /** Empty to act on nothing. */
  readonly rules: readonly ActRule[];
  readonly isDryRun: boolean;
  readonly output: WatchOutput;
}

/** An interruption comes two minutes ahead; what Nodes show comes by itself. */
const LOOK_MS = 15_000;
/** Between two looks, whatever changes meanwhile. */
const LEAST_MS = 1000;
/** While a rule is at work: a Pod takes some seconds to end. */
const BUSY_MS = 3000;

/** Watches until a signal or the time ends it. @throws SourceError where nothing answers */
export async function runSpotWatch(order: SpotWatchOrder, context: CliContext): Promise<void> {
  const signals = endedBySignal();
  const over = new AbortController();
  const timer =
    order.forMs === null ? null : startTimer(systemClock, order.forMs, () => over.abort());
  const say = (line: string): void => context.err(`${line}\n`);
  const recorder =
    order.record === null ? null : await openForWriting(order.record, systemClock.nowMs(), say);
  const clients = await openClients(order.flags);
  const watch = new Watch(order, { context, clients, recorder, say });
  try {
    const ends = [signals.signal, over.signal, ...(context.ending ? [context.ending] : [])];
    await told(async () => watch.run(AbortSignal.any(ends)));
  } finally {
    timer?.cancel();
    signals.stop();
    await clients.close();
    await recorder?.close();
  }
}

interface Parts {
  readonly context: CliContext;
  readonly clients: Clients;
  readonly recorder: Recorder | null;
  readonly say: (line: string) => void;
}

class Watch {
  readonly #order: SpotWatchOrder;
  readonly #parts: Parts;
  readonly #cluster: string;
  readonly #market: Market;
  readonly #nodes: FollowedNodes | null;
  readonly #writer: RecordWriter | null;
  readonly #registry = new MetricsRegistry();
  readonly #metrics: SpotMetrics;
  readonly #blanks = new Blanks();
  readonly #startMs = systemClock.nowMs();
  #waking = new AbortController();
  #isFirst = true;

  constructor(order: SpotWatchOrder, parts: Parts) {
    const { clients, recorder, say } = parts;
    const { aws, kube, clock } = clients;
    this.#order = order;
    this.#parts = parts;
    this.#cluster = order.flags.cluster ?? placeOf(clients);
    this.#market = new Market({ ...order, source: aws === null ? null : { aws, clock } });
    this.#nodes = kube === null ? null : new FollowedNodes(kube, () => this.#waking.abort());
    this.#writer = recorder === null ? null : new RecordWriter({ recorder, say });
    this.#metrics = declareSpotMetrics(this.#registry);
  }

  async run(end: AbortSignal): Promise<void> {
    const keeper = await this.#keeper();
    const server = await this.#served();
    const nodes = this.#nodes;
    try {
      await together(
        [
          async (stop) => this.#looks(keeper?.keeper ?? null, stop),
          ...(nodes === null ? [] : [async (stop: AbortSignal) => nodes.run(stop)]),
        ],
        end,
      );
    } finally {
      await server?.close();
      await keeper?.close();
    }
  }

  async #served() {
    const { listen } = this.#order;
    if (listen === null) return null;
    const sources = {
      live: () => [],
      ready: () => [{ name: 'answers', why: this.#blanks.calls[0] ?? null }],
      metrics: () => this.#registry.text(),
    };
    const onServing = (port: number): void =>
      this.#parts.say(`Serves /metrics, /livez and /readyz on port ${port}.`);
    const onBug = (error: unknown): void => this.#parts.say(`A request failed: ${String(error)}`);
    return await serveHealth(listen, sources, { onServing, onBug });
  }

  async #keeper(): Promise<OpenedKeeper | null> {
    const { rules, isDryRun, flags } = this.#order;
    const { clients, recorder } = this.#parts;
    if (rules.length === 0) return null;
    return await openKeeper({
      rules,
      isDryRun,
      flags,
      clients,
      recorder,
      cluster: this.#cluster,
      print: (line) => this.#print(line),
      stepped: this.#metrics.stepped,
    });
  }

  async #looks(keeper: SpotKeeper | null, stop: AbortSignal): Promise<void> {
    // What Nodes show comes with the first look, where they answer at once.
    if (this.#nodes !== null)
      await Promise.race([this.#nodes.whenSynced(), pause(systemClock, LEAST_MS * 5, stop)]);
    while (!stop.aborted) {
      this.#waking = new AbortController();
      await this.#look(stop);
      const watched = () => this.#market.watched(this.#nodes?.all() ?? null);
      const isBusy = keeper !== null && (await keeper.pass(watched, stop));
      await pause(systemClock, LEAST_MS, stop);
      const rest = (isBusy ? BUSY_MS : LOOK_MS) - LEAST_MS;
      await pause(systemClock, rest, AbortSignal.any([stop, this.#waking.signal]));
    }
  }

  async #look(stop: AbortSignal): Promise<void> {
    const nowMs = systemClock.nowMs();
    const limit = startLimit(systemClock, timeLimitMs(this.#order.flags));
    try {
      const nodes = this.#nodes?.all() ?? null;
      const signal = AbortSignal.any([stop, limit.signal]);
      const look = await this.#market.look(nowMs, nodes, signal);
      if (stop.aborted) return;
      const refusals = [...look.refusals, ...(this.#nodes?.refusals() ?? [])];
      const asked = [...look.asked, ...(this.#nodes === null ? [] : ['list nodes'])];
      this.#mustAnswer(refusals, asked);
      const moment = momentOf(this.#cluster, nowMs);
      const blanks = this.#blanks.take(refusals, asked, moment);
      this.#metrics.unknown(this.#blanks.calls);
      for (const loss of look.losses) this.#parts.say(loss);
      const happenings = [...blanks, ...look.happenings, ...this.#market.ofNodes(nodes)];
      for (const one of happenings) this.#tell(one, nowMs);
      this.#writer?.add(
        happenings.map((one) => eventOfHappening(one, moment)),
        new Map(),
      );
      await this.#writer?.flush(moment);
    } catch (error) {
      if (!isAbortOf(stop, error)) throw error;
    } finally {
      limit.clear();
    }
  }

  /** Where nothing answers from the start, there is nothing to watch. */
  #mustAnswer(refusals: readonly { readonly message: string }[], asked: readonly string[]): void {
    if (!this.#isFirst) return;
    const { clients } = this.#parts;
    const messages = [...clients.refusals, ...refusals].map(({ message }) => message);
    if (refusals.length >= asked.length)
      throw new SourceError([...new Set(messages)].join('\n') || 'no source answers');
    for (const { call, message } of clients.refusals) this.#parts.say(`${call}: ${message}`);
    this.#isFirst = false;
  }

  #tell(happening: Happening, nowMs: number): void {
    const { atMs } = happening;
    this.#metrics.happened(happening, (atMs ?? nowMs) >= this.#startMs);
    this.#print({ ...happening, atMs: atMs ?? nowMs });
  }

  #print(line: SpotLine): void {
    this.#parts.context.out(spotLine(line, this.#order.output));
  }
}
