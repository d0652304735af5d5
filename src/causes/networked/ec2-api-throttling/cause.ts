import { defineCause, step } from '../../../diagnosis/cause.ts';
import { likely, withdraws } from '../../../diagnosis/sign.ts';

/** EC2 throttles the account’s calls, so interfaces and addresses come late. */
export default defineCause({
  id: 'ec2-api-throttling',
  stage: 'networked',
  title: 'EC2 throttles the cluster’s calls',
  scope: 'machine',
  signs: {
    throttled: likely(
      ['ipamd', 'aws-node'],
      /(?:(?:ec2:|Failed to |EC2: )(?<action>\w{1,60}\b).{0,400})?(?:RequestLimitExceeded|Request limit exceeded)/,
      { strict: true, atLeast: 3, enoughOnce: 'alone' },
    ),
    // Whoever shows hardly more than this answer is stopped by it; in a log it may pass.
    throttledAlone: likely(
      ['aws-message', 'client-output', 'terraform', 'karpenter', 'event', 'pod-app', 'unknown'],
      /\bRequestLimitExceeded\b|Failed to (?:regenerate ASG cache|refresh cloud provider(?: config)?): .{0,200}Throttling: Rate exceeded|\(Throttling\) when calling the Describe(?:AutoScaling|Launch|Scaling)\w{1,40} operation/,
      {
        anchors: [
          'RequestLimitExceeded',
          'Throttling: Rate exceeded',
          '(Throttling) when calling the',
        ],
        atLeast: 1_000,
        enoughOnce: 'alone',
      },
    ),
    served: withdraws(
      ['ipamd'],
      /Successfully created and attached a new ENI|[Ss]uccessfully increased IP|node init completed successfully/,
    ),
    toldLimited: likely(
      ['client-output', 'unknown'],
      /\b(?:[Dd]ue to|[Bb]ecause of|[Cc]aused by)(?: \w{1,20}){0,3} (?:API|EC2) (?:API )?(?:rate[- ]?limit\w{0,5}|throttling)\b|\b(?:API|EC2) (?:rate[- ]?limit\w{0,5}|throttling)\b.{0,40}\b(?:prevent|kept|keeps|stop|block)\w{0,4}\b/,
      { isTold: true, anchors: ['API rate', 'API throttling', 'EC2 rate', 'EC2 throttling'] },
    ),
    retried: likely(
      ['controller-manager', 'cloud-controller', 'kubelet'],
      /(?:Got RequestLimitExceeded error on AWS request|Inserting delay before AWS request) \((?<call>ec2::?\w{1,60})\)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ machine, call }) =>
    call === undefined
      ? `EC2 answers the VPC CNI of ${machine ?? 'the node'} with RequestLimitExceeded again and again, so pods wait for addresses.`
      : `EC2 answers ${call} with RequestLimitExceeded again and again, so what the cloud controllers do for Nodes, routes and volumes comes late.`,
  remedy: () => [
    step(
      'Ask for fewer calls per node: whole prefixes instead of single addresses.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true WARM_PREFIX_TARGET=1',
    ),
    step(
      'Where WARM_IP_TARGET is small, set MINIMUM_IP_TARGET to the usual number of pods.',
      'kubectl -n kube-system set env daemonset/aws-node MINIMUM_IP_TARGET=20 WARM_IP_TARGET=5',
    ),
    step('Ask AWS support for higher EC2 API limits, and start large groups in portions.'),
  ],
  decide: step(
    'Count the throttled calls.',
    'sudo grep RequestLimitExceeded /var/log/aws-routed-eni/ipamd.log | tail -n 5',
  ),
  page: {
    why: 'EC2’s call budget is per account and region. Hundreds of nodes that start at once, or a WARM_IP_TARGET of one, spend it on single addresses.',
    prevent: 'Prefix delegation, a minimum stock per node, and limits raised before large bursts.',
    notThis:
      'One throttled call is retried and harmless. Addresses that EC2 really refuses are subnet-out-of-pod-addresses.',
    alsoKnownAs: ['RequestLimitExceeded: Request limit exceeded', 'aws-node API throttling'],
    refs: ['https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/troubleshooting.md'],
  },
});
