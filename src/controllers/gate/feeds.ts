import type { Clock } from '../../ports/clock.ts';
import type { PortFailure } from '../../ports/port-error.ts';
import { pause } from '../../runtime/abort.ts';
import { CACHE_STALE_MS, type WatchedCache } from '../../runtime/health/health.ts';
import type { Reflector } from '../../runtime/reflector/reflector.ts';
import type { Looked } from './proofs/saying.ts';

/** Between two looks at whether what is cached can still be relied on, ms. */
const LOOK_MS = 500;
const FIRST_LOOK_MS = 20;

type AnyReflector = Pick<
  Reflector<unknown>,
  'run' | 'state' | 'isSynced' | 'staleMs' | 'whenSynced' | 'doubt'
>;

/**
 * `basis`: nothing is decided without it; `policies`: likewise, but the kind need not be installed;
 * `proof`: while it cannot be read, what it would prove is unknown.
 */
export type FeedRole = 'basis' | 'policies' | 'proof';

interface Feed {
  readonly name: string;
  readonly reflector: AnyReflector;
  readonly role: FeedRole;
  readonly ending: AbortController;
}

/** What the API server answers for a kind that it does not know. */
const NOT_INSTALLED: readonly (PortFailure | undefined)[] = ['unsupported', 'not-found'];

function isAbsent({ role, reflector }: Feed): boolean {
  if (role !== 'policies' || reflector.isSynced) return false;
  return NOT_INSTALLED.includes(reflector.state().lastError?.failure);
}

function isSettled(feed: Feed): boolean {
  const { role, reflector } = feed;
  if (reflector.isSynced || isAbsent(feed)) return true;
  return role === 'proof' && reflector.state().lastError !== null;
}

/** Asked several times at every look, so that a cache which is well costs nothing. */
function troubleOf(reflector: AnyReflector): string | null {
  if (reflector.isSynced && reflector.staleMs <= CACHE_STALE_MS) return null;
  const { isSynced, phase, lastError } = reflector.state();
  if (!isSynced) return `not read yet (${lastError?.message ?? phase})`;
  return `not confirmed for more than ${CACHE_STALE_MS / 1000} s (${lastError?.message ?? phase})`;
}

function standingOf(feed: Feed): string {
  if (!isSettled(feed)) return 'waiting';
  if (isAbsent(feed)) return 'absent';
  return troubleOf(feed.reflector) === null ? 'current' : 'unknown';
}

/** Reflectors that come and go, and whether each can be relied on. */
export class Feeds {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #feeds = new Map<AnyReflector, Feed>();
  readonly #failed = Promise.withResolvers<never>();
  #signal: AbortSignal | null = null;
  #standing = '';

  /** @param onChange told when one can be relied on that could not be before, or the reverse */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    // Whoever runs the feeds is told; until then nobody listens.
    this.#failed.promise.catch(() => undefined);
  }

  add(name: string, reflector: AnyReflector, role: FeedRole): void {
    const feed = { name, reflector, role, ending: new AbortController() };
    this.#feeds.set(reflector, feed);
    if (this.#signal !== null) void this.#follow(feed, this.#signal);
  }

  drop(reflector: AnyReflector): void {
    this.#feeds.get(reflector)?.ending.abort();
    this.#feeds.delete(reflector);
  }

  /** Ends everything with a bug. */
  fail(error: unknown): void {
    this.#failed.reject(error);
  }

  /** True once each feed was listed, is not installed, or is no basis and cannot be read. */
  isListed(): boolean {
    for (const feed of this.#feeds.values()) if (!isSettled(feed)) return false;
    return this.#feeds.size > 0;
  }

  health(): readonly WatchedCache[] {
    const present = [...this.#feeds.values()].filter((feed) => !isAbsent(feed));
    return present.map(({ name, reflector }) => ({ name, state: reflector.state() }));
  }

  /**
   * Whether all that can be relied on was confirmed within so many ms; what was not is confirmed
   * now. The server is asked for what is older only.
   */
  isConfirmed(withinMs: number): boolean {
    const old = [...this.#feeds.values()]
      .map(({ reflector }) => reflector)
      .filter((reflector) => this.whyUnknown(reflector) === null)
      .filter((reflector) => reflector.staleMs > withinMs);
    for (const reflector of old) reflector.doubt();
    return old.length === 0;
  }

  /** Why a cache cannot be relied on; null when it can. */
  whyUnknown(reflector: AnyReflector | null): string | null {
    return reflector === null ? 'not read yet' : troubleOf(reflector);
  }

  /** An object of a cache; unknown while the cache cannot be relied on. */
  looked<T>(reflector: Reflector<T> | null, key: string): Looked<T> {
    const why = this.whyUnknown(reflector);
    if (why !== null) return { state: 'unknown', why };
    const value = reflector?.get(key);
    return value === undefined ? { state: 'absent' } : { state: 'seen', value };
  }

  /** @throws what is a bug */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const feed of this.#feeds.values()) void this.#follow(feed, signal);
    await Promise.race([this.#failed.promise, this.#watchStanding(signal)]);
  }

  async #follow({ reflector, ending }: Feed, signal: AbortSignal): Promise<void> {
    void reflector.whenSynced().then(() => this.#look());
    try {
      await reflector.run(AbortSignal.any([ending.signal, signal]));
    } catch (error) {
      this.fail(error);
    }
  }

  async #watchStanding(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#look();
      await pause(this.#clock, this.isListed() ? LOOK_MS : FIRST_LOOK_MS, signal);
    }
  }

  #look(): void {
    const standing = [...this.#feeds.values()].map(standingOf).join();
    if (standing === this.#standing) return;
    this.#standing = standing;
    this.#onChange();
  }
}
