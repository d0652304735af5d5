import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** The CNI’s table lacks the type, and the EC2 call it falls back to does not go through. */
export default defineCause({
  id: 'instance-type-lookup-denied',
  stage: 'networked',
  title: 'the VPC CNI may not look the instance type up in EC2',
  scope: 'machine',
  signs: {
    lookupFailed: definite(
      ['ipamd', 'aws-node'],
      /[Ff]ailed calling DescribeInstanceTypes for [`'"]?(?<type>[\w.-]+\w)(?:.*(?<reason>UnauthorizedOperation|is not authorized|i\/o timeout|RequestCanceled|deadline exceeded))?/,
    ),
    refused: definite(
      ['ipamd', 'aws-node', 'cilium'],
      /(?:ec2:|EC2: )DescribeInstanceTypes\b.*(?<reason>UnauthorizedOperation|is not authorized|missing permissions)/,
      { strict: true },
    ),
    eventOfDaemon: definite(
      ['event'],
      /MissingIAMPermissions.{0,200}failed to call (?:ec2:)?DescribeInstanceTypes/,
      { anchors: ['DescribeInstanceTypes'] },
    ),
    startedAfterAll: withdraws(['ipamd'], /node init completed successfully/),
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: [
    'instance-type-unknown-to-cni',
    'cni-without-ec2-permissions',
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
  ],
  summary: ({ type, reason }) =>
    sentence`The VPC CNI does not know ${type ?? 'the instance type'} and its DescribeInstanceTypes call does not go through${phrase` (${reason})`}, so ipamd exits and the node stays without pod network.`,
  remedy: () => [
    step(
      'Give the CNI’s role the current policy, which allows ec2:DescribeInstanceTypes.',
      'aws iam attach-role-policy --role-name <cni-or-node-role> --policy-arn arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy',
    ),
    step(
      'Or update the CNI to a release whose table has the type; in a subnet without internet this saves the EC2 call.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE',
    ),
  ],
  decide: step(
    'Read what the lookup answers.',
    'sudo grep DescribeInstanceTypes /var/log/aws-routed-eni/ipamd.log | tail -n 5',
  ),
  page: {
    why: 'Since release 1.6 ipamd asks EC2 for the limits of types that its table lacks. Own copies of the CNI policy from before that do not allow the call, and closed subnets have no EC2 endpoint.',
    prevent: 'Use the managed policy instead of a copy, and keep the add-on current.',
    notThis:
      'Other refused calls are cni-without-ec2-permissions. Releases before 1.6 make no call and say “unknown instance type” (instance-type-unknown-to-cni).',
    alsoKnownAs: [
      'Failed calling DescribeInstanceTypes',
      'Failed to get ENI limits from file:vpc_ip_limits or EC2',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/pull/782',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
    ],
  },
});
