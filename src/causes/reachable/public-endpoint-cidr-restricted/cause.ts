import {
  clear,
  defineCause,
  type Details,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { addressOf, cidrOf, isInside } from '../../../domain/network/cidr.ts';
import { sourceAddresses, wayOut } from '../../../domain/network/routes.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { FactTypes } from '../../../evidence/kinds.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { NatGateway } from '../../../evidence/aws/network.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { routingOf } from '../../../domain/planned/ways.ts';
import type { Planned } from '../../../evidence/planned.ts';

/** The endpoint is public only, and its list of allowed networks lacks the nodes' way out. */
const cause = defineCause({
  id: 'public-endpoint-cidr-restricted',
  stage: 'reachable',
  title: 'the public endpoint lets only some networks in, and the private one is off',
  scope: 'machine',
  signs: {
    timedOut: context(
      ['kubelet', 'cloud-init', 'bottlerocket'],
      /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease).*dial tcp (?<address>(?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d[\d.]+):443: i\/o timeout/,
      { atLeast: 2 },
    ),
    // Once may be chance; it counts where the way out is known not to be let in.
    timedOutOnce: context(
      ['kubelet', 'cloud-init', 'bottlerocket'],
      /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease|[Ee]rror updating node status|[Ee]rror getting node).*dial tcp (?<address>(?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d[\d.]+):443: i\/o timeout/,
      { isBackground: true },
    ),
    canceled: context(
      ['kubelet', 'cloud-init', 'bottlerocket'],
      /Unable to register node.*eks\.amazonaws\.com.*(?:Client\.Timeout exceeded|context deadline exceeded)/,
      { anchors: ['Client.Timeout exceeded', 'context deadline exceeded'], atLeast: 2 },
    ),
    // curl -v says which addresses it tries; private ones are those of the private endpoint.
    endpointTried: context(
      ['client-output', 'unknown', 'host-file'],
      /^\*\s{1,4}Trying (?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.)\d{1,3}(?:\.\d{1,3}){3}:443\.\.\./,
      { anchors: [':443...'], isBackground: true },
    ),
    tryTimedOut: context(
      ['client-output', 'unknown', 'host-file'],
      /curl: \(28\) .{0,60}timed out/,
      { anchors: ['curl: (28) '], isBackground: true },
    ),
    toldRestricted: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Rr]estrict|[Ll]imit|[Ll]ock|[Ww]hitelist|[Aa]llowlist)\w{1,4}\b.{0,60}\b(?:(?:cluster_)?endpoint_public_access_cidrs|publicAccessCidrs|public_access_cidrs|public access CIDRs?)\b|\b(?:publicAccessCidrs|public_access_cidrs|endpoint_public_access_cidrs)\b.{0,60}\b(?:did(?: not|n't) (?:include|contain|have)|(?:was|were|is) (?:restricted|limited))\b/,
      { isTold: true, anchors: ['public_access_cidrs', 'publicAccessCidrs', 'public access CIDR'] },
    ),
  },
  needs: ['aws/cluster', 'aws/instance', 'aws/route-table', 'aws/nat-gateway', 'kube/Node'],
  symptoms: ['api-silent', 'boot-verdict', 'machine-without-node'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  summary: ({ cluster, cidrs, machine, sources }) =>
    `The endpoint of cluster ${cluster ?? '<cluster>'} is public only and lets in ${cidrs ?? 'a few networks'}; ${machine ?? 'the machine'} comes from ${sources ?? 'another address'} and gets no answer.`,
  remedy: ({ cluster, cidrs, sources }) => [
    step(
      'Switch the private endpoint on, so that nodes need no public way.',
      `aws eks update-cluster-config --name ${cluster ?? '<cluster>'} --resources-vpc-config endpointPrivateAccess=true,endpointPublicAccess=true,publicAccessCidrs=${plainList(cidrs).join(',') || '<cidrs>'}`,
    ),
    step(
      'Or add the address that the nodes come from to the list.',
      sources === undefined
        ? 'aws ec2 describe-nat-gateways --query NatGateways[].[VpcId,NatGatewayAddresses[].PublicIp]'
        : `aws eks update-cluster-config --name ${cluster ?? '<cluster>'} --resources-vpc-config publicAccessCidrs=${[...plainList(cidrs), ...plainList(sources).map((address) => `${address}/32`)].join(',')}`,
    ),
  ],
  decide: step(
    'Compare the list with the address that the machine comes from.',
    'aws eks describe-cluster --name <cluster> --query cluster.resourcesVpcConfig.[endpointPrivateAccess,publicAccessCidrs]; curl -s https://checkip.amazonaws.com',
  ),
  page: {
    why: 'Without the private endpoint nodes take the public way like everybody: out through NAT, in at the endpoint. A list made for administrators shuts them out, while kubectl at the office works.',
    prevent: 'Switch the private endpoint on whenever the public one is restricted.',
    notThis:
      'A private address in the time-out means that the private endpoint is used: api-port-blocked. No way out at all is no-nat-or-vpc-endpoints or public-subnet-without-public-ip.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/faq.md',
    ],
  },
});

const judged = matched(cause, matchEndpoint);

type Own = ViewOf<typeof cause>;

/** A list that was quoted for the shell, one by one. */
function plainList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .replaceAll("'", '')
    .split(', ')
    .filter((part) => part !== '');
}

function matchEndpoint(view: Own): Match | null {
  const clusters = view.list('aws/cluster');
  const [cluster, other] = clusters;
  if (cluster === undefined || other !== undefined) return null;
  const { resourcesVpcConfig } = cluster.value;
  const { publicAccessCidrs, endpointPrivateAccess: isPrivate } = resourcesVpcConfig ?? {};
  const cidrs = publicAccessCidrs ?? [];
  if (isPrivate === true || letsAllIn(cidrs)) return clear;
  const instances = view.list('aws/instance');
  const instance = instances.find(({ value }) => value.InstanceId === view.instanceId);
  const sources = instance === undefined ? [] : sourcesOf(view, instance.value);
  if (sources.some((address) => isListed(address, cidrs))) return clear;
  const timedOut = view.sign('timedOut') ?? view.sign('canceled');
  if (isPrivate !== false) return null;
  const { details, list } = restrictionOf(view, cluster, cidrs);
  if (sources.length > 0 && instance !== undefined && isLost(view)) {
    const from = view.quote(
      gatewayOf(view, sources) ?? instance,
      `${instance.value.InstanceId ?? ''} comes from ${sources.join(', ')}`,
    );
    const seen = timedOut === null ? [] : [timedOut.first];
    return found({ ...details, sources: sources.join(', ') }, [...seen, list, from]);
  }
  if (timedOut !== null) return found(details, [timedOut.first, list], 'likely');
  return (
    matchTried(view, details, list) ??
    (instance === undefined ? matchGateways(view, details, list) : null)
  );
}

function letsAllIn(cidrs: readonly string[]): boolean {
  return cidrs.length === 0 || cidrs.includes('0.0.0.0/0');
}

/** A person tried the public address from a machine, and nothing came back. */
function matchTried(view: Own, details: Details, list: Quote): Match | null {
  const [tried, silent] = [view.sign('endpointTried'), view.sign('tryTimedOut')];
  if (tried === null || silent === null || view.isLive) return null;
  return foundInShown(found(details, [tried.last, silent.last, list], 'likely'));
}

interface Restriction {
  readonly details: Details;
  readonly list: Quote;
}

function restrictionOf(
  view: Own,
  cluster: Seen<FactTypes['aws/cluster']>,
  cidrs: readonly string[],
): Restriction {
  const { name } = cluster.value;
  const told = cidrs.join(', ');
  const words = `endpointPrivateAccess false publicAccessCidrs ${told}`;
  return {
    details: { ...(typeof name === 'string' ? { cluster: name } : {}), cidrs: told },
    list: view.quote(cluster, `cluster ${name ?? ''} ${words}`),
  };
}

/** None of the NAT gateways that are shown is let in, and a kubelet got no answer. */
function matchGateways(view: Own, details: Details, list: Quote): Match | null {
  const once = view.sign('timedOutOnce');
  const gateways = view.list('aws/nat-gateway');
  const sources = gateways.flatMap(({ value }) =>
    (value.NatGatewayAddresses ?? []).flatMap((one) => one.PublicIp ?? []),
  );
  const [gateway] = gateways;
  const cidrs = plainList(details['cidrs']);
  if (once === null || gateway === undefined || sources.length === 0) return null;
  if (sources.some((address) => isListed(address, cidrs))) return null;
  const told = sources.join(', ');
  const from = view.quote(gateway, `NAT gateways have the addresses ${told}`);
  return foundInShown(found({ ...details, sources: told }, [once.first, list, from], 'likely'));
}

/** Without the API server a machine has no Node, or one whose kubelet has gone silent. */
function isLost(view: Own): boolean {
  const node = view.read('kube/Node');
  return (
    view.shows('machine-without-node') ||
    view.sign('timedOut') !== null ||
    view.sign('canceled') !== null ||
    (node.state === 'seen' &&
      node.value.conditions.some(({ type, status }) => type === 'Ready' && status === 'Unknown'))
  );
}

function sourcesOf(view: Own, instance: Instance): readonly string[] {
  const routing = {
    tables: view.list('aws/route-table'),
    natGateways: view.list('aws/nat-gateway'),
    areNatGatewaysKnown: view.read('aws/nat-gateway').state !== 'unknown',
  };
  const subnet = instance.SubnetId ?? '';
  const own = instance.PublicIpAddress ?? null;
  const way = wayOut(routing, subnet, instance.VpcId ?? null);
  const addresses = sourceAddresses(way, instance);
  return addresses.length > 0 || own === null ? addresses : [own];
}

function gatewayOf(view: Own, sources: readonly string[]): Seen<NatGateway> | undefined {
  return view
    .list('aws/nat-gateway')
    .find(({ value }) =>
      (value.NatGatewayAddresses ?? []).some((one) => sources.includes(one.PublicIp ?? '')),
    );
}

/** An address that cannot be read counts as listed, so that it accuses nobody. */
function isListed(address: string, cidrs: readonly string[]): boolean {
  const number = addressOf(address);
  const blocks = cidrs.filter((text) => !text.includes(':')).map(cidrOf);
  return number === null || blocks.some((block) => block === null || isInside(number, block));
}

/** A list of so few addresses holds no gateway whose address is not known yet. */
const NARROW_PREFIX = 24;

function isNarrow(cidrs: readonly string[]): boolean {
  return cidrs.every((cidr) => (cidrOf(cidr)?.prefixLength ?? 0) >= NARROW_PREFIX);
}

interface PlannedSource {
  readonly gateway: Planned;
  /** Empty for a gateway whose address is known after apply. */
  readonly addresses: readonly string[];
}

/** The NAT gateway from which the machines of a group come; null where the plan shows none. */
function plannedSource(plan: PlanView, group: PlannedGroup): PlannedSource | null {
  const [subnet] = machineOf(plan, group).subnets;
  if (subnet === undefined || plan.doubtOf('aws/route-table') !== null) return null;
  const { SubnetId: id = '', VpcId: vpc = null } = subnet.value;
  const way = wayOut(routingOf(plan, id, vpc), id, vpc);
  if (way.kind !== 'translated' || way.gateway === null) return null;
  const gateway = way.gateway as Planned<'aws/nat-gateway'>;
  return { gateway, addresses: sourceAddresses(way, {} as Instance) };
}

export default foreseen(
  judged,
  (plan, group) => {
    const { cluster, clusterName } = group;
    const network = cluster?.value.resourcesVpcConfig;
    const cidrs = network?.publicAccessCidrs ?? [];
    const isPrivate = network?.endpointPrivateAccess ?? null;
    if (isPrivate === true || cidrs.includes('0.0.0.0/0')) return clear;
    const source = plannedSource(plan, group);
    if (cluster === null || isPrivate === null || cidrs.length === 0) return NOT_SHOWN;
    if (source === null) return NOT_SHOWN;
    const { gateway, addresses } = source;
    if (addresses.some((address) => isListed(address, cidrs))) return clear;
    const isNew = gateway.change === 'create' && isNarrow(cidrs);
    if (addresses.length === 0 && !isNew) return NOT_SHOWN;
    return found(
      {
        cluster: clusterName ?? '',
        cidrs: cidrs.join(', '),
        machine: group.name,
        sources: addresses.join(', ') || `the new address of ${gateway.address}`,
      },
      [
        plan.quote(
          cluster,
          `endpoint_private_access false, public_access_cidrs ${cidrs.join(', ')}`,
        ),
        plan.quote(gateway, `the machines of ${group.name} come from this NAT gateway`),
      ],
      'likely',
    );
  },
  {
    remedy: () => [
      step('Set endpoint_private_access = true in vpc_config of the aws_eks_cluster.'),
      step('Or add the public addresses of the NAT gateways to public_access_cidrs.'),
    ],
  },
);
