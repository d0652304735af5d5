import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import { shownAs } from './events.ts';
import { apiVersionOf } from './kinds.ts';
import { notFound } from './refusal.ts';
import { objectKey, type Scope } from './scope.ts';
import { type Selector, selectorOf } from './selectors.ts';
import { keyOf } from './store.ts';

/** An answer for which any version will do comes from the server's cache, which may lag behind. */
export function cachedRevision({ core, table }: Scope): number {
  const lags = [...core.cacheLags].filter((one) => one.table === table.name);
  if (lags.length === 0) return core.store.revision;
  const lagMs = Math.max(...lags.map((one) => one.lagMs));
  return Math.max(table.forgottenRevision, table.revisionAt(core.kernel.nowMs() - lagMs));
}

export function get(scope: Scope): KubeObject {
  const { core, query, table } = scope;
  const isOld = query['resourceVersion'] === '0' && core.cacheLags.size > 0;
  const key = objectKey(scope);
  const object = isOld ? (table.stateAt(cachedRevision(scope)).get(key) ?? null) : table.get(key);
  if (object === null) throw notFound(scope.kind, scope.name);
  return object;
}

export function selectorOfScope({ kind, query }: Scope): Selector {
  return selectorOf(kind, query['labelSelector'] ?? '', query['fieldSelector'] ?? '');
}

/**
 * What is selected, in the order of keys; only the index that fits is walked.
 *
 * @param from the key at which to begin
 */
export function selected(scope: Scope, selector: Selector, from = ''): readonly KubeObject[] {
  const { table, namespace } = scope;
  const keys =
    selector.name !== null && (namespace !== null || !scope.kind.isNamespaced)
      ? [keyOf(namespace, selector.name)]
      : table.keys(namespace, selector.nodeName);
  const found: KubeObject[] = [];
  for (const key of from === '' ? keys : keys.slice(placeOf(keys, from))) {
    if (selector.nodeName !== null && namespace !== null && !key.startsWith(`${namespace}/`))
      continue;
    const object = table.get(key);
    if (object !== null && (selector.isEverything || selector.matches(object))) found.push(object);
  }
  return found;
}

/** Where a key stands, or would stand, among keys in their order. */
function placeOf(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Items of built-in kinds have no kind of their own in a list. */
export function listItem(scope: Scope, object: KubeObject): KubeObject {
  if (scope.kind.custom !== null) return object;
  const { kind: _, apiVersion: __, ...rest } = shownAs(scope.kind, object);
  return rest;
}

export function listObject(
  scope: Scope,
  items: readonly KubeObject[],
  metadata: JsonObject,
): JsonObject {
  return {
    kind: `${scope.kind.kind}List`,
    apiVersion: apiVersionOf(scope.kind),
    metadata: scope.kind.custom === null ? metadata : { continue: '', ...metadata },
    items: items.map((item) => listItem(scope, item)) as readonly Json[],
  };
}
