import { textAt } from '../../evidence/json.ts';
import type {
  KubeApi,
  KubeResource,
  KubeWatchEvent,
  KubeWatchOptions,
} from '../../ports/kube-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';

/** What becomes of the next event of a watch that is open. */
export type LineState = 'well' | 'dead' | 'torn' | 'expired';

/** What happens to all watches of a kind while it lasts. */
export type Twist = 'repeating' | 'losing' | 'without-bookmarks' | 'without-deletions';

/** A change of what a watcher of Rollcall keeps in its memory. */
export interface Heard {
  readonly plural: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly type: 'added' | 'updated' | 'deleted';
  /** Of the object as it is kept now; of a deleted one, as it was kept last. */
  readonly version: number;
  /** As it was kept before; null for an added one. */
  readonly before: number | null;
  /** Objects that are kept now. */
  readonly size: number;
  /** Whole listings so far. */
  readonly listings: number;
}

/** A request of a watcher on its way to the API server. */
export interface Asked {
  readonly verb: 'list' | 'watch';
  readonly plural: string;
}

/** Hears what a watcher does. */
export interface WireListener {
  readonly onHeard?: (heard: Heard) => void;
  readonly onAsked?: (asked: Asked) => void;
  /** All watchers begin anew with empty memory. */
  readonly onRestart?: () => void;
}

/** What stands between the watchers of Rollcall, which run in the world, and the API server. */
export interface Wire {
  through(kube: KubeApi): KubeApi;
  /** How long events of a kind are on their way, ms. */
  lagMs(plural: string): number;
  /** Changes the watches of a kind that are open now, and no later ones. @returns how many */
  strike(plural: string, state: Exclude<LineState, 'well'>): number;
  /** @returns what takes it back */
  twist(plural: string, twist: Twist): () => void;
  delay(plural: string, lagMs: number): () => void;
  /** Refuses every request of every watcher. */
  refuse(failure: PortFailure): () => void;
  /** Timers of the watchers fire late by up to so much. */
  delayTimers(mostMs: number): () => void;
  timersLateMs(): number;
  /** Lets all watchers begin anew. */
  restart(): void;
  listen(listener: WireListener): void;
  tell(heard: Heard): void;
  /** Kinds that have a watcher. */
  followed(): readonly string[];
  isRefusing(): boolean;
  /** The server's history has gone back, so that no watch brings what it told meanwhile. */
  rewind(): void;
  /** True for an object of which an event was lost, which only a new listing makes good. */
  hasLost(plural: string, key: string): boolean;
}

interface Line {
  readonly plural: string;
  state: LineState;
  before: KubeWatchEvent | null;
}

/** Each so many events one is lost. */
const LOST_ONE_IN = 3;

export function createWire(): Wire {
  return new WatchWire();
}

class WatchWire implements Wire {
  readonly #lines = new Set<Line>();
  readonly #twists: { readonly plural: string; readonly twist: Twist }[] = [];
  readonly #lags: { readonly plural: string; readonly lagMs: number }[] = [];
  readonly #late: { readonly mostMs: number }[] = [];
  readonly #refusals: { readonly failure: PortFailure }[] = [];
  readonly #listeners: WireListener[] = [];
  readonly #followed = new Set<string>();
  readonly #lost = new Set<string>();
  readonly #rewound = new Set<string>();
  #passed = 0;

  through(kube: KubeApi): KubeApi {
    return {
      server: kube.server,
      list: (resource, options) => this.#list(kube, resource, options),
      watch: (resource, options) => this.#watch(kube, resource, options),
      get: async (resource, name, signal) => kube.get(resource, name, signal),
      logs: async (pod, options) => kube.logs(pod, options),
      kubeletHealth: async (node, signal) => kube.kubeletHealth(node, signal),
      nodeLog: async (node, place, options) => kube.nodeLog(node, place, options),
      mayI: async (access, signal) => kube.mayI(access, signal),
      version: async (signal) => kube.version(signal),
      skewMs: () => kube.skewMs(),
    };
  }

  lagMs(plural: string): number {
    return Math.max(
      0,
      ...this.#lags.filter((one) => one.plural === plural).map((one) => one.lagMs),
    );
  }

  strike(plural: string, state: Exclude<LineState, 'well'>): number {
    const struck = [...this.#lines].filter((line) => line.plural === plural);
    for (const line of struck) line.state = state;
    return struck.length;
  }

  twist(plural: string, twist: Twist): () => void {
    return added(this.#twists, { plural, twist });
  }

  delay(plural: string, lagMs: number): () => void {
    return added(this.#lags, { plural, lagMs });
  }

  refuse(failure: PortFailure): () => void {
    for (const line of this.#lines) line.state = 'torn';
    return added(this.#refusals, { failure });
  }

  delayTimers(mostMs: number): () => void {
    return added(this.#late, { mostMs });
  }

  timersLateMs(): number {
    return Math.max(0, ...this.#late.map(({ mostMs }) => mostMs));
  }

  restart(): void {
    for (const { onRestart } of this.#listeners) onRestart?.();
  }

  listen(listener: WireListener): void {
    this.#listeners.push(listener);
  }

  tell(heard: Heard): void {
    for (const { onHeard } of this.#listeners) onHeard?.(heard);
  }

  followed(): readonly string[] {
    return [...this.#followed];
  }

  isRefusing(): boolean {
    return this.#refusals.length > 0;
  }

  rewind(): void {
    for (const plural of this.#followed) this.#rewound.add(plural);
  }

  hasLost(plural: string, key: string): boolean {
    return this.#rewound.has(plural) || this.#lost.has(`${plural}/${key}`);
  }

  #ask(verb: Asked['verb'], { plural }: KubeResource): void {
    this.#followed.add(plural);
    for (const { onAsked } of this.#listeners) onAsked?.({ verb, plural });
    const refusal = this.#refusals[0];
    if (refusal !== undefined) throw failed(`${verb} ${plural}`, refusal.failure);
  }

  async *#list(
    kube: KubeApi,
    resource: KubeResource,
    options: Parameters<KubeApi['list']>[1],
  ): ReturnType<KubeApi['list']> {
    this.#ask('list', resource);
    yield* kube.list(resource, options);
    this.#forgetLost(resource.plural);
  }

  async *#watch(
    kube: KubeApi,
    resource: KubeResource,
    options: KubeWatchOptions,
  ): AsyncGenerator<KubeWatchEvent, void> {
    this.#ask('watch', resource);
    const line: Line = { plural: resource.plural, state: 'well', before: null };
    this.#lines.add(line);
    let isInitial = options.sendInitialEvents === true;
    try {
      for await (const event of kube.watch(resource, options)) {
        yield* isInitial ? [event] : this.#arriving(line, event);
        if (isInitial && event.endsInitialEvents) this.#forgetLost(line.plural);
        isInitial &&= !event.endsInitialEvents;
      }
      // A connection that is dead does not bring its end either.
      if (line.state === 'dead') await untilAborted(options.signal);
    } finally {
      this.#lines.delete(line);
    }
  }

  *#arriving(line: Line, event: KubeWatchEvent): Generator<KubeWatchEvent, void> {
    const { plural, state, before } = line;
    if (state === 'dead') return;
    if (state === 'torn') throw failed(`watch ${plural}`, 'malformed');
    if (state === 'expired') throw failed(`watch ${plural}`, 'expired');
    if (this.#isSwallowed(plural, event)) return;
    line.before = event;
    yield this.#asSeen(plural, event);
    if (before !== null && this.#has(plural, 'repeating')) yield before;
  }

  /** What is made again after a deletion that nobody heard of is a change to whoever knew it. */
  #asSeen(plural: string, event: KubeWatchEvent): KubeWatchEvent {
    const isSo = event.type === 'ADDED' && this.#has(plural, 'without-deletions');
    return isSo && this.#lost.delete(placeOf(plural, event))
      ? { ...event, type: 'MODIFIED' }
      : event;
  }

  #isSwallowed(plural: string, event: KubeWatchEvent): boolean {
    if (event.type === 'BOOKMARK') return this.#has(plural, 'without-bookmarks');
    const isUntold = event.type === 'DELETED' && this.#has(plural, 'without-deletions');
    const isLost = this.#has(plural, 'losing') && this.#passed++ % LOST_ONE_IN === 0;
    if (isUntold || isLost) this.#lost.add(placeOf(plural, event));
    return isUntold || isLost;
  }

  #has(plural: string, twist: Twist): boolean {
    return this.#twists.some((one) => one.plural === plural && one.twist === twist);
  }

  #forgetLost(plural: string): void {
    this.#rewound.delete(plural);
    for (const key of this.#lost) if (key.startsWith(`${plural}/`)) this.#lost.delete(key);
  }
}

function placeOf(plural: string, { object }: KubeWatchEvent): string {
  const namespace = textAt(object, 'metadata.namespace') ?? '';
  const name = textAt(object, 'metadata.name') ?? '';
  return `${plural}/${namespace === '' ? name : `${namespace}/${name}`}`;
}

function added<T>(list: T[], one: T): () => void {
  list.push(one);
  return () => {
    const place = list.indexOf(one);
    if (place >= 0) list.splice(place, 1);
  };
}

const WHY: Partial<Readonly<Record<PortFailure, string>>> = {
  malformed: 'broke off in the middle of a line',
  expired: 'ended with 410, as its version is too old',
  throttled: 'was refused with 429, as the API server is busy',
  unreachable: 'found no API server',
};

function failed(call: string, failure: PortFailure): PortError {
  const message = `${call} ${WHY[failure] ?? `ended with ${failure}`}; try it: kubectl get --raw /readyz`;
  return new PortError({ failure, message });
}

async function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  return promise;
}
