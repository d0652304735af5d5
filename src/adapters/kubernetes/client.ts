import { isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type KubeAccess,
  type KubeApi,
  type KubeListOptions,
  type KubeListPage,
  type KubeLogOptions,
  type KubeName,
  type KubeNodeLog,
  type KubeNodeLogOptions,
  type KubeNodeLogPlace,
  type KubeResource,
  type KubeWatchEvent,
  type KubeWatchOptions,
  LIST_START,
  placeBehind,
} from '../../ports/kube-api.ts';
import type { PortError } from '../../ports/port-error.ts';
import { answerText, jsonOf, malformed } from './answer.ts';
import type { KubeEnvironment } from './environment.ts';
import { DEFAULT_KUBE_LIMITS, type KubeClientLimits } from './limits.ts';
import { EndOf } from './end-of.ts';
import { LineError, Lines } from './lines.ts';
import { isFile, isOfKubelet, nodeLogOf } from './node-log.ts';
import { listPath, nodeLogPath, objectPath, segment, watchPath, withQuery } from './paths.ts';
import { type RequestName, resourceName } from './request-name.ts';
import { type KubeAnswer, type KubeRequest, Sender } from './sender.ts';
import type { KubeTarget } from './target.ts';
import { watchEvent } from './watch-event.ts';
import type { Wire } from './wire.ts';

/** A kubelet that sends a whole log where its end is wanted is heard so many times as long. */
const TIMES_READ_MAX = 64;

const JSON_TYPE = 'application/json';
const ANY_TYPE = 'text/plain, */*';

export interface KubeClientOptions {
  readonly environment: KubeEnvironment;
  readonly clock: Clock;
  readonly limits?: Partial<KubeClientLimits>;
  /** True to ask for gzip, which pays over a slow line and not beside the server. */
  readonly isCompressed?: boolean;
  /** The connections; undici's when not given. */
  readonly wire?: Wire;
}

/** The API server of a target, over connections of its own that `close` ends. */
export interface KubeClient extends KubeApi {
  /** How many requests were sent so far, by verb and resource: `list nodes`. */
  requests(): ReadonlyMap<string, number>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/**
 * What sends to the API server of a target, over connections of its own.
 *
 * @throws PortError `not-configured` when a header cannot carry what the target says
 */
export function senderTo(target: KubeTarget, options: KubeClientOptions): Sender {
  const limits = { ...DEFAULT_KUBE_LIMITS, ...options.limits };
  const { environment, clock, isCompressed = false, wire } = options;
  return new Sender(target, {
    environment,
    clock,
    limits,
    isCompressed,
    ...(wire === undefined ? {} : { wire }),
  });
}

/** @throws PortError `not-configured` when a header cannot carry what the target says */
export function kubeClient(target: KubeTarget, options: KubeClientOptions): KubeClient {
  return new HttpKubeClient(senderTo(target, options));
}

class HttpKubeClient implements KubeClient {
  readonly server: string;
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.server = sender.target.server;
    this.#sender = sender;
  }

  requests(): ReadonlyMap<string, number> {
    return this.#sender.counts();
  }

  skewMs(): number | null {
    return this.#sender.skewMs();
  }

  async close(): Promise<void> {
    await this.#sender.close();
  }

  async *list(
    resource: KubeResource,
    options: KubeListOptions = {},
  ): AsyncGenerator<KubeListPage, void> {
    const name = { verb: 'list', resource: resourceName(resource) };
    let token: string | null = null;
    let place = LIST_START;
    do {
      const path = listPath(resource, options, { place, token });
      const list: JsonObject = await this.#json({ name, path, signal: options.signal });
      const next: string = textAt(list, 'metadata.continue') ?? '';
      if (next !== '' && next === token) throw this.#unended(name);
      const page = this.#page(list, name);
      place = placeBehind(place, list, page.items.length);
      yield page;
      token = next === '' ? null : next;
    } while (token !== null);
  }

  async get(resource: KubeResource, name: KubeName, signal?: AbortSignal): Promise<JsonObject> {
    const path = objectPath(resource, name);
    return await this.#json({
      name: { verb: 'get', resource: resourceName(resource) },
      path,
      signal,
    });
  }

  async *watch(
    resource: KubeResource,
    options: KubeWatchOptions,
  ): AsyncGenerator<KubeWatchEvent, void> {
    const name = { verb: 'watch', resource: resourceName(resource) };
    const { signal } = options;
    const path = watchPath(resource, options);
    const answer = await this.#sender.send({
      name,
      path,
      accept: JSON_TYPE,
      isWatch: true,
      signal,
    });
    try {
      const lines = new Lines(this.#sender.limits.lineBytesMax);
      for await (const chunk of answer.bytes as AsyncIterable<Uint8Array>)
        for (const line of lines.of(chunk))
          yield watchEvent(line, { server: this.server, name, nowMs: this.#sender.now() });
      lines.end();
    } catch (error) {
      throw this.#lineFailure(error, name, signal);
    } finally {
      answer.bytes.destroy();
    }
  }

  async logs(pod: KubeName, options: KubeLogOptions): Promise<Uint8Array> {
    const { container, tailLines, previous, bytesMax, signal } = options;
    const query = {
      container,
      tailLines: String(tailLines),
      previous: previous === true ? 'true' : undefined,
    };
    const path = withQuery(`${objectPath(PODS, pod)}/log`, query);
    const name = { verb: 'get', resource: 'pods/log' };
    const answer = await this.#sender.send({ name, path, accept: ANY_TYPE, signal });
    return await this.#endOf(answer, bytesMax, signal);
  }

  async kubeletHealth(node: string, signal?: AbortSignal): Promise<string> {
    const path = `/api/v1/nodes/${segment(node)}/proxy/healthz`;
    const name = { verb: 'get', resource: 'nodes/proxy' };
    // A kubelet that is not well says so as plain text; the API server itself answers with JSON.
    const isAnswer = (status: number, type: string): boolean =>
      status === 500 && type.startsWith('text/plain');
    const answer = await this.#sender.send({ name, path, accept: ANY_TYPE, signal, isAnswer });
    return await this.#text(answer, name, signal);
  }

  async nodeLog(
    node: string,
    place: KubeNodeLogPlace,
    { bytesMax, signal }: KubeNodeLogOptions,
  ): Promise<KubeNodeLog> {
    const answer = await this.#sender.send({
      name: { verb: 'get', resource: 'nodes/proxy' },
      path: nodeLogPath(node, place),
      accept: ANY_TYPE,
      signal,
      isAnswer: isOfKubelet,
      ...(isFile(place) ? { range: `bytes=-${bytesMax}` } : {}),
    });
    const end = await this.#read(answer, new EndOf(bytesMax, bytesMax * TIMES_READ_MAX), signal);
    return nodeLogOf({ node, place, ...answer, end });
  }

  async mayI(access: KubeAccess, signal?: AbortSignal): Promise<boolean> {
    const { namespace, subresource, name, ...rest } = access;
    const resourceAttributes = {
      ...rest,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === undefined || namespace === null ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    };
    const answer = await this.#json({
      name: { verb: 'create', resource: 'selfsubjectaccessreviews.authorization.k8s.io' },
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: JSON.stringify(review),
      signal,
    });
    return textAt(answer, 'status.allowed') === 'true';
  }

  async version(signal?: AbortSignal): Promise<string> {
    const name = { verb: 'get', resource: '/version' };
    const version = textAt(await this.#json({ name, path: '/version', signal }), 'gitVersion');
    if (version !== null) return version;
    throw malformed(this.server, name, 'an answer without a gitVersion');
  }

  async #json(request: Omit<KubeRequest, 'accept'>): Promise<JsonObject> {
    const answer = await this.#sender.send({ ...request, accept: JSON_TYPE });
    const text = await this.#text(answer, request.name, request.signal);
    return jsonOf(text, { server: this.server, name: request.name, headers: answer.headers });
  }

  async #text(answer: KubeAnswer, name: RequestName, signal?: AbortSignal): Promise<string> {
    try {
      return await answerText(answer.bytes, this.#sender.limits.answerBytesMax, () =>
        malformed(this.server, name, 'more than is read of one answer'),
      );
    } catch (error) {
      throw this.#sender.failure(error, signal);
    }
  }

  /** The last bytes: the newest lines of a log say why it ended. */
  async #endOf(answer: KubeAnswer, bytesMax: number, signal?: AbortSignal): Promise<Uint8Array> {
    return (await this.#read(answer, new EndOf(bytesMax), signal)).bytes();
  }

  async #read(answer: KubeAnswer, end: EndOf, signal?: AbortSignal): Promise<EndOf> {
    try {
      for await (const chunk of answer.bytes as AsyncIterable<Buffer>) {
        end.add(chunk);
        if (end.isEnough()) break;
      }
    } catch (error) {
      throw this.#sender.failure(error, signal);
    }
    return end;
  }

  #page(list: JsonObject, name: RequestName): KubeListPage {
    const resourceVersion = textAt(list, 'metadata.resourceVersion');
    if (resourceVersion === null || !Object.hasOwn(list, 'items'))
      throw malformed(this.server, name, 'an object that is not a list');
    return { items: listAt(list, 'items').filter(isObject), resourceVersion };
  }

  #unended(name: RequestName): PortError {
    return malformed(this.server, name, 'the same page again and again');
  }

  #lineFailure(error: unknown, name: RequestName, signal?: AbortSignal): unknown {
    if (!(error instanceof LineError)) return this.#sender.failure(error, signal);
    const { lineBytesMax } = this.#sender.limits;
    const what =
      error.what === 'half' ? 'half an event' : `an event of more than ${lineBytesMax} bytes`;
    return malformed(this.server, name, what);
  }
}

const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};
