import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';

/** The cluster uses IPv6 and the subnet gives instances none. */
const judged = defineCause({
  id: 'subnet-without-ipv6-addresses',
  stage: 'launched',
  title: 'the subnet assigns no IPv6 addresses in an IPv6 cluster',
  scope: 'group',
  signs: {
    healthCode: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\bEc2SubnetMissingIpv6Assignment\b(?:.*?(?<subnet>subnet-[0-9a-f]{8,17}))?/,
    ),
    metadataLacksAddress: likely(
      ['nodeadm', 'cloud-init'],
      /macs\/[0-9a-f:]{17}\/ipv6s\b.*(?:404|[Nn]ot ?[Ff]ound|failed|doesn't exist)|(?:404|[Nn]ot ?[Ff]ound|failed to (?:get|read)|doesn't exist).*macs\/[0-9a-f:]{17}\/ipv6s\b/,
    ),
    noGlobalAddress: context(
      ['ipamd'],
      /node primary ENI must have a global IPv6 address|global unicast IPv6 not found in host primary interface/,
      { anchors: ['node primary ENI must have a global IPv6', 'global unicast IPv6 not found'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['node-registered', 'node-ready'],
  explains: ['node-creation-failure-verdict', 'karpenter-registration-timeout'],
  summary: ({ subnet }) =>
    `The subnet ${subnet ?? 'of the node'} assigns no IPv6 address at launch, so a node of this IPv6 cluster has no address to register with.`,
  remedy: ({ subnet }) => [
    step(
      'Let the subnet assign addresses (it needs an IPv6 CIDR), then replace the nodes.',
      `aws ec2 modify-subnet-attribute --subnet-id ${subnet ?? '<subnet>'} --assign-ipv6-address-on-creation`,
    ),
  ],
  decide: step(
    'Compare the cluster’s address family with the subnets’ setting.',
    'aws eks describe-cluster --name <cluster> --query cluster.kubernetesNetworkConfig.ipFamily; aws ec2 describe-subnets --subnet-ids <subnet> --query Subnets[].[SubnetId,AssignIpv6AddressOnCreation,Ipv6CidrBlockAssociationSet[].Ipv6CidrBlock]',
  ),
  page: {
    why: 'In a cluster with ipFamily ipv6 the kubelet registers with the instance’s IPv6 address. A subnet without an IPv6 CIDR, or with one and without assignment at launch, gives none. Managed node groups check it; on others nodeadm finds no address in the metadata.',
    prevent: 'Make subnets of IPv6 clusters with assign-ipv6-address-on-creation.',
    notThis:
      'In an IPv4 cluster the setting does not matter. Pods without a prefix on nodes that run are ipv6-prefix-not-assigned.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/config.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/cni-ipv6.html',
    ],
  },
});

export default foreseen(
  judged,
  (plan, group) => {
    const family = group.cluster?.value.kubernetesNetworkConfig?.ipFamily ?? null;
    const { subnets } = machineOf(plan, group);
    if (family !== 'ipv6') return group.cluster?.change === 'create' ? clear : NOT_SHOWN;
    const without = subnets.find(({ value }) => value.AssignIpv6AddressOnCreation === false);
    if (without === undefined)
      return subnets.length > 0 && subnets.length === group.subnets?.length ? clear : NOT_SHOWN;
    return found({ subnet: without.address }, [
      plan.quote(without, 'assign_ipv6_address_on_creation false'),
      plan.quote(group.cluster ?? group.fact, 'ip_family ipv6'),
    ]);
  },
  {
    remedy: ({ subnet }) => [
      step(
        `Set ipv6_cidr_block and assign_ipv6_address_on_creation = true in ${subnet ?? 'the aws_subnet'}.`,
      ),
    ],
  },
);
