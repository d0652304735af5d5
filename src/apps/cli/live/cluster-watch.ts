import type { WatchedKind } from '../../../collection/watched.ts';
import { Reflector } from '../../../runtime/reflector/reflector.ts';
import type { ReflectorChange } from '../../../runtime/reflector/reflector-store.ts';
import { STALE_MS, type WatchTrouble } from './watch-troubles.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import type { Random } from '../../../ports/random.ts';

export interface ClusterWatchOptions {
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each change that matters; `isOfMachines` when machines came or went. */
  readonly onChange: (isOfMachines: boolean) => void;
}

interface Feed {
  readonly kind: WatchedKind;
  readonly reflector: Reflector<string>;
  readonly running: Promise<void>;
}

const FEEDS_MAX = 32;
const STEP_MS = 20;

/** Watches what a look depends on, and says what it cannot watch. */
export class ClusterWatch {
  readonly #options: ClusterWatchOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #ending = new AbortController();
  #bug: { readonly error: unknown } | null = null;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Begins to watch; what is watched already, and what is too much, is left out. */
  add(kind: WatchedKind): void {
    const key = `${kind.resource.plural} ${JSON.stringify(kind.selection)}`;
    if (this.#feeds.has(key) || this.#feeds.size >= FEEDS_MAX || this.#ending.signal.aborted)
      return;
    const { kube, clock, random } = this.#options;
    const reflector: Reflector<string> = new Reflector({
      api: kube,
      clock,
      random,
      resource: kind.resource,
      selection: kind.selection,
      project: kind.markOf,
      onChange: (change) => this.#take(kind, reflector, change),
    });
    const running = reflector.run(this.#ending.signal).catch((error: unknown) => {
      this.#bug ??= { error };
    });
    this.#feeds.set(key, { kind, reflector, running });
  }

  /** Ends when each watch has begun, or is known not to, or when the time is over. */
  async begun(limitMs: number): Promise<void> {
    const { clock, onChange } = this.#options;
    const endMs = clock.monotonicMs() + limitMs;
    while (this.#waiting().length > 0 && clock.monotonicMs() < endMs) await clock.sleep(STEP_MS);
    // What changes before a late watch begins is told by nothing but its beginning.
    for (const { reflector } of this.#waiting())
      void reflector.whenSynced().then(() => onChange(false));
  }

  /** @throws what is no failure of the API server but a bug */
  troubles(): readonly WatchTrouble[] {
    if (this.#bug !== null) throw this.#bug.error;
    return [...this.#feeds.values()].flatMap((feed) => troubleOf(feed) ?? []);
  }

  /** Ends all watches; none of them tells anything afterwards. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#feeds.values()].map(({ running }) => running));
  }

  #waiting(): readonly Feed[] {
    return [...this.#feeds.values()].filter(({ reflector }) => {
      const { isSynced, lastError } = reflector.state();
      return !isSynced && lastError === null;
    });
  }

  #take(kind: WatchedKind, reflector: Reflector<string>, change: ReflectorChange<string>): void {
    const { type, value, previous } = change;
    // What is listed first is what the first look sees.
    if (!reflector.state().isSynced || this.#ending.signal.aborted) return;
    if (type === 'updated' && value === previous) return;
    this.#options.onChange(kind.isOfMachines && type !== 'updated');
  }
}

function troubleOf({ kind, reflector }: Feed): WatchTrouble | null {
  const { phase, isSynced, staleMs, lastError } = reflector.state();
  const failure = lastError?.failure ?? null;
  const isRefused = phase === 'denied' || phase === 'unauthenticated';
  // A kind that was never read may be one that the cluster has not; other watches tell of silence.
  const isAbsent = kind.isOptional && !isSynced;
  if (!isRefused && (isAbsent || staleMs < STALE_MS)) return null;
  return { kind: kind.resource.kind, phase, staleMs: isSynced ? staleMs : null, failure };
}
