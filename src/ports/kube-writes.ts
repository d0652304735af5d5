import type { JsonObject } from '../evidence/json.ts';
import type { KubeName, KubeResource } from './kube-api.ts';

/** Owner of the fields that are written, unless a write names another. */
export const FIELD_OWNER = 'rollcall';

export interface KubeWriteOptions {
  /** True to have the server check everything and store nothing. */
  readonly isDryRun?: boolean;
  /** `rollcall` when not given. */
  readonly fieldManager?: string;
  /** An abort is thrown as it is; what was sent by then may have happened. */
  readonly signal?: AbortSignal;
  /** Asks for the metadata alone of what is stored, or for nothing of it; for the whole when not given. */
  readonly answer?: KubeAnswerPart;
}

/** `none` answers an object without a field. */
export type KubeAnswerPart = 'metadata' | 'none';

/** What of a stored object a write answers, for a server in this process. */
export function answerOf(object: JsonObject, part: KubeAnswerPart | undefined): JsonObject {
  if (part === undefined) return object;
  const { metadata } = object;
  if (part === 'none' || metadata === undefined) return {};
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
}

export interface KubePartOptions extends KubeWriteOptions {
  /** Writes this part of the object alone: `status`, `scale`, `resize`. */
  readonly subresource?: string;
}

export type KubePatch =
  /** Operations of RFC 6902; one that does not fit the object is a `conflict`. */
  | { readonly type: 'json'; readonly operations: readonly JsonObject[] }
  /** RFC 7386: lists are replaced whole. */
  | { readonly type: 'merge'; readonly change: JsonObject }
  /** Lists are merged by their keys; kinds that are defined by others do not know it. */
  | { readonly type: 'strategic'; readonly change: JsonObject }
  /** Server-side apply; creates what is not there. Forced, it takes fields from other owners. */
  | { readonly type: 'apply'; readonly object: JsonObject; readonly isForced: boolean };

/** What an object must still be; the write is a `conflict` otherwise. */
export interface KubePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface KubeDeleteOptions extends KubeWriteOptions {
  readonly preconditions: KubePreconditions;
  /** Time for a Pod to end; its own when not given. */
  readonly gracePeriodSeconds?: number;
  /** What happens to what the object owns; the custom of its kind when not given. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

export interface KubeEvictOptions extends KubeWriteOptions {
  readonly preconditions: KubePreconditions;
  readonly gracePeriodSeconds?: number;
}

/**
 * Writes to one API server. Collection and engine only ever receive `KubeApi`, which has none;
 * this is for runtime and controllers.
 *
 * Every method answers what the server answered and throws `PortError`: `conflict` when a version
 * or UID is another by now, `already-exists`, `invalid` when the server does not accept the object,
 * `budget` when a PodDisruptionBudget forbids an eviction, `unclear` when a request was sent and
 * no answer tells whether it took effect. Nothing is retried here.
 */
export interface KubeWrites {
  /** The namespace is that of the object. */
  create(
    resource: KubeResource,
    object: JsonObject,
    options?: KubeWriteOptions,
  ): Promise<JsonObject>;
  /** Replaces an object or a part of it; `invalid` without a version in its metadata. */
  update(
    resource: KubeResource,
    object: JsonObject,
    options?: KubePartOptions,
  ): Promise<JsonObject>;
  /** A `metadata.uid` or `metadata.resourceVersion` in a patch is a precondition. */
  patch(
    resource: KubeResource,
    name: KubeName,
    patch: KubePatch,
    options?: KubePartOptions,
  ): Promise<JsonObject>;
  /** The object as it waits for its end, or a `Status` or the last object when it is gone. */
  delete(resource: KubeResource, name: KubeName, options: KubeDeleteOptions): Promise<JsonObject>;
  /** Deletes a Pod by an Eviction of policy/v1, as its budgets allow; answers a `Status`. */
  evict(pod: KubeName, options: KubeEvictOptions): Promise<JsonObject>;
}
