/** The same requests to the API server of the simulated world and to a real one. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { isObject, type Json, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { createKernel } from '../../src/sim/kernel/kernel.ts';
import type { ApiVerb, PatchType } from '../../src/sim/kube/contract.ts';
import { createApiServer, type KubeApiServer } from '../../src/sim/kube/server.ts';
import { wordOf } from '../../src/sim/kube/word.ts';
import type { Credentials } from './pki.ts';

/** One request; `~` at the start of a name, a namespace or a value is the program's own prefix. */
export interface Asked {
  readonly verb: ApiVerb;
  /** `pods`, `daemonsets.apps`: resource and group. */
  readonly resource: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly patchType?: PatchType;
}

export interface Answered {
  readonly code: number;
  readonly object: Json;
}

/** A server that can be asked; `prefix` keeps programs apart on a server that lives on. */
export interface Target {
  readonly ask: (asked: Asked, prefix: string) => Promise<Answered>;
  /** What a watch of all objects of a resource tells from a version on, up to the present. */
  readonly history: (resource: string, version: string, prefix: string) => Promise<readonly Json[]>;
}

/** Group, version and whether there is a namespace, of what programs ask for. */
export const RESOURCES: Readonly<Record<string, readonly [string, string, boolean]>> = {
  pods: ['', 'v1', true],
  configmaps: ['', 'v1', true],
  secrets: ['', 'v1', true],
  services: ['', 'v1', true],
  serviceaccounts: ['', 'v1', true],
  events: ['', 'v1', true],
  endpoints: ['', 'v1', true],
  nodes: ['', 'v1', false],
  namespaces: ['', 'v1', false],
  persistentvolumes: ['', 'v1', false],
  persistentvolumeclaims: ['', 'v1', true],
  'daemonsets.apps': ['apps', 'v1', true],
  'replicasets.apps': ['apps', 'v1', true],
  'deployments.apps': ['apps', 'v1', true],
  'jobs.batch': ['batch', 'v1', true],
  'leases.coordination.k8s.io': ['coordination.k8s.io', 'v1', true],
  'poddisruptionbudgets.policy': ['policy', 'v1', true],
  'priorityclasses.scheduling.k8s.io': ['scheduling.k8s.io', 'v1', false],
  'clusterroles.rbac.authorization.k8s.io': ['rbac.authorization.k8s.io', 'v1', false],
  'rolebindings.rbac.authorization.k8s.io': ['rbac.authorization.k8s.io', 'v1', true],
  'customresourcedefinitions.apiextensions.k8s.io': ['apiextensions.k8s.io', 'v1', false],
  'certificatesigningrequests.certificates.k8s.io': ['certificates.k8s.io', 'v1', false],
  'storageclasses.storage.k8s.io': ['storage.k8s.io', 'v1', false],
  'csinodes.storage.k8s.io': ['storage.k8s.io', 'v1', false],
  'rules.rollcall.test': ['rollcall.test', 'v1', false],
  'selfsubjectaccessreviews.authorization.k8s.io': ['authorization.k8s.io', 'v1', false],
};

/** Every `~` becomes the prefix, in names, queries and bodies alike. */
export function prefixed<T extends Json>(value: T, prefix: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('~', prefix)) as T;
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
}

function placeOf(asked: Asked, prefix: string): Place {
  const [group, version, isNamespaced] = RESOURCES[asked.resource] ?? ['nobody.test', 'v1', true];
  return {
    group,
    version,
    plural: asked.resource.split('.')[0] ?? '',
    namespace: isNamespaced ? `${prefix}ns` : null,
    name: asked.name === undefined ? null : asked.name.replaceAll('~', prefix),
    subresource: asked.subresource ?? null,
  };
}

/** The API server of the simulated world, asked by an administrator. */
export function simulated(server: KubeApiServer = simulatedServer()): Target {
  const user = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  return {
    ask: (asked, prefix) => {
      const path = placeOf(asked, prefix);
      const { code, object } = server.answer({
        user,
        verb: asked.verb,
        path,
        query: {
          // What a door makes of a client without a name.
          ...(asked.patchType === 'apply' ? {} : { fieldManager: 'unknown' }),
          ...(prefixed((asked.query ?? {}) as JsonObject, prefix) as Record<string, string>),
        },
        body: prefixed(asked.body ?? null, prefix),
        patchType: asked.patchType ?? null,
      });
      return Promise.resolve({ code, object });
    },
    history: (resource, version, prefix) => {
      const events: Json[] = [];
      const path = placeOf({ verb: 'watch', resource }, prefix);
      const query = { resourceVersion: version };
      const watch = server.watch(
        { user, verb: 'watch', path, query, body: null, patchType: null },
        { onEvent: ({ type, object }) => events.push({ type, object }), onEnd: () => undefined },
      );
      if ('stop' in watch) watch.stop();
      return Promise.resolve(events);
    },
  };
}

export function simulatedServer(): KubeApiServer {
  return createApiServer({
    kernel: createKernel({ seed: 1, startMs: 1_750_000_000_000 }),
    makesServiceAccounts: false,
  });
}

const METHODS: Readonly<Record<ApiVerb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

const CONTENT: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A real API server, asked by whom the certificate names. */
export function real(url: string, ca: string, who: Credentials): Target & { close: () => void } {
  const agent = new Agent({
    ca: readFileSync(ca),
    cert: readFileSync(who.certificatePath),
    key: readFileSync(who.keyPath),
    keepAlive: true,
  });
  return {
    ask: (asked, prefix) => exchanged(agent, url, asked, prefix),
    history: async (resource, resourceVersion, prefix) => {
      const query = { watch: 'true', resourceVersion, timeoutSeconds: '1' };
      const { object } = await exchanged(agent, url, { verb: 'watch', resource, query }, prefix);
      if (typeof object !== 'string') return [object];
      const lines = object.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Json);
    },
    close: () => agent.destroy(),
  };
}

function exchanged(agent: Agent, url: string, asked: Asked, prefix: string): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const body = asked.body === undefined ? undefined : JSON.stringify(prefixed(asked.body, prefix));
  const type = asked.verb === 'patch' ? CONTENT[asked.patchType ?? 'merge'] : 'application/json';
  const headers = {
    'content-type': type,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
  const outgoing = request(
    urlOf(url, asked, prefix),
    { method: METHODS[asked.verb], agent, timeout: 10_000, headers },
    (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ code: incoming.statusCode ?? 0, object: parsed(text) }));
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function urlOf(url: string, asked: Asked, prefix: string): URL {
  const { group, version, plural, namespace, name, subresource } = placeOf(asked, prefix);
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === null ? '' : `/namespaces/${namespace}`;
  const tail = [plural, name, subresource].filter((part) => part !== null).join('/');
  const address = new URL(`${root}${scope}/${tail}`, url);
  const query = prefixed((asked.query ?? {}) as JsonObject, prefix);
  for (const [key, value] of Object.entries(query)) address.searchParams.set(key, wordOf(value));
  return address;
}

const GENERATED = /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Names what differs from run to run: identities in the order of their coming, versions by rank. */
export class Normaliser {
  readonly #uids = new Map<string, string>();
  readonly #prefix: string;
  readonly #skip: boolean;

  constructor(prefix: string, skip = true) {
    this.#prefix = prefix;
    this.#skip = skip;
  }

  answer({ code, object }: Answered): Answered {
    return { code, object: this.#value(object, '') };
  }

  #value(value: Json, key: string): Json {
    if (Array.isArray(value)) {
      const values = value as readonly Json[];
      const ordered = key === 'items' ? this.#ordered(values) : values;
      return ordered.map((one) => this.#value(one, key));
    }
    if (isObject(value)) return this.#object(value);
    return typeof value === 'string' ? this.#text(value, key) : value;
  }

  /** Lists are sorted by name, and which of several generated names comes first is chance. */
  #ordered(items: readonly Json[]): readonly Json[] {
    const generated = items.filter((item) => GENERATED.test(textAt(item, 'metadata.name') ?? ''));
    if (generated.length < 2) return items;
    const coming = [...this.#uids.keys()];
    const rank = (item: Json): number => coming.indexOf(textAt(item, 'metadata.uid') ?? '');
    return items.toSorted((a, b) => rank(a) - rank(b));
  }

  #object(object: JsonObject): Json {
    const normal = this.#entries(object);
    const details = normal['details'];
    if (!isObject(details) || !Array.isArray(details['causes'])) return normal;
    return withSortedCauses(normal, details, details['causes'] as readonly Json[]);
  }

  #entries(object: JsonObject): JsonObject {
    const entries = Object.entries(object)
      .filter(([key, value]) => value !== null && !(this.#skip && key === 'managedFields'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, this.#value(value, key)] as const);
    return Object.fromEntries(entries);
  }

  #text(text: string, key: string): Json {
    if (key === 'uid') return this.#uid(text);
    if (key === 'continue') return text === '' ? '' : this.#token(text);
    if (key === 'clusterIP' || key === 'clusterIPs') return text === 'None' ? text : 'address';
    if (key === 'resourceVersion') return text === '' || text === '0' ? text : 'version';
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return 'time';
    return text
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access')
      .replaceAll(/\bgen-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, 'gen-generated')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) =>
        this.#uid(uid),
      )
      .replaceAll(/(?<=in (?:record|the precondition) \()\d+(?=\))/g, 'version')
      .replaceAll(this.#prefix, '~');
  }

  /** A token without the version in it. */
  #token(text: string): Json {
    const { start = '' } = JSON.parse(atob(text)) as JsonObject;
    return wordOf(start).replaceAll(this.#prefix, '~');
  }

  #uid(text: string): string {
    const known = this.#uids.get(text) ?? `uid-${this.#uids.size}`;
    this.#uids.set(text, known);
    return known;
  }
}

/** Several causes come in the order of a Go map, each as often as validators look at it. */
function withSortedCauses(status: JsonObject, details: JsonObject, causes: readonly Json[]): Json {
  const texts = new Set(causes.map((cause) => JSON.stringify(cause)));
  const sorted = [...texts].toSorted().map((text) => JSON.parse(text) as Json);
  const message = wordOf(status['message']).replace(/ is invalid: \[.*\]$/s, ' is invalid: […]');
  return { ...status, message, details: { ...details, causes: sorted } };
}

/** Where two JSON values differ, as paths with both values. */
export function differences(own: Json, other: Json, path = ''): readonly string[] {
  if (isObject(own) && isObject(other)) {
    const keys = [...new Set([...Object.keys(own), ...Object.keys(other)])];
    return keys.flatMap((key) =>
      differences(own[key] ?? null, other[key] ?? null, `${path}.${key}`),
    );
  }
  if (Array.isArray(own) && Array.isArray(other) && own.length === other.length)
    return own.flatMap((value, index) =>
      differences(value as Json, other[index] as Json, `${path}[${index}]`),
    );
  const [ours, theirs] = [JSON.stringify(own), JSON.stringify(other)];
  return ours === theirs ? [] : [`${path}: simulated ${ours}, real ${theirs}`];
}
