import type { Json, JsonObject } from '../../evidence/json.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ApiUser,
  DeleteOptions,
  KubeClient,
  KubeObject,
  Outcome,
  PatchType,
} from './contract.ts';
import { follow } from './follow.ts';
import type { KubeKind } from './kinds.ts';
import { selected } from './read.ts';
import { type KubeApiServer, kindNamed, scopeOf } from './server.ts';
import { selectorOf } from './selectors.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

const NO_QUERY = {};

type Asked = Pick<ApiRequest, 'verb'> & Partial<ApiRequest> & { readonly subresource?: string };

/** The API server as one user asks it in process: at once, with the checks of any other client. */
export function createClient(server: KubeApiServer, user: ApiUser): KubeClient {
  const { core } = server;
  const ask = (kind: KubeKind, name: string, { subresource, ...asked }: Asked): ApiAnswer => {
    const path = { ...pathOf(kind, name), subresource: subresource ?? null };
    return server.answer({ user, path, query: NO_QUERY, body: null, patchType: null, ...asked });
  };
  const write = (object: KubeObject, verb: 'create' | 'update', subresource?: string): Outcome => {
    const kind = kindOf(object);
    const path = writePath(kind, object, verb === 'create', subresource ?? null);
    const asked = { user, verb, path, query: NO_QUERY, body: object, patchType: null };
    return outcome(server.answer(asked));
  };
  const kindOf = (object: KubeObject): KubeKind => {
    const [apiVersion, name] = [wordOf(object['apiVersion'] ?? ''), wordOf(object['kind'])];
    return core.kinds.of(apiVersion, name) ?? kindNamed(core, name);
  };
  return {
    get: (kind, name) => {
      const answer = ask(kindNamed(core, kind), name, { verb: 'get' });
      return answer.code === 200 ? answer.object : null;
    },
    list: (name, { namespace, labelSelector = '', fieldSelector = '' } = {}) => {
      const kind = kindNamed(core, name);
      const path = { ...pathOf(kind, ''), namespace: namespace ?? null };
      const query = { labelSelector, fieldSelector };
      const asked = { user, verb: 'list', path, query, body: null, patchType: null } as const;
      core.authorizer.assertAllowed(asked);
      const scope = scopeOf(core, user, kind, { namespace: namespace ?? null });
      return selected(scope, selectorOf(kind, labelSelector, fieldSelector));
    },
    create: (object) => write(object, 'create'),
    update: (object) => write(object, 'update'),
    updateStatus: (object) => write(object, 'update', 'status'),
    patch: (kind, name, type: PatchType, body: Json, subresource) => {
      const more = subresource === undefined ? {} : { subresource };
      return outcome(
        ask(kindNamed(core, kind), name, { verb: 'patch', patchType: type, body, ...more }),
      );
    },
    delete: (kind, name, options) =>
      outcome(ask(kindNamed(core, kind), name, { verb: 'delete', body: deleteBody(options) })),
    evict: (podName) => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: podMetadata(podName) };
      return outcome(
        ask(kindNamed(core, 'Pod'), podName, { verb: 'create', subresource: 'eviction', body }),
      );
    },
    bind: (podName, nodeName) => {
      const target = { kind: 'Node', name: nodeName };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: podMetadata(podName), target };
      return outcome(
        ask(kindNamed(core, 'Pod'), podName, { verb: 'create', subresource: 'binding', body }),
      );
    },
    follow: (kind, listener, delayMs) => follow(core, kindNamed(core, kind), listener, delayMs),
  };
}

function pathOf(kind: KubeKind, name: string): ApiRequest['path'] {
  const { group, version, plural } = kind;
  const slash = name.indexOf('/');
  const own = name.slice(slash + 1);
  return {
    group,
    version,
    plural,
    namespace: slash < 0 ? null : name.slice(0, slash),
    name: own === '' ? null : own,
    subresource: null,
  };
}

function podMetadata(name: string): JsonObject {
  const slash = name.indexOf('/');
  return { namespace: name.slice(0, slash), name: name.slice(slash + 1) };
}

/** What is new is asked of its collection. */
function writePath(
  { group, version, plural, isNamespaced }: KubeKind,
  object: KubeObject,
  isNew: boolean,
  subresource: string | null,
): ApiRequest['path'] {
  const { name = '', namespace = 'default' } = metadataOf(object);
  return {
    group,
    version,
    plural,
    namespace: isNamespaced ? wordOf(namespace) : null,
    name: isNew ? null : wordOf(name) || null,
    subresource,
  };
}

function outcome({ code, object }: ApiAnswer): Outcome {
  if (code < 300) return { ok: true, object };
  const { reason = '', message = '' } = object;
  return { ok: false, failure: { code, reason: wordOf(reason), message: wordOf(message) } };
}

function deleteBody(options: DeleteOptions = {}): JsonObject {
  const { gracePeriodSeconds, uid, resourceVersion, propagationPolicy } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  };
}
