import type { ApiPath } from '../../sim/kube/contract.ts';
import { badRequest, noSuchPath } from './status.ts';

/** A path of the API taken apart. */
export type Route =
  | { readonly is: 'resource'; readonly path: ApiPath; readonly rest: string }
  | { readonly is: 'group-list'; readonly isCore: boolean }
  | { readonly is: 'group'; readonly group: string }
  | { readonly is: 'version'; readonly group: string; readonly version: string }
  | { readonly is: 'other'; readonly path: string };

/** @throws DoorRefusal for broken escapes and paths that lead nowhere */
export function routeOf(pathname: string): Route {
  const segments = pathname.split('/').slice(1).map(decoded);
  if (segments.at(-1) === '') segments.pop();
  const [root, ...steps] = segments;
  if (root === 'api') return coreRoute(steps);
  if (root === 'apis') return groupRoute(steps);
  return { is: 'other', path: pathname };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(segment.slice(0, 100))}`);
  }
}

function coreRoute([version, ...steps]: readonly string[]): Route {
  if (version === undefined) return { is: 'group-list', isCore: true };
  if (steps.length === 0) return { is: 'version', group: '', version };
  return resourceRoute('', version, steps);
}

function groupRoute([group, version, ...steps]: readonly string[]): Route {
  if (group === undefined) return { is: 'group-list', isCore: false };
  if (version === undefined) return { is: 'group', group };
  if (steps.length === 0) return { is: 'version', group, version };
  return resourceRoute(group, version, steps);
}

/** What stands below a namespace without being of a kind of its own. */
const NAMESPACE_PARTS = new Set(['status', 'finalize']);

function resourceRoute(group: string, version: string, steps: readonly string[]): Route {
  const [first, namespace, third] = steps;
  const isWithin =
    first === 'namespaces' && third !== undefined && !(group === '' && NAMESPACE_PARTS.has(third));
  const [plural = '', name, subresource, ...rest] = isWithin ? steps.slice(2) : steps;
  if ([plural, name, subresource].includes('')) throw noSuchPath();
  if (rest.length > 0 && subresource !== 'proxy') throw noSuchPath();
  return {
    is: 'resource',
    path: {
      group,
      version,
      plural,
      namespace: isWithin ? (namespace ?? '') : null,
      name: name ?? null,
      subresource: subresource ?? null,
    },
    rest: `/${rest.join('/')}`,
  };
}
