import { endpointOf, type Routing, type WayOut, wayOut } from '../../../domain/network/routes.ts';
import {
  cannotSay,
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { foreseen, plannedDetails } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { TOLD_OF_PRIVATE_SUBNETS } from '../../../diagnosis/private-subnet-signs.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { isEcrApiAlone, plannedWay } from '../../../domain/planned/ways.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';

const NAMES_OF_NAT = [' NAT gateway', ' NAT Gateway', ' NAT-gateway', ' NAT GW', ' NAT instance'];

/** A private subnet from which the AWS APIs cannot be reached: no NAT route, no endpoints. */
const cause = defineCause({
  id: 'no-nat-or-vpc-endpoints',
  stage: 'reachable',
  title: 'the subnet reaches no AWS API: no NAT route and no VPC endpoint',
  scope: 'machine',
  signs: {
    commandLine: likely(
      ['cloud-init', 'nodeadm', 'journal'],
      /(?:Connect timeout on endpoint URL: "https:\/\/|HTTPSConnectionPool\(host='(?=.*Caused by ConnectTimeoutError\())(?<service>ec2|sts|api\.ecr|ssm)\./,
      { anchors: ['Connect timeout on endpoint URL', 'Caused by ConnectTimeoutError('] },
    ),
    // One call without an answer may be stopped by a group or an endpoint as well as by a route.
    describeTimesOut: context(
      ['cloud-init', 'nodeadm', 'journal'],
      /(?:Connect timeout on endpoint URL: "https:\/\/|HTTPSConnectionPool\(host='(?=.*Caused by ConnectTimeoutError\())(?<service>eks)\./,
      { anchors: ['Connect timeout on endpoint URL', 'Caused by ConnectTimeoutError('] },
    ),
    program: likely(
      ['nodeadm', 'cloud-init', 'bottlerocket', 'ipamd', 'aws-node', 'kubelet', 'nodeup'],
      /https:\/\/(?<service>ec2|eks|sts|api\.ecr|ssm)\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com[^\s"]*"?:? ?dial tcp (?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(?<address>\d[\dx*.]+):443: (?:connect: )?(?:i\/o timeout|connection timed out|network is unreachable)/,
      {
        anchors: [
          'https://ec2.',
          'https://eks.',
          'https://sts.',
          'https://api.ecr.',
          'https://ssm.',
        ],
        atLeast: 2,
      },
    ),
    // The kubelet ends with it, and is started again for the same answer.
    providerTimesOut: likely(
      ['kubelet'],
      /could not init cloud provider "?\\?"?aws.*https:\/\/(?<service>ec2)\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com\/?\\*"?: dial tcp:? (?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(?:(?<address>\d[\dx*.]+):443: )?(?:connect: )?(?:(?:i\/o )?timeout|connection timed out|network is unreachable)/,
      { anchors: ['could not init cloud provider'] },
    ),
    // The registry asks for a token, so that its endpoint is there.
    registryAnswered: context(
      ['kubelet', 'containerd', 'event', 'pod-status', 'cloud-init'],
      /\.dkr\.ecr\..{0,600}(?:401 Unauthorized|no basic auth credentials)/,
      { anchors: ['.dkr.ecr.'], isBackground: true },
    ),
    bootstrapEnded: withdraws(['cloud-init'], /\[eks-bootstrap\] INFO: complete!/),
    imagePull: context(
      ['event', 'kubelet', 'containerd'],
      /\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com.*dial tcp (?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(?<address>\d[\d.]+):443: i\/o timeout/,
      { anchors: ['.dkr.ecr.'] },
    ),
    timedOut: context(
      ['kubelet', 'nodeadm', 'cloud-init', 'bottlerocket'],
      /(?:Unable to register node.*(?:i\/o timeout|Client\.Timeout exceeded)|retrying request EC2\/DescribeInstances)/,
      {
        anchors: [
          'i/o timeout',
          'Client.Timeout exceeded',
          'retrying request EC2/DescribeInstances',
        ],
        atLeast: 2,
      },
    ),
    // Each of these waited for an answer in vain; an answer that refuses is not asked again so often.
    retriedLong: likely(
      ['nodeadm'],
      /retrying request (?<service>EC2)\/DescribeInstances, attempt (?:[6-9]|1\d)\b/,
      { strict: true },
    ),
    proxied: context(
      ['user-data', 'cloud-init', 'nodeadm'],
      /\b(?:HTTPS?_PROXY|https?_proxy|https-proxy)["']?\s*[:=]/,
      { anchors: ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'https-proxy'] },
    ),
    callUnanswered: context(
      ['ipamd', 'pod-identity-agent'],
      /(?:Unable to retrieve instance data from EC2 control plane|unable to fetch credentials from EKS Auth).*StatusCode: 0\b/,
      {
        anchors: [
          'Unable to retrieve instance data from EC2',
          'unable to fetch credentials from EKS Auth',
        ],
      },
    ),
    routesTaken: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Rr]oute table associations?\b.{0,40}\b(?:destroyed|deleted|removed)\b|\bNAT [Gg]ateways? (?:was|were|is|are|got) (?:deleted|destroyed|removed)\b/,
      {
        isTold: true,
        anchors: ['oute table association', 'NAT gateway', 'NAT Gateway'],
      },
    ),
    // What is told of a way out counts beside the trouble that it is told for.
    toldNoRoute: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Ii]ssue|[Pp]roblem|[Ss]olved|[Ff]ix(?:ed)?|[Cc]ause|[Rr]eason|[Bb]ecause|[Ff]ail\w{0,4}|[Cc]annot|[Cc]an't|[Cc]ould|[Uu]nable|[Nn]ever)\b.{0,160}?\b(?:[Nn]o|[Ww]ithout(?: an?| any)?|(?:did|do|does)(?: not|n't) have(?: an?| any)?|had no|lack(?:s|ed|ing)?(?: an?)?|missing(?: an?| the)?|[Ff]orgot(?: to (?:add|create|attach|set up|configure))?(?: an?| the)?) (?:\w+ ){0,2}?(?:NAT[ -](?:[Gg]ateways?|GW|[Ii]nstance)\b|route to (?:the |an? )?(?:internet|NAT)\b)(?!.{0,200}\b[Ee]ndpoints?\b)|\b(?:[Nn]o|[Ww]ithout(?: an?| any)?|(?:did|do|does)(?: not|n't) have(?: an?| any)?|had no|lack(?:s|ed|ing)?(?: an?)?|missing(?: an?| the)?|[Ff]orgot(?: to (?:add|create|attach|set up|configure))?(?: an?| the)?) (?:\w+ ){0,2}?(?:NAT[ -](?:[Gg]ateways?|GW|[Ii]nstance)\b|route to (?:the |an? )?(?:internet|NAT)\b)(?!.{0,200}\b[Ee]ndpoints?\b)(?=.{0,160}\b(?:join|regist|reach|issue|problem|solv|fix|fail|because|cannot|can't|could|unable|never|time))|\b[Ff]orgot (?:to (?:add|create|attach|set up|configure) )?(?:an?|the) (?:\w+ ){0,2}?NAT [Gg]ateway/,
      {
        isTold: true,
        anchors: [...NAMES_OF_NAT, 'route to '],
      },
    ),
    toldNatDown: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bNAT (?:[Ii]nstance|[Gg]ateway|GW)s? (?:was|were|is|are|had been) (?:stopped|down|terminated|gone|broken|unhealthy|failed|in (?:the )?failed|blackhole\w?)/,
      {
        isTold: true,
        anchors: ['NAT instance', 'NAT Instance', 'NAT gateway', 'NAT Gateway', 'NAT GW'],
      },
    ),
    toldRouteAdded: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Oo]nce|[Aa]fter|[Ww]hen|[Aa]s soon as|[Uu]ntil) (?:\S{1,30} ){0,4}?(?:add|creat|attach|point|associat)\w{0,4}\b.{0,60}\bNAT[ -](?:[Gg]ateway|GW|[Ii]nstance)\b.{0,60}\b(?:work|join|solv|fix|resolv|came|come|succeed|register)\w{0,4}\b|\b(?:[Aa]dd|[Cc]reat|[Aa]ttach)(?:ing|ed)\b.{0,40}\bNAT[ -](?:[Gg]ateway|GW|[Ii]nstance)\b.{0,40}\b(?:fixed|solved|resolved|helped|did the trick)\b|\b[Ss]ubnets?'? .{0,30}\b[Rr]oute tables?\b.{0,20}\b(?:without|no|missing|lacks?|lacked) (?:an? |the |any )?default route\b/,
      {
        isTold: true,
        anchors: [...NAMES_OF_NAT, 'default route'],
      },
    ),
    ...TOLD_OF_PRIVATE_SUBNETS,
    registryUnanswered: context(
      ['event', 'kubelet', 'containerd', 'client-output', 'pod-status', 'unknown'],
      /\.dkr\.ecr\.[\w-]{1,40}\.amazonaws\.com\/v2\/\S{0,200}: (?:net\/http: (?:request canceled while waiting for connection|TLS handshake timeout)|net\/http:\s*$|context deadline exceeded)/,
      { anchors: ['.dkr.ecr.'] },
    ),
  },
  needs: ['aws/instance', 'aws/route-table', 'aws/nat-gateway', 'aws/vpc-endpoint', 'aws/cluster'],
  symptoms: [
    'boot-call-retried',
    'api-silent',
    'boot-verdict',
    'user-data-script-failed',
    'machine-without-node',
  ],
  explains: [
    'describe-cluster-failed',
    'private-dns-name-lookup-failed',
    'failed-user-script',
    'pause-image-pull-failed',
    'sts-endpoint-unavailable',
    'bottlerocket-setting-generator-failed',
  ],
  summary: ({ subnet, service, machine, why, lacking, planned }) =>
    planned !== undefined
      ? sentence`Machines of ${planned} in the subnet ${subnet} will get no answer from AWS APIs: ${why}, and the VPC has no endpoint for ${lacking}.`
      : sentence`${machine ?? 'The machine'} gets no answer from ${service === undefined ? 'the AWS APIs' : `the AWS API ${service}`}: its subnet ${subnet} has ${why === undefined ? 'no way out and no endpoint for it' : `no way out (${why}) and ${lacking ?? 'no endpoint for it'}`}.`,
  remedy: ({ region, subnet, table, vpc, planned, lacking }) =>
    planned !== undefined
      ? [
          step(
            `Add an aws_route with destination_cidr_block = "0.0.0.0/0" and a nat_gateway_id to the route table ${table ?? 'of the subnet'}.`,
          ),
          step(
            `Or add an aws_vpc_endpoint to the VPC for each of: ${lacking ?? 'ec2, ecr.api, ecr.dkr, s3'} (of type Gateway for s3, of type Interface with private_dns_enabled = true for the others).`,
          ),
        ]
      : [
          step(
            'See which way out the subnet has, and which endpoints the VPC.',
            `aws ec2 describe-route-tables --filters Name=association.subnet-id,Values=${subnet ?? '<subnet>'} --query RouteTables[].Routes; aws ec2 describe-vpc-endpoints --query VpcEndpoints[].[VpcId,ServiceName,State]`,
          ),
          step(
            'Either a route to a NAT gateway,',
            `aws ec2 create-route --route-table-id ${table ?? '<route-table>'} --destination-cidr-block 0.0.0.0/0 --nat-gateway-id <nat-gateway>`,
          ),
          step(
            'or interface endpoints for ec2, ecr.api, ecr.dkr, sts, eks and a gateway endpoint for s3, with private DNS and 443 open from the nodes.',
            `aws ec2 create-vpc-endpoint --vpc-endpoint-type Interface --vpc-id ${vpc ?? '<vpc>'} --service-name com.amazonaws.${region ?? '<region>'}.ec2 --subnet-ids ${subnet ?? '<subnet>'} --security-group-ids <security-group> --private-dns-enabled`,
          ),
        ],
  decide: step(
    'Try each API from the machine; any HTTP code means that it is reachable.',
    'for s in ec2 sts eks api.ecr; do printf "%s " $s; curl -sS -m 8 -o /dev/null -w "%{http_code} %{remote_ip}\\n" https://$s.<region>.amazonaws.com; done',
  ),
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

export default foreseen(
  matched(cause, (view) => matchRoutes(view) ?? matchTold(view)),
  foresee,
);

type Own = ViewOf<typeof cause>;

type Closed = Extract<WayOut, { kind: 'closed' }>;

interface Place {
  readonly subnet: string;
  readonly vpc: string;
  readonly zone: string;
}

/** No way out is told of, nothing instead of it, and that the machines do not join. */
function matchTold(view: Own): Match | null {
  const isolated = view.sign('toldPublicCall') === null ? null : view.sign('isolatedNetwork');
  const [alone, lost] = [view.sign('toldPrivate') ?? isolated, view.sign('toldNotJoined')];
  if (view.isLive || alone === null || lost === null) return null;
  return view.sign('toldOtherwise') === null
    ? found({}, [alone.first, lost.first], 'likely')
    : null;
}

function matchRoutes(view: Own): Match | null {
  if (isEcrApiOnly(view)) return clear;
  const place = placeOf(view);
  if (place === null) return null;
  const way = wayOut(routingOf(view), place.subnet, place.vpc);
  const sighting =
    view.sign('commandLine') ??
    view.sign('describeTimesOut') ??
    view.sign('program') ??
    view.sign('providerTimesOut') ??
    view.sign('imagePull') ??
    view.sign('timedOut');
  if (sighting !== null && way.kind === 'closed')
    return found({ ...sighting.last.captures, ...detailsOf(way, place) }, [
      sighting.first,
      ...quotesOf(view, way, place),
    ]);
  const isRefused = view.anySign('commandLine', 'describeTimesOut', 'program', 'imagePull');
  if (way.kind === 'translated' && !isRefused) return clear;
  const isLost = sighting === null && view.shows('machine-without-node');
  return isLost ? matchWithoutNode(view, way, place) : null;
}

/** The API that hands out the registry's tokens is silent, and the registry itself is not. */
function isEcrApiOnly(view: Own): boolean {
  if (view.isLive || view.sign('registryAnswered') === null) return false;
  const silent = [view.sign('commandLine'), view.sign('program')].filter((one) => one !== null);
  const others = view.anySign('describeTimesOut', 'providerTimesOut', 'retriedLong', 'toldNatDown');
  return (
    silent.length > 0 &&
    !others &&
    silent.every(({ quotes }) => quotes.every(({ captures }) => captures['service'] === 'api.ecr'))
  );
}

function placeOf(view: Own): Place | null {
  const instance = view
    .list('aws/instance')
    .find((entry) => entry.value.InstanceId === view.instanceId);
  const subnet = instance?.value.SubnetId ?? null;
  if (subnet === null) return null;
  const zone = instance?.value.Placement?.AvailabilityZone ?? '';
  return { subnet, vpc: instance?.value.VpcId ?? '', zone };
}

function routingOf(view: Own): Routing {
  return {
    tables: view.list('aws/route-table'),
    natGateways: view.list('aws/nat-gateway'),
    areNatGatewaysKnown: view.read('aws/nat-gateway').state !== 'unknown',
  };
}

function detailsOf(way: Closed, { subnet, vpc, zone }: Place): Details {
  const region = /^[a-z]{2}(?:-[a-z]+)+-\d/.exec(zone)?.[0];
  const table = way.table.value.RouteTableId ?? null;
  return {
    subnet,
    why: way.why,
    ...(vpc === '' ? {} : { vpc }),
    ...(region === undefined ? {} : { region }),
    ...(table === null ? {} : { table }),
  };
}

function quotesOf(view: Own, way: Closed, { subnet }: Place): readonly Quote[] {
  const id = way.table.value.RouteTableId ?? '';
  const table = view.quote(
    way.table,
    `RouteTable ${id} of ${subnet} has no working route 0.0.0.0/0: ${way.why}`,
  );
  const { gateway } = way;
  if (gateway === null) return [table];
  const state = gateway.value.State ?? '';
  const home = gateway.value.SubnetId ?? '';
  const name = gateway.value.NatGatewayId ?? '';
  return [table, view.quote(gateway, `NAT gateway ${name} in ${home} State ${state}`)];
}

/** Nodes of EKS ask EC2 for their name before they register, and may need the public endpoint. */
function matchWithoutNode(view: Own, way: WayOut, place: Place): Match | null {
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  if (way.kind !== 'closed' || cluster === undefined || clusters.length > 1) return null;
  if (cluster.value.resourcesVpcConfig?.vpcId !== place.vpc) return null;
  if (view.sign('proxied') !== null) return null;
  const endpoints = view.read('aws/vpc-endpoint');
  if (endpoints.state === 'unknown') return notListed(place.vpc);
  const isPublicOnly = hasNoPrivateEndpoint(cluster.value);
  const ec2 = endpointOf(view.list('aws/vpc-endpoint'), place.vpc, 'ec2');
  if (ec2 !== null && !isPublicOnly) return clear;
  const lacking =
    ec2 === null
      ? `the VPC ${place.vpc} no VPC endpoint for ec2`
      : 'the cluster no private endpoint';
  const details = { ...detailsOf(way, place), lacking };
  return found(details, [
    ...quotesOf(view, way, place),
    ...(ec2 === null
      ? [endpointQuote(view, place.vpc)]
      : [view.quote(cluster, 'cluster endpointPrivateAccess false')]),
  ]);
}

function hasNoPrivateEndpoint(cluster: Cluster): boolean {
  return cluster.resourcesVpcConfig?.endpointPrivateAccess === false;
}

function endpointQuote(view: Own, vpc: string): Quote {
  const all = view.list('aws/vpc-endpoint');
  const own = all.filter(({ value }) => value.VpcId === vpc);
  const names = own.map(({ value }) => `${value.ServiceName ?? ''} (${value.State ?? ''})`);
  const by = 'aws ec2 describe-vpc-endpoints';
  const listed = own[0] ?? { state: 'seen', value: null, by, locator: by };
  return view.quote(
    listed,
    `VPC ${vpc} endpoints: ${names.join(', ') || 'none'}; no endpoint for ec2 answers`,
  );
}

function notListed(vpc: string): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: 'which VPC endpoints there are',
    collect: `aws ec2 describe-vpc-endpoints --filters Name=vpc-id,Values=${vpc}`,
  });
}

/** A plan that makes the subnet and its VPC without a way out; a proxy in user data is not seen. */
function foresee(plan: PlanView, group: PlannedGroup): Match | null {
  const way = plannedWay(plan, group);
  if (way === null) return null;
  if (way.kind === 'unknown') return cannotSay(way.why);
  if (way.kind === 'open' || isEcrApiAlone(way.lacking)) return clear;
  const { subnet, lacking, way: closed } = way;
  const table = closed.table.value.RouteTableId ?? '';
  const { planned: name = '' } = plannedDetails(group);
  return found(
    { planned: name, subnet: subnet.address, why: closed.why, table, lacking: lacking.join(', ') },
    [
      plan.quote(subnet, `route table ${table}: ${closed.why}`),
      plan.quote(group.fact, `machines in ${(group.subnets ?? []).join(', ')}`),
    ],
    'likely',
  );
}
