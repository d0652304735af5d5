import { defineCause } from '../../../diagnosis/cause.ts';

/** The controller cannot make a pod’s branch interface, or cannot write it onto the pod. */
export default defineCause({
  id: 'branch-eni-allocation-failed',
  stage: 'networked',
  title: 'a pod’s branch interface is not allocated or not written onto the pod',
  scope: 'cluster',
  signs: {
    notAnnotated: {
      in: ['event'],
      anchors: ['BranchENIAnnotationFailed'],
      pattern:
        /BranchENIAnnotationFailed(?:\s+pod\/(?<pod>\S+))?(?:.*(?<reason>is forbidden|denied the request|is invalid))?/,
      weight: 'definite',
    },
    notAllocated: {
      in: ['event'],
      anchors: ['BranchAllocationFailed'],
      pattern: /BranchAllocationFailed(?:\s+pod\/(?<pod>\S+))?/,
      weight: 'likely',
    },
    refused: {
      in: ['event', 'vpc-resource-controller', 'client-output'],
      anchors: ['failed to allocate branch ENI to pod', 'failed to annotate pod with branch ENI'],
      pattern:
        /(?:\bpod\/(?<pod>\S+)\s+)?failed to (?:allocate branch ENI to pod|annotate pod with branch ENI details): (?<reason2>[^,"]{1,120})/,
      weight: 'likely',
    },
    daemonWaits: {
      in: ['ipamd', 'aws-node'],
      anchors: ['failed to get Branch ENI resource'],
      pattern: /failed to get Branch ENI resource/,
      weight: 'context',
    },
    allocated: {
      in: ['event'],
      anchors: ['ResourceAllocated'],
      pattern: /ResourceAllocated(?:\s+pod\/(?<pod>\S+))?/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ pod, reason }) =>
    `The VPC resource controller does not get a branch interface onto the pod ${pod ?? ''}${reason === undefined ? '' : ` (${reason})`}, so pods with security groups of their own do not start.`
      .replace('  ', ' ')
      .replace(' ,', ','),
  remedy: () => [
    {
      text: 'Read the innermost reason in the event.',
      command:
        'kubectl get events -A --field-selector involvedObject.kind=Pod | grep -E "BranchAllocationFailed|BranchENIAnnotationFailed"',
    },
    {
      text: 'Where it is forbidden or denied, exempt eks-vpc-resource-controller from the policy or webhook that refuses its patch of pods.',
      command: 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    },
    {
      text: 'Where EC2 refuses, check the security groups and subnets that the policies name.',
      command: 'kubectl get securitygrouppolicies -A -o yaml',
    },
  ],
  decide: {
    text: 'Read the controller’s events on the pod.',
    command: 'kubectl get events -A | grep -E "Branch|ResourceAllocated"',
  },
  page: {
    why: 'The controller makes an interface and writes it as annotation onto the pod; the CNI waits for that annotation. A pod security policy, a mutating webhook or a security group of another VPC stops one of the two steps. “older entry already exist” is the retry after a patch that was refused.',
    prevent:
      'Exempt the controller’s service account from policies on pods; test SecurityGroupPolicy objects.',
    notThis:
      'One failure followed by ResourceAllocated is harmless. No trunk on the node is trunk-eni-missing; UnauthorizedOperation is cluster-role-without-vpc-controller-policy.',
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
