import {
  clear,
  defineCause,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { hasBranch, podsWithoutBranch } from '../../../domain/pods/pod-security-groups.ts';

/** The controller cannot make a pod’s branch interface, or cannot write it onto the pod. */
const cause = defineCause({
  id: 'branch-eni-allocation-failed',
  stage: 'networked',
  title: 'a pod’s branch interface is not allocated or not written onto the pod',
  scope: 'cluster',
  signs: {
    notAnnotated: definite(
      ['event'],
      /BranchENIAnnotationFailed(?:\s+pod\/(?<pod>\S+))?(?:.*(?<reason>is forbidden|denied the request|is invalid))?/,
    ),
    notAllocated: likely(['event'], /BranchAllocationFailed(?:\s+pod\/(?<pod>\S+))?/),
    refused: likely(
      ['event', 'vpc-resource-controller', 'client-output'],
      /(?:\bpod\/(?<pod>\S+)\s+)?failed to (?:allocate branch ENI to pod|annotate pod with branch ENI details): (?<reason2>[^,"]{1,120})/,
    ),
    daemonWaits: context(['ipamd', 'aws-node'], /failed to get Branch ENI resource/),
    allocated: withdraws(['event'], /ResourceAllocated(?:\s+pod\/(?<pod>\S+))?/),
    annotationUnread: context(
      ['ipamd', 'aws-node'],
      /Failed to parse pod-ENI annotation|Failed to unmarshal PodENIData|parsed PodENIData is empty/,
    ),
  },
  needs: ['kube/Pod'],
  symptoms: ['sandbox-not-created'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ pod, reason }) =>
    sentence`The VPC resource controller does not get a branch interface onto the pod ${pod}${phrase` (${reason})`}, so pods with security groups of their own do not start.`,
  remedy: () => [
    step(
      'Read the innermost reason in the event.',
      'kubectl get events -A --field-selector involvedObject.kind=Pod | grep -E "BranchAllocationFailed|BranchENIAnnotationFailed"',
    ),
    step(
      'Where it is forbidden or denied, exempt eks-vpc-resource-controller from the policy or webhook that refuses its patch of pods.',
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    ),
    step(
      'Where EC2 refuses, check the security groups and subnets that the policies name.',
      'kubectl get securitygrouppolicies -A -o yaml',
    ),
  ],
  decide: step(
    'Read the controller’s events on the pod.',
    'kubectl get events -A | grep -E "Branch|ResourceAllocated"',
  ),
  page: {
    why: 'The controller makes an interface and writes it as annotation onto the pod; the CNI waits for that annotation. A pod security policy, a mutating webhook or a security group of another VPC stops one of the two steps. “older entry already exist” is the retry after a patch that was refused.',
    prevent:
      'Exempt the controller’s service account from policies on pods; test SecurityGroupPolicy objects.',
    notThis:
      'One failure followed by ResourceAllocated is harmless. No trunk on the node is trunk-eni-missing; UnauthorizedOperation is cluster-role-without-vpc-controller-policy; InvalidGroup.NotFound is pod-security-group-not-found.',
    alsoKnownAs: [
      'cannot create new eni entry already exist, older entry',
      'failed to annotate pod with branch ENI details',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-resource-controller-k8s/issues/8',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/1288',
    ],
  },
});

export default matched(cause, matchWritten);

type Own = ViewOf<typeof cause>;

/** Every pod that asked and waits has its interface: what it lacks is something else. */
function matchWritten(view: Own): Match | null {
  const asking = podsWithoutBranch(view.list('kube/Pod'), view);
  const isWritten = asking.length > 0 && asking.every(({ value }) => hasBranch(value));
  return isWritten && view.sign('notAnnotated') === null ? clear : null;
}
