import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The boot program asks EC2 for the instance's private DNS name and gets none. */
export default defineCause({
  id: 'private-dns-name-lookup-failed',
  stage: 'bootstrapped',
  title: 'the node’s name cannot be looked up with ec2:DescribeInstances',
  scope: 'machine',
  signs: {
    waiterEnded: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /exceeded max wait time for InstanceCondition/,
    ),
    callDenied: definite(
      ['nodeadm', 'cloud-init', 'console', 'bottlerocket', 'nodeup'],
      /(?:DescribeInstances|describing instance).*(?<reason>UnauthorizedOperation)/,
      { strict: true },
    ),
    callFailed: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*operation error EC2: DescribeInstances.*(?<reason>exceeded maximum number of attempts|i\/o timeout|context deadline exceeded|no such host)/,
    ),
    scriptGaveUp: definite(
      ['cloud-init', 'console'],
      /failed to retrieve PrivateDnsName after (?<attempts>\d+) attempts/,
    ),
    plutoGaveUp: likely(
      ['bottlerocket', 'console'],
      /Timed out retrieving private DNS name from EC2/,
    ),
    plutoRefused: likely(
      ['bottlerocket', 'console'],
      /Error describing instance '(?<described>i-[0-9a-f]+)'/,
    ),
    detailsKnown: withdraws(
      ['nodeadm', 'cloud-init', 'console'],
      /(?:Instance details|Default options) populated/,
    ),
    inTreeProvider: likely(['kubelet'], /error fetching current node name from cloud provider/),
  },
  needs: [],
  symptoms: ['boot-call-retried'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['bottlerocket-setting-generator-failed', 'failed-user-script'],
  summary: ({ machine, reason }) =>
    `${machine ?? 'The machine'} asks EC2 for its private DNS name and gets none (${reasonOf(reason)}), so the kubelet is never configured.`,
  remedy: () => [
    step(
      'Ask for the name yourself: an empty answer points to the VPC’s DNS settings, none to the network, a refusal to the role.',
      'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[PrivateDnsName,SubnetId,IamInstanceProfile.Arn]',
    ),
    step(
      'Refused: the node role needs ec2:DescribeInstances.',
      'aws iam attach-role-policy --role-name <node-role> --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy',
    ),
    step(
      'No answer: give the subnet a NAT route or an interface endpoint for EC2.',
      'aws ec2 create-vpc-endpoint --vpc-id <vpc> --vpc-endpoint-type Interface --service-name com.amazonaws.<region>.ec2 --subnet-ids <subnet>',
    ),
  ],
  decide: step(
    'See whether the EC2 endpoint of the region answers from the machine.',
    'curl -sS -m 5 -o /dev/null -w "%{http_code}\\n" https://ec2.<region>.amazonaws.com; journalctl -u nodeadm-config --no-pager | tail -n 5',
  ),
  page: {
    why: 'EKS nodes are named after the private DNS name that EC2 has for the instance. nodeadm asks for up to ten minutes, Bottlerocket for five, bootstrap.sh for two; without a permission, a way to ec2.<region>.amazonaws.com or a name in the answer they give up.',
    prevent:
      'In private subnets create the EC2 interface endpoint with the cluster; keep AmazonEKSWorkerNodePolicy on the node role.',
    notThis:
      'Lines that only say “retrying request EC2/DescribeInstances” decide nothing, the next attempt may succeed. With several network cards it may be secondary-interface-up-first, behind a proxy proxy-configured-too-late or proxy-credentials-ignored; a name that EC2 fills in late is private-dns-name-late.',
    alsoKnownAs: [
      'exceeded max wait time for InstanceCondition waiter',
      'Timed out retrieving private DNS name from EC2: deadline has elapsed',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/api/status.go',
      'https://github.com/bottlerocket-os/bottlerocket-core-kit/blob/HEAD/sources/api/pluto/src/ec2.rs',
      'https://github.com/awslabs/amazon-eks-ami/issues/2436',
    ],
  },
});

function reasonOf(reason: string | undefined): string {
  if (reason === undefined) return 'EC2 did not give one in time';
  return reason === 'UnauthorizedOperation'
    ? 'its role may not call ec2:DescribeInstances'
    : reason;
}
