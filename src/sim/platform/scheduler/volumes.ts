import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { keyOf, labelsOf, nameOf } from '../objects/meta.ts';
import { meetsTerms } from '../objects/node.ts';
import { type Actor, cacheOf } from '../running/actor.ts';
import type { VolumePlaces } from './filters.ts';
import type { NodeState } from './node-state.ts';

/** Labels by which volumes of old name their zone. */
const ZONE_LABELS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

/** Volumes and claims as the scheduler has seen them. @param onChange called after each change */
export function createVolumePlaces(actor: Actor, onChange: () => void): VolumePlaces {
  const claims = cacheOf(actor, 'PersistentVolumeClaim', keyOf, onChange);
  const volumes = cacheOf(actor, 'PersistentVolume', nameOf, onChange);
  return {
    isReachableFrom: (pod, node) =>
      pod.spec.claims.every((name) => {
        const claim = claims.get(`${pod.namespace}/${name}`);
        if (claim === undefined) return false;
        const volume = volumes.get(textAt(claim, 'spec.volumeName') ?? '');
        return volume === undefined || isIn(volume, node);
      }),
  };
}

/** A claim without a volume is bound wherever its pod goes (WaitForFirstConsumer). */
export function isIn(volume: JsonObject, { view }: NodeState): boolean {
  const terms = listAt(volume, 'spec.nodeAffinity.required.nodeSelectorTerms');
  if (terms.length > 0) return meetsTerms(terms, view.name, view.labels);
  const labels = labelsOf(volume);
  return ZONE_LABELS.every((key) => labels[key] === undefined || labels[key] === view.labels[key]);
}
