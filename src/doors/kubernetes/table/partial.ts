import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';

/** Nothing of an object but its metadata. */
export function partialObject(object: JsonObject, version: string): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object['metadata'] ?? {},
  };
}

/** An object or a list of them, only their metadata. */
export function partial(object: JsonObject, kind: KubeKind, version: string): JsonObject {
  if (object['kind'] !== `${kind.kind}List`) return partialObject(object, version);
  const items = Array.isArray(object['items']) ? (object['items'] as readonly Json[]) : [];
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object['metadata'] ?? {},
    items: items.filter(isObject).map((item) => partialObject(item, version)),
  };
}
