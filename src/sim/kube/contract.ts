import type { Json, JsonObject } from '../../evidence/json.ts';

/** Who asks, as the API server's authenticators see them. */
export interface ApiUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export type ApiVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** Where a request goes: `/apis/{group}/{version}/namespaces/{namespace}/{plural}/{name}/{subresource}`. */
export interface ApiPath {
  /** Empty for core/v1. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** null for all namespaces, and for kinds without one. */
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
}

export interface ApiRequest {
  readonly user: ApiUser;
  readonly verb: ApiVerb;
  readonly path: ApiPath;
  /** Query parameters as they came: `limit`, `continue`, `labelSelector`, `fieldManager`, … */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed body; null without one. */
  readonly body: Json;
  /** Of a patch, by its content type. */
  readonly patchType: PatchType | null;
}

/** The object or list asked for, or a `Status` of kind Failure with its HTTP code. */
export interface ApiAnswer {
  readonly code: number;
  readonly object: JsonObject;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

export interface Watch {
  stop(): void;
}

/** What a watcher gives: events in the order of the store, and how the server ended it. */
export interface Watcher {
  readonly onEvent: (event: WatchEvent) => void;
  /** The server closes the watch, as it does after its timeout. */
  readonly onEnd: () => void;
}

/**
 * A Kubernetes API server: authorisation, admission, storage with versions, watches. Everything
 * happens at once, within the event of the one who asks; doors and clients add the delay.
 */
export interface ApiServer {
  /** All verbs but `watch`. */
  answer(request: ApiRequest): ApiAnswer;
  /** A refusal is an answer; else events come until either side ends it. */
  watch(request: ApiRequest, watcher: Watcher): Watch | ApiAnswer;
  /** Who holds this credential; null when nobody does (401). */
  authenticate(credential: Credential): ApiUser | null;
}

export interface Credential {
  /** Of `Authorization: Bearer`. */
  readonly bearerToken: string | null;
  /** Subject of the client certificate: its CN and its organisations. */
  readonly certificate: {
    readonly commonName: string;
    readonly organizations: readonly string[];
  } | null;
}

/** An object of the store; never changed, always replaced. */
export type KubeObject = JsonObject;

/** Which objects of a kind. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** A refusal as an error, for those who ask in process. */
export interface ApiFailure {
  /** HTTP status: 404, 409, … */
  readonly code: number;
  /** `NotFound`, `Conflict`, `Forbidden`, … */
  readonly reason: string;
  readonly message: string;
}

export type Outcome =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly failure: ApiFailure };

/**
 * The API server as one user asks it in process: without delay, with the same checks. `kind` is the
 * singular of the API: `Node`, `Pod`, `Lease`; namespaced names are `namespace/name`.
 */
export interface KubeClient {
  get(kind: string, name: string): KubeObject | null;
  list(kind: string, selection?: Selection): readonly KubeObject[];
  create(object: KubeObject): Outcome;
  /** Conflict when the version is not the stored one. */
  update(object: KubeObject): Outcome;
  updateStatus(object: KubeObject): Outcome;
  patch(kind: string, name: string, type: PatchType, patch: Json, subresource?: string): Outcome;
  delete(kind: string, name: string, options?: DeleteOptions): Outcome;
  /** Eviction of policy/v1, which a PodDisruptionBudget may refuse (429). */
  evict(podName: string): Outcome;
  bind(podName: string, nodeName: string): Outcome;
  /**
   * Hears every change of a kind `delayMs` after it happened, first those that exist already; a
   * consumer's own cache, in other words.
   */
  follow(kind: string, listener: FollowListener, delayMs?: () => number): Watch;
}

export type FollowListener = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  object: KubeObject,
  before: KubeObject | null,
) => void;

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}
