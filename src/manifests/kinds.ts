import { type JsonObject, textAt } from '../evidence/json.ts';
import type { KubeResource } from '../ports/kube-api.ts';

/** Plurals of what an installation consists of, and whether it is in a namespace. */
const PLURALS: Readonly<Record<string, readonly [plural: string, isNamespaced: boolean]>> = {
  Namespace: ['namespaces', false],
  PriorityClass: ['priorityclasses', false],
  CustomResourceDefinition: ['customresourcedefinitions', false],
  ServiceAccount: ['serviceaccounts', true],
  ClusterRole: ['clusterroles', false],
  ClusterRoleBinding: ['clusterrolebindings', false],
  Role: ['roles', true],
  RoleBinding: ['rolebindings', true],
  ValidatingAdmissionPolicy: ['validatingadmissionpolicies', false],
  ValidatingAdmissionPolicyBinding: ['validatingadmissionpolicybindings', false],
  MutatingAdmissionPolicy: ['mutatingadmissionpolicies', false],
  MutatingAdmissionPolicyBinding: ['mutatingadmissionpolicybindings', false],
  Service: ['services', true],
  NetworkPolicy: ['networkpolicies', true],
  PodDisruptionBudget: ['poddisruptionbudgets', true],
  Deployment: ['deployments', true],
  DaemonSet: ['daemonsets', true],
};

/** The kind of an object of ours as the API server's paths name it. @throws RangeError */
export function resourceOf(object: JsonObject): KubeResource {
  const kind = textAt(object, 'kind') ?? '';
  const known = Object.hasOwn(PLURALS, kind) ? PLURALS[kind] : undefined;
  if (known === undefined) throw new RangeError(`no installation has a ${kind}`);
  const [version = '', group = ''] = (textAt(object, 'apiVersion') ?? '').split('/').toReversed();
  return { group, version, plural: known[0], kind, isNamespaced: known[1] };
}
