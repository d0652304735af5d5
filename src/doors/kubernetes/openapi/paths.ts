import type { JsonObject } from '../../../evidence/json.ts';
import { apiVersionOf, type KubeKind } from '../../../sim/kube/kinds.ts';
import { operations } from './operations.ts';

type PathItem = readonly [string, JsonObject];

/** Where objects of a kind are, and what may be done there. */
export function pathsOf(kind: KubeKind): readonly PathItem[] {
  const root = `/${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`;
  const list = `${root}${kind.isNamespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`;
  return [
    [list, operations(kind, ['get', 'post', 'delete'])],
    [`${list}/{name}`, operations(kind, ['get', 'put', 'patch', 'delete'])],
  ];
}
