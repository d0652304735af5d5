import type { Pod } from '../evidence/kube/pod.ts';
import type { MachineName } from '../evidence/names.ts';
import type { Hit, Observations } from '../evidence/observations.ts';
import { isPodReady, podName } from '../domain/pods/pods.ts';

interface PodPlaces {
  /** The Node of a pod that was seen itself; other names stay as they are. */
  nodeOf(name: MachineName | null): MachineName | null;
  /** True for an event of a pod that is well or gone by now: what it told is over. */
  isHealed(hit: Hit): boolean;
}

interface Place {
  readonly node: MachineName | null;
  readonly isReady: boolean;
}

const NOBODY: PodPlaces = { nodeOf: (name) => name, isHealed: () => false };

function placesOf({ facts }: Observations): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { kind, value, about } of facts) {
    if (kind !== 'kube/Pod') continue;
    const pod = value as Pod;
    const [node = null] = about;
    places.set(podName(pod), { node, isReady: isPodReady(pod) });
  }
  return places;
}

/** Ties events of pods to the pods as they are, where all pods were listed. */
export function podPlaces(observations: Observations): PodPlaces {
  if (!observations.hits.some(({ about }) => about?.kind === 'pod')) return NOBODY;
  const places = placesOf(observations);
  const isComplete = observations.listings.some(({ kind }) => kind === 'kube/Pod');
  return {
    nodeOf: (name) => (name?.kind === 'pod' ? (places.get(name.value)?.node ?? null) : name),
    isHealed({ about }) {
      if (about?.kind !== 'pod') return false;
      const place = places.get(about.value);
      return place === undefined ? isComplete : place.isReady;
    },
  };
}
