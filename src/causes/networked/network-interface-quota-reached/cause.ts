import { defineCause } from '../../../diagnosis/cause.ts';

/** The account has as many network interfaces in the region as its quota allows. */
export default defineCause({
  id: 'network-interface-quota-reached',
  stage: 'networked',
  title: 'the account’s quota of network interfaces in the region is used up',
  scope: 'cluster',
  signs: {
    refused: {
      in: ['ipamd', 'aws-node', 'event', 'aws-message', 'karpenter', 'vpc-resource-controller'],
      anchors: ['NetworkInterfaceLimitExceeded', 'maximum number of network interfaces'],
      pattern: /\bNetworkInterfaceLimitExceeded\b|maximum number of network interfaces/,
      weight: 'definite',
    },
    created: {
      in: ['ipamd'],
      anchors: ['Created a new ENI: eni-', 'Successfully created and attached a new ENI'],
      pattern: /Created a new ENI: eni-|Successfully created and attached a new ENI/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['branch-eni-allocation-failed', 'trunk-eni-missing'],
  summary: () =>
    'The account has reached its quota of network interfaces in this region, so no node gets a further one for pods although subnets have addresses.',
  remedy: () => [
    {
      text: 'See how many interfaces lie about unused, and delete those of dead instances.',
      command:
        "aws ec2 describe-network-interfaces --filters Name=status,Values=available --query 'NetworkInterfaces[].[NetworkInterfaceId,Description]' --output text",
    },
    {
      text: 'Raise the quota.',
      command:
        'aws service-quotas request-service-quota-increase --service-code vpc --quota-code L-DF5E4CA3 --desired-value <number>',
    },
  ],
  decide: {
    text: 'Read the quota.',
    command: 'aws service-quotas get-service-quota --service-code vpc --quota-code L-DF5E4CA3',
  },
  page: {
    why: 'Every node holds several interfaces, and security groups for pods one a pod. The quota counts them all, with those that terminated instances left behind.',
    prevent: 'Watch the quota’s use; use prefix delegation, which needs fewer interfaces.',
    notThis:
      'A limit of one instance is eni-limit-reached (AttachmentLimitExceeded); a full subnet is subnet-out-of-pod-addresses.',
    alsoKnownAs: ['NetworkInterfaceLimitExceeded'],
    refs: ['https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html'],
  },
});
