import type { KubeResource } from '../ports/kube-api.ts';

function resource(path: string, kind: string, isNamespaced = true): KubeResource {
  const [plural = '', version = 'v1', ...group] = path.split('.');
  return { group: group.join('.'), version, plural, kind, isNamespaced };
}

export const NODES = resource('nodes.v1', 'Node', false);
export const PODS = resource('pods.v1', 'Pod');
export const EVENTS = resource('events.v1', 'Event');
export const LEASES = resource('leases.v1.coordination.k8s.io', 'Lease');
export const CONFIG_MAPS = resource('configmaps.v1', 'ConfigMap');

export interface PlannedList {
  readonly resource: KubeResource;
  /** The one namespace that is read, null for all. */
  readonly namespace: string | null;
  /** True for kinds that only some clusters have, whose absence is no failure. */
  readonly isOptional: boolean;
}

function list(given: KubeResource, namespace: string | null = null): PlannedList {
  return { resource: given, namespace, isOptional: false };
}

function optional(path: string, kind: string, isNamespaced = false): PlannedList {
  return { resource: resource(path, kind, isNamespaced), namespace: null, isOptional: true };
}

/** What is listed whole of every cluster; `rollcall permissions` is made from this table. */
export const KUBE_LISTS: readonly PlannedList[] = [
  list(NODES),
  list(PODS),
  list(EVENTS),
  list(LEASES),
  list(CONFIG_MAPS, 'kube-system'),
  list(resource('daemonsets.v1.apps', 'DaemonSet')),
  list(resource('deployments.v1.apps', 'Deployment')),
  list(resource('serviceaccounts.v1', 'ServiceAccount')),
  list(resource('namespaces.v1', 'Namespace', false)),
  list(resource('csinodes.v1.storage.k8s.io', 'CSINode', false)),
  list(
    resource(
      'certificatesigningrequests.v1.certificates.k8s.io',
      'CertificateSigningRequest',
      false,
    ),
  ),
  list(
    resource(
      'mutatingwebhookconfigurations.v1.admissionregistration.k8s.io',
      'MutatingWebhookConfiguration',
      false,
    ),
  ),
  list(
    resource(
      'validatingwebhookconfigurations.v1.admissionregistration.k8s.io',
      'ValidatingWebhookConfiguration',
      false,
    ),
  ),
  list(resource('endpointslices.v1.discovery.k8s.io', 'EndpointSlice')),
  list(resource('persistentvolumeclaims.v1', 'PersistentVolumeClaim')),
  list(resource('persistentvolumes.v1', 'PersistentVolume', false)),
  list(resource('poddisruptionbudgets.v1.policy', 'PodDisruptionBudget')),
  optional('nodeclaims.v1.karpenter.sh', 'NodeClaim'),
  optional('nodepools.v1.karpenter.sh', 'NodePool'),
  optional('ec2nodeclasses.v1.karpenter.k8s.aws', 'EC2NodeClass'),
  optional('eniconfigs.v1alpha1.crd.k8s.amazonaws.com', 'ENIConfig'),
  optional('cninodes.v1alpha1.vpcresources.k8s.aws', 'CNINode'),
  optional('securitygrouppolicies.v1beta1.vpcresources.k8s.aws', 'SecurityGroupPolicy', true),
  optional('nodereadinessrules.v1alpha1.readiness.node.x-k8s.io', 'NodeReadinessRule'),
];
