import { isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { KubeKind } from '../../sim/kube/kinds.ts';
import { lookUp, type Site } from './site.ts';

/** What a CustomResourceDefinition says of the version that a kind is; null for any other kind. */
export function customVersion(site: Site, kind: KubeKind): JsonObject | null {
  if (kind.custom === null) return null;
  const group = 'apiextensions.k8s.io';
  const definition = lookUp(site, group, 'customresourcedefinitions', null, kind.custom.crd);
  const versions = listAt(definition ?? {}, 'spec.versions').filter(isObject);
  return versions.find((one) => textAt(one, 'name') === kind.version) ?? null;
}

/** Its `openAPIV3Schema`. */
export function customSchema(site: Site, kind: KubeKind): JsonObject | null {
  const schema = customVersion(site, kind)?.['schema'];
  const own = isObject(schema) ? schema['openAPIV3Schema'] : undefined;
  return isObject(own) ? own : null;
}
