import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** The account has as many network interfaces in the region as its quota allows. */
export default defineCause({
  id: 'network-interface-quota-reached',
  stage: 'networked',
  title: 'the account’s quota of network interfaces in the region is used up',
  scope: 'cluster',
  signs: {
    refused: definite(
      ['ipamd', 'aws-node', 'event', 'aws-message', 'karpenter', 'vpc-resource-controller'],
      /\bNetworkInterfaceLimitExceeded\b|maximum number of network interfaces/,
    ),
    created: withdraws(
      ['ipamd'],
      /Created a new ENI: eni-|Successfully created and attached a new ENI/,
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['branch-eni-allocation-failed', 'trunk-eni-missing'],
  summary: () =>
    'The account has reached its quota of network interfaces in this region, so no node gets a further one for pods although subnets have addresses.',
  remedy: () => [
    step(
      'See how many interfaces lie about unused, and delete those of dead instances.',
      "aws ec2 describe-network-interfaces --filters Name=status,Values=available --query 'NetworkInterfaces[].[NetworkInterfaceId,Description]' --output text",
    ),
    step(
      'Raise the quota.',
      'aws service-quotas request-service-quota-increase --service-code vpc --quota-code L-DF5E4CA3 --desired-value <number>',
    ),
  ],
  decide: step(
    'Read the quota.',
    'aws service-quotas get-service-quota --service-code vpc --quota-code L-DF5E4CA3',
  ),
  page: {
    why: 'Every node holds several interfaces, and security groups for pods one a pod. The quota counts them all, with those that terminated instances left behind.',
    prevent: 'Watch the quota’s use; use prefix delegation, which needs fewer interfaces.',
    notThis:
      'A limit of one instance is eni-limit-reached (AttachmentLimitExceeded); a full subnet is subnet-out-of-pod-addresses.',
    alsoKnownAs: ['NetworkInterfaceLimitExceeded'],
    refs: ['https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html'],
  },
});
