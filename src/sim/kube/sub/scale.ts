import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import { objectAt } from '../rules/fields.ts';
import { metadataOf } from '../store.ts';
import { wordOf } from '../word.ts';

/** A workload as `autoscaling/v1 Scale` shows it. */
export function scaleOf(object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object);
  const spec = objectAt(object, 'spec');
  const replicas = Number(spec['replicas'] ?? 0);
  const selector = selectorText(objectAt(spec, 'selector'));
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp } as JsonObject;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: Number(objectAt(object, 'status')['replicas'] ?? 0),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels'));
  return labels
    .map(([key, value]) => `${key}=${wordOf(value)}`)
    .toSorted()
    .join(',');
}

/** The workload with the replicas of a Scale. */
export function scaled(object: KubeObject, scale: Json): KubeObject {
  const replicas = isObject(scale) ? Number(objectAt(scale, 'spec')['replicas'] ?? 0) : 0;
  const version = isObject(scale) ? metadataOf(scale)['resourceVersion'] : undefined;
  const metadata = {
    ...metadataOf(object),
    ...(version === undefined ? {} : { resourceVersion: version }),
  };
  return { ...object, metadata, spec: { ...objectAt(object, 'spec'), replicas } };
}
