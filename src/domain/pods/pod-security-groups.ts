import { selects } from './label-selector.ts';
import { hasSettled, podCondition, serviceAccountOf, waitsForSandbox } from './pods.ts';
import type { Pod, Container } from '../../evidence/kube/pod.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Timed } from '../../evidence/time.ts';
import type { SecurityGroupPolicy, CniNode } from '../../evidence/kube/network.ts';
import type { ServiceAccount } from '../../evidence/kube/admission.ts';

/** The resource that a pod with security groups of its own asks for (amazon-vpc-resource-controller-k8s). */
export const POD_ENI = 'vpc.amazonaws.com/pod-eni';

function asksIn(container: Container): boolean {
  const { limits, requests } = container.resources ?? {};
  return [...(limits ?? []), ...(requests ?? [])].includes(POD_ENI);
}

/** True for a pod that the controller's webhook has given a request for a branch interface. */
export function asksForBranch(object: Pod): boolean {
  return [...(object.spec?.initContainers ?? []), ...(object.spec?.containers ?? [])].some(asksIn);
}

/** True for a pod onto which the controller has written its branch interface. */
export function hasBranch({ annotations }: Pod): boolean {
  return annotations[POD_ENI] !== undefined;
}

/** True for a pod that no node took, and that asks for a branch interface. */
export function waitsForBranch(pod: Pod): boolean {
  return podCondition(pod, 'PodScheduled', 'status') === 'False' && asksForBranch(pod);
}

/** Pods on their nodes that ask for a branch interface and have waited to start too long. */
export function podsWithoutBranch(pods: readonly Seen<Pod>[], time: Timed): readonly Seen<Pod>[] {
  return pods.filter(
    (pod) => asksForBranch(pod.value) && waitsForSandbox(pod.value) && hasSettled(pod, time),
  );
}

function selectsAccount(
  policy: SecurityGroupPolicy,
  pod: Pod,
  accounts: readonly Seen<ServiceAccount>[],
): boolean {
  const selector = policy.spec?.serviceAccountSelector;
  if (!selector) return true;
  const own = accounts.find(
    ({ value }) => value.namespace === pod.namespace && value.name === serviceAccountOf(pod),
  );
  return own !== undefined && selects(selector, own.value.labels);
}

/** The SecurityGroupPolicies that select a pod; one with both selectors needs both to fit. */
export function policiesOf(
  pod: Pod,
  policies: readonly Seen<SecurityGroupPolicy>[],
  accounts: readonly Seen<ServiceAccount>[],
): readonly Seen<SecurityGroupPolicy>[] {
  return policies.filter(
    ({ value }) =>
      value.namespace === pod.namespace &&
      selects(value.spec?.podSelector, pod.labels) &&
      selectsAccount(value, pod, accounts),
  );
}

/** The ids of the security groups that a policy gives. */
export function groupsOf({ value }: Seen<SecurityGroupPolicy>): readonly string[] {
  return (value.spec?.securityGroups?.groupIds ?? []).map(String);
}

/** `SecurityGroupPolicy NAMESPACE/NAME gives sg-1, sg-2`. */
export function policyWords(policy: Seen<SecurityGroupPolicy>): string {
  const { namespace, name } = policy.value;
  return `SecurityGroupPolicy ${namespace ?? ''}/${name} gives ${groupsOf(policy).join(', ')}`;
}

/** True when the node's agent has asked for a trunk: it writes this feature into its CNINode. */
export function asksForTrunk({ value }: Seen<CniNode>): boolean {
  return (value.spec?.features ?? []).some((feature) => feature.name === 'SecurityGroupsForPods');
}
