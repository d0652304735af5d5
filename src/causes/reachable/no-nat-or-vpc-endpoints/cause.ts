import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { type Json, listAt, textAt } from '../../../evidence/json.ts';

/** A private subnet from which the AWS APIs cannot be reached: no NAT route, no endpoints. */
export default defineCause({
  id: 'no-nat-or-vpc-endpoints',
  stage: 'reachable',
  title: 'the subnet reaches no AWS API: no NAT route and no VPC endpoint',
  scope: 'machine',
  signs: {
    commandLine: {
      in: ['cloud-init', 'nodeadm', 'journal'],
      anchors: ['Connect timeout on endpoint URL'],
      pattern: /Connect timeout on endpoint URL: "https:\/\/(?<service>ec2|eks|sts|api\.ecr|ssm)\./,
      weight: 'likely',
    },
    program: {
      in: ['nodeadm', 'cloud-init', 'bottlerocket', 'ipamd', 'aws-node', 'kubelet', 'nodeup'],
      anchors: ['https://ec2.', 'https://eks.', 'https://sts.', 'https://api.ecr.', 'https://ssm.'],
      pattern:
        /https:\/\/(?<service>ec2|eks|sts|api\.ecr|ssm)\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com[^\s"]*"?:? ?dial tcp (?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(?<address>\d[\d.]+):443: (?:connect: )?(?:i\/o timeout|connection timed out|network is unreachable)/,
      weight: 'likely',
      atLeast: 2,
    },
    bootstrapEnded: {
      in: ['cloud-init'],
      anchors: ['[eks-bootstrap] INFO: complete'],
      pattern: /\[eks-bootstrap\] INFO: complete!/,
      weight: 'withdraws',
    },
    imagePull: {
      in: ['event', 'kubelet', 'containerd'],
      anchors: ['.dkr.ecr.'],
      pattern:
        /\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com[^\s"]*"?.*dial tcp (?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(?<address>\d[\d.]+):443: i\/o timeout/,
      weight: 'context',
    },
    timedOut: {
      in: ['kubelet', 'nodeadm', 'cloud-init', 'bottlerocket'],
      anchors: ['i/o timeout', 'Client.Timeout exceeded', 'retrying request EC2/DescribeInstances'],
      pattern:
        /(?:Unable to register node.*(?:i\/o timeout|Client\.Timeout exceeded)|retrying request EC2\/DescribeInstances)/,
      weight: 'context',
      atLeast: 2,
    },
  },
  needs: ['aws/instance', 'aws/route-table'],
  symptoms: ['boot-call-retried', 'api-silent', 'boot-verdict', 'user-data-script-failed'],
  explains: [
    'describe-cluster-failed',
    'private-dns-name-lookup-failed',
    'failed-user-script',
    'pause-image-pull-failed',
    'sts-endpoint-unavailable',
    'bottlerocket-setting-generator-failed',
  ],
  match: (view) => matchRoutes(view),
  summary: ({ subnet, service, machine }) =>
    `${machine ?? 'The machine'} gets no answer from ${service === undefined ? 'the AWS APIs' : `the AWS API ${service}`}: its subnet ${subnet ?? ''} has no way out and no endpoint for it.`.replace(
      '  ',
      ' ',
    ),
  remedy: ({ region, subnet }) => [
    {
      text: 'See which way out the subnet has, and which endpoints the VPC.',
      command: `aws ec2 describe-route-tables --filters Name=association.subnet-id,Values=${subnet ?? '<subnet>'} --query RouteTables[].Routes; aws ec2 describe-vpc-endpoints --query VpcEndpoints[].[VpcId,ServiceName,State]`,
    },
    {
      text: 'Either a route to a NAT gateway,',
      command:
        'aws ec2 create-route --route-table-id <route-table> --destination-cidr-block 0.0.0.0/0 --nat-gateway-id <nat-gateway>',
    },
    {
      text: 'or interface endpoints for ec2, ecr.api, ecr.dkr, sts, eks and a gateway endpoint for s3, with private DNS and 443 open from the nodes.',
      command: `aws ec2 create-vpc-endpoint --vpc-endpoint-type Interface --vpc-id <vpc> --service-name com.amazonaws.${region ?? '<region>'}.ec2 --subnet-ids ${subnet ?? '<subnet>'} --security-group-ids <security-group> --private-dns-enabled`,
    },
  ],
  decide: {
    text: 'Try each API from the machine; any HTTP code means that it is reachable.',
    command:
      'for s in ec2 sts eks api.ecr; do printf "%s " $s; curl -sS -m 8 -o /dev/null -w "%{http_code} %{remote_ip}\\n" https://$s.<region>.amazonaws.com; done',
  },
  page: {
    why: 'A machine needs ec2, ecr, s3 and sts while it starts. In a private subnet that takes a NAT gateway or one endpoint per service; a route to a deleted NAT gateway is a black hole.',
    prevent:
      'Make the list of endpoints part of the VPC module, and try every API from a machine of each new subnet.',
    notThis:
      'A private address in the time-out means that an endpoint exists and its security group is closed: vpc-endpoint-security-group-closed. Only one API: ecr-api-endpoint-missing, sts-endpoint-unavailable. A route to an internet gateway without a public address is public-subnet-without-public-ip. A proxy in the error is wrong-proxy-configuration. Karpenter alone is karpenter-cannot-reach-eks-api.',
    alsoKnownAs: [
      'Connect timeout on endpoint URL: "https://ec2.',
      'dial tcp i/o timeout amazonaws.com',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/faq.md',
    ],
  },
});

type Signs = 'commandLine' | 'program' | 'bootstrapEnded' | 'imagePull' | 'timedOut';

function matchRoutes(view: View<'aws/instance' | 'aws/route-table', Signs>): Match | null {
  const sighting =
    view.sign('commandLine') ??
    view.sign('program') ??
    view.sign('imagePull') ??
    view.sign('timedOut');
  const instance = view
    .list('aws/instance')
    .find((entry) => textAt(entry.value, 'InstanceId') === view.instanceId);
  const subnet = instance === undefined ? null : textAt(instance.value, 'SubnetId');
  if (sighting === null || subnet === null) return null;
  const table = view
    .list('aws/route-table')
    .find((entry) =>
      listAt(entry.value, 'Associations').some((one) => textAt(one, 'SubnetId') === subnet),
    );
  if (table === undefined || hasWayOut(table.value)) return null;
  const id = textAt(table.value, 'RouteTableId') ?? '';
  return found({ ...sighting.last.captures, subnet }, [
    sighting.first,
    view.quote(table, `RouteTable ${id} of ${subnet} has no active route 0.0.0.0/0`),
  ]);
}

function hasWayOut(table: Json): boolean {
  return listAt(table, 'Routes').some(
    (route) =>
      textAt(route, 'DestinationCidrBlock') === '0.0.0.0/0' &&
      textAt(route, 'State') !== 'blackhole',
  );
}
