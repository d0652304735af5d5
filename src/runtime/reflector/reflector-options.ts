import type { JsonObject } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource, KubeSelection } from '../../ports/kube-api.ts';
import type { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import type { ReflectorChange } from './reflector-store.ts';

/** Times of a reflector, ms, and how much it holds. */
export interface ReflectorLimits {
  /** A watch that said nothing for so long is doubted, and the server asked. */
  readonly silenceMs: number;
  /** The second watch that is asked has to end by itself in this time, which doubles while it does not. */
  readonly probeMs: number;
  /** While a watch is silent: how often the newest version is compared with ours. */
  readonly versionCheckMs: number;
  /** WatchList: the most between two initial events, after which pages are listed instead. */
  readonly initialSilenceMs: number;
  /** WatchList: the most until the bookmark that ends the initial events. */
  readonly initialEventsMs: number;
  /** A whole listing is taken again after this, in case an event was lost. */
  readonly resyncMs: number;
  readonly backoffLeastMs: number;
  readonly backoffMostMs: number;
  /** The most between tries while the server refuses the identity; the first come sooner. */
  readonly refusedRetryMs: number;
  /** Between listings where the identity may list and not watch; null to wait until it may. */
  readonly pollMs: number | null;
  /** The server is asked to end a watch after a time drawn between these. */
  readonly watchLeastMs: number;
  readonly watchMostMs: number;
  /** Objects held at most, of which the newest are; null for all there are. */
  readonly objectsMost: number | null;
}

export const DEFAULT_REFLECTOR_LIMITS: ReflectorLimits = {
  silenceMs: 2_800,
  probeMs: 2_000,
  versionCheckMs: 60_000,
  initialSilenceMs: 10_000,
  initialEventsMs: 60_000,
  resyncMs: 30 * 60_000,
  backoffLeastMs: 250,
  backoffMostMs: 30_000,
  refusedRetryMs: 60_000,
  pollMs: null,
  watchLeastMs: 300_000,
  watchMostMs: 600_000,
  objectsMost: null,
};

export interface ReflectorOptions<T> {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly resource: KubeResource;
  readonly selection?: KubeSelection;
  /** What is kept of an object; null for one that is of no interest. Called before storing. */
  readonly project: (object: JsonObject) => T | null;
  /** Told of each change in order; what it throws is counted and does not stop the reflector. */
  readonly onChange?: (change: ReflectorChange<T>) => void;
  /** Told of what `project` or `onChange` threw, for a program that ends at a bug of its own. */
  readonly onBug?: (error: unknown) => void;
  readonly limits?: Partial<ReflectorLimits>;
}

/**
 * `silent`: the watch says nothing and the server could not confirm that there is nothing to say;
 * `waiting`: for the next try after a failure; `denied` and `unauthenticated`: likewise, slowly;
 * `polling`: the identity may list and not watch.
 */
export type ReflectorPhase =
  | 'starting'
  | 'listing'
  | 'watching'
  | 'polling'
  | 'silent'
  | 'waiting'
  | 'denied'
  | 'unauthenticated'
  | 'stopped';

export interface ReflectorCounts {
  /** Whole listings, paged or by WatchList. */
  readonly listings: number;
  readonly watches: number;
  readonly probes: number;
  /** Watches that were found dead while the server was well. */
  readonly deadWatches: number;
  readonly failures: number;
  /** Throws of `project` and `onChange`. */
  readonly callbackErrors: number;
  /** Events no newer than what was already known. */
  readonly ignoredEvents: number;
}

export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** True once a whole listing is in the store; it stays so. */
  readonly isSynced: boolean;
  /** When the server last said something, ms since the Unix epoch; null for never. */
  readonly lastContactMs: number | null;
  /** How long it is that the store was last known to be what the server has. */
  readonly staleMs: number;
  /** The failure that is not yet over. */
  readonly lastError: PortError | null;
  readonly counts: ReflectorCounts;
}
