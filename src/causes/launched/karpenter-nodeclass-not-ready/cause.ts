import { defineCause } from '../../../diagnosis/cause.ts';

/** Karpenter has a node class it cannot launch with: its selectors match nothing, or a field is invalid. */
export default defineCause({
  id: 'karpenter-nodeclass-not-ready',
  stage: 'launched',
  title: 'Karpenter’s EC2NodeClass is not ready',
  scope: 'group',
  signs: {
    reason: {
      in: ['node-claim', 'object', 'karpenter', 'event'],
      anchors: [
        'SubnetsNotFound',
        'SecurityGroupsNotFound',
        'PlacementGroupNotFound',
        'ClusterCIDRResolutionFailed',
        'TagValidationFailed',
        'InvalidKubeletConfiguration',
        'UnsupportedKubeletConfiguration',
      ],
      pattern:
        /(?:NodeClass (?<nodeClass>[\w.-]+) condition \w+=False )?\b(?<reason>SubnetsNotFound|SecurityGroupsNotFound|PlacementGroupNotFound|ClusterCIDRResolutionFailed|TagValidationFailed|InvalidKubeletConfiguration|UnsupportedKubeletConfiguration)\b/,
      weight: 'definite',
    },
    selectorMatchesNone: {
      in: ['karpenter', 'event'],
      anchors: [
        'no subnets exist given constraints',
        'no security groups exist given constraints',
        'no subnets matched selector',
      ],
      pattern:
        /(?<reason>no (?:subnets|security groups) (?:exist given constraints|matched selector))/,
      weight: 'definite',
    },
    nothingListed: {
      in: ['karpenter'],
      anchors: ['no subnets found'],
      pattern: /listing instance types\b.*\b(?<reason>no subnets found)/,
      // A class made a moment ago has no subnets in its status either.
      weight: 'likely',
      atLeast: 3,
    },
    notReadyEvent: {
      in: ['event', 'karpenter'],
      anchors: [
        'NodeClassNotReady',
        'node class not ready',
        'nodeClass not ready',
        'resolving node class',
      ],
      pattern: /\bNodeClassNotReady\b.*\bNodeClaim\b|(?:node class|nodeClass) not ready/,
      weight: 'likely',
      atLeast: 3,
    },
    ready: {
      in: ['node-claim', 'object'],
      anchors: ['condition Ready=True'],
      pattern: /NodeClass \S+ condition Ready=True/,
      weight: 'withdraws',
    },
    launchedAfter: {
      in: ['karpenter', 'event'],
      anchors: ['launched nodeclaim', 'launched machine', 'Type: Launched, Status: '],
      pattern: /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['karpenter-launch-timeout', 'node-creation-failure-verdict'],
  summary: ({ nodeClass, reason }) =>
    `The EC2NodeClass ${nodeClass ?? ''} is not ready (${reason ?? 'a condition is False'}), so Karpenter deletes its claims before anything is launched.`.replace(
      '  ',
      ' ',
    ),
  remedy: ({ nodeClass }) => [
    {
      text: 'Read which condition is False and why.',
      command: `kubectl get ec2nodeclass ${nodeClass ?? '<node-class>'} -o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason} {.message}{"\\n"}{end}'`,
    },
    {
      text: 'Where a selector matches nothing: give subnets and security groups the tag it asks for.',
      command:
        'aws ec2 create-tags --resources <subnet> <security-group> --tags Key=karpenter.sh/discovery,Value=<cluster>',
    },
  ],
  decide: {
    text: 'Read the conditions of the node classes.',
    command: 'kubectl get ec2nodeclasses -o yaml',
  },
  page: {
    why: 'Karpenter resolves subnets, security groups, image and profile of a node class before it launches. Selectors by tag match nothing where the tag is missing or the region is another; kubelet settings can be invalid; the service CIDR needs eks:DescribeCluster.',
    prevent:
      'Tag subnets and groups in the same code that makes them, and wait for Ready=True of the node class after each change.',
    notThis:
      'No claim survives, so EC2 has nothing to show. An image that is not found is ami-missing-or-not-shared, a refused permission launch-permission-denied, a profile invalid-instance-profile: these are named instead where the condition says so. For a few seconds after its creation every node class is not ready.',
    alsoKnownAs: ['NodeClassNotReady', 'no subnets exist given constraints', 'SubnetsNotFound'],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/tree/HEAD/pkg/controllers/nodeclass',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});
