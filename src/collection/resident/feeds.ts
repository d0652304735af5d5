import type { JsonObject } from '../../evidence/json.ts';
import type { Refusal } from '../../evidence/observations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { PortFailure } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import type { ReflectorState } from '../../runtime/reflector/reflector-options.ts';
import { keyOf, type ReflectorChange } from '../../runtime/reflector/reflector-store.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';
import { type Common, createCommon } from '../../readers/collector.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';
import type { ResidentListener } from './listener.ts';
import type { ShelfState } from './shelf.ts';
import { type ListedObject, mostOf, readListed, type ResidentStore } from './store.ts';

/** Of a list that the server could not confirm for so long, nobody knows how it is now. */
export const STALE_MS = 30_000;
/** Where only lists are allowed, they are taken so often, ms. */
export const POLL_MS = 10_000;
/** How long a list that failed at first is waited for, ms: servers restart. */
const FIRST_MS = 15_000;

export interface FeedOptions {
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: ResidentStore;
  /** Reports news; `isOfMachines` when a Node or NodeClaim came or went. */
  readonly onNews: (isOfMachines: boolean) => void;
  /** Hears each object too. */
  readonly listener?: ResidentListener | null;
}

/** How one list is followed. */
export interface FeedHealth {
  /** `Node`, `Pod`. */
  readonly kind: string;
  readonly phase: ReflectorState['phase'];
  readonly isOptional: boolean;
  readonly isSynced: boolean;
  readonly staleMs: number;
  readonly failure: PortFailure | null;
  /** Of the failure, with what to do about it. */
  readonly message: string | null;
  /** Objects that could not be read, which is a bug of Rollcall. */
  readonly callbackErrors: number;
}

export interface Feeds {
  /** Ends with the signal. @throws what is a bug and no failure of the API server */
  run(signal: AbortSignal): Promise<void>;
  /** Tells the store which lists are whole now; true when that changed. */
  settle(): boolean;
  health(): readonly FeedHealth[];
}

interface Feed {
  readonly planned: PlannedList;
  readonly reflector: Reflector<ListedObject>;
}

const OF_MACHINES: ReadonlySet<string> = new Set(['Node', 'NodeClaim']);

/** What a listener keeps of objects until their changes are reported; of others it goes with them. */
type Heard = WeakMap<ListedObject, JsonObject>;

function hear(
  { listener = null }: FeedOptions,
  { resource: { kind } }: PlannedList,
  { type, key, value }: ReflectorChange<ListedObject>,
  heard: Heard,
): void {
  if (type === 'deleted') listener?.went(kind, key);
  const kept = heard.get(value);
  heard.delete(value);
  if (kept !== undefined) listener?.came(kind, key, kept);
}

function keep(
  { listener = null }: FeedOptions,
  { resource: { kind } }: PlannedList,
  object: JsonObject,
  listed: ListedObject,
  heard: Heard,
): void {
  const kept = listener?.keep(kind, object) ?? null;
  if (kept !== null) heard.set(listed, kept);
}

function take(
  { store, onNews }: FeedOptions,
  planned: PlannedList,
  { type, key, value }: ReflectorChange<ListedObject>,
): void {
  const isOfMachines = OF_MACHINES.has(planned.resource.kind) && type !== 'updated';
  if (type === 'forgotten') return store.forget(planned, key);
  if (type === 'deleted') store.remove(planned, key);
  const isNews = type === 'deleted' || store.put(planned, key, value);
  if (isNews) onNews(isOfMachines);
}

function feedOf(options: FeedOptions, planned: PlannedList, common: Common): Feed {
  const { kube, clock, random } = options;
  const heard: Heard = new WeakMap();
  const reflector: Reflector<ListedObject> = new Reflector<ListedObject>({
    api: kube,
    clock,
    random,
    resource: planned.resource,
    selection: { namespace: planned.namespace },
    limits: { pollMs: POLL_MS, objectsMost: mostOf(planned) },
    project: (object) => {
      const known = reflector.get(keyOf(object) ?? '') ?? null;
      const listed = readListed(planned, object, common, known);
      keep(options, planned, object, listed, heard);
      return listed;
    },
    onChange: (change) => {
      take(options, planned, change);
      hear(options, planned, change, heard);
    },
  });
  return { planned, reflector };
}

function isMissing(failure: PortFailure | undefined): boolean {
  return failure === 'not-found' || failure === 'unsupported';
}

function refusalOf({ resource }: PlannedList, { lastError, staleMs }: ReflectorState): Refusal {
  const call = `list ${resource.plural}`;
  if (lastError === null) {
    const message = `The API server has not confirmed the list of ${resource.plural} for ${Math.round(staleMs / 1000)} s; see: kubectl get --raw /readyz`;
    return { call, message, failure: 'unreachable', permission: null };
  }
  const { message, failure, permission } = lastError;
  return { call, message, failure, permission };
}

/** Failures of a first list that a server which starts again soon gets over. */
const PASSING: ReadonlySet<PortFailure> = new Set(['throttled', 'unavailable', 'expired']);

function isWaitedFor(error: ReflectorState['lastError'], sinceMs: number): boolean {
  return error === null || (PASSING.has(error.failure) && sinceMs <= FIRST_MS);
}

/** A refusal counts at once; what may pass is waited for. */
function stateOf({ planned, reflector }: Feed, sinceMs: number): ShelfState {
  const state = reflector.state();
  const { isSynced, staleMs, lastError, phase } = state;
  if (planned.isOptional && !isSynced && isMissing(lastError?.failure)) return 'whole';
  const isRefused = phase === 'denied' || phase === 'unauthenticated';
  if (isRefused) return refusalOf(planned, state);
  if (!isSynced) return isWaitedFor(lastError, sinceMs) ? 'loading' : refusalOf(planned, state);
  return staleMs > STALE_MS ? refusalOf(planned, state) : 'whole';
}

function isSame(one: ShelfState, other: ShelfState): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.failure === other.failure;
}

/** Follows everything that a look lists, into the store. */
export function createFeeds(options: FeedOptions): Feeds {
  const { store, clock } = options;
  const common = createCommon();
  const feeds = KUBE_LISTS.map((planned) => feedOf(options, planned, common));
  const beganMs = clock.monotonicMs();
  return {
    async run(signal) {
      await Promise.all(feeds.map(({ reflector }) => reflector.run(signal)));
    },
    settle() {
      const sinceMs = clock.monotonicMs() - beganMs;
      const changed = feeds.filter((feed) => {
        const now = stateOf(feed, sinceMs);
        const isNews = !isSame(store.stateOf(feed.planned), now);
        if (isNews) store.setState(feed.planned, now);
        return isNews;
      });
      return changed.length > 0;
    },
    health: () =>
      feeds.map(({ planned: { resource, isOptional }, reflector }) =>
        feedHealth(resource.kind, isOptional, reflector.state()),
      ),
  };
}

/** How a list is followed, by the state of its reflector. */
export function feedHealth(
  kind: string,
  isOptional: boolean,
  { phase, isSynced, staleMs, lastError, counts }: ReflectorState,
): FeedHealth {
  return {
    kind,
    phase,
    isOptional,
    isSynced,
    staleMs,
    failure: lastError?.failure ?? null,
    message: lastError?.message ?? null,
    callbackErrors: counts.callbackErrors,
  };
}
