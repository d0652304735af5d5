/** An API server in memory: objects with versions, a history, watches, and faults at will. */
import { isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type {
  KubeAccess,
  KubeApi,
  KubeListOptions,
  KubeListPage,
  KubeLogOptions,
  KubeName,
  KubeNodeLog,
  KubeNodeLogOptions,
  KubeNodeLogPlace,
  KubeResource,
  KubeWatchEvent,
  KubeWatchOptions,
} from '../../../src/ports/kube-api.ts';
import type { PortError } from '../../../src/ports/port-error.ts';
import { Channel } from './kube-channel.ts';
import { denied, fault } from './kube-fault.ts';
import { apiVersionOf, keyOf, keyOfResource, withoutKind, withVersion } from './kube-keys.ts';
import { type ServedLogs, servedLog } from './kube-node-logs.ts';
import { type OpenWatch, type Recorded, send } from './kube-history.ts';
import { isSelected } from './kube-selection.ts';

export type FakeVerb =
  | 'list'
  | 'get'
  | 'watch'
  | 'logs'
  | 'kubeletHealth'
  | 'nodeLog'
  | 'mayI'
  | 'version'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'evict';

export interface FakeKubeOptions {
  readonly clock: Clock;
  /** What the server makes of WatchList: `ignored` sends the objects and never marks their end. */
  readonly watchList?: 'supported' | 'refused' | 'ignored';
  /** Between two bookmarks; null for none. */
  readonly bookmarkMs?: number | null;
}

/** As long as a client waits for the first line of an answer. */
const DARK_MS = 15_000;

export class FakeKubeApi implements KubeApi {
  readonly server = 'https://kube.test';
  /** Its answers carry no Date. */
  readonly skewMs = () => null;
  readonly #options: FakeKubeOptions;
  readonly #objects = new Map<string, Map<string, JsonObject>>();
  readonly #kinds = new Map<string, KubeResource>();
  readonly #watches = new Set<OpenWatch>();
  readonly #failures = new Map<FakeVerb, PortError[]>();
  readonly #counts = new Map<string, number>();
  readonly #logs = new Map<string, string>();
  readonly #kubelets = new Map<string, string>();
  readonly #nodeLogs: ServedLogs = new Map();
  readonly #forbidden = new Set<string>();
  #history: Recorded[] = [];
  #version = 100;
  #compacted = 0;
  #uids = 0;
  #lost = 0;
  #isDark = false;

  constructor(options: FakeKubeOptions) {
    this.#options = options;
  }

  /** Lets the server know a kind; one that it does not know is `unsupported`. */
  serve(resource: KubeResource): void {
    this.#kinds.set(keyOfResource(resource), resource);
  }

  /** Creates or replaces an object, and answers it with its uid and version. */
  put(resource: KubeResource, object: JsonObject): JsonObject {
    this.serve(resource);
    const objects = this.#objectsOf(keyOfResource(resource));
    const key = keyOf(object);
    const before = objects.get(key) ?? null;
    const metadata = isObject(object['metadata']) ? object['metadata'] : {};
    const uid = textAt(before ?? undefined, 'metadata.uid') ?? `uid-${++this.#uids}`;
    const version = ++this.#version;
    const after = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      ...object,
      metadata: { ...metadata, uid, resourceVersion: String(version) },
    };
    objects.set(key, after);
    const type = before === null ? 'ADDED' : 'MODIFIED';
    this.#append({ version, resource: keyOfResource(resource), type, object: after, before });
    return after;
  }

  remove(resource: KubeResource, name: KubeName): void {
    const objects = this.#objectsOf(keyOfResource(resource));
    const key = keyOf({ metadata: { name: name.name, namespace: name.namespace ?? null } });
    const before = objects.get(key);
    if (before === undefined) return;
    objects.delete(key);
    const version = ++this.#version;
    const object = withVersion(before, version);
    this.#append({ version, resource: keyOfResource(resource), type: 'DELETED', object, before });
  }

  objects(resource: KubeResource): readonly JsonObject[] {
    return [...this.#objectsOf(keyOfResource(resource)).values()];
  }

  setLog(pod: KubeName, text: string): void {
    this.#logs.set(`${pod.namespace ?? ''}/${pod.name}`, text);
  }

  setKubelet(node: string, health: string): void {
    this.#kubelets.set(node, health);
  }

  /** What a kubelet serves: a file, a folder that ends with a slash, or `?kubelet` of a unit. */
  setNodeLog(node: string, place: string, served: string | PortError): void {
    this.#nodeLogs.set(`${node} ${place}`, served);
  }

  /** Takes a permission away: `list nodes`. */
  forbid(permission: string): void {
    this.#forbidden.add(permission);
  }

  allow(permission: string): void {
    this.#forbidden.delete(permission);
  }

  /** The next calls of a verb throw these, one each. */
  failNext(verb: FakeVerb, ...errors: readonly PortError[]): void {
    this.#failures.set(verb, [...(this.#failures.get(verb) ?? []), ...errors]);
  }

  /** Forgets the history, so that older versions are `expired`. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#version;
  }

  /** Open watches bring nothing any more and do not end, as half-open connections. */
  mute(): void {
    for (const watch of this.#watches) watch.isMuted = true;
  }

  /** While dark, every call gets no answer and times out, and open watches are mute. */
  setDark(isDark: boolean): void {
    this.#isDark = isDark;
    if (isDark) this.mute();
  }

  /** Takes every planted failure away; half-open watches stay so. */
  heal(): void {
    this.#isDark = false;
    this.#failures.clear();
  }

  /** Ends open watches: with an error, or cleanly. */
  cut(error: PortError | null = null): void {
    for (const watch of this.#watches) watch.channel.close(error);
  }

  /** The next events reach no watch, though the history has them. */
  loseEvents(count: number): void {
    this.#lost = count;
  }

  /** Sends the newest events of the history once more. */
  replay(count: number): void {
    for (const recorded of this.#history.slice(-count)) this.#deliver(recorded);
  }

  /** A bookmark of the present version, or another one, to every open watch. */
  bookmark(version = this.#version): void {
    for (const { resource, channel, isMuted } of this.#watches)
      if (!isMuted) channel.push(this.#bookmarkOf(resource, version, false));
  }

  /** Restores a backup: the objects stay as given, the version and history go back. */
  rewind(version: number): void {
    this.#version = version;
    this.#history = [];
    this.#compacted = 0;
  }

  skipVersions(count: number): void {
    this.#version += count;
  }

  requests(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  openWatches(): number {
    return this.#watches.size;
  }

  async *list(
    resource: KubeResource,
    options: KubeListOptions = {},
  ): AsyncGenerator<KubeListPage, void> {
    const version = this.#version;
    const all = this.objects(resource).filter((one) => isSelected(one, options));
    const { pageSize = 500 } = options;
    for (let from = 0, limit = 0; from === 0 || from < all.length; from += limit) {
      await this.enter('list', resource, options.signal);
      const place = { objectsBefore: from, objectsLeft: from === 0 ? null : all.length - from };
      limit = typeof pageSize === 'number' ? pageSize : pageSize(place);
      const items = all.slice(from, from + limit).map(withoutKind);
      yield { items, resourceVersion: `${version}` };
    }
  }

  async get(resource: KubeResource, name: KubeName, signal?: AbortSignal): Promise<JsonObject> {
    await this.enter('get', resource, signal);
    const key = keyOf({ metadata: { name: name.name, namespace: name.namespace ?? null } });
    const found = this.#objectsOf(keyOfResource(resource)).get(key);
    if (found !== undefined) return found;
    throw fault('not-found', `${resource.plural} ${name.name}`);
  }

  async *watch(
    resource: KubeResource,
    options: KubeWatchOptions,
  ): AsyncGenerator<KubeWatchEvent, void> {
    await this.enter('watch', resource, options.signal);
    const { watchList = 'supported' } = this.#options;
    const isInitial = options.sendInitialEvents === true;
    if (isInitial && watchList === 'refused') throw fault('invalid', 'sendInitialEvents');
    const from = Number(options.resourceVersion ?? '0');
    if (!isInitial && from < this.#compacted) throw fault('expired', `version ${from}`);
    const channel = new Channel<KubeWatchEvent>();
    const watch = {
      resource: keyOfResource(resource),
      selection: options,
      channel,
      isMuted: false,
    };
    const limit = new AbortController();
    this.#keepTime(watch, options.timeoutSeconds, limit.signal);
    const abort = (): void => channel.close(options.signal?.reason as Error);
    options.signal?.addEventListener('abort', abort, { once: true });
    this.#watches.add(watch);
    if (isInitial) this.#sendInitial(watch, watchList);
    else for (const recorded of this.#history) if (recorded.version > from) send(watch, recorded);
    try {
      yield* channel.drain();
    } finally {
      limit.abort();
      options.signal?.removeEventListener('abort', abort);
      this.#watches.delete(watch);
    }
  }

  async logs(pod: KubeName, options: KubeLogOptions): Promise<Uint8Array> {
    await this.enter('logs', null, options.signal);
    const text = this.#logs.get(`${pod.namespace ?? ''}/${pod.name}`);
    if (text === undefined) throw fault('not-found', `pods ${pod.name}`);
    const lines = text.split(/(?<=\n)/).slice(-options.tailLines);
    const bytes = new TextEncoder().encode(lines.join(''));
    return bytes.subarray(Math.max(0, bytes.length - options.bytesMax));
  }

  async kubeletHealth(node: string, signal?: AbortSignal): Promise<string> {
    await this.enter('kubeletHealth', null, signal);
    const health = this.#kubelets.get(node);
    if (health === undefined) throw fault('not-found', `nodes ${node}`);
    return health;
  }

  async nodeLog(
    node: string,
    place: KubeNodeLogPlace,
    { bytesMax, signal }: KubeNodeLogOptions,
  ): Promise<KubeNodeLog> {
    await this.enter('nodeLog', null, signal);
    return servedLog(this.#nodeLogs, node, place, bytesMax);
  }

  async mayI(access: KubeAccess, signal?: AbortSignal): Promise<boolean> {
    await this.enter('mayI', null, signal);
    const group = access.group === '' ? '' : `.${access.group}`;
    return !this.#forbidden.has(`${access.verb} ${access.resource}${group}`);
  }

  async version(signal?: AbortSignal): Promise<string> {
    await this.enter('version', null, signal);
    return 'v1.36.3';
  }

  /** What happens to a request before it is looked at. */
  async enter(
    verb: FakeVerb,
    resource: KubeResource | null,
    signal: AbortSignal | undefined,
    name = resource === null ? verb : `${verb} ${keyOfResource(resource)}`,
  ): Promise<void> {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    signal?.throwIfAborted();
    if (this.#isDark) {
      await this.#options.clock.sleep(DARK_MS, signal);
      throw fault('timeout', name);
    }
    await Promise.resolve();
    const failure = this.#failures.get(verb)?.shift();
    if (failure !== undefined) throw failure;
    if (this.#forbidden.has(name)) throw denied(name);
    if (resource !== null && !this.#kinds.has(keyOfResource(resource)))
      throw fault('unsupported', resource.plural);
  }

  #objectsOf(resource: string): Map<string, JsonObject> {
    const objects = this.#objects.get(resource) ?? new Map<string, JsonObject>();
    this.#objects.set(resource, objects);
    return objects;
  }

  #append(recorded: Recorded): void {
    this.#history.push(recorded);
    if (this.#lost > 0) this.#lost -= 1;
    else this.#deliver(recorded);
  }

  #deliver(recorded: Recorded): void {
    for (const watch of this.#watches) if (!watch.isMuted) send(watch, recorded);
  }

  #sendInitial(watch: OpenWatch, mode: 'supported' | 'refused' | 'ignored'): void {
    for (const object of this.#objectsOf(watch.resource).values()) {
      const version = textAt(object, 'metadata.resourceVersion') ?? '';
      if (!isSelected(object, watch.selection)) continue;
      const event = { type: 'ADDED', object, resourceVersion: version } as const;
      watch.channel.push({ ...event, endsInitialEvents: false });
    }
    if (mode === 'supported')
      watch.channel.push(this.#bookmarkOf(watch.resource, this.#version, true));
  }

  #bookmarkOf(resource: string, version: number, endsInitialEvents: boolean): KubeWatchEvent {
    const annotations = endsInitialEvents ? { 'k8s.io/initial-events-end': 'true' } : {};
    return {
      type: 'BOOKMARK',
      object: {
        kind: this.#kinds.get(resource)?.kind ?? '',
        metadata: { resourceVersion: String(version), annotations },
      },
      resourceVersion: String(version),
      endsInitialEvents,
    };
  }

  /** Bookmarks, and the end of the watch. */
  #keepTime(watch: OpenWatch, timeoutSeconds: number | undefined, signal: AbortSignal): void {
    const { clock, bookmarkMs = 60_000 } = this.#options;
    const end = async (): Promise<void> => {
      await clock.sleep((timeoutSeconds ?? 3600) * 1000, signal);
      if (!watch.isMuted) watch.channel.close(null);
    };
    const mark = async (everyMs: number): Promise<void> => {
      for (;;) {
        await clock.sleep(everyMs, signal);
        if (!watch.isMuted)
          watch.channel.push(this.#bookmarkOf(watch.resource, this.#version, false));
      }
    };
    end().catch(ended);
    if (bookmarkMs !== null) mark(bookmarkMs).catch(ended);
  }
}

/** A watch that is over needs its timers no more. */
function ended(): void {
  return undefined;
}
