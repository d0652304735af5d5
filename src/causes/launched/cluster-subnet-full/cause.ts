import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { SUBNETS } from '../../../domain/planned/lookups.ts';
import { freeIn } from '../../../domain/planned/room.ts';

/** EKS needs free addresses in the subnets of the control plane, and there are too few. */
const cause = defineCause({
  id: 'cluster-subnet-full',
  stage: 'launched',
  title: 'the subnets of the control plane have too few free addresses for EKS',
  scope: 'cluster',
  signs: {
    healthCode: definite(
      ['aws-message', 'client-output', 'terraform'],
      /\b(?<code>IP_NOT_AVAILABLE|IpNotAvailable)\b(?:.*?(?<subnet>subnet-[0-9a-f]{8,17}))?/,
    ),
    sentence: definite(
      ['aws-message', 'client-output', 'terraform'],
      /enough (?:available |free )?IP addresses for (?:Amazon )?EKS\b/i,
      { anchors: ['IP addresses for Amazon EKS', 'IP addresses for EKS'] },
    ),
    counted: definite(
      ['aws-message', 'client-output', 'terraform'],
      /Provided subnets (?<subnet>subnet-[0-9a-f]{8,17}) Free IPs: (?<free>\d+)\b.{0,400}\bneed at least \d+ IPs in each subnet/,
      { anchors: ['IPs in each subnet'] },
    ),
  },
  needs: ['aws/cluster', 'aws/subnet'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['subnet-full-at-launch', 'node-creation-failure-verdict'],
  summary: ({ subnet, cluster, free }) =>
    `The control plane of ${cluster === undefined ? 'the cluster' : `cluster ${cluster}`} has too few free addresses in its subnets${subnet === undefined || subnet === '' ? '' : ` (${subnet}${free === undefined ? '' : `, ${free} free`})`}, so EKS cannot update it or repair its interfaces.`,
  remedy: ({ cluster, subnet }) => [
    step(
      'Count the free addresses of the cluster’s subnets; EKS wants at least 6 in each, better 16.',
      `aws ec2 describe-subnets --subnet-ids ${subnetArguments(subnet)} --query 'Subnets[].[SubnetId,AvailabilityZone,CidrBlock,AvailableIpAddressCount]'`,
    ),
    step(
      'Delete interfaces there that belong to nothing any more.',
      `aws ec2 describe-network-interfaces --filters Name=status,Values=available Name=subnet-id,Values=${subnetArguments(subnet).split(' ')[0] ?? '<subnet>'} --query 'NetworkInterfaces[].[NetworkInterfaceId,Description]'`,
    ),
    step(
      'Or give the control plane other subnets of the same zones.',
      `aws eks update-cluster-config --name ${cluster ?? '<cluster>'} --resources-vpc-config subnetIds=<subnet>,<subnet-of-another-zone>`,
    ),
  ],
  decide: step(
    'Read the cluster’s health and count the free addresses of its subnets.',
    "aws eks describe-cluster --name <cluster> --query 'cluster.[health,resourcesVpcConfig.subnetIds]'; aws ec2 describe-subnets --subnet-ids <subnet> --query 'Subnets[].[SubnetId,AvailableIpAddressCount]'",
  ),
  page: {
    why: 'EKS puts 2 to 4 interfaces into the cluster’s subnets and needs up to 5 more addresses while it updates. Nodes and pods in the same small subnets take them all.',
    prevent:
      'Give the control plane /28 subnets of its own in two zones, in which nothing else runs.',
    notThis:
      'A node group that launches nothing for lack of addresses is subnet-full-at-launch; pods without addresses are subnet-out-of-pod-addresses. A subnet that was deleted is control-plane-network-deleted.',
    alsoKnownAs: [
      'IP_NOT_AVAILABLE',
      'does not have enough available IP addresses for Amazon EKS to perform cluster management operations',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#cluster-health-status',
      'https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html',
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_ErrorDetail.html',
    ],
  },
});

const judged = matched(cause, (view) => matchHealth(view));

type Own = ViewOf<typeof cause>;

const SHORT_OF_ADDRESSES = ['InsufficientFreeAddresses', 'IpNotAvailable', 'IP_NOT_AVAILABLE'];

function subnetArguments(subnet: string | undefined): string {
  return subnet === undefined || subnet === '' ? '<subnet>' : subnet.replaceAll(',', '');
}

/** Among the cluster's own issues; a node group's are about launches. */
function matchHealth(view: Own): Match | null {
  for (const cluster of view.list('aws/cluster')) {
    const issues = cluster.value.health?.issues ?? [];
    const issue = issues.find(({ code }) => SHORT_OF_ADDRESSES.includes(code ?? ''));
    if (issue === undefined) continue;
    const subnet = (issue.resourceIds ?? []).join(', ');
    const shown = view.list('aws/subnet').find(({ value }) => value.SubnetId === subnet);
    const count = shown?.value.AvailableIpAddressCount ?? null;
    const free = count === null ? {} : { free: String(count) };
    const name = cluster.value.name ?? null;
    const details = { subnet, ...(name === null ? {} : { cluster: name }), ...free };
    const quote = sentence`cluster ${name} health ${issue.code}${phrase`: ${issue.message}`}`;
    return found(details, [view.quote(cluster, quote)]);
  }
  return null;
}

/** EKS wants so many free addresses in each subnet of a cluster that it makes. */
const NEEDED = 6;

export default foreseen(
  judged,
  (plan, { cluster }) => {
    if (cluster?.change !== 'create') return NOT_SHOWN;
    const ids = (cluster.value.resourcesVpcConfig?.subnetIds ?? []).map(String);
    const subnets = ids.flatMap((id) => lookedUp(plan, SUBNETS, id).slice(0, 1));
    const full = subnets.find((one) => (freeIn(one) ?? NEEDED) < NEEDED);
    if (full !== undefined) {
      const [subnet, free] = [full.value.SubnetId ?? full.address, String(freeIn(full) ?? 0)];
      return found({ subnet, free }, [
        plan.quote(full, `${free} free addresses`),
        plan.quote(cluster, `subnet_ids ${ids.join(', ')}`),
      ]);
    }
    const isKnown = subnets.every((one) => freeIn(one) !== null);
    return ids.length > 0 && subnets.length === ids.length && isKnown ? clear : NOT_SHOWN;
  },
  {
    summary: ({ subnet, free, cluster }) =>
      `The subnet ${subnet ?? ''} has ${free ?? 'too few'} free addresses and EKS needs 6 in each subnet of cluster ${cluster ?? ''}, so it will not make the cluster.`,
    remedy: () => [
      step(
        'Give vpc_config of the aws_eks_cluster subnets with 16 free addresses or more; /28 subnets of their own are enough.',
      ),
    ],
  },
);
