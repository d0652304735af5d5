import type {
  KubeListOptions,
  KubeListPlace,
  KubeName,
  KubeNodeLogPlace,
  KubeResource,
  KubeSelection,
  KubeWatchOptions,
} from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { shown } from './words.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Objects a page when nothing else is asked for. */
const PAGE_SIZE = 500;

/** Where a list goes on, and the token that says so to the server. */
export interface ListPosition {
  readonly place: KubeListPlace;
  /** null for the first page. */
  readonly token: string | null;
}

export function listPath(
  resource: KubeResource,
  options: KubeListOptions,
  { place, token }: ListPosition,
): string {
  const { pageSize = PAGE_SIZE } = options;
  const limit = typeof pageSize === 'number' ? pageSize : pageSize(place);
  const query = {
    ...selectors(options),
    limit: String(limit),
    // A continued list has its version in the token.
    resourceVersion: token === null ? options.resourceVersion : undefined,
    continue: token ?? undefined,
  };
  return withQuery(collectionPath(resource, options.namespace ?? null), query);
}

export function watchPath(resource: KubeResource, options: KubeWatchOptions): string {
  const isWatchList = options.sendInitialEvents === true;
  const query = {
    ...selectors(options),
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    sendInitialEvents: isWatchList ? 'true' : undefined,
    resourceVersionMatch: isWatchList ? 'NotOlderThan' : undefined,
    timeoutSeconds: options.timeoutSeconds?.toFixed(0),
  };
  return withQuery(collectionPath(resource, options.namespace ?? null), query);
}

export function objectPath(resource: KubeResource, { namespace, name }: KubeName): string {
  return `${collectionPath(resource, namespace ?? null)}/${segment(name)}`;
}

/**
 * An object, or a part of it, to be changed.
 * @throws PortError `invalid`
 */
export function partPath(resource: KubeResource, name: KubeName, subresource?: string): string {
  assertPlaced(resource, name.namespace ?? null);
  const path = objectPath(resource, name);
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/**
 * Where an object is created.
 * @throws PortError `invalid`
 */
export function createPath(resource: KubeResource, namespace: string | null): string {
  assertPlaced(resource, namespace);
  return collectionPath(resource, namespace);
}

function assertPlaced({ isNamespaced, kind }: KubeResource, namespace: string | null): void {
  if (!isNamespaced || (namespace !== null && namespace !== '')) return;
  throw new PortError({
    failure: 'invalid',
    message: `A ${kind} without a namespace was not sent; set metadata.namespace`,
  });
}

function collectionPath(resource: KubeResource, namespace: string | null): string {
  const { group, version, plural, isNamespaced } = resource;
  const root =
    group === '' ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
  const scope = isNamespaced && namespace !== null ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${scope}/${segment(plural)}`;
}

/**
 * One part of a path. The server splits paths after decoding, so a name with a slash would become
 * another request.
 * @throws PortError `invalid`
 */
export function segment(name: string): string {
  if (isSegment(name)) return encodeURIComponent(name);
  throw new PortError({
    failure: 'invalid',
    message: `${shown(name) || 'An empty name'} is not a valid Kubernetes name; list the names:  kubectl get nodes`,
  });
}

function isSegment(name: string): boolean {
  return /^[^/%\\?#\s]{1,253}$/.test(name) && name !== '.' && name !== '..';
}

/**
 * Where the API server serves what a kubelet has below `/logs/`.
 * @throws PortError `invalid`
 */
export function nodeLogPath(node: string, place: KubeNodeLogPlace): string {
  const root = `/api/v1/nodes/${segment(node)}/proxy/logs/`;
  if ('unit' in place)
    return withQuery(root, { query: place.unit, tailLines: String(place.tailLines) });
  const parts = place.path.replace(/\/$/, '').split('/');
  if (place.path !== '' && !parts.every(isSegment))
    throw new PortError({
      failure: 'invalid',
      message: `${shown(place.path)} is not the path of a file below /var/log; list them:  kubectl get --raw ${root}`,
    });
  return `${root}${place.path.split('/').map(encodeURIComponent).join('/')}`;
}

function selectors({ labelSelector, fieldSelector }: KubeSelection): Query {
  return { labelSelector, fieldSelector };
}

export function withQuery(path: string, query: Query): string {
  const set = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const text = new URLSearchParams(set).toString();
  return text === '' ? path : `${path}?${text}`;
}
