/** Tells a watch that is dead from one that has nothing to say. */
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource, KubeSelection, KubeWatchEvent } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { pause } from '../abort.ts';
import { Backoff } from '../backoff.ts';
import { Refusals } from './refusals.ts';
import { runningTime } from '../running-time.ts';
import { within } from '../within.ts';
import type { ReflectorLimits } from './reflector-options.ts';
import type { ReflectorRecord } from './reflector-record.ts';
import { isOlder } from './versions.ts';

/** The state of a watch that its watchdog looks at. */
export interface WatchUnderWay {
  /** The version up to which events were taken; null while initial events come. */
  readonly version: () => string | null;
  /** By the monotonic clock. */
  lastEventMs: number;
  /** Somebody wants to know whether it brought everything. */
  isDoubted: boolean;
  /** Ends the rest of the watchdog; null while it does not rest. */
  wake: (() => void) | null;
}

export interface WatchdogScene {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly resource: KubeResource;
  readonly selection?: KubeSelection;
  readonly limits: ReflectorLimits;
  readonly record: ReflectorRecord;
}

export interface Guarded {
  readonly scene: WatchdogScene;
  readonly under: WatchUnderWay;
  /** After this the server should have ended the watch. */
  readonly lifeMs: number;
  readonly open: (signal: AbortSignal) => AsyncIterable<KubeWatchEvent>;
  readonly signal: AbortSignal;
}

/** The server has events that the watch did not bring. */
export class DeadWatch extends Error {}

/** Neither this watch nor a second one brings anything, for longer than lists are waited for. */
export class SilentWatch extends DeadWatch {}

/** The events of a watch, ended with the watchdog's reason when the watch is dead. */
export async function* watchedOver(guarded: Guarded): AsyncGenerator<KubeWatchEvent, void> {
  const { scene, under, open, signal } = guarded;
  const connection = new AbortController();
  const either = AbortSignal.any([signal, connection.signal]);
  const watchdog = new Watchdog(guarded, connection, either).run();
  try {
    for await (const event of open(either)) {
      under.lastEventMs = scene.clock.monotonicMs();
      yield event;
    }
    connection.signal.throwIfAborted();
  } catch (error) {
    throw connection.signal.aborted ? connection.signal.reason : error;
  } finally {
    if (!connection.signal.aborted) connection.abort(new DeadWatch());
    await watchdog;
  }
}

/** What asking the server by a second watch showed. */
type WatchState = 'current' | 'missed';

/** The server ends the second watch itself after this many seconds. */
const PROBE_SECONDS = 1;
/** An event may come by the second watch a little before it comes by the first. */
const GRACE_MS = 200;
/** A server ends its watches somewhat after the time it was given. */
const OVERDUE_MS = 30_000;
/** While the server cannot be asked, it is asked again at least so often. */
const ASK_AGAIN_MOST_MS = 5_000;
/** So many listings could have been taken while nobody confirmed a watch. */
const SILENT_POLLS = 2;
/** A server that answers late is waited for longer each time, at most so long. */
const PATIENCE_MOST_MS = 30_000;

class Watchdog {
  readonly #guarded: Guarded;
  readonly #connection: AbortController;
  readonly #signal: AbortSignal;
  readonly #backoff: Backoff;
  readonly #refusals: Refusals;
  readonly #startMs: number;
  #checkedAtMs: number;
  #patienceMs: number;

  constructor(guarded: Guarded, connection: AbortController, signal: AbortSignal) {
    this.#guarded = guarded;
    this.#connection = connection;
    this.#signal = signal;
    this.#backoff = new Backoff(guarded.scene.random, { leastMs: 500, mostMs: ASK_AGAIN_MOST_MS });
    this.#refusals = new Refusals(guarded.scene.random, guarded.scene.limits.refusedRetryMs);
    this.#startMs = guarded.scene.clock.monotonicMs();
    this.#checkedAtMs = this.#startMs;
    this.#patienceMs = guarded.scene.limits.probeMs;
  }

  /** Ends with the watch; a bug of an adapter ends the watch with itself as the reason. */
  async run(): Promise<void> {
    try {
      while (!this.#signal.aborted) await this.#look();
    } catch (error) {
      if (!this.#signal.aborted) this.#connection.abort(error);
    }
  }

  async #look(): Promise<void> {
    const { scene, under, lifeMs } = this.#guarded;
    const nowMs = scene.clock.monotonicMs();
    if (nowMs - this.#startMs > lifeMs + OVERDUE_MS) throw overdue(scene);
    if (under.version() === null) return await this.#lookAtInitial(nowMs);
    const quietMs = nowMs - under.lastEventMs;
    const { silenceMs } = scene.limits;
    if (under.isDoubted || quietMs >= silenceMs) return await this.#ask();
    // A rest so small that adding it to the time changes nothing would never pass.
    await this.#rest(Math.ceil(silenceMs - quietMs));
  }

  /** Rests until the time is over, or somebody doubts the watch. */
  async #rest(durationMs: number): Promise<void> {
    const { scene, under } = this.#guarded;
    const woken = new AbortController();
    under.wake = () => woken.abort();
    try {
      await pause(scene.clock, durationMs, AbortSignal.any([this.#signal, woken.signal]));
    } finally {
      under.wake = null;
    }
  }

  /** Initial events come without a pause; their end is marked, unless the server cannot. */
  async #lookAtInitial(nowMs: number): Promise<void> {
    const { scene, under } = this.#guarded;
    const { initialSilenceMs, initialEventsMs, silenceMs } = scene.limits;
    const leftMs = Math.min(
      under.lastEventMs + initialSilenceMs - nowMs,
      this.#startMs + initialEventsMs - nowMs,
    );
    // Nobody tells when the initial events end, after which silence is judged by its own limit.
    const stepMs = Math.ceil(Math.min(leftMs, silenceMs));
    if (leftMs > 0) return await this.#rest(stepMs);
    await this.#within(async (signal) => await scene.api.version(signal));
    throw unmarked(scene);
  }

  async #ask(): Promise<void> {
    const { scene, under } = this.#guarded;
    const startMs = scene.clock.monotonicMs();
    const version = under.version() ?? '';
    under.isDoubted = false;
    try {
      scene.record.count('probes');
      if ((await this.#verdict(version)) === 'missed') throw new DeadWatch();
      this.#backoff.reset();
      this.#refusals.reset();
      this.#patienceMs = scene.limits.probeMs;
      scene.record.contact();
      scene.record.current(startMs);
      under.lastEventMs = Math.max(under.lastEventMs, scene.clock.monotonicMs());
    } catch (error) {
      if (this.#signal.aborted || !(error instanceof PortError)) throw error;
      if (error.failure === 'expired') throw error;
      if (under.version() === version) await this.#unconfirmed(error);
    }
  }

  /** Nobody can be asked, so the watch is kept: it may be the only connection that still works. */
  async #unconfirmed(error: PortError): Promise<void> {
    const { scene, under } = this.#guarded;
    const { failure } = error;
    const { pollMs } = scene.limits;
    const quietMs = scene.clock.monotonicMs() - under.lastEventMs;
    if (pollMs !== null && quietMs > SILENT_POLLS * pollMs) throw new SilentWatch();
    const isRefused = failure === 'denied' || failure === 'unauthenticated';
    scene.record.fail(error, isRefused ? failure : 'silent');
    this.#patienceMs = Math.min(this.#patienceMs * 2, PATIENCE_MOST_MS);
    const leastMs = isRefused ? this.#refusals.nextMs() : (error.retryAfterMs ?? 0);
    await scene.clock.sleep(Math.max(leastMs, this.#backoff.nextMs()), this.#signal);
  }

  /** Events after our version that only the second watch brings prove the first one dead. */
  async #verdict(version: string): Promise<WatchState> {
    const clock = runningTime(this.#guarded.scene.clock);
    if (await this.#within(async (signal) => await this.#hasMore(version, signal))) {
      if (this.#guarded.under.version() === version) await clock.sleep(GRACE_MS, this.#signal);
      return this.#guarded.under.version() === version ? 'missed' : 'current';
    }
    await this.#compareVersions(version);
    return 'current';
  }

  async #hasMore(version: string, signal: AbortSignal): Promise<boolean> {
    const { api, resource, selection } = this.#guarded.scene;
    const options = {
      ...selection,
      resourceVersion: version,
      timeoutSeconds: PROBE_SECONDS,
      signal,
    };
    for await (const event of api.watch(resource, options))
      if (event.type !== 'BOOKMARK') return true;
    return false;
  }

  /** A history that was cut back, as by a restored backup, has nothing to say for a long time. */
  async #compareVersions(version: string): Promise<void> {
    const { api, clock, limits, resource, selection } = this.#guarded.scene;
    if (clock.monotonicMs() - this.#checkedAtMs < limits.versionCheckMs) return;
    const newest = await this.#within(async (signal) => {
      for await (const page of api.list(resource, { ...selection, pageSize: 1, signal }))
        return page.resourceVersion;
      return version;
    });
    if (isOlder(newest, version)) throw rewound(version);
    this.#checkedAtMs = clock.monotonicMs();
  }

  /** Gives up with a failure of its own when the answer takes too long. */
  async #within<R>(ask: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const { scene } = this.#guarded;
    const clock = runningTime(scene.clock);
    const late = (): PortError => unconfirmed(scene);
    return await within({ clock, durationMs: this.#patienceMs, signal: this.#signal, late }, ask);
  }
}

function nameOf({ api, resource }: WatchdogScene): string {
  return `the watch of ${resource.plural} at ${api.server}`;
}

const READY = 'ask how it is: kubectl get --raw /readyz?verbose';

function unconfirmed(scene: WatchdogScene): PortError {
  const message = `Since ${nameOf(scene)} is silent and so is a second one; ${READY}`;
  return new PortError({ failure: 'timeout', message });
}

function overdue(scene: WatchdogScene): PortError {
  const message = `The API server did not end ${nameOf(scene)} when it should have; ${READY}`;
  return new PortError({ failure: 'timeout', message });
}

function unmarked(scene: WatchdogScene): PortError {
  return new PortError({
    failure: 'unsupported',
    message:
      `The API server did not mark the end of the initial events in ${nameOf(scene)}, as before ` +
      '1.32 and in 1.33; pages are listed instead, see: kubectl version',
  });
}

/** The server's history is shorter than what was read of it. */
export function rewound(version: string): PortError {
  return new PortError({
    failure: 'expired',
    message:
      `The API server went back to before version ${version}, as after etcd was restored from a ` +
      'backup; Rollcall reads everything again; check: kubectl get --raw /readyz?verbose',
  });
}
