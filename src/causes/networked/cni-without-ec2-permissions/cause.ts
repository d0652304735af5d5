import { defineCause } from '../../../diagnosis/cause.ts';

/** The VPC CNI has credentials, and EC2 refuses the call it makes with them. */
export default defineCause({
  id: 'cni-without-ec2-permissions',
  stage: 'networked',
  title: 'the VPC CNI’s role lacks EC2 permissions',
  scope: 'machine',
  signs: {
    callRefused: {
      in: ['ipamd', 'aws-node'],
      anchors: ['UnauthorizedOperation'],
      pattern:
        /(?:Failed to (?:call ec2:)?|failed to call (?:ec2:)?|operation error EC2: |unable to )(?<action>CreateNetworkInterface|AttachNetworkInterface|AssignPrivateIpAddresses|DescribeNetworkInterfaces|ModifyNetworkInterfaceAttribute|CreateTags|create network interface|attach ENI)\b.*UnauthorizedOperation/,
      weight: 'definite',
      strict: true,
    },
    refusedWithRole: {
      in: ['ipamd', 'aws-node'],
      anchors: ['is not authorized to perform: ec2:'],
      pattern:
        /assumed-role\/(?<role>[\w+=,.@-]+)\/\S* is not authorized to perform: ec2:(?<action>CreateNetworkInterface|AttachNetworkInterface|AssignPrivateIpAddresses|DescribeNetworkInterfaces|ModifyNetworkInterfaceAttribute)\b/,
      weight: 'definite',
      strict: true,
    },
    refusedTail: {
      in: ['ipamd'],
      anchors: ['UnauthorizedOperation: You are not authorized'],
      pattern:
        /^(?!.*(?:DescribeInstanceTypes|DescribeSubnets|DescribeTags|Ipv6|IPv6|[Dd]elete|[Dd]etach|[Uu]nassign|leaked)).*UnauthorizedOperation: You are not authorized/,
      weight: 'likely',
      strict: true,
    },
    eventOfDaemon: {
      in: ['event'],
      anchors: ['MissingIAMPermissions'],
      pattern:
        /MissingIAMPermissions.{0,200}failed to call (?:ec2:)?(?<action>\w+) due to missing permissions/,
      weight: 'definite',
    },
    enisRead: {
      in: ['ipamd'],
      anchors: [
        'DescribeAllENIs success',
        'Successfully created and attached a new ENI',
        'uccessfully increased IP',
      ],
      pattern:
        /DescribeAllENIs success|Successfully created and attached a new ENI|[Ss]uccessfully increased IP/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized', 'sandbox-not-created', 'node-not-ready'],
  withdrawnBy: ['networking-initialised'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'cni-image-without-matching-manifest',
    'leaked-network-interfaces',
  ],
  summary: ({ action, role, machine }) =>
    `EC2 refuses ${action ?? 'the calls'} to the VPC CNI of ${machine ?? 'the machine'}${role === undefined ? '' : ` (role ${role})`}, so the node gets no pod addresses.`,
  remedy: ({ role }) => [
    {
      text: 'Attach the CNI policy to the role that aws-node runs with: the service account’s role if it has one, else the node role.',
      command: `aws iam attach-role-policy --role-name ${role ?? '<cni-or-node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy`,
    },
    {
      text: 'Restart the CNI.',
      command: 'kubectl -n kube-system rollout restart daemonset/aws-node',
    },
  ],
  decide: {
    text: 'Read which EC2 call is refused.',
    command:
      "sudo grep -E 'UnauthorizedOperation|is not authorized to perform' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  },
  page: {
    why: 'ipamd lists, creates and fills network interfaces with the EC2 API. The role it runs with is the one annotated on the service account aws-node, or the node role where there is none; a new node role without AmazonEKS_CNI_Policy is the usual reason.',
    prevent:
      'Create node roles from one template, or give aws-node a role of its own and keep the policy off the nodes.',
    notThis:
      'No credentials at all is cni-without-aws-credentials; a role that cannot be assumed is cni-role-not-assumable. A refused DescribeInstanceTypes is instance-type-lookup-denied and a refused AssignIpv6Addresses is ipv6-prefix-not-assigned. A refused DescribeSubnets does no harm: the CNI falls back to the node’s own subnet.',
    alsoKnownAs: [
      'UnauthorizedOperation: You are not authorized to perform this operation',
      'MissingIAMPermissions',
      'aws-node CrashLoopBackOff',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/iam-policy.md',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
    ],
  },
});
