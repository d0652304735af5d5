import { defineCause } from '../../../diagnosis/cause.ts';

/** The boot program asks EC2 for the instance's private DNS name and gets none. */
export default defineCause({
  id: 'private-dns-name-lookup-failed',
  stage: 'bootstrapped',
  title: 'the node’s name cannot be looked up with ec2:DescribeInstances',
  scope: 'machine',
  signs: {
    waiterEnded: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['max wait time for InstanceCondition'],
      pattern: /exceeded max wait time for InstanceCondition/,
      weight: 'likely',
    },
    callDenied: {
      in: ['nodeadm', 'cloud-init', 'console', 'bottlerocket', 'nodeup'],
      anchors: ['UnauthorizedOperation'],
      pattern: /(?:DescribeInstances|describing instance).*(?<reason>UnauthorizedOperation)/,
      weight: 'definite',
      strict: true,
    },
    callFailed: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['operation error EC2: DescribeInstances'],
      pattern:
        /Command failed.*operation error EC2: DescribeInstances.*(?<reason>exceeded maximum number of attempts|i\/o timeout|context deadline exceeded|no such host)/,
      weight: 'likely',
    },
    scriptGaveUp: {
      in: ['cloud-init', 'console'],
      anchors: ['failed to retrieve PrivateDnsName after'],
      pattern: /failed to retrieve PrivateDnsName after (?<attempts>\d+) attempts/,
      weight: 'definite',
    },
    plutoGaveUp: {
      in: ['bottlerocket', 'console'],
      anchors: ['Timed out retrieving private DNS name'],
      pattern: /Timed out retrieving private DNS name from EC2/,
      weight: 'likely',
    },
    plutoRefused: {
      in: ['bottlerocket', 'console'],
      anchors: ['Error describing instance'],
      pattern: /Error describing instance '(?<described>i-[0-9a-f]+)'/,
      weight: 'likely',
    },
    detailsKnown: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['Instance details populated', 'Default options populated'],
      pattern: /(?:Instance details|Default options) populated/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['boot-call-retried'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['bottlerocket-setting-generator-failed', 'failed-user-script'],
  summary: ({ machine, reason }) =>
    `${machine ?? 'The machine'} asks EC2 for its private DNS name and gets none (${reasonOf(reason)}), so the kubelet is never configured.`,
  remedy: () => [
    {
      text: 'Ask for the name yourself: an empty answer points to the VPC’s DNS settings, none to the network, a refusal to the role.',
      command:
        'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[PrivateDnsName,SubnetId,IamInstanceProfile.Arn]',
    },
    {
      text: 'Refused: the node role needs ec2:DescribeInstances.',
      command:
        'aws iam attach-role-policy --role-name <node-role> --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy',
    },
    {
      text: 'No answer: give the subnet a NAT route or an interface endpoint for EC2.',
      command:
        'aws ec2 create-vpc-endpoint --vpc-id <vpc> --vpc-endpoint-type Interface --service-name com.amazonaws.<region>.ec2 --subnet-ids <subnet>',
    },
  ],
  decide: {
    text: 'See whether the EC2 endpoint of the region answers from the machine.',
    command:
      'curl -sS -m 5 -o /dev/null -w "%{http_code}\\n" https://ec2.<region>.amazonaws.com; journalctl -u nodeadm-config --no-pager | tail -n 5',
  },
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
