import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { SeenObject } from './pods-seen.ts';
import type { Seen } from '../../evidence/fact.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolume,
  CsiNode,
} from '../../evidence/kube/storage.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

/** A claim of a pod with the volume it is bound to. */
export interface ClaimedVolume {
  readonly claim: SeenObject;
  /** null where it is not bound, or its volume was not read. */
  readonly volume: SeenObject | null;
}

const PROVISIONERS = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
] as const;
const ZONES =
  /^(?:topology\.(?:[\w-]+\.csi\.aws\.com|kubernetes\.io)|failure-domain\.beta\.kubernetes\.io)\/zone$/;

/** Names of the claims that a pod mounts. */
export function claimNames(object: Pod): readonly string[] {
  return (object.spec?.volumes ?? [])
    .map((volume) => volume.persistentVolumeClaim?.claimName ?? null)
    .filter((name) => name !== null);
}

/** The claims of a pod that were read, with their volumes. */
export function volumesOf(
  pod: Pod,
  claims: readonly Seen<PersistentVolumeClaim>[],
  volumes: readonly Seen<PersistentVolume>[],
): readonly ClaimedVolume[] {
  const wanted = new Set(claimNames(pod));
  if (wanted.size === 0) return [];
  return claims
    .filter(({ value }) => value.namespace === pod.namespace && wanted.has(value.name))
    .map((claim) => {
      const name = claim.value.spec?.volumeName ?? null;
      return { claim, volume: volumes.find(({ value }) => value.name === name) ?? null };
    });
}

/** The CSI driver that serves a claim: its volume's, else its provisioner. */
export function driverOf({ claim, volume }: ClaimedVolume): string | null {
  const own = textAt(volume?.value, 'spec.csi.driver');
  if (own !== null) return own;
  const { annotations } = claim.value;
  return PROVISIONERS.map((key) => annotations[key]).find((name) => name !== undefined) ?? null;
}

/** `PersistentVolumeClaim NAMESPACE/NAME is bound to VOLUME of DRIVER`. */
export function claimWords(claimed: ClaimedVolume): string {
  const { namespace, name } = claimed.claim.value;
  const volume = textAt(claimed.claim.value, 'spec.volumeName') ?? 'no volume yet';
  return `PersistentVolumeClaim ${namespace ?? ''}/${name}: ${volume}, driver ${driverOf(claimed) ?? 'unknown'}`;
}

function zonesIn(expression: Json): readonly string[] {
  const isZone = ZONES.test(textAt(expression, 'key') ?? '');
  return isZone && textAt(expression, 'operator') === 'In'
    ? listAt(expression, 'values').map(String)
    : [];
}

/** Zones in which a volume can be used; empty for one that can be used anywhere. */
export function zonesOf({ value }: SeenObject): readonly string[] {
  const terms = listAt(at(value, 'spec.nodeAffinity.required'), 'nodeSelectorTerms');
  const zones = terms.flatMap((term) => listAt(term, 'matchExpressions').flatMap(zonesIn));
  return [...new Set(zones)];
}

/** Names of the drivers that a node's CSINode has. */
export function driversOn(object: CsiNode): readonly string[] {
  return (object.spec?.drivers ?? []).map((entry) => entry.name ?? '');
}
