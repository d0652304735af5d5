import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeName, KubeResource } from '../../ports/kube-api.ts';
import {
  FIELD_OWNER,
  type KubeDeleteOptions,
  type KubeEvictOptions,
  type KubePartOptions,
  type KubePatch,
  type KubeWriteOptions,
  type KubeWrites,
} from '../../ports/kube-writes.ts';
import { PortError } from '../../ports/port-error.ts';
import { answerText, jsonOf, malformed } from './answer.ts';
import { type KubeClientOptions, senderTo } from './client.ts';
import { createPath, partPath, withQuery } from './paths.ts';
import { partName } from './request-name.ts';
import type { KubeAnswer, KubeRequest, Sender } from './sender.ts';
import { statusFailure } from './status-failure.ts';
import type { KubeTarget } from './target.ts';
import { JSON_PATCH } from './write-failure.ts';

const JSON_TYPE = 'application/json';
/** Of old servers, and of what stands between, the whole is an answer too. */
const METADATA_TYPE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${JSON_TYPE}`;

const PATCH_TYPES: Readonly<Record<KubePatch['type'], string>> = {
  json: JSON_PATCH,
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};

/** Writes to the API server of a target, over connections of their own that `close` ends. */
export interface KubeWriter extends KubeWrites {
  /** How many requests were sent so far, by verb and resource: `patch nodes/status`. */
  requests(): ReadonlyMap<string, number>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** @throws PortError `not-configured` when a header cannot carry what the target says */
export function kubeWriter(target: KubeTarget, options: KubeClientOptions): KubeWriter {
  return new HttpKubeWriter(senderTo(target, options));
}

class HttpKubeWriter implements KubeWriter {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  requests(): ReadonlyMap<string, number> {
    return this.#sender.counts();
  }

  async close(): Promise<void> {
    await this.#sender.close();
  }

  async create(
    resource: KubeResource,
    object: JsonObject,
    options: KubeWriteOptions = {},
  ): Promise<JsonObject> {
    const namespace = textAt(object, 'metadata.namespace');
    return await this.#write(options, {
      name: partName('create', resource),
      method: 'POST',
      path: withQuery(createPath(resource, namespace), queryOf(options)),
      body: JSON.stringify(object),
    });
  }

  async update(
    resource: KubeResource,
    object: JsonObject,
    options: KubePartOptions = {},
  ): Promise<JsonObject> {
    const { subresource } = options;
    const name = {
      namespace: textAt(object, 'metadata.namespace'),
      name: textAt(object, 'metadata.name') ?? '',
    };
    if ((textAt(object, 'metadata.resourceVersion') ?? '') === '') throw versionless(resource);
    return await this.#write(options, {
      name: partName('update', resource, subresource),
      method: 'PUT',
      path: withQuery(partPath(resource, name, subresource), queryOf(options)),
      body: JSON.stringify(object),
    });
  }

  async patch(
    resource: KubeResource,
    name: KubeName,
    patch: KubePatch,
    options: KubePartOptions = {},
  ): Promise<JsonObject> {
    const { subresource } = options;
    const query = { ...queryOf(options), ...forced(patch) };
    return await this.#write(options, {
      name: partName('patch', resource, subresource),
      method: 'PATCH',
      contentType: PATCH_TYPES[patch.type],
      path: withQuery(partPath(resource, name, subresource), query),
      body: JSON.stringify(contentOf(patch)),
    });
  }

  async delete(
    resource: KubeResource,
    name: KubeName,
    options: KubeDeleteOptions,
  ): Promise<JsonObject> {
    return await this.#write(options, {
      name: partName('delete', resource),
      method: 'DELETE',
      path: partPath(resource, name),
      body: JSON.stringify(deletionOf(options)),
    });
  }

  async evict(pod: KubeName, options: KubeEvictOptions): Promise<JsonObject> {
    const metadata = { name: pod.name, namespace: pod.namespace ?? null };
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata,
      deleteOptions: deletionOf(options),
    };
    return await this.#write(options, {
      name: partName('create', PODS, 'eviction'),
      method: 'POST',
      path: withQuery(partPath(PODS, pod, 'eviction'), dryRunOf(options)),
      body: JSON.stringify(eviction),
    });
  }

  async #write(
    { isDryRun, signal, answer: part }: KubeWriteOptions,
    asked: Omit<KubeRequest, 'accept' | 'write' | 'signal'>,
  ): Promise<JsonObject> {
    const write = { isDryRun: isDryRun === true };
    const accept = part === undefined ? JSON_TYPE : METADATA_TYPE;
    const request: KubeRequest = { ...asked, accept, write, signal };
    const answer = await this.#sender.send(request);
    if (part === 'none') {
      // The connection is free again when it was read.
      answer.bytes.resume();
      return {};
    }
    const object = await this.#objectOf(request, answer);
    const isFailure = object['kind'] === 'Status' && object['status'] === 'Failure';
    if (!isFailure) return object;
    throw this.#failedInside(request, answer, object);
  }

  async #objectOf(request: KubeRequest, answer: KubeAnswer): Promise<JsonObject> {
    const { server } = this.#sender.target;
    const { name } = request;
    try {
      const text = await answerText(answer.bytes, this.#sender.limits.answerBytesMax, () =>
        malformed(server, name, 'more than is read of one answer'),
      );
      return jsonOf(text, { server, name, headers: answer.headers });
    } catch (error) {
      throw this.#sender.lostAnswer(request, error);
    }
  }

  /** Evictions are refused by a Status in an answer that is a success otherwise. */
  #failedInside(request: KubeRequest, answer: KubeAnswer, status: JsonObject): PortError {
    return statusFailure({
      server: this.#sender.target.server,
      name: request.name,
      write: request.write === undefined ? null : { ...request.write, isJsonPatch: false },
      status: Number(textAt(status, 'code') ?? answer.status),
      headers: answer.headers,
      text: JSON.stringify(status),
      refusal: { what: 'the credential', remedy: 'kubectl auth whoami' },
      nowMs: this.#sender.now(),
    });
  }
}

type Query = Readonly<Record<string, string | undefined>>;

function dryRunOf({ isDryRun }: KubeWriteOptions): Query {
  return { dryRun: isDryRun === true ? 'All' : undefined };
}

/** A field that the server does not know is refused, where it would be left out otherwise. */
function queryOf(options: KubeWriteOptions): Query {
  const { fieldManager = FIELD_OWNER } = options;
  return { ...dryRunOf(options), fieldManager, fieldValidation: 'Strict' };
}

function forced(patch: KubePatch): Query {
  return { force: patch.type === 'apply' && patch.isForced ? 'true' : undefined };
}

function contentOf(patch: KubePatch): JsonObject | readonly JsonObject[] {
  if (patch.type === 'json') return patch.operations;
  return patch.type === 'apply' ? patch.object : patch.change;
}

/** In the body alone: a server that gets one does not look at the query. */
function deletionOf(options: KubeDeleteOptions): JsonObject {
  const { preconditions, gracePeriodSeconds, propagation, isDryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { ...preconditions },
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(isDryRun === true ? { dryRun: ['All'] } : {}),
  };
}

function versionless({ kind }: KubeResource): PortError {
  return new PortError({
    failure: 'invalid',
    message: `An update of a ${kind} without metadata.resourceVersion was not sent; read it first`,
  });
}
