import { isObject, type Json, type JsonObject, at, textAt } from '../../evidence/json.ts';
import type { JoinDiscovery } from '../../evidence/kinds.ts';

/** The key of a signature by a bootstrap token (kubeadm, bootstrap/api JWSSignatureKeyPrefix). */
const SIGNATURE = /^jws-kubeconfig-([a-z0-9]{6})$/;

/** True for the ConfigMap that kubeadm's discovery reads. */
export function isDiscovery(kind: string, value: JsonObject): boolean {
  return (
    kind === 'ConfigMap' &&
    textAt(value, 'metadata.name') === 'cluster-info' &&
    textAt(value, 'metadata.namespace') === 'kube-public'
  );
}

/** Reads whose signatures the ConfigMap carries. */
export function parseDiscovery(value: Json): JoinDiscovery {
  const entries = at(value, 'data');
  const keys = isObject(entries) ? Object.keys(entries) : [];
  const ids = keys.map((key) => SIGNATURE.exec(key)?.[1]);
  return { signedBy: ids.filter((id) => id !== undefined) };
}
