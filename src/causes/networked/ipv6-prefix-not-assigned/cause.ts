import { defineCause } from '../../../diagnosis/cause.ts';

/** In an IPv6 cluster the node’s first interface gets no /80 prefix for pods. */
export default defineCause({
  id: 'ipv6-prefix-not-assigned',
  stage: 'networked',
  title: 'the VPC CNI cannot assign an IPv6 prefix to the node',
  scope: 'machine',
  signs: {
    refused: {
      in: ['ipamd', 'aws-node', 'event'],
      anchors: ['AssignIpv6Addresses'],
      pattern:
        /AssignIpv6Addresses\b.*(?<reason>UnauthorizedOperation|is not authorized|missing permissions)|is not authorized to perform: ec2:AssignIpv6Addresses/,
      weight: 'definite',
    },
    notAllocated: {
      in: ['ipamd', 'aws-node'],
      anchors: ['allocate IPv6 Prefix', 'allocate IPv6 prefix', 'assignIPv6Prefix'],
      pattern:
        /Failed to allocate IPv6 Prefix(?:es)?|allocate IPv6 prefix: failed|assignIPv6Prefix; err:/,
      weight: 'definite',
    },
    wrongMode: {
      in: ['ipamd', 'aws-node'],
      anchors: [
        'IPv6 is supported only in Prefix Delegation mode',
        'IPv4 and IPv6 are both enabled',
      ],
      pattern:
        /(?<reason>IPv6 is supported only in Prefix Delegation mode|IPv4 and IPv6 are both enabled)/,
      weight: 'definite',
    },
    assigned: {
      in: ['ipamd'],
      anchors: ['Successfully allocated an IPv6Prefix', 'node init completed'],
      pattern: /Successfully allocated an IPv6Prefix|node init completed successfully/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialised', 'node-ready'],
  explains: [
    'cni-without-ec2-permissions',
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
  ],
  summary: ({ reason, machine }) =>
    `The VPC CNI of ${machine ?? 'the node'} gets no IPv6 prefix${reason === undefined ? '' : ` (${reason})`}, so an IPv6 cluster has no pod addresses there.`,
  remedy: () => [
    {
      text: 'Give the CNI’s role a policy with ec2:AssignIpv6Addresses, DescribeInstances, DescribeTags, DescribeNetworkInterfaces, DescribeInstanceTypes and CreateTags; AmazonEKS_CNI_Policy has no IPv6 action.',
      command:
        'aws iam put-role-policy --role-name <cni-role> --policy-name AmazonEKS_CNI_IPv6_Policy --policy-document file://<policy.json>',
    },
    {
      text: 'Set the IPv6 mode as one set; only Nitro types can have prefixes.',
      command:
        'kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true ENABLE_IPv6=true ENABLE_IPv4=false',
    },
  ],
  decide: {
    text: 'Read what ipamd says of IPv6.',
    command:
      "sudo grep -iE 'ipv6' /var/log/aws-routed-eni/ipamd.log | grep -iE 'error|fail|unauthor' | tail -n 5",
  },
  page: {
    why: 'IPv6 needs its own permissions, Nitro instances and prefix mode; the managed CNI policy is for IPv4 only.',
    prevent: 'Make the IPv6 policy part of the CNI role’s template.',
    notThis:
      '“both disabled” is cni-image-without-matching-manifest. Other refused calls are cni-without-ec2-permissions.',
    alsoKnownAs: ['AssignIpv6Addresses UnauthorizedOperation', 'AmazonEKS_CNI_IPv6_Policy'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html',
    ],
  },
});
