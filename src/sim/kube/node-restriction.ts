import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { nodeNameOf } from './auth/node-name.ts';
import type { KubeObject } from './contract.ts';
import { isEqual } from '../../evidence/equal.ts';
import { forbidden } from './refusal.ts';
import { listIn, objectAt, textIn } from './rules/fields.ts';
import type { Scope } from './scope.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** NodeRestriction: a kubelet writes its own Node and its own pods only. @throws Refusal 403 */
export function restrictNode(scope: Scope, object: KubeObject, before: KubeObject | null): void {
  const nodeName = nodeNameOf(scope.user);
  if (nodeName === null) return;
  const { kind } = scope.kind;
  const named = { ...scope, name: nameOf(object) };
  if (kind === 'Node') restrictOwnNode(named, nodeName, object, before);
  else if (kind === 'Pod') restrictPod(named, nodeName, object, before);
  else if (kind === 'Lease') restrictLease(named, nodeName, object);
  else if (kind === 'CSINode') restrictDrivers(named, nodeName, object);
}

function refuse(scope: Scope, why: string): never {
  throw forbidden(scope.kind, scope.name, why);
}

function nameOf(object: KubeObject): string {
  return wordOf(metadataOf(object)['name'] ?? '');
}

function restrictDrivers(scope: Scope, nodeName: string, object: KubeObject): void {
  if (nameOf(object) !== nodeName)
    refuse(scope, 'can only access CSINode with the same name as the requesting node');
}

/** Labels of these domains belong to those who administrate the cluster. */
const NODE_LABELS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.kubernetes.io/region',
  'failure-domain.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

function isForbiddenLabel(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  if (domain === '') return false;
  if (domain === 'node-restriction.kubernetes.io') return true;
  if (domain.endsWith('.node-restriction.kubernetes.io')) return true;
  const isOurs = ['kubernetes.io', 'k8s.io'].some(
    (one) => domain === one || domain.endsWith(`.${one}`),
  );
  const isKubelets = ['kubelet.kubernetes.io', 'node.kubernetes.io'].some(
    (one) => domain === one || domain.endsWith(`.${one}`),
  );
  return isOurs && !isKubelets && !NODE_LABELS.has(key);
}

function restrictOwnNode(
  scope: Scope,
  nodeName: string,
  object: KubeObject,
  before: KubeObject | null,
): void {
  if (nameOf(object) !== nodeName)
    refuse(scope, `node "${nodeName}" is not allowed to modify node "${nameOf(object)}"`);
  const labels = (node: KubeObject | null): JsonObject =>
    node === null ? {} : objectAt(metadataOf(node), 'labels');
  const [now, was] = [labels(object), labels(before)];
  const changed = [...new Set([...Object.keys(now), ...Object.keys(was)])].filter(
    (key) => now[key] !== was[key] && isForbiddenLabel(key),
  );
  const list = changed.toSorted().join(', ');
  if (changed.length > 0 && before === null)
    refuse(scope, `node "${nodeName}" is not allowed to set the following labels: ${list}`);
  if (changed.length > 0) refuse(scope, `is not allowed to modify labels: ${list}`);
  if (before === null) return;
  const taints = (node: KubeObject): Json => objectAt(node, 'spec')['taints'] ?? [];
  if (!isEqual(taints(object), taints(before)))
    refuse(scope, `node "${nodeName}" is not allowed to modify taints`);
}

function restrictPod(
  scope: Scope,
  nodeName: string,
  object: KubeObject,
  before: KubeObject | null,
): void {
  const pod = before ?? object;
  const isMirror = textIn(objectAt(metadataOf(pod), 'annotations'), 'kubernetes.io/config.mirror');
  if (before === null && isMirror === '')
    refuse(
      scope,
      `pod does not have "kubernetes.io/config.mirror" annotation, node "${nodeName}" can only create mirror pods`,
    );
  const own = textIn(objectAt(pod, 'spec'), 'nodeName');
  if (own === nodeName && (before !== null || isOwned(object, nodeName))) return;
  if (own === nodeName)
    refuse(scope, `node "${nodeName}" can only create pods with an owner reference set to itself`);
  if (before === null)
    refuse(scope, `node "${nodeName}" can only create pods with spec.nodeName set to itself`);
  refuse(
    scope,
    `node "${nodeName}" can only update pod status for pods with spec.nodeName set to itself`,
  );
}

function isOwned(pod: KubeObject, nodeName: string): boolean {
  const owners = listIn(metadataOf(pod), 'ownerReferences');
  return owners.some((one) => textIn(one, 'kind') === 'Node' && textIn(one, 'name') === nodeName);
}

function restrictLease(scope: Scope, nodeName: string, object: KubeObject): void {
  if (scope.namespace !== 'kube-node-lease')
    refuse(scope, `can only access leases in the "kube-node-lease" system namespace`);
  if (nameOf(object) !== nodeName)
    refuse(scope, `can only access node lease with the same name as the requesting node`);
}

/** Before a deletion, of which there is no new object. @throws Refusal 403 */
export function restrictDeletion(scope: Scope, object: KubeObject): void {
  const nodeName = nodeNameOf(scope.user);
  if (nodeName === null || scope.kind.kind !== 'Pod') return;
  const spec = objectAt(object, 'spec');
  if (isObject(spec) && textIn(spec, 'nodeName') === nodeName) return;
  refuse(scope, `node "${nodeName}" can only delete pods with spec.nodeName set to itself`);
}
