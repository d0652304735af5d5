import { type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeName, KubeResource } from '../../ports/kube-api.ts';
import {
  answerOf,
  FIELD_OWNER,
  type KubeDeleteOptions,
  type KubeEvictOptions,
  type KubePartOptions,
  type KubePatch,
  type KubeWriteOptions,
  type KubeWrites,
} from '../../ports/kube-writes.ts';
import { PortError } from '../../ports/port-error.ts';
import type { ApiRequest } from './contract.ts';
import { writeErrorOf } from './port-failure.ts';
import { askedName, type KubePortOptions, pass, SIMULATED_SERVER } from './port-way.ts';

const POD: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};

/** `KubeWrites` over the API server of the simulated world, as one user asks it. */
export function kubeWritesPort(options: KubePortOptions): KubeWrites {
  const write = async (asked: Asked, more: KubeWriteOptions): Promise<JsonObject> =>
    await answered(options, { ...asked, user: options.user }, more);
  return {
    create: async (resource, object, more = {}) =>
      await write(creation(resource, object, more), more),
    update: async (resource, object, more = {}) =>
      await write(replacement(resource, object, more), more),
    patch: async (resource, name, patch, more = {}) =>
      await write(patching(resource, name, patch, more), more),
    delete: async (resource, name, more) => await write(deletion(resource, name, more), more),
    evict: async (pod, more) => await write(eviction(pod, more), more),
  };
}

async function answered(
  options: KubePortOptions,
  request: ApiRequest,
  { signal, isDryRun = false, answer: part }: KubeWriteOptions,
): Promise<JsonObject> {
  const asked = askedName(SIMULATED_SERVER, request);
  await pass(options, asked, signal);
  const answer = options.server.answer(request);
  const lost = options.loses?.(asked) ?? null;
  if (lost !== null) throw lost;
  if (answer.code < 300) return answerOf(answer.object, part);
  throw writeErrorOf(asked, answer, {
    isJsonPatch: request.patchType === 'json',
    isDryRun,
  });
}

type Asked = Omit<ApiRequest, 'user'>;

function creation(resource: KubeResource, object: JsonObject, more: KubeWriteOptions): Asked {
  const namespace = textAt(object, 'metadata.namespace');
  return {
    verb: 'create',
    path: pathOf(resource, { namespace, name: null }),
    query: queryOf(more),
    body: object,
    patchType: null,
  };
}

function replacement(resource: KubeResource, object: JsonObject, more: KubePartOptions): Asked {
  if ((textAt(object, 'metadata.resourceVersion') ?? '') === '')
    throw unsent(`An update of a ${resource.kind} without metadata.resourceVersion`);
  const place = {
    namespace: textAt(object, 'metadata.namespace'),
    name: textAt(object, 'metadata.name'),
    subresource: more.subresource,
  };
  return {
    verb: 'update',
    path: pathOf(resource, place),
    query: queryOf(more),
    body: object,
    patchType: null,
  };
}

function patching(
  resource: KubeResource,
  name: KubeName,
  patch: KubePatch,
  more: KubePartOptions,
): Asked {
  const isForced = patch.type === 'apply' && patch.isForced;
  return {
    verb: 'patch',
    path: pathOf(resource, { ...name, subresource: more.subresource }),
    query: { ...queryOf(more), ...(isForced ? { force: 'true' } : {}) },
    body: contentOf(patch),
    patchType: patch.type,
  };
}

function deletion(resource: KubeResource, name: KubeName, more: KubeDeleteOptions): Asked {
  return {
    verb: 'delete',
    path: pathOf(resource, name),
    query: {},
    body: deletionOf(more),
    patchType: null,
  };
}

function eviction(pod: KubeName, more: KubeEvictOptions): Asked {
  const metadata = { name: pod.name, namespace: pod.namespace ?? null };
  const deleteOptions = deletionOf(more);
  return {
    verb: 'create',
    path: pathOf(POD, { ...pod, subresource: 'eviction' }),
    query: dryRunOf(more),
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata, deleteOptions },
    patchType: null,
  };
}

interface Place {
  readonly namespace?: string | null;
  readonly name: string | null;
  readonly subresource?: string | undefined;
}

function pathOf(resource: KubeResource, place: Place): ApiRequest['path'] {
  const { group, version, plural, isNamespaced, kind } = resource;
  const { namespace = null, name, subresource = null } = place;
  if (isNamespaced && (namespace === null || namespace === ''))
    throw unsent(`A ${kind} without a namespace`);
  return {
    group,
    version,
    plural,
    namespace: isNamespaced ? namespace : null,
    name,
    subresource,
  };
}

function unsent(what: string): PortError {
  return new PortError({ failure: 'invalid', message: `${what} was not sent; complete it` });
}

function dryRunOf({ isDryRun }: KubeWriteOptions): Readonly<Record<string, string>> {
  return isDryRun === true ? { dryRun: 'All' } : {};
}

function queryOf(more: KubeWriteOptions): Readonly<Record<string, string>> {
  const { fieldManager = FIELD_OWNER } = more;
  return { ...dryRunOf(more), fieldManager, fieldValidation: 'Strict' };
}

function contentOf(patch: KubePatch): Json {
  if (patch.type === 'json') return patch.operations;
  return patch.type === 'apply' ? patch.object : patch.change;
}

function deletionOf(options: KubeDeleteOptions): JsonObject {
  const { preconditions, gracePeriodSeconds, propagation, isDryRun } = options;
  return {
    preconditions: { ...preconditions },
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(isDryRun === true ? { dryRun: ['All'] } : {}),
  };
}
