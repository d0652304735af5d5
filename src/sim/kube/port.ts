import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import {
  type KubeAccess,
  type KubeApi,
  type KubeListOptions,
  type KubeListPage,
  type KubeListPlace,
  type KubeLogOptions,
  type KubeName,
  type KubeNodeLog,
  type KubeNodeLogOptions,
  type KubeNodeLogPlace,
  type KubeResource,
  type KubeSelection,
  type KubeWatchEvent,
  type KubeWatchOptions,
  LIST_START,
  placeBehind,
} from '../../ports/kube-api.ts';
import type { ApiRequest, WatchEvent } from './contract.ts';
import { type AskedName, portErrorOf, unreachable } from './port-failure.ts';
import { askedName, SIMULATED_SERVER, type KubePortOptions, pass } from './port-way.ts';
import { nodeLogOf } from './port-node-log.ts';
import { PortWatch } from './port-watch.ts';
import { wordOf } from './word.ts';

/** A `KubeApi` whose open watches can be cut. */
export interface KubePort extends KubeApi {
  /** Resets every connection, as a restart of the server or of what is between does. */
  cut(): void;
}

/** `KubeApi` over the API server of the simulated world, as one user asks it. */
export function kubePort(options: KubePortOptions): KubePort {
  return new SimulatedKubePort(options);
}

const PAGE_SIZE = 500;
const POD: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};
const NODE: KubeResource = { ...POD, plural: 'nodes', kind: 'Node', isNamespaced: false };

class SimulatedKubePort implements KubePort {
  readonly server = SIMULATED_SERVER;
  readonly #options: KubePortOptions;
  readonly #watches = new Set<PortWatch>();

  constructor(options: KubePortOptions) {
    this.#options = options;
  }

  /** Both sides read the same clock. */
  skewMs(): number {
    return 0;
  }

  cut(): void {
    for (const watch of this.#watches) watch.fail(unreachable(watch.asked, 'was cut off'));
  }

  async *list(
    resource: KubeResource,
    options: KubeListOptions = {},
  ): AsyncGenerator<KubeListPage, void> {
    let token: string | null = null;
    let place = LIST_START;
    do {
      const query: Record<string, string> = {
        ...selectors(options),
        limit: wordOf(pageSizeOf(options, place)),
        ...(token === null
          ? defined({ resourceVersion: options.resourceVersion })
          : { continue: token }),
      };
      const request = this.#request('list', resource, options.namespace ?? null, null, { query });
      const list: JsonObject = await this.#answer(request, options.signal);
      const items = (list['items'] ?? []) as readonly JsonObject[];
      place = placeBehind(place, list, items.length);
      yield {
        items,
        resourceVersion: textAt(list, 'metadata.resourceVersion') ?? '',
      };
      token = textAt(list, 'metadata.continue') || null;
    } while (token !== null);
  }

  async get(resource: KubeResource, name: KubeName, signal?: AbortSignal): Promise<JsonObject> {
    const request = this.#request('get', resource, name.namespace ?? null, name.name);
    return await this.#answer(request, signal);
  }

  async *watch(
    resource: KubeResource,
    options: KubeWatchOptions,
  ): AsyncGenerator<KubeWatchEvent, void> {
    const query = watchQuery(options);
    const request = this.#request('watch', resource, options.namespace ?? null, null, { query });
    const asked = this.#named(request);
    await this.#pass(asked, options.signal);
    const { server, clock, arrives, delayMs } = this.#options;
    const watch = new PortWatch(asked, clock, arrives, delayMs);
    const opened = server.watch(request, watch);
    if ('code' in opened) throw portErrorOf(asked, opened.code, opened.object);
    this.#watches.add(watch);
    try {
      for (;;) {
        const event = await watch.next(options.signal);
        if (event === null) return;
        yield eventOf(asked, event);
      }
    } finally {
      this.#watches.delete(watch);
      opened.stop();
    }
  }

  async logs(pod: KubeName, options: KubeLogOptions): Promise<Uint8Array> {
    const query = {
      tailLines: wordOf(options.tailLines),
      ...defined({ container: options.container }),
      ...(options.previous === true ? { previous: 'true' } : {}),
    };
    const request = this.#request('get', POD, pod.namespace ?? null, pod.name, {
      query,
      subresource: 'log',
    });
    const { text } = await this.#answer(request, options.signal);
    const bytes = new TextEncoder().encode(wordOf(text ?? ''));
    return bytes.subarray(Math.max(0, bytes.length - options.bytesMax));
  }

  async kubeletHealth(node: string, signal?: AbortSignal): Promise<string> {
    const query = { proxyPath: '/healthz' };
    const request = this.#request('get', NODE, null, node, { query, subresource: 'proxy' });
    const { text } = await this.#answer(request, signal);
    return wordOf(text ?? '');
  }

  async nodeLog(
    node: string,
    place: KubeNodeLogPlace,
    { bytesMax, signal }: KubeNodeLogOptions,
  ): Promise<KubeNodeLog> {
    const query =
      'unit' in place
        ? { proxyPath: '/logs/', query: place.unit, tailLines: wordOf(place.tailLines) }
        : { proxyPath: `/logs/${place.path}` };
    const request = this.#request('get', NODE, null, node, { query, subresource: 'proxy' });
    const asked = this.#named(request);
    await this.#pass(asked, signal);
    return nodeLogOf(asked, place, this.#options.server.answer(request), bytesMax);
  }

  async mayI(access: KubeAccess, signal?: AbortSignal): Promise<boolean> {
    const resource = 'selfsubjectaccessreviews.authorization.k8s.io';
    await this.#pass({ server: this.server, verb: 'create', resource }, signal);
    const { server, user } = this.#options;
    return server.authorize(user, access).isAllowed;
  }

  async version(signal?: AbortSignal): Promise<string> {
    await this.#pass({ server: this.server, verb: 'get', resource: '/version' }, signal);
    return this.#options.server.version;
  }

  #request(
    verb: 'get' | 'list' | 'watch',
    { group, version, plural, isNamespaced }: KubeResource,
    namespace: string | null,
    name: string | null,
    more: { query?: Readonly<Record<string, string>>; subresource?: string } = {},
  ): ApiRequest {
    const { query = {}, subresource = null } = more;
    const own = isNamespaced ? namespace : null;
    return {
      user: this.#options.user,
      verb,
      path: { group, version, plural, namespace: own, name, subresource },
      query,
      body: null,
      patchType: null,
    };
  }

  #named(request: ApiRequest): AskedName {
    return askedName(this.server, request);
  }

  async #answer(request: ApiRequest, signal?: AbortSignal): Promise<JsonObject> {
    const asked = this.#named(request);
    await this.#pass(asked, signal);
    const { code, object } = this.#options.server.answer(request);
    if (code < 300) return object;
    throw portErrorOf(asked, code, object);
  }

  async #pass(asked: AskedName, signal?: AbortSignal): Promise<void> {
    await pass(this.#options, asked, signal);
  }
}

function pageSizeOf({ pageSize = PAGE_SIZE }: KubeListOptions, place: KubeListPlace): number {
  return typeof pageSize === 'number' ? pageSize : pageSize(place);
}

function defined(
  query: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const set = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return Object.fromEntries(set);
}

function selectors({ labelSelector, fieldSelector }: KubeSelection): Record<string, string> {
  return { ...defined({ labelSelector, fieldSelector }) };
}

function watchQuery(options: KubeWatchOptions): Readonly<Record<string, string>> {
  const isInitial = options.sendInitialEvents === true;
  return {
    ...selectors(options),
    allowWatchBookmarks: 'true',
    ...defined({
      resourceVersion: options.resourceVersion,
      timeoutSeconds: options.timeoutSeconds?.toFixed(0),
    }),
    ...(isInitial ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
  };
}

/** @throws PortError for an ERROR event */
function eventOf(asked: AskedName, { type, object }: WatchEvent): KubeWatchEvent {
  if (type === 'ERROR') throw portErrorOf(asked, Number(object['code'] ?? 500), object);
  const metadata = object['metadata'];
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const isEnd = isObject(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return {
    type,
    object,
    resourceVersion: textAt(object, 'metadata.resourceVersion') ?? '',
    endsInitialEvents: type === 'BOOKMARK' && isEnd,
  };
}
