import { at, type JsonObject } from '../evidence/json.ts';

/** A kind of object as the API server's paths name it; `group` is empty for core/v1. */
export interface KubeResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export interface KubeSelection {
  /** null for all namespaces and for kinds without one. */
  readonly namespace?: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface KubeListPage {
  /** Objects as they came; items of a list carry no `kind` and `apiVersion` of their own. */
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
}

/** Where in a list its next page begins. */
export interface KubeListPlace {
  readonly objectsBefore: number;
  /** `metadata.remainingItemCount` of the page before; null for the first page, or where the server does not count. */
  readonly objectsLeft: number | null;
}

export const LIST_START: KubeListPlace = { objectsBefore: 0, objectsLeft: null };

/** The place behind a page of so many objects; `list` is the page as the server worded it. */
export function placeBehind(place: KubeListPlace, list: JsonObject, count: number): KubeListPlace {
  const left = at(list, 'metadata.remainingItemCount');
  return {
    objectsBefore: place.objectsBefore + count,
    objectsLeft: typeof left === 'number' ? left : null,
  };
}

export interface KubeListOptions extends KubeSelection {
  /** Objects a page, or how many from a place on; 500 when not given. */
  readonly pageSize?: number | ((place: KubeListPlace) => number);
  /** `0` takes what the server's cache holds; without it the newest is read. */
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal;
}

export interface KubeWatchOptions extends KubeSelection {
  /** Go on after this version; undefined with `sendInitialEvents`. */
  readonly resourceVersion?: string;
  /** Ask the server to send what exists first and to mark its end by a bookmark (WatchList). */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this long, seconds. */
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface KubeWatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: JsonObject;
  readonly resourceVersion: string;
  /** True for the bookmark after the last object that existed when the watch began. */
  readonly endsInitialEvents: boolean;
}

export interface KubeName {
  readonly namespace?: string | null;
  readonly name: string;
}

export interface KubeLogOptions {
  readonly container?: string;
  readonly tailLines: number;
  /** The log of the container's previous run. */
  readonly previous?: boolean;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

/**
 * What a kubelet serves of its machine's logs: a file below `/var/log`, a folder of it (the path
 * ends with a slash, the root is empty), or the newest journal lines of a unit.
 */
export type KubeNodeLogPlace =
  | { readonly path: string }
  | { readonly unit: string; readonly tailLines: number };

export interface KubeNodeLogOptions {
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

export interface KubeNodeLog {
  /** The last ones; a folder is a page with a link for each name. */
  readonly bytes: Uint8Array;
  /** True when the beginning was left out. */
  readonly isCut: boolean;
}

/** What may be asked of the authorizer about the present identity. */
export interface KubeAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string | null;
  readonly name?: string;
}

/**
 * One API server, read only; `KubeWrites` is an interface of its own. Every method throws `PortError`, in which `denied` names the verb and
 * resource as its permission. Nothing is retried here.
 */
export interface KubeApi {
  /** `https://…` of the API server, for messages and for telling clusters apart. */
  readonly server: string;
  /** Pages in the order of the server; throws `expired` when a continue token is too old. */
  list(resource: KubeResource, options?: KubeListOptions): AsyncIterable<KubeListPage>;
  get(resource: KubeResource, name: KubeName, signal?: AbortSignal): Promise<JsonObject>;
  /**
   * Events from one connection; ends when the server ends it, and throws `expired` on 410 in
   * status or event, `unreachable` on a reset, `malformed` on half a line.
   */
  watch(resource: KubeResource, options: KubeWatchOptions): AsyncIterable<KubeWatchEvent>;
  /** The end of a container's log. */
  logs(pod: KubeName, options: KubeLogOptions): Promise<Uint8Array>;
  /** Asks the kubelet's health through the API server's node proxy (`/healthz`). */
  kubeletHealth(node: string, signal?: AbortSignal): Promise<string>;
  /**
   * Logs of a Node's machine through the API server's node proxy. Throws `not-found` for a file
   * that is not there, `unsupported` where the kubelet does not serve them.
   */
  nodeLog(node: string, place: KubeNodeLogPlace, options: KubeNodeLogOptions): Promise<KubeNodeLog>;
  /** True when the present identity may; from SelfSubjectAccessReview, which changes nothing. */
  mayI(access: KubeAccess, signal?: AbortSignal): Promise<boolean>;
  /** `gitVersion` of the server. */
  version(signal?: AbortSignal): Promise<string>;
  /** How far the clock here is ahead of the server's, ms; null before an answer told its Date. */
  skewMs(): number | null;
}
