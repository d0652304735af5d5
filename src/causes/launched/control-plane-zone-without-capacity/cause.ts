import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { SUBNETS } from '../../../domain/planned/lookups.ts';

/** EKS does not place control planes in this zone. */
const judged = defineCause({
  id: 'control-plane-zone-without-capacity',
  stage: 'launched',
  title: 'a subnet is in a zone that cannot host the EKS control plane',
  scope: 'cluster',
  signs: {
    sentence: definite(
      ['terraform', 'client-output', 'aws-message'],
      /(?:Cannot create cluster ['"]?(?<cluster>[\w-]{1,100})['"]? )?because (?:(?<zone>[a-z]{2,10}(?:-[a-z]+)*-\d[a-z]),? )?the targeted availability zone, does not (?:currently )?have sufficient capacity to support the cluster(?:.{0,80}?availability zones: (?<others>[a-z0-9-]+(?:, ?[a-z0-9-]+){0,8}))?/i,
      { anchors: ['argeted availability zone, does not', 'argeted Availability Zone, does not'] },
    ),
    code: definite(
      ['terraform', 'client-output', 'aws-message'],
      /\bUnsupportedAvailabilityZone(?:Exception)?\b/,
    ),
    created: withdraws(
      ['terraform', 'client-output'],
      /aws_eks_cluster\.[^:]{1,120}: Creation complete|EKS cluster "[\w-]+" in "[a-z0-9-]+" region is ready/,
    ),
    notSupported: definite(
      ['terraform', 'client-output', 'aws-message'],
      /(?:Cannot create cluster ['"]?(?<cluster>[\w-]{1,100})['"]? )?because EKS does not support creating control plane instances in (?<zone>[a-z]{2}(?:-[a-z]+)+-\d[a-z])(?:.{0,200}?availability zones: (?<others>[a-z0-9-]+(?:, ?[a-z0-9-]+){0,8}))?/i,
      { anchors: ['does not support creating control plane instances in'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['node-registered', 'node-ready'],
  explains: ['node-creation-failure-verdict'],
  summary: ({ cluster, zone, others }) =>
    `EKS cannot place the control plane of ${cluster === undefined ? 'the cluster' : `cluster ${cluster}`} in ${zone ?? 'one of the zones of its subnets'}, so the cluster is not created${others === undefined ? '' : `; it can use ${others}`}.`,
  remedy: ({ zone }) => [
    step(
      `Give the cluster subnets of at least two other zones${zone === undefined ? '' : ` than ${zone}`}.`,
      `aws ec2 describe-subnets --filters Name=vpc-id,Values=<vpc> --query 'Subnets[?AvailabilityZone!=\`${zone ?? '<zone>'}\`].[SubnetId,AvailabilityZone,AvailabilityZoneId]'`,
    ),
    step(
      'With eksctl, name the zones.',
      'eksctl create cluster --name <cluster> --zones <zone>,<zone>',
    ),
  ],
  decide: step(
    'See which zones the subnets are in; use1-az3, usw1-az2 and cac1-az3 host no control plane.',
    "aws ec2 describe-availability-zones --query 'AvailabilityZones[].[ZoneName,ZoneId,State]'",
  ),
  page: {
    why: 'Some old zones have no room for control planes. Zone names differ between accounts: us-east-1e of one account is use1-az3, in another it is another one.',
    prevent: 'Choose zones by id, not by name, and leave out those that EKS names.',
    notThis:
      'A zone without capacity for instances is insufficient-instance-capacity; worker nodes may run in zones that host no control plane.',
    alsoKnownAs: [
      'UnsupportedAvailabilityZoneException',
      'the targeted availability zone, does not currently have sufficient capacity to support the cluster',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#ICE',
    ],
  },
});

/** Zones that host no control plane (Amazon EKS user guide, VPC and subnet considerations). */
const WITHOUT: readonly string[] = ['use1-az3', 'usw1-az2', 'cac1-az3'];

export default foreseen(
  judged,
  (plan, { cluster }) => {
    if (cluster?.change !== 'create') return NOT_SHOWN;
    const ids = (cluster.value.resourcesVpcConfig?.subnetIds ?? []).map(String);
    const subnets = ids.flatMap((id) => lookedUp(plan, SUBNETS, id));
    const bad = subnets.find(({ value }) => WITHOUT.includes(value.AvailabilityZoneId ?? ''));
    if (bad !== undefined) {
      const zone = bad.value.AvailabilityZoneId ?? '';
      return found({ zone }, [
        plan.quote(bad, `availability_zone_id ${zone}`),
        plan.quote(cluster, `subnet_ids ${ids.join(', ')}`),
      ]);
    }
    const isKnown = subnets.every(({ value }) => (value.AvailabilityZoneId ?? null) !== null);
    return ids.length > 0 && subnets.length === ids.length && isKnown ? clear : NOT_SHOWN;
  },
  {
    remedy: ({ zone }) => [
      step(
        `Give vpc_config of the aws_eks_cluster subnets of other zones than ${zone ?? 'this one'}; node groups may stay there.`,
      ),
    ],
  },
);
