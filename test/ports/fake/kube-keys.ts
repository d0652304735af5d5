/** Names and versions of the objects of the API server in memory. */
import { isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { KubeResource } from '../../../src/ports/kube-api.ts';

export function keyOfResource({ group, plural }: KubeResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function apiVersionOf({ group, version }: KubeResource): string {
  return group === '' ? version : `${group}/${version}`;
}

export function keyOf(object: JsonObject): string {
  const name = textAt(object, 'metadata.name') ?? '';
  return `${textAt(object, 'metadata.namespace') ?? ''}/${name}`;
}

export function withVersion(object: JsonObject, version: number): JsonObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata: { ...metadata, resourceVersion: String(version) } };
}

/** Items of a list carry no kind of their own. */
export function withoutKind({
  kind: _kind,
  apiVersion: _apiVersion,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}
