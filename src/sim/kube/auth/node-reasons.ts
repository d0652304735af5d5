import type { Attributes } from './attributes.ts';

const UNRELATED = new Set([
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'persistentvolumes',
  'serviceaccounts',
]);

/** Why the Node authorizer has no opinion, as that of kube-apiserver 1.36 was seen to word it. */
export function nodeReason(nodeName: string, asked: Attributes): string {
  const { group, resource } = asked;
  if (group === 'coordination.k8s.io' && resource === 'leases') return leaseReason(asked);
  if (group === 'storage.k8s.io' && resource === 'csinodes') return driverReason(asked);
  if (group !== '') return '';
  if (resource === 'nodes') return nodesReason(nodeName, asked);
  if (resource === 'pods') return podsReason(nodeName, asked);
  if (!UNRELATED.has(resource)) return '';
  return asked.name === null ? 'No Object name found' : unrelated(nodeName);
}

function unrelated(nodeName: string): string {
  return `no relationship found between node '${nodeName}' and this object`;
}

function nodesReason(nodeName: string, { verb, name, subresource }: Attributes): string {
  if (subresource !== null || !['get', 'list', 'watch'].includes(verb)) return '';
  const what = name === null ? 'all nodes' : `'${name}'`;
  return `node '${nodeName}' cannot read ${what}, only its own Node object`;
}

function podsReason(nodeName: string, { verb, name }: Attributes): string {
  if (verb === 'get' && name !== null) return unrelated(nodeName);
  if (verb !== 'list' && verb !== 'watch') return '';
  return 'can only list/watch pods with spec.nodeName field selector';
}

function leaseReason({ namespace }: Attributes): string {
  if (namespace !== 'kube-node-lease')
    return 'can only access leases in the "kube-node-lease" system namespace';
  return 'can only access node lease with the same name as the requesting node';
}

function driverReason({ name }: Attributes): string {
  if (name === null) return 'can only get, create, update, patch, or delete a CSINode';
  return 'can only access CSINode with the same name as the requesting node';
}
