import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { apiVersionOf, type KubeKind } from '../../../sim/kube/kinds.ts';
import type { Site } from '../site.ts';
import type { Column } from './column.ts';
import { columnsOf } from './columns.ts';
import { partialObject } from './partial.ts';

function definition({ name, type, format, priority, description }: Column): JsonObject {
  return { name, type, format, description, priority };
}

function itemsOf(object: JsonObject, kind: KubeKind): readonly JsonObject[] {
  if (object['kind'] !== `${kind.kind}List`) return [object];
  return Array.isArray(object['items'])
    ? (object['items'] as readonly Json[]).filter(isObject)
    : [];
}

/** What a row carries besides its cells. */
function carried(
  object: JsonObject,
  kind: KubeKind,
  version: string,
  include: string,
): Readonly<Record<string, Json>> {
  if (include === 'None') return {};
  if (include !== 'Object') return { object: partialObject(object, version) };
  return { object: { kind: kind.kind, apiVersion: apiVersionOf(kind), ...object } };
}

/** An object or a list as `kubectl get` prints it. */
export function tableOf(
  site: Site,
  kind: KubeKind,
  object: JsonObject,
  version: string,
  include: string,
): JsonObject {
  const columns = columnsOf(site, kind);
  const nowMs = site.nowMs();
  const isList = object['kind'] === `${kind.kind}List`;
  const metadata = isList ? object['metadata'] : versionOnly(object);
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: metadata ?? {},
    columnDefinitions: columns.map(definition),
    rows: itemsOf(object, kind).map((item) => ({
      cells: columns.map((column) => column.cell(item, nowMs)),
      ...carried(item, kind, version, include),
    })),
  };
}

function versionOnly(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  return version === undefined ? {} : { resourceVersion: version };
}
