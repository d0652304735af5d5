import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { controllerReference, nameOf, namespaceOf } from '../objects/meta.ts';
import type { PodView } from '../objects/pod.ts';
import { parsedMs } from '../objects/stamp.ts';
import { templateHash } from '../objects/template-hash.ts';
import { daemonTemplate, objectAt, pinnedAffinity } from './daemon-placement.ts';

/** The pod of a DaemonSet for one node, which the scheduler still has to bind. */
export function daemonPod(daemonSet: JsonObject, nodeName: string): JsonObject {
  const template = daemonTemplate(daemonSet);
  const spec = objectAt(template, 'spec');
  const generation = textAt(daemonSet, 'metadata.generation') ?? '1';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...objectAt(template, 'metadata'),
      generateName: `${nameOf(daemonSet)}-`,
      namespace: namespaceOf(daemonSet),
      labels: {
        ...objectAt(template, 'metadata.labels'),
        'controller-revision-hash': revisionOf(daemonSet),
        'pod-template-generation': generation,
      },
      ownerReferences: [controllerReference(daemonSet)],
    },
    spec: { ...spec, affinity: pinnedAffinity(objectAt(spec, 'affinity'), nodeName) },
  };
}

export function revisionOf(daemonSet: JsonObject): string {
  return templateHash(objectAt(daemonSet, 'spec.template'));
}

/** All but the oldest of several live pods of one node. */
export function surplusOf(pods: readonly PodView[]): readonly PodView[] {
  if (pods.length < 2) return [];
  const live = pods.filter((pod) => !pod.isTerminating && pod.phase !== 'Failed');
  return live.toSorted((one, other) => createdMs(one) - createdMs(other)).slice(1);
}

function createdMs(pod: PodView): number {
  return parsedMs(textAt(pod.object, 'metadata.creationTimestamp')) ?? 0;
}
