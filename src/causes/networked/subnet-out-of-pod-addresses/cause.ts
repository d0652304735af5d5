import { cannotSay, defineCause, type Match, type View } from '../../../diagnosis/cause.ts';

/** A running node asks its subnet for pod addresses, and the subnet has none left. */
export default defineCause({
  id: 'subnet-out-of-pod-addresses',
  stage: 'networked',
  title: 'the subnet has no free address for pods',
  scope: 'machine',
  signs: {
    refusedByEc2: {
      in: ['ipamd', 'aws-node', 'cni-plugin'],
      anchors: ['InsufficientFreeAddressesInSubnet'],
      pattern: /InsufficientFreeAddressesInSubnet(?:.*?(?<subnet>subnet-[0-9a-f]+))?/,
      weight: 'definite',
    },
    notEnough: {
      in: ['ipamd', 'aws-node'],
      anchors: ['t seem to have enough IPs'],
      pattern: /(?<subnet>subnet-[0-9a-f]+)? ?subnet doesn't seem to have enough IPs/,
      weight: 'likely',
    },
    noAddresses: {
      in: ['event', 'node-status'],
      anchors: ['IPAMDNoIPs'],
      pattern: /\bIPAMDNoIPs\b/,
      weight: 'likely',
    },
    prefixMode: {
      in: ['ipamd'],
      anchors: [
        'Prefix target is',
        'Prefix pool stats',
        'IPv4 Prefixes on ENI',
        'InsufficientCidrBlocks',
      ],
      pattern: /Prefix target is|Prefix pool stats|IPv4 Prefixes on ENI|InsufficientCidrBlocks/,
      weight: 'context',
    },
    assigned: {
      in: ['ipamd'],
      anchors: [
        'uccessfully increased IP',
        'Created a new ENI: eni-',
        'Created a new eni:',
        'attached a new ENI',
      ],
      pattern:
        /[Ss]uccessfully increased IP [Pp]ool|Created a new (?:ENI|eni): eni-|Successfully created and attached a new ENI/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created', 'cni-daemon-silent'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['cni-configuration-missing', 'no-usable-subnet-discovered'],
  match: (view) => matchShortage(view),
  summary: ({ subnet, machine }) =>
    `The subnet ${subnet ?? ''} of ${machine ?? 'the machine'} has no free address, so new pods stay in ContainerCreating.`.replace(
      '  ',
      ' ',
    ),
  remedy: ({ subnet }) => [
    {
      text: 'See how many addresses are left, and who holds them.',
      command: `aws ec2 describe-subnets --subnet-ids ${subnet ?? '<subnet>'} --query Subnets[].[SubnetId,CidrBlock,AvailableIpAddressCount]`,
    },
    {
      text: 'Give pods more room: a second CIDR (100.64.0.0/10) with subnets tagged for the CNI.',
      command:
        'aws ec2 create-tags --resources <new-subnet> --tags Key=kubernetes.io/role/cni,Value=1',
    },
    {
      text: 'At once: hold fewer spare addresses on each node.',
      command:
        'kubectl -n kube-system set env daemonset/aws-node WARM_IP_TARGET=2 MINIMUM_IP_TARGET=10',
    },
  ],
  decide: {
    text: 'Read why ipamd gets no address.',
    command:
      "sudo grep -E 'InsufficientFreeAddresses|InsufficientCidrBlocks|not authorized|LimitExceeded|unknown instance type' /var/log/aws-routed-eni/ipamd.log | tail -n 20",
  },
  page: {
    why: 'The VPC CNI takes pod addresses from the node’s subnet and keeps a warm stock on every node. Small subnets, many nodes or interfaces left behind by terminated instances use it up.',
    prevent: 'Size subnets by pods, not by nodes.',
    notThis:
      'The sandbox event is the same for every cause that starves ipamd; only its log tells them apart. Free addresses with InsufficientCidrBlocks is subnet-without-contiguous-prefix; many interfaces in state available is leaked-network-interfaces; an instance that is full is eni-limit-reached.',
    alsoKnownAs: [
      'failed to assign an IP address to container',
      'InsufficientFreeAddressesInSubnet',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/ipamd.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/872',
    ],
  },
});

type Signs = 'refusedByEc2' | 'notEnough' | 'noAddresses' | 'prefixMode' | 'assigned';

/** With prefixes the words "not enough IPs/Prefixes" fit a fragmented subnet just as well. */
function matchShortage(view: View<never, Signs>): Match | null {
  const named = view.sign('refusedByEc2') ?? view.sign('noAddresses');
  if (named !== null || view.sign('notEnough') === null || view.sign('prefixMode') === null)
    return null;
  return cannotSay({
    reason: 'not-collected',
    detail: 'what EC2 answered: a full subnet or one without a whole /28',
    collect:
      'sudo grep -E "InsufficientFreeAddresses|InsufficientCidrBlocks" /var/log/aws-routed-eni/ipamd.log',
  });
}
