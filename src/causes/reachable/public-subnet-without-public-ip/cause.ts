import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { endpointOf, wayOut } from '../../../domain/network/routes.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { VPCS } from '../../../domain/planned/lookups.ts';

/** The subnet’s way out is an internet gateway, and the machine has no public address to use it with. */
const cause = defineCause({
  id: 'public-subnet-without-public-ip',
  stage: 'reachable',
  title: 'the machine is in a public subnet and has no public address',
  scope: 'machine',
  signs: {
    healthSentence: definite(
      ['aws-message', 'terraform', 'client-output'],
      /(?:Subnets? of \[(?<subnet>subnet-[0-9a-f]{8,17})[^\]]*\].{0,80})?not automatically assign public IP addresses to instances launched into it/,
    ),
    eksctlRefuses: definite(
      ['client-output', 'unknown'],
      /found mis-?configured subnets \[?"?(?<subnet>subnet-[0-9a-f]{8,17})?.{0,400}"MapPublicIpOnLaunch" enabled/,
      { anchors: ['configured subnets'] },
    ),
    timedOut: context(
      ['kubelet', 'cloud-init', 'nodeadm', 'bottlerocket'],
      /Unable to register node.*(?:i\/o timeout|Client\.Timeout exceeded)|Connect timeout on endpoint URL|retrying request EC2\/DescribeInstances/,
      {
        anchors: [
          'i/o timeout',
          'Client.Timeout exceeded',
          'Connect timeout on endpoint URL',
          'retrying request EC2/DescribeInstances',
        ],
      },
    ),
    toldWithout: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bpublic subnets?\b.{0,60}\b(?:without|no|(?:did|do|does)(?: not|n't) (?:have|get|assign)|had no|not assigned)\b.{0,30}\b[Pp]ublic (?:IP|ip|address)|(?<!["\w])(?:map_public_ip_on_launch|MapPublicIpOnLaunch|[Aa]uto-assign public IP\w{0,10})\b.{0,20}(?:=|:|was|is|set to)\W{0,4}(?:false|off|disabled|not enabled)\b/,
      {
        isTold: true,
        anchors: [
          'public subnet',
          'map_public_ip_on_launch',
          'MapPublicIpOnLaunch',
          'uto-assign public IP',
        ],
      },
    ),
  },
  needs: ['aws/instance', 'aws/route-table', 'aws/vpc-endpoint', 'aws/cluster'],
  symptoms: ['boot-call-retried', 'api-silent', 'boot-verdict', 'machine-without-node'],
  explains: [
    'no-nat-or-vpc-endpoints',
    'invalid-subnet-or-security-group',
    'describe-cluster-failed',
    'private-dns-name-lookup-failed',
    'failed-user-script',
    'public-endpoint-cidr-restricted',
  ],
  summary: ({ subnet, machine }) =>
    `The subnet ${subnet ?? 'of the node group'} routes through an internet gateway, and ${machine === undefined || machine === 'cluster' ? 'its machines get' : `${machine} has`} no public address, so every connection outwards times out.`,
  remedy: ({ subnet }) => [
    step(
      'Let the subnet give new machines a public address, then replace the machines.',
      `aws ec2 modify-subnet-attribute --subnet-id ${subnet ?? '<subnet>'} --map-public-ip-on-launch`,
    ),
    step(
      'Or move the nodes to private subnets with a NAT gateway.',
      'aws eks create-nodegroup --cluster-name <cluster> --nodegroup-name <new-node-group> --node-role <node-role-arn> --subnets <private-subnet>',
    ),
  ],
  decide: step(
    'See the machine’s public address and its subnet’s default route.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[SubnetId,PublicIpAddress]; aws ec2 describe-route-tables --filters Name=association.subnet-id,Values=<subnet> --query RouteTables[].Routes',
  ),
  page: {
    why: 'An internet gateway serves machines with a public address only. Managed node groups stopped to assign one by themselves in 2020; the subnet’s setting decides now.',
    prevent: 'Put nodes into private subnets, and load balancers into the public ones.',
    notThis:
      'A subnet without any default route is no-nat-or-vpc-endpoints. With private endpoint and VPC endpoints a machine works here without a public address.',
    alsoKnownAs: [
      'does not automatically assign public IP addresses to instances launched into it',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://aws.amazon.com/blogs/containers/upcoming-changes-to-ip-assignment-for-eks-managed-node-groups/',
    ],
  },
});

const judged = matched(cause, matchRoutes);

type Own = ViewOf<typeof cause>;

function matchRoutes(view: Own): Match | null {
  const instance = view
    .list('aws/instance')
    .find((entry) => entry.value.InstanceId === view.instanceId);
  if (instance === undefined || view.instanceId === null) return null;
  if ((instance.value.PublicIpAddress ?? null) !== null) return clear;
  const subnet = instance.value.SubnetId ?? '';
  const vpc = instance.value.VpcId ?? null;
  const tables = view.list('aws/route-table');
  const way = wayOut({ tables, natGateways: [], areNatGatewaysKnown: false }, subnet, vpc);
  const timedOut = view.sign('timedOut');
  const isLost = view.shows('machine-without-node') && needsInternet(view, vpc ?? '');
  if (way.kind !== 'direct' || (timedOut === null && !isLost)) return null;
  const id = way.table.value.RouteTableId ?? '';
  const gateway = (way.table.value.Routes ?? []).find(
    (route) => route.DestinationCidrBlock === '0.0.0.0/0',
  );
  return found({ subnet, instance: view.instanceId }, [
    ...(timedOut === null ? [] : [timedOut.first]),
    view.quote(
      way.table,
      `RouteTable ${id} of ${subnet}: 0.0.0.0/0 to the internet gateway ${gateway?.GatewayId ?? ''}`,
    ),
    view.quote(instance, `instance ${view.instanceId} in ${subnet} has no PublicIpAddress`),
  ]);
}

/** True where EC2, which nodes of EKS ask for their name, or the API server answers outside only. */
function needsInternet(view: Own, vpc: string): boolean {
  const [cluster] = view.list('aws/cluster');
  if (cluster === undefined || cluster.value.resourcesVpcConfig?.vpcId !== vpc) return false;
  if (cluster.value.resourcesVpcConfig.endpointPrivateAccess === false) return true;
  const endpoints = view.read('aws/vpc-endpoint');
  return (
    endpoints.state !== 'unknown' && endpointOf(view.list('aws/vpc-endpoint'), vpc, 'ec2') === null
  );
}

/** Of a VPC that exists the plan does not show all endpoints. */
export default foreseenByMatch(
  judged,
  (plan, group) => {
    const { vpc } = machineOf(plan, group);
    const isNew = lookedUp(plan, VPCS, vpc).some(({ change }) => change === 'create');
    const doubts = ['aws/route-table', 'aws/vpc-endpoint'] as const;
    return isNew && doubts.every((kind) => plan.doubtOf(kind) === null) ? true : null;
  },
  {
    remedy: ({ subnet }) => [
      step(`Set map_public_ip_on_launch = true in ${subnet ?? 'the aws_subnet'}.`),
      step('Or put the group into private subnets with a route to a NAT gateway.'),
    ],
  },
);
