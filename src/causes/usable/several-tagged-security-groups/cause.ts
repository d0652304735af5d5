import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { groupsNamed, machineOf } from '../../../domain/planned/machine.ts';

/** The load balancer's controller must find one tagged security group per node, and finds several or none. */
const judged = defineCause({
  id: 'several-tagged-security-groups',
  stage: 'usable',
  title: 'not exactly one security group of the node carries the cluster tag',
  scope: 'cluster',
  signs: {
    inTree: definite(
      ['event', 'cloud-controller', 'controller-manager'],
      /[Mm]ultiple (?<kind>tagged|untagged) security groups found for instance (?<instance>i-[0-9a-f]{8,17})|(?<kind2>untagged); ensure the k8s security group is tagged/,
    ),
    controller: definite(
      ['event', 'pod-app', 'journal', 'karpenter', 'object', 'client-output'],
      /expect(?:ed)? (?:exactly )?one securityGroup tagged (?:with )?(?<tag>\S+) (?:for|on) (?:eni|ENI) (?<eni>eni-[0-9a-z<>]+)(?:, got:? ?\[?(?<groups>[^\]"]{0,200})\]?)?/,
    ),
    noneTagged: context(
      ['cloud-controller', 'controller-manager'],
      /Ignoring security group with no cluster tag/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ instance, eni, groups, kind }) =>
    `${instance ?? eni ?? 'A node'} has ${kind === 'untagged' || groups === '' || groups === '0' ? 'no security group' : 'several security groups'} with the tag kubernetes.io/cluster/…${groups?.startsWith('sg-') === true ? ` (${groups})` : ''} where exactly one is expected, so load balancers cannot send traffic to it.`,
  remedy: ({ instance }) => [
    step(
      'See which groups of the instance carry the tag.',
      `aws ec2 describe-instances --instance-ids ${instance ?? '<instance>'} --query Reservations[].Instances[].SecurityGroups`,
    ),
    step(
      'Keep the tag on one of them.',
      'aws ec2 delete-tags --resources <security-group> --tags Key=kubernetes.io/cluster/<cluster>',
    ),
  ],
  decide: step(
    'Count the tagged groups.',
    'aws ec2 describe-security-groups --filters Name=tag-key,Values=kubernetes.io/cluster/<cluster> --query SecurityGroups[].[GroupId,GroupName]',
  ),
  page: {
    why: 'Controllers open the load balancer’s ports in the one group of the node that has the cluster tag. EKS tags its cluster security group itself, Terraform modules and people tag the node’s group as well.',
    prevent:
      'With terraform-aws-eks, drop the tag from the node’s group or do not attach the cluster’s primary group.',
    notThis:
      'Pods on the node are fine; only Services of type LoadBalancer and target registration fail.',
    alsoKnownAs: [
      'expected exactly one securityGroup tagged with kubernetes.io/cluster',
      'Multiple tagged security groups found for instance',
    ],
    refs: [
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/faq.md',
      'https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/1897',
    ],
  },
});

export default foreseen(
  judged,
  (plan, group) => {
    const { securityGroups } = machineOf(plan, group);
    const groups = groupsNamed(plan, securityGroups);
    if (groups === null || group.clusterName === null) return NOT_SHOWN;
    const key = `kubernetes.io/cluster/${group.clusterName}`;
    const tagged = groups.filter(({ value }) => (value.Tags ?? []).some((tag) => tag.Key === key));
    if (tagged.length < 2) return clear;
    const names = tagged.map(({ address }) => address).join(', ');
    return found(
      { instance: group.name, groups: names, tag: key },
      [
        ...tagged.slice(0, 3).map((one) => plan.quote(one, `tag ${key}`)),
        plan.quote(group.fact, `${group.name} has both`),
      ],
      'likely',
    );
  },
  {
    summary: ({ groups, tag, planned }) =>
      `The machines of ${planned ?? 'the group'} will have several security groups with the tag ${tag ?? ''} (${groups ?? ''}) where exactly one is expected, so load balancers cannot send traffic to them.`,
    remedy: ({ tag }) => [
      step(`Keep the tag ${tag ?? ''} on one of them; EKS tags the cluster’s own group itself.`),
    ],
  },
);
