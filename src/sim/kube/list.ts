import { isObject, type JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import { assertListOptions, versionOf } from './list-options.ts';
import { cachedRevision, listObject, selected, selectorOfScope } from './read.ts';
import { badRequest, expired, tooLargeVersion } from './refusal.ts';
import { objectKey, type Scope } from './scope.ts';
import type { Selector } from './selectors.ts';
import { keyOf, metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** A list of what is selected, or a page of it. @throws Refusal 400, 410, 422, 504 */
export function list(scope: Scope): JsonObject {
  const { query } = scope;
  assertListOptions(query, false);
  const limit = limitOf(query['limit']);
  const selector = selectorOfScope(scope);
  const token = query['continue'] ?? '';
  if (token !== '') return nextPage(scope, selector, limit, token);
  const revision = revisionOf(scope, limit);
  return page(scope, matching(scope, selector, revision), revision, limit, selector);
}

function limitOf(text = ''): number {
  const limit = text === '' ? 0 : Number(text);
  if (Number.isInteger(limit)) return Math.max(limit, 0);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Which state is asked for; the cache's, which may be old, when any will do. */
function revisionOf(scope: Scope, limit: number): number {
  const { core, query, table } = scope;
  const text = query['resourceVersion'] ?? '';
  const asked = versionOf(text);
  const { revision } = core.store;
  if (asked === 0) return text === '' ? revision : cachedRevision(scope);
  if (asked > revision) throw tooLargeVersion(text, revision);
  const match = query['resourceVersionMatch'] ?? '';
  if (match === 'NotOlderThan' || (match === '' && limit === 0)) return revision;
  if (asked < table.forgottenRevision)
    throw expired(`The resourceVersion for the provided list is too old.`);
  return asked;
}

/** Objects as they were at a revision, in the order of their keys, from a key on. */
function matching(
  scope: Scope,
  selector: Selector,
  revision: number,
  from = '',
): readonly KubeObject[] {
  if (revision >= scope.core.store.revision) return selected(scope, selector, from);
  const found: KubeObject[] = [];
  for (const [key, object] of stateAt(scope, revision)) {
    const isHere =
      key >= from && (scope.namespace === null || key.startsWith(`${scope.namespace}/`));
    if (isHere && (selector.isEverything || selector.matches(object))) found.push(object);
  }
  return found;
}

function stateAt({ table }: Scope, revision: number): readonly (readonly [string, KubeObject])[] {
  return [...table.stateAt(revision)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function page(
  scope: Scope,
  objects: readonly KubeObject[],
  revision: number,
  limit: number,
  selector: Selector,
): JsonObject {
  const resourceVersion = wordOf(revision);
  const isWhole =
    limit === 0 || objects.length < limit || !hasMore(scope, objects, limit, revision);
  if (isWhole) return listObject(scope, objects, { resourceVersion });
  const items = objects.slice(0, limit);
  const last = items.at(-1) as KubeObject;
  return listObject(scope, items, {
    resourceVersion,
    continue: tokenOf(revision, startAfter(scope, last)),
    ...(selector.isEverything ? { remainingItemCount: objects.length - limit } : {}),
  });
}

/** Whether anything stands behind a full page, selected or not: the server has not looked yet. */
function hasMore(
  scope: Scope,
  objects: readonly KubeObject[],
  limit: number,
  revision: number,
): boolean {
  if (objects.length > limit) return true;
  if (revision < scope.core.store.revision) return false;
  const last = keyOfObject(objects[limit - 1] ?? {});
  return (scope.table.keys(scope.namespace).at(-1) ?? '') > last;
}

/** Where the next page begins: the key itself, below the path that was listed, and a null byte. */
function startAfter(scope: Scope, object: KubeObject): string {
  const { name = '', namespace = null } = metadataOf(object);
  const own = scope.namespace === null && namespace !== null ? wordOf(namespace) : null;
  return `/${keyOf(own, wordOf(name))}\0`;
}

function tokenOf(rv: number, start: string): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv, start });
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

interface Continued {
  readonly rv: number;
  readonly start: string;
}

const TOKEN_MAX = 4096;

function continued(token: string): Continued {
  try {
    if (token.length > TOKEN_MAX) throw new RangeError('too long');
    const found: unknown = JSON.parse(atob(token.replaceAll('-', '+').replaceAll('_', '/')));
    if (!isObject(found as JsonObject)) throw new TypeError('no object');
    const { rv, start } = found as JsonObject;
    if (typeof start !== 'string' || typeof rv !== 'number') throw new TypeError('incomplete');
    return { rv, start };
  } catch {
    throw badRequest('continue key is not valid: illegal base64 data or JSON');
  }
}

function nextPage(scope: Scope, selector: Selector, limit: number, token: string): JsonObject {
  if ((scope.query['resourceVersion'] ?? '') !== '')
    throw badRequest('specifying resource version is not allowed when using continue');
  const { rv, start } = continued(token);
  const current = scope.core.store.revision;
  if (rv > 0 && rv < scope.table.forgottenRevision)
    throw expired(TOO_OLD, { continue: tokenOf(-1, start) });
  const revision = rv < 0 ? current : Math.min(rv, current);
  const from = objectKey(scope, start.slice(1));
  return page(scope, matching(scope, selector, revision, from), revision, limit, selector);
}

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start ' +
  'a new list without the continue parameter, or use the continue token in this response to ' +
  'retrieve the remainder of the results. Continuing with the provided token results in an ' +
  'inconsistent list - objects that were created, modified, or deleted between the time the first ' +
  'chunk was returned and now may show up in the list.';

function keyOfObject(object: KubeObject): string {
  const { name = '', namespace = null } = metadataOf(object);
  return keyOf(namespace === null ? null : wordOf(namespace), wordOf(name));
}
