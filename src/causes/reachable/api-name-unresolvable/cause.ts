import { leaseWithServer, serverWords } from '../../../domain/naming/leased-names.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { VPC_ATTRIBUTES, OPTIONS, VPCS } from '../../../domain/planned/lookups.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import type { DhcpOptions } from '../../../evidence/aws/network.ts';

const ON_NODE = [
  'kubelet',
  'kubeadm',
  'cloud-init',
  'nodeup',
  'bottlerocket',
  'nodeadm',
  'host-file',
] as const;

/** The machine's resolver does not know the name of the API server. */
const cause = defineCause({
  id: 'api-name-unresolvable',
  stage: 'reachable',
  title: 'the API server’s name does not resolve on the machine',
  scope: 'machine',
  signs: {
    // kubectl and Terraform on a laptop, and pods that ask the cluster's own DNS, say nothing of nodes.
    // The Cilium agent is on the host's network and asks the host's resolver.
    eksNameUnknown: likely(
      [...ON_NODE, 'cilium'],
      /^(?!.*(?:Unable to connect to the server|current server API group|cluster unreachable|configmaps\/aws-auth|on (?:172\.20|10\.100|10\.96)\.0\.10:53)).*lookup (?<name>[\w-]+\.[\w-]+\.[a-z0-9-]+\.eks\.amazonaws\.com(?:\.cn)?)\s{0,4}(?:on (?<resolver>[\d.:a-f[\]]+))?: no such host/,
      { anchors: ['no such host'] },
    ),
    apiNameUnknown: likely(
      ON_NODE,
      /^(?!.*(?:cannot get nodes for|error listing nodes|Unable to connect to the server|current server API group|cluster unreachable|configmaps\/aws-auth)).*https:\/\/(?<name>[\w.-]+)(?::\d+)?\/apis?\/[^\s"]*"?: dial tcp: lookup [\w.-]+ on (?!(?:172\.20|10\.100|10\.96)\.0\.10:53)(?<resolver>[\d.:a-f[\]]+): (?:no such host|server misbehaving)/,
      { anchors: ['no such host', 'server misbehaving'] },
    ),
    resolverSilent: likely(
      ON_NODE,
      /Unable to register node.*dial tcp: lookup (?<name>[\w.-]+)(?: on (?<resolver>[\d.:a-f[\]]+))?: (?:read udp [^\s"]+: i\/o timeout|i\/o timeout)/,
      { anchors: ['dial tcp: lookup '], atLeast: 3, enoughOnce: 'alone' },
    ),
    discoveryUnresolved: likely(
      ['kubeadm', 'cloud-init'],
      /error execution phase preflight: couldn't validate the identity of the API Server.*dial tcp: lookup (?<name>[\w.-]+)(?: on (?<resolver>[\d.:a-f[\]]+))?: (?:read udp [^\s"]+: )?(?:i\/o timeout|read: connection refused)/,
      { anchors: ['dial tcp: lookup '] },
    ),
    curl: likely(
      ['host-file', 'cloud-init'],
      /Could not resolve host: (?<name>[\w-]+\.[\w-]+\.[a-z0-9-]+\.eks\.amazonaws\.com)/,
    ),
  },
  needs: [
    'aws/cluster',
    'aws/instance',
    'aws/vpc-attribute',
    'aws/dhcp-options',
    'aws/vpc',
    'aws/vpc-hosted-zones',
    'host/dhcp-lease',
  ],
  symptoms: [],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script', 'wrong-cluster-name-in-user-data', 'cluster-info-unreadable'],
  summary: ({ name, resolver, leased, machine, vpc, why }) =>
    why !== undefined
      ? `${machine ?? 'The machine'} cannot resolve ${name ?? 'the API server’s name'}: ${why}, so no machine in ${vpc ?? 'its VPC'} reaches the API server by its name.`
      : `${machine ?? 'The machine'} cannot resolve ${name ?? 'the API server’s name'}${resolver === undefined ? '' : ` at ${resolver}${leased === undefined ? '' : ', the DNS server that DHCP gave it'}`}, so its kubelet reaches no API server.`,
  remedy: ({ name, vpc }) => [
    step(
      'Compare the name with the cluster’s endpoint of today; another one means old user data.',
      'aws eks describe-cluster --name <cluster> --query cluster.[endpoint,resourcesVpcConfig.endpointPrivateAccess,resourcesVpcConfig.endpointPublicAccess]',
    ),
    step(
      'Let the VPC answer names: both DNS attributes on; a custom DNS server has to forward eks.amazonaws.com to the VPC’s resolver (169.254.169.253).',
      `aws ec2 modify-vpc-attribute --vpc-id ${vpc ?? '<vpc>'} --enable-dns-support; aws ec2 modify-vpc-attribute --vpc-id ${vpc ?? '<vpc>'} --enable-dns-hostnames`,
    ),
    step(
      'With a private endpoint the VPC must have the hosted zone of that name; switching private access off and on makes it again.',
      `aws route53 list-hosted-zones-by-vpc --vpc-id ${vpc ?? '<vpc>'} --vpc-region <region> --query "HostedZoneSummaries[?contains('${name?.replaceAll("'", '') ?? '<endpoint-name>'}',Name)]"`,
    ),
  ],
  decide: step(
    'Resolve the endpoint’s name on the machine, at its own resolver and at the VPC’s.',
    'grep nameserver /etc/resolv.conf; dig +short <endpoint-name>; dig +short @169.254.169.253 <endpoint-name>',
  ),
  page: {
    why: 'A private endpoint’s name lives in a hosted zone that EKS ties to the VPC. DNS support or hostnames switched off, a zone that is not associated, or a custom DNS server in the DHCP options that does not forward, and the name is unknown.',
    prevent:
      'Keep AmazonProvidedDNS in the DHCP options, or forward eks.amazonaws.com; test the name from every new VPC.',
    notThis:
      'A name that is not the cluster’s present one is stale-cluster-endpoint (the cluster was made again). A name that resolves and does not answer is api-port-blocked, public-endpoint-cidr-restricted or control-plane-down. kops-controller.internal is kops-controller-name-unresolved, under .k8s.local gossip-dns-without-protokube. kubectl on a laptop outside the VPC fails the same way and does not concern nodes.',
    alsoKnownAs: ['dial tcp: lookup eks.amazonaws.com: no such host'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html',
    ],
  },
});

const judged = matched(cause, (view) => {
  const seen = matchNetwork(view);
  if (seen !== null) return seen;
  const name = (view.sign('eksNameUnknown') ?? view.sign('curl'))?.last.captures['name'];
  const clusters = view.list('aws/cluster').map((entry) => entry.value.endpoint ?? '');
  const isOfCluster = (endpoint: string): boolean =>
    endpoint.toLowerCase().includes((name ?? '').toLowerCase());
  // A name that none of the clusters has is an old one: another cause says so.
  if (name !== undefined && clusters.length > 0 && !clusters.some(isOfCluster)) return clear;
  return matchLease(view);
});

type Own = ViewOf<typeof cause>;

/** A machine without Node in a VPC that has no resolver, or that failed to find the endpoint. */
function matchNetwork(view: Own): Match | null {
  if (!view.shows('machine-without-node')) return null;
  const instance = view
    .list('aws/instance')
    .find(({ value }) => value.InstanceId === view.instanceId);
  const cluster = view.list('aws/cluster').find(({ value }) => (value.endpoint ?? null) !== null);
  const vpc = instance?.value.VpcId ?? null;
  if (instance === undefined || cluster === undefined || vpc === null) return null;
  const name = (cluster.value.endpoint ?? '').replace(/^https:\/\//, '').toLowerCase();
  const place = { instance, cluster, vpc, name };
  return withoutResolver(view, place) ?? withoutZone(view, place);
}

interface Place {
  readonly instance: Seen<Instance>;
  readonly cluster: Seen<Cluster>;
  readonly vpc: string;
  /** Of the cluster's endpoint. */
  readonly name: string;
}

/** Without DNS support the VPC's resolver answers nobody; another resolver would. */
function withoutResolver(view: Own, { vpc, name, cluster }: Place): Match | null {
  const attribute = view
    .list('aws/vpc-attribute')
    .find(({ value }) => value.VpcId === vpc && value.EnableDnsSupport?.Value === false);
  if (attribute === undefined) return null;
  if (!asksAmazon(view, vpc)) return null;
  const why = `enableDnsSupport of ${vpc} is off`;
  const said = [view.quote(attribute, `VPC ${vpc} EnableDnsSupport false`)];
  return found({ name, vpc, why }, [...said, view.quote(cluster, wordsOf(cluster.value))]);
}

function isPrivateOnly(cluster: Cluster): boolean {
  return (
    cluster.resourcesVpcConfig?.endpointPrivateAccess === true &&
    cluster.resourcesVpcConfig.endpointPublicAccess === false
  );
}

function wordsOf(cluster: Cluster): string {
  const { endpointPrivateAccess: privately, endpointPublicAccess: publicly } =
    cluster.resourcesVpcConfig ?? {};
  return `cluster endpoint ${cluster.endpoint ?? ''} endpointPrivateAccess ${privately ?? ''} endpointPublicAccess ${publicly ?? ''}`;
}

/** True where the DHCP options of the VPC name AWS's own resolver and no other. */
function asksAmazon(view: Own, vpc: string): boolean {
  const own = view.list('aws/vpc').find(({ value }) => value.VpcId === vpc);
  const id = own?.value.DhcpOptionsId ?? null;
  const options = view
    .list('aws/dhcp-options')
    .find(({ value }) => id !== null && value.DhcpOptionsId === id);
  const servers = (options?.value.DhcpConfigurations ?? [])
    .filter((entry) => entry.Key === 'domain-name-servers')
    .flatMap((entry) => entry.Values ?? []);
  return servers.length > 0 && servers.every((server) => server === 'AmazonProvidedDNS');
}

/** One answer holds so many zones; where it is full there may be more that were not read. */
const ZONES_PAGE = 100;

/**
 * A name that was not found, and no zone of the VPC that has it. The lack of the zone alone proves
 * nothing: public resolvers know the names of private endpoints too.
 */
function withoutZone(view: Own, { vpc, name, cluster }: Place): Match | null {
  const unknown = view.sign('eksNameUnknown') ?? view.sign('curl');
  if (unknown?.last.captures['name']?.toLowerCase() !== name) return null;
  if (!isPrivateOnly(cluster.value)) return null;
  if (cluster.value.resourcesVpcConfig?.vpcId !== vpc) return null;
  const pages = view.list('aws/vpc-hosted-zones').filter(({ value }) => value.VPCId === vpc);
  const [page] = pages;
  const summaries = pages.flatMap(({ value }) => value.HostedZoneSummaries ?? []);
  const zones = summaries.flatMap((zone) => zone.Name ?? []);
  if (page === undefined || summaries.length >= ZONES_PAGE) return null;
  // A zone whose name is not shown may be the one.
  if (zones.length < summaries.length) return null;
  if (zones.some((zone) => isIn(name, zone.replace(/\.$/, '').toLowerCase()))) return null;
  const listed = zones.length === 0 ? 'none' : zones.slice(0, 5).join(' ');
  const why = `${vpc} has no private hosted zone of that name`;
  return found(
    { name, vpc, why },
    [
      unknown.last,
      view.quote(page, `private hosted zones of ${vpc}: ${listed}`),
      view.quote(cluster, wordsOf(cluster.value)),
    ],
    'likely',
  );
}

function isIn(name: string, zone: string): boolean {
  return zone !== '' && (name === zone || name.endsWith(`.${zone}`));
}

/** The resolver that knows no such name is the one that DHCP gave. */
function matchLease(view: Own): Match | null {
  const signs = ['eksNameUnknown', 'apiNameUnknown', 'resolverSilent'] as const;
  const sighting = signs.map((name) => view.sign(name)).find((one) => one !== null);
  const server = (sighting?.last.captures['resolver'] ?? '').replace(/:\d+$/, '');
  const lease = leaseWithServer(view.list('host/dhcp-lease'), server);
  if (sighting === undefined || lease === null) return null;
  const details = { ...sighting.last.captures, leased: server };
  const quote = view.quote(lease, serverWords(lease));
  return found(details, [sighting.first, sighting.last, quote], 'likely');
}

/** True where DHCP gives the machines no other servers than the VPC's own. */
function asksVpc(options: DhcpOptions | undefined): boolean {
  const servers = options?.DhcpConfigurations?.find(({ Key }) => Key === 'domain-name-servers');
  const names = (servers?.Values ?? []).map(String);
  return names.length === 0 || names.includes('AmazonProvidedDNS');
}

export default foreseen(
  judged,
  (plan, group) => {
    const { vpc } = machineOf(plan, group);
    const attributes = lookedUp(plan, VPC_ATTRIBUTES, vpc);
    const support = attributes.find(
      ({ value }) => (value.EnableDnsSupport?.Value ?? null) !== null,
    );
    if (support === undefined || group.cluster === null) return NOT_SHOWN;
    if (support.value.EnableDnsSupport?.Value === true) return clear;
    if (support.change !== 'create') return NOT_SHOWN;
    const id = lookedUp(plan, VPCS, vpc)[0]?.value.DhcpOptionsId;
    if (!asksVpc(lookedUp(plan, OPTIONS, id)[0]?.value)) return NOT_SHOWN;
    const why = `enable_dns_support of ${support.address} is false`;
    return found({ vpc: support.address, why, machine: group.name }, [
      plan.quote(support, 'enable_dns_support false'),
      plan.quote(group.fact, `${group.name} has its subnets in this VPC`),
    ]);
  },
  {
    remedy: ({ vpc }) => [
      step(
        `Set enable_dns_support = true and enable_dns_hostnames = true in ${vpc ?? 'the aws_vpc'}.`,
      ),
    ],
  },
);
