import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeName, KubeWatchEvent } from '../../ports/kube-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { Backoff } from '../backoff.ts';
import { Arrivals, type WrittenObject } from './arrivals.ts';
import {
  DEFAULT_REFLECTOR_LIMITS,
  type ReflectorLimits,
  type ReflectorOptions,
  type ReflectorPhase,
  type ReflectorState,
} from './reflector-options.ts';
import { ReflectorRecord } from './reflector-record.ts';
import {
  keyOf,
  type ReflectorChange,
  ReflectorStore,
  type StoredObject,
  type StoredObjects,
} from './reflector-store.ts';
import { isWatchListRefused, Refusals } from './refusals.ts';
import { isNoNewer, isOlder } from './versions.ts';
import { DeadWatch, rewound, SilentWatch, watchedOver, type WatchUnderWay } from './watchdog.ts';

/**
 * Keeps the projection of all objects of one resource equal to the server's, over any failure.
 * Runs until its signal is aborted; there is no other end. See docs/decisions/0006-reflector.md.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  readonly #limits: ReflectorLimits;
  readonly #store: ReflectorStore<T>;
  readonly #record: ReflectorRecord;
  readonly #arrivals: Arrivals;
  readonly #backoff: Backoff;
  readonly #refusals: Refusals;
  readonly #synced = Promise.withResolvers<void>();
  /** The version up to which the store is whole; null when a listing is needed. */
  #version: string | null = null;
  #canWatchList = true;
  #pageSize = PAGE_SIZE;
  /** Why there is no watch, and when to try one again by the monotonic clock. */
  #unwatched: { readonly error: PortError; readonly untilMs: number } | null = null;
  #listedAtMs = 0;
  /** Watches that died since one brought something. */
  #deaths = 0;
  #under: WatchUnderWay | null = null;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#limits = { ...DEFAULT_REFLECTOR_LIMITS, ...options.limits };
    this.#store = new ReflectorStore<T>(this.#limits.objectsMost);
    this.#record = new ReflectorRecord(options.clock);
    this.#arrivals = new Arrivals(options.clock);
    const { backoffLeastMs, backoffMostMs } = this.#limits;
    this.#refusals = new Refusals(options.random, this.#limits.refusedRetryMs);
    this.#backoff = new Backoff(options.random, {
      leastMs: backoffLeastMs,
      mostMs: backoffMostMs,
    });
  }

  get size(): number {
    return this.#store.size;
  }

  /** @param key `namespace/name`, or the name alone for a kind without namespaces */
  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  values(): IterableIterator<T> {
    return this.#store.values();
  }

  entries(): IterableIterator<readonly [string, T]> {
    return this.#store.entries();
  }

  /** As in `state`, for who asks at every event. */
  get isSynced(): boolean {
    return this.#record.isSynced;
  }
  get staleMs(): number {
    return this.#record.staleMs;
  }

  state(): ReflectorState {
    return this.#record.state();
  }

  /** Resolves when the first whole listing is in the store; its handlers have been told. */
  async whenSynced(): Promise<void> {
    await this.#synced.promise;
  }

  /**
   * Waits until the store is at least as new as a write of ours: until exactly that version of the
   * object came, or its deletion, or a listing that began after this call. Handlers have been told.
   *
   * @param limitMs after which the object is to be read live
   * @returns false when that did not happen in time, or the signal was aborted
   */
  async whenReached(
    written: WrittenObject,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.#holds(written) || (await this.#arrivals.when(written, limitMs, signal));
  }

  /** Has the server asked as soon as it can be whether the watch brought everything until now. */
  doubt(): void {
    if (this.#under === null) return;
    this.#under.isDoubted = true;
    this.#under.wake?.();
  }

  /** Takes one object as it is live, where a conflict shows that the watch missed a change of it. */
  async refresh(name: KubeName, signal?: AbortSignal): Promise<void> {
    const { api, resource } = this.#options;
    const key = name.namespace === undefined ? name.name : `${name.namespace}/${name.name}`;
    try {
      this.#tell(this.#changesOf('MODIFIED', await api.get(resource, name, signal)));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      if (error.failure === 'not-found') this.#tell(this.#store.delete(key));
    }
  }

  /** @throws only what is no `PortError`, which is a bug of an adapter */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#round(signal);
      if (waitMs > 0) await this.#sleep(waitMs, signal);
    }
    this.#record.enter('stopped');
  }

  /** One listing or watch. @returns how long to wait before the next */
  async #round(signal: AbortSignal): Promise<number> {
    const startMs = this.#options.clock.monotonicMs();
    try {
      if (this.#unwatched !== null) return await this.#poll(this.#unwatched, signal);
      if (this.#version !== null || this.#canWatchList) {
        await this.#watch(signal);
        return this.#afterEnd(startMs);
      }
      await this.#list(signal);
      return 0;
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof DeadWatch) return this.#afterDeath(error);
      if (!(error instanceof PortError)) throw error;
      return this.#afterFailure(error, startMs);
    }
  }

  /** A server that ends every watch at once is not asked in a tight loop. */
  #afterEnd(startMs: number): number {
    const { clock } = this.#options;
    const livedMs = clock.monotonicMs() - startMs;
    if (clock.monotonicMs() - this.#listedAtMs > this.#limits.resyncMs) this.#version = null;
    const isRefused = this.#version === null && !this.#canWatchList;
    if (livedMs < SHORT_LIFE_MS && !isRefused) return this.#backoff.nextMs();
    this.#backoff.reset();
    return 0;
  }

  /** What stands between may hold watches back for good, while it lets lists through. */
  #afterDeath(death: DeadWatch): number {
    this.#record.count('deadWatches');
    this.#deaths += death instanceof SilentWatch ? DEATHS_MAX : 1;
    const { pollMs, refusedRetryMs } = this.#limits;
    if (pollMs === null || this.#deaths < DEATHS_MAX) return 0;
    const { clock, resource } = this.#options;
    const message = `Watches of ${resource.plural} bring nothing, so the list is read every ${pollMs / 1000} s; see: kubectl get ${resource.plural} --watch`;
    const error = new PortError({ failure: 'timeout', message });
    this.#unwatched = { error, untilMs: clock.monotonicMs() + refusedRetryMs };
    return 0;
  }

  #afterFailure(error: PortError, startMs: number): number {
    const { clock, random } = this.#options;
    if (error.failure === 'expired') {
      this.#version = null;
      this.#store.doubt();
    }
    if (this.#pollsInstead(error)) return 0;
    if (clock.monotonicMs() - startMs > LONG_LIFE_MS) this.#backoff.reset();
    const phase = phaseOf(error);
    this.#record.fail(error, phase);
    if (phase !== 'waiting') return this.#refusals.nextMs();
    // A kind that the server does not serve comes rarely, and many clusters lack many of them.
    if (MISSING.has(error.failure)) return this.#limits.backoffMostMs * (0.75 + random.next() / 2);
    const askedMs = (error.retryAfterMs ?? 0) * (1 + random.next() / 4);
    return Math.max(askedMs, this.#backoff.nextMs());
  }

  /** True where lists take the place of a watch that is denied. */
  #pollsInstead(error: PortError): boolean {
    const { pollMs } = this.#limits;
    const isOfWatch = error.failure === 'denied' && error.permission?.startsWith('watch ') === true;
    if (pollMs === null || !isOfWatch) return false;
    const untilMs = this.#options.clock.monotonicMs() + this.#refusals.nextMs();
    this.#unwatched = { error, untilMs };
    return true;
  }

  /** @returns how long to wait before the next listing, or before a watch is tried again */
  async #poll(
    { error, untilMs }: { readonly error: PortError; readonly untilMs: number },
    signal: AbortSignal,
  ): Promise<number> {
    await this.#list(signal);
    this.#record.poll(error);
    if (this.#options.clock.monotonicMs() >= untilMs) this.#unwatched = null;
    return this.#limits.pollMs ?? 0;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { api, resource, selection } = this.#options;
    this.#record.enter('listing');
    const listed: StoredObjects<T> = new Map();
    let version = '';
    const startMs = this.#options.clock.monotonicMs();
    try {
      const pages = api.list(resource, { ...selection, pageSize: this.#pageSize, signal });
      for await (const page of pages) {
        this.#record.contact();
        if (this.#unwatched === null) this.#refusals.reset();
        for (const object of page.items) this.#collect(listed, object);
        version = page.resourceVersion;
      }
    } catch (error) {
      // The listing took longer than its token lives; with bigger pages it is quicker.
      if (error instanceof PortError && error.failure === 'expired') this.#pageSize *= 4;
      throw error;
    }
    this.#replace(listed, version, { fromMs: startMs, currentMs: startMs });
  }

  #replace(listed: StoredObjects<T>, version: string, taken: ListingTimes): void {
    this.#record.count('listings');
    this.#version = version;
    this.#listedAtMs = this.#options.clock.monotonicMs();
    this.#tell(this.#store.replace(listed));
    this.#arrivals.listed(taken.fromMs, (written) => this.#holds(written));
    this.#record.current(taken.currentMs);
    this.#synced.resolve();
  }

  /** Follows one watch to its end; without a version the server sends what exists first. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { api, clock, resource, selection } = this.#options;
    const under: WatchUnderWay = {
      version: () => this.#version,
      lastEventMs: clock.monotonicMs(),
      isDoubted: false,
      wake: null,
    };
    this.#under = under;
    const fromMs = under.lastEventMs;
    const initial: StoredObjects<T> | null = this.#version === null ? new Map() : null;
    const lifeMs = this.#lifeMs();
    if (initial !== null) this.#record.enter('listing');
    this.#record.count('watches');
    const open = (watchSignal: AbortSignal): AsyncIterable<KubeWatchEvent> =>
      api.watch(resource, {
        ...selection,
        ...(this.#version === null
          ? { sendInitialEvents: true }
          : { resourceVersion: this.#version }),
        timeoutSeconds: Math.round(lifeMs / 1000),
        signal: watchSignal,
      });
    try {
      const scene = { ...this.#options, limits: this.#limits, record: this.#record };
      for await (const event of watchedOver({ scene, under, lifeMs, open, signal })) {
        this.#record.contact();
        this.#refusals.reset();
        if (this.#version === null && initial !== null) this.#takeInitial(initial, event, fromMs);
        else this.#take(event);
      }
    } catch (error) {
      if (this.#version === null && isWatchListRefused(error)) this.#canWatchList = false;
      else throw error;
    }
    // A server that ends before the end of the initial events does not know to mark it.
    if (this.#version === null) this.#canWatchList = false;
  }

  #lifeMs(): number {
    const { watchLeastMs, watchMostMs } = this.#limits;
    return watchLeastMs + this.#options.random.next() * (watchMostMs - watchLeastMs);
  }

  #takeInitial(initial: StoredObjects<T>, event: KubeWatchEvent, fromMs: number): void {
    if (event.type === 'DELETED') initial.delete(keyOf(event.object) ?? '');
    else if (event.type !== 'BOOKMARK') this.#collect(initial, event.object);
    if (!event.endsInitialEvents) return;
    const currentMs = this.#options.clock.monotonicMs();
    this.#replace(initial, event.resourceVersion, { fromMs, currentMs });
  }

  #take(event: KubeWatchEvent): void {
    this.#deaths = 0;
    const { resourceVersion, type } = event;
    const known = this.#version ?? '';
    if (type === 'BOOKMARK' && isOlder(resourceVersion, known)) throw rewound(known);
    if (type !== 'BOOKMARK' && isNoNewer(resourceVersion, known))
      return this.#record.count('ignoredEvents');
    this.#version = resourceVersion;
    if (type !== 'BOOKMARK') this.#takeObject(type, event);
    this.#record.current(this.#options.clock.monotonicMs());
  }

  #takeObject(type: KubeWatchEvent['type'], { object, resourceVersion }: KubeWatchEvent): void {
    const uid = textAt(object, 'metadata.uid') ?? '';
    // An object that was read live may be ahead of the watch.
    if (!this.#store.isAhead(keyOf(object) ?? '', uid, resourceVersion))
      this.#tell(this.#changesOf(type, object));
    this.#arrivals.event(uid, resourceVersion, type === 'DELETED');
  }

  #holds({ key, uid, resourceVersion }: WrittenObject): boolean {
    return this.#store.holds(key, uid, resourceVersion);
  }

  #changesOf(type: KubeWatchEvent['type'], object: JsonObject): readonly ReflectorChange<T>[] {
    const key = keyOf(object);
    if (key === null) return [];
    const stored = type === 'DELETED' ? null : this.#stored(object);
    return stored === null ? this.#store.delete(key) : this.#store.set(key, stored);
  }

  #collect(into: StoredObjects<T>, object: JsonObject): void {
    const key = keyOf(object);
    if (key === null) return;
    const stored = this.#store.unchanged(key, object) ?? this.#stored(object);
    if (stored === null) into.delete(key);
    else into.set(key, stored);
  }

  /** null for an object that the projection leaves out, or chokes on. */
  #stored(object: JsonObject): StoredObject<T> | null {
    const value = this.#guarded(() => this.#options.project(object)) ?? null;
    if (value === null) return null;
    const uid = textAt(object, 'metadata.uid') ?? '';
    return { uid, version: textAt(object, 'metadata.resourceVersion') ?? '', value };
  }

  #tell(changes: readonly ReflectorChange<T>[]): void {
    const { onChange } = this.#options;
    if (onChange === undefined) return;
    for (const change of changes) this.#guarded(() => onChange(change));
  }

  #guarded<R>(call: () => R): R | undefined {
    try {
      return call();
    } catch (error) {
      this.#record.count('callbackErrors');
      this.#options.onBug?.(error);
      return undefined;
    }
  }

  async #sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clock.sleep(durationMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** By the monotonic clock: when a listing was asked for, and as of when it is known to hold. */
interface ListingTimes {
  readonly fromMs: number;
  readonly currentMs: number;
}

const PAGE_SIZE = 500;
/** One dead watch is an accident. */
const DEATHS_MAX = 2;
/** A watch that ends within this time did not do its work. */
const SHORT_LIFE_MS = 1_000;
/** One that lasted longer shows that the server is well again. */
const LONG_LIFE_MS = 5_000;

/** How servers and what stands before them say that there is no such kind. */
const MISSING: ReadonlySet<PortFailure> = new Set(['not-found', 'unsupported']);

function phaseOf({ failure }: PortError): ReflectorPhase {
  return failure === 'denied' || failure === 'unauthenticated' ? failure : 'waiting';
}
