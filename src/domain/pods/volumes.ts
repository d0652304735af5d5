import type { Seen } from '../../evidence/fact.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolume,
  CsiNode,
} from '../../evidence/kube/storage.ts';
import type { SelectorRequirement } from '../../evidence/kube/object.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

/** A claim of a pod with the volume it is bound to. */
export interface ClaimedVolume {
  readonly claim: Seen<PersistentVolumeClaim>;
  /** null where it is not bound, or its volume was not read. */
  readonly volume: Seen<PersistentVolume> | null;
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
  const own = volume?.value.spec?.csi?.driver;
  if (own) return own;
  const { annotations } = claim.value;
  return PROVISIONERS.map((key) => annotations[key]).find((name) => name !== undefined) ?? null;
}

/** `PersistentVolumeClaim NAMESPACE/NAME is bound to VOLUME of DRIVER`. */
export function claimWords(claimed: ClaimedVolume): string {
  const { namespace, name } = claimed.claim.value;
  const volume = claimed.claim.value.spec?.volumeName ?? 'no volume yet';
  return `PersistentVolumeClaim ${namespace ?? ''}/${name}: ${volume}, driver ${driverOf(claimed) ?? 'unknown'}`;
}

function zonesIn({ key, operator, values }: SelectorRequirement): readonly string[] {
  return ZONES.test(key ?? '') && operator === 'In' ? (values ?? []) : [];
}

/** Zones in which a volume can be used; empty for one that can be used anywhere. */
export function zonesOf({ value }: Seen<PersistentVolume>): readonly string[] {
  const terms = value.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const zones = terms.flatMap((term) => (term.matchExpressions ?? []).flatMap(zonesIn));
  return [...new Set(zones)];
}

/** Names of the drivers that a node's CSINode has. */
export function driversOn(object: CsiNode): readonly string[] {
  return (object.spec?.drivers ?? []).map((entry) => entry.name ?? '');
}
