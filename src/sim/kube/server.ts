import { isObject, type JsonObject, listAt } from '../../evidence/json.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ApiServer,
  ApiUser,
  KubeObject,
  Watch,
  Watcher,
} from './contract.ts';
import { type AccessQuestion, attributesOf, type Decision } from './auth/attributes.ts';
import { authenticated } from './auth/authentication.ts';
import { Authorizer } from './auth/authorizer.ts';
import { bootstrap, keepServiceAccounts } from './bootstrap.ts';
import { create } from './create.ts';
import { serveCustomKinds } from './custom-kinds.ts';
import { removeCollection } from './remove-collection.ts';
import { expireEvents, shownAs } from './events.ts';
import type { ApiServerHooks } from './hooks.ts';
import { Kinds, type KubeKind, tableName } from './kinds.ts';
import { createdByApplying, patch } from './patch.ts';
import { list } from './list.ts';
import { get } from './read.ts';
import { methodNotAllowed, noSuchPath, StatusError } from './refusal.ts';
import { deletionOf, remove } from './remove.ts';
import { type Core, type Scope, stored } from './scope.ts';
import { Store } from './store.ts';
import { answerSubresource } from './subresources.ts';
import { update } from './update.ts';
import { openWatch } from './watch.ts';

export interface ApiServerOptions extends ApiServerHooks {
  readonly kernel: Kernel;
}

/** An `ApiServer` and what doors and observers see of it besides. */
export interface KubeApiServer extends ApiServer {
  /** `gitVersion`. */
  readonly version: string;
  readonly core: Core;
  /** What is served now, in the order of its coming; CustomResourceDefinitions add to it. */
  kinds(): readonly KubeKind[];
  /** Forgets history, as a compaction of etcd: older versions are 410 from now on. */
  compact(): void;
  /**
   * Lets the cache of a kind fall behind: reads of version 0 are old by so much.
   *
   * @param kind `Node`
   * @returns what lets it catch up
   */
  lagCache(kind: string, lagMs: number): () => void;
  /**
   * Restores the cluster from a backup of a moment, or of the oldest one that is known: versions go
   * back, and every watch ends.
   */
  restore(atMs: number): void;
  /**
   * Changes what is stored past all rules, as a fault of memory or of a disk does.
   *
   * @param name `namespace/name`, or the name alone; nothing happens where there is none
   */
  overwrite(kind: string, name: string, change: (object: KubeObject) => KubeObject): void;
  /** Whether somebody may do something; nothing is done. */
  authorize(user: ApiUser, asked: AccessQuestion): Decision;
  /** Whether a token of a service account is one that it has signed, still good or not. */
  hasSigned(token: string): boolean;
  /** Ends every watch, as a restart of the API server does. */
  endWatches(): void;
}

/** An API server with an empty cluster: its own namespaces and nothing else. */
export function createApiServer({ kernel, ...hooks }: ApiServerOptions): KubeApiServer {
  const store = new Store(() => kernel.nowMs());
  const core: Core = {
    kernel,
    hooks,
    store,
    kinds: new Kinds(),
    authorizer: new Authorizer(store, hooks.isAuthorizing !== false),
    random: kernel.random('kube-apiserver'),
    watches: new Set(),
    cacheLags: new Set(),
    disowned: new WeakSet(),
    tokens: new Map(),
  };
  const server: KubeApiServer = {
    core,
    version: hooks.version ?? 'v1.36.3',
    answer: (request) => guarded(() => answerTo(core, request)),
    watch: (request, watcher) => watchOf(core, request, watcher),
    authenticate: (credential) => authenticated(core, credential),
    kinds: () => core.kinds.all(),
    compact: () => {
      for (const table of core.store.tables()) table.forget(core.store.revision);
    },
    lagCache: (kind, lagMs) => {
      const lag = { table: tableName(kindNamed(core, kind)), lagMs };
      core.cacheLags.add(lag);
      return () => core.cacheLags.delete(lag);
    },
    overwrite: (kind, name, change) => {
      const table = store.table(tableName(kindNamed(core, kind)));
      const object = table.get(name);
      const changed = object === null ? null : change(object);
      if (changed !== object) store.write(table, name, changed);
    },
    restore: (atMs) => {
      for (const watch of core.watches) watch.end();
      store.restore(store.revisionAt(atMs));
    },
    authorize: (user, asked) => core.authorizer.decide(user, attributesOf(asked)),
    hasSigned: (token) => core.tokens.has(token),
    endWatches: () => {
      for (const watch of core.watches) watch.end();
    },
  };
  bootstrap(core);
  serveCustomKinds(core);
  expireEvents(core);
  if (hooks.makesServiceAccounts !== false) keepServiceAccounts(core);
  return server;
}

/** @throws RangeError for a kind that is not served */
export function kindNamed({ kinds }: Core, name: string): KubeKind {
  const kind = kinds.named(name);
  if (kind === null) throw new RangeError(`the API server serves no kind ${name}`);
  return kind;
}

const NO_QUERY = {};

/** A request of this user to one kind; to the whole kind unless more is given. */
export function scopeOf(
  core: Core,
  user: ApiUser,
  kind: KubeKind,
  more: Partial<Omit<Scope, 'core' | 'user' | 'kind' | 'table'>> = {},
): Scope {
  const { namespace = null, name = '', subresource = null, query = NO_QUERY } = more;
  const { warnings = [], isDryRun = false } = more;
  const table = core.store.table(tableName(kind));
  return { core, user, kind, table, namespace, name, subresource, query, warnings, isDryRun };
}

function guarded(task: () => ApiAnswer): ApiAnswer {
  try {
    return task();
  } catch (error) {
    if (error instanceof StatusError) return error.answer();
    throw error;
  }
}

/** @throws Refusal 403, or 404 for a path without a kind */
function requested(core: Core, request: ApiRequest): Scope {
  const { user, path, query } = request;
  core.authorizer.assertAllowed(request);
  const kind = core.kinds.at(path.group, path.version, path.plural);
  if (kind === null) throw noSuchPath();
  return scopeOf(core, user, kind, {
    namespace: path.namespace,
    name: path.name ?? '',
    subresource: path.subresource,
    query,
    warnings: [],
    isDryRun: storesNothing(request),
  });
}

/** Whoever deletes with a body says it there, and the query does not count. */
function storesNothing({ verb, query, body }: ApiRequest): boolean {
  if (verb !== 'delete' || !isObject(body)) return query['dryRun'] === 'All';
  return listAt(body, 'dryRun').includes('All');
}

function answerTo(core: Core, request: ApiRequest): ApiAnswer {
  const scope = requested(core, request);
  const { subresource, warnings } = scope;
  const isStatus = subresource === 'status' && scope.kind.subresources.includes('status');
  const isOwn = subresource === null || isStatus;
  const answer = isOwn ? answerVerb(scope, request) : answerSubresource(scope, request);
  const object = shownAs(scope.kind, answer.object);
  return { code: answer.code, object, warnings };
}

type Answered = Pick<ApiAnswer, 'code' | 'object'>;

function answerVerb(scope: Scope, request: ApiRequest): Answered {
  switch (request.verb) {
    case 'get':
      return ok(get(scope));
    case 'list':
      return ok(list(scope));
    case 'create':
      return { code: 201, object: create(scope, request.body) };
    case 'update': {
      const { object, isNew } = update(scope, request.body);
      return { code: isNew ? 201 : 200, object };
    }
    case 'patch':
      return patched(scope, request);
    case 'delete':
      return deleted(scope, request);
    case 'deletecollection':
      return ok(removeCollection(scope, deletionOf(request.query, request.body)));
    default:
      throw methodNotAllowed(scope.kind);
  }
}

function patched(scope: Scope, { patchType, body }: ApiRequest): Answered {
  const isNew = patchType === 'apply' && scope.subresource === null && stored(scope) === null;
  if (isNew) return { code: 201, object: createdByApplying(scope, body) };
  return ok(patch(scope, patchType ?? 'merge', body));
}

function ok(object: KubeObject): Answered {
  return { code: 200, object };
}

function deleted(scope: Scope, request: ApiRequest): Answered {
  const { object, isGone } = remove(scope, deletionOf(request.query, request.body));
  return ok(!isGone || scope.kind.returnsDeleted ? object : removalStatus(scope, object));
}

function removalStatus({ kind, name }: Scope, object: KubeObject): JsonObject {
  const uid = (object['metadata'] as JsonObject)['uid'] ?? '';
  const group = kind.group === '' ? {} : { group: kind.group };
  const details = { name, ...group, kind: kind.plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function watchOf(core: Core, request: ApiRequest, watcher: Watcher): Watch | ApiAnswer {
  try {
    return openWatch(requested(core, request), watcher);
  } catch (error) {
    if (error instanceof StatusError) return error.answer();
    throw error;
  }
}
