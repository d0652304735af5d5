import type { SecurityRule } from '../../../evidence/aws/network.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import { addressOf, cidrOf, isInside } from '../../../domain/network/cidr.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Timed } from '../../../evidence/time.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import {
  placeOf,
  podsThat,
  podWords,
  stateWords,
  unreadyPods,
} from '../../../domain/pods/pods-seen.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { groupsNamed, machineOf } from '../../../domain/planned/machine.ts';
import { mayPass } from '../../../domain/network/security.ts';

/** Nodes do not let each other’s packets in: Typha, overlay, DNS across nodes. */
const cause = defineCause({
  id: 'node-to-node-traffic-blocked',
  stage: 'networked',
  title: 'security groups block traffic between nodes',
  scope: 'group',
  signs: {
    typhaSilent: likely(
      ['calico-node'],
      /(?:[Ff]ailed to connect to [Tt]ypha endpoint (?<address>\d+\.\d+\.\d+\.\d+):5473.*(?:i\/o timeout|connection timed out))|connection to typhas \(\[.*:5473.*\]\) failed/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    typhaByName: context(
      ['calico-node'],
      /Failed to connect to Typha.*dial tcp [\d.]+:5473: i\/o timeout/,
    ),
    connected: withdraws(
      ['calico-node'],
      /Connected to [Tt]ypha|Successfully connected to [Tt]ypha/,
    ),
    peersSilent: context(['event', 'calico-node', 'kubelet'], /BGP not established with/),
    overlayTest: definite(
      ['client-output', 'unknown'],
      /^FAIL: overlaytest-\w{1,10} on (?<fromNode>\S{1,253}) cannot reach pod IP (?<address>[\d.]{7,15}) on /,
    ),
    // What people find when they try: pods talk on one node, and not to those on another.
    acrossNodes: likely(
      ['client-output', 'unknown'],
      /\b(?:[Ss]ingle|[Ss]ame|[Oo]ne|[Ee]ach) (?:worker )?(?:node|host|machine)s?\b.{0,120}\b(?:fails?|cannot|can't|can not|not|unable|times? out)\b.{0,60}\b(?:between|across|on|to) (?:\w+ ){0,4}?(?<apart>different|other|another|multiple|separate) (?:worker )?(?:node|host|machine)s?\b/,
      { isTold: true, anchors: ['different ', ' other ', 'another ', 'multiple ', 'separate '] },
    ),
    toldApart: likely(
      ['client-output', 'unknown'],
      /\b(?:fails?|hangs?|times? out|breaks?)\b.{0,20}\b(?:when|where|whenever) (?:\w+ ){0,3}?(?:pods?|apps?|services?)\b.{0,40}\bon (?:\w+ ){0,2}?(?<apart>different|separate|two|other) (?:worker )?(?:nodes?|hosts?|machines?)\b|\b(?:[Ww]hen|[Ww]here) (?:both|all|the two)\b.{0,40}\bon (?<together>one|the same|a single) (?:worker )?(?:node|host|machine)\b.{0,12}\bworks?\b/,
      {
        isTold: true,
        anchors: [
          'different ',
          'separate ',
          ' two ',
          ' other ',
          'hen both',
          'hen all',
          'hen the two',
          'here both',
          'here all',
          'here the two',
        ],
      },
    ),
    toldClosed: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Nn]odes?(?:'s|s')? security groups?\b.{0,60}\b(?:no|missing|(?:did|do|does)(?: not|n't) (?:allow|permit|have)|blocks?|blocked|without|lack(?:s|ed)?)\b.{0,60}\b(?:itself|self|each other|one another|other nodes|between (?:the )?nodes|node[- ]to[- ]node)\b|\b[Ss]ecurity [Gg]roups?\b.{0,60}\b(?:no|missing|(?:did|do|does)(?: not|n't) (?:allow|permit)|blocks?|blocked)\b.{0,60}\b(?:between (?:the |our |worker )*nodes|node[- ]to[- ]node|from other nodes|from itself)\b/,
      { isTold: true, anchors: ['security group', 'ecurity Group', 'Security group'] },
    ),
    // Neither tells alone: pods of one node talk, and of the node of others nothing comes back.
    toldWithin: context(
      ['client-output', 'unknown'],
      /\b(?:(?:the )?(?:same|own|that|its) (?:worker )?(?:node ?group|node|host|machine|group)\b.{0,60}\b(?:works?|ok(?:ay)?|fine|answers?|replies|resolves?|succeeds?|reachable|no problem)|(?:works?|ok(?:ay)?|fine|answers?|replies|resolves?|succeeds?|reachable)\b.{0,60}\b(?:on|in|from|within|inside) (?:the )?(?:same|own) (?:worker )?(?:node ?group|node|host|machine|group))\b/i,
      { isTold: true, isBackground: true, anchors: [' same ', ' own ', ' that ', ' its '] },
    ),
    toldAcross: context(
      ['client-output', 'unknown'],
      /\b(?:other|another|different|second|managed|new|old)(?: \w{1,20}){0,2} (?:node ?groups?|nodes?|hosts?|machines?|groups?)\b.{0,60}\b(?:fails?|times? out|timeouts?|hangs?|no (?:answer|reply|response)|100% packet loss|do(?:es)?(?: not|n't)|cannot|can't|unreachable|blocked|dropped)\b|\b(?:fails?|times? out|timeouts?|hangs?|unreachable|blocked)\b.{0,40}\b(?:to|on|in|between|across) (?:an?|the|any|pods? (?:on|in) (?:an?|the)) (?:\w{1,20} )?(?:other|another|different|managed) /i,
      {
        isTold: true,
        isBackground: true,
        anchors: ['other ', 'another ', 'different ', 'second ', 'managed ', ' new ', ' old '],
      },
    ),
    toldGroupClosed: context(
      ['client-output', 'unknown', 'terraform'],
      /\b[Ss]ecurity [Gg]roups?\b.{0,80}\b(?:no (?:inbound|ingress|rules?)|only (?:\w{1,20} ){0,4}(?:443|10250|itself|own|from the control plane)|(?:admits?|allows?|lets?) (?:nothing|only|no(?:ne)?)\b|(?:does|do)(?: not|n't) (?:admit|allow|let|permit))/,
      { isTold: true, isBackground: true, anchors: ['ecurity group', 'ecurity Group'] },
    ),
    toldPortClosed: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:not (?:open(?:ed)?|allow(?:ed)?|permit(?:ted)?)|n't (?:open|allow|permit)|closed|blocked)\b.{0,40}\b(?:ports? (?:53|4789|8472|179)|UDP|all traffic|traffic)\b.{0,40}\bbetween (?:the |our |my )?(?:\w{1,20} ){0,2}?(?:nodes?|workers?|node groups?|security groups?)\b/,
      { isTold: true, anchors: ['between '] },
    ),
    toldDnsElsewhere: context(
      ['client-output', 'unknown'],
      /\b[Aa]ll (?:of )?(?:our |the )?[Cc]ore-?(?:DNS|dns) (?:pods|replicas)\b[^.]{0,20}\bon (?:the |a |an )?(?:first|other|one|old|another|same|single)\b[^.]{0,20}\b(?:nodes?|group|machines?|workers?)\b|\b[Cc]ore-?(?:DNS|dns)\b[^.]{0,40}\b(?:only|just|all)\b[^.]{0,20}\bon (?:the |a |an )?(?:first|other|one|old|another|same|single)\b[^.]{0,20}\b(?:nodes?|group|machines?|workers?)\b|\b[Cc]ore-?(?:DNS|dns)\b[^.]{0,40}\bon (?:only )?(?:the )?(?:first|other|another) (?:\w+ ){0,2}?(?:nodes?|group|machines?|workers?)\b/,
      { isTold: true, anchors: ['oredns', 'oreDNS', 'ore-dns', 'ore-DNS'] },
    ),
    toldGroupOfItsOwn: context(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:new|separate|different|another|second|own) [Ss]ecurity[- ][Gg]roups?\b[^.]{0,40}\b(?:was|were|is|are|gets?|got) (?:created|made|attached|assigned|added|used)\b(?! for (?!.{0,20}\b(?:nodes?|groups?|workers?)\b))|\b(?:each|every|second|new|other) (?:node ?group|group|node|stack)\b[^.]{0,40}\b(?:has|have|had|gets?|got|creates?|created|comes with|brings) (?:its|their|an?) (?:own|new|separate|different) [Ss]ecurity[- ][Gg]roup\b/,
      {
        isTold: true,
        anchors: ['ecurity group', 'ecurity Group', 'ecurity-group', 'ecurity-Group'],
      },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'aws/instance', 'aws/security-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['calico-dataplane-not-ready', 'cluster-dns-unreachable'],
  summary: ({ address, machine, from, to, node, apart, fromNode }) =>
    apart !== undefined || fromNode !== undefined
      ? `Pods reach pods on their own node and not ${address === undefined ? 'those on other nodes' : `${address} on another`}; security groups, network ACLs or a closed overlay port between the nodes drop the packets.`
      : from !== undefined
        ? `The security groups ${to ?? ''} of the nodes with CoreDNS admit no UDP 53 from ${from}, so pods on ${node ?? 'the node'} resolve no names.`
        : `${machine ?? 'The node'} does not reach ${address ?? 'Typha on other nodes'} although it runs there; security groups or network ACLs between the nodes drop the packets.`,
  remedy: ({ from, to }) => [
    step(
      'Give all node groups the cluster’s shared security group, or let the groups in which nodes are reach each other.',
      `aws ec2 authorize-security-group-ingress --protocol all --group-id ${to?.split(' ')[0] ?? '<node-security-group>'} --source-group ${from?.split(' ')[0] ?? '<other-node-security-group>'}`,
    ),
    step(
      'For Calico at least TCP 179 and 5473 and IP protocol 4 or UDP 4789; for DNS UDP and TCP 53.',
    ),
  ],
  decide: step(
    'Compare the security groups of a node that works and one that does not.',
    "aws ec2 describe-instances --instance-ids <instance> --query 'Reservations[].Instances[].SecurityGroups'",
  ),
  page: {
    why: 'A new node group with a security group of its own, or a hardened group that only allows what the control plane needs, cuts off what nodes say to each other.',
    prevent: 'One shared group for all nodes that admits itself.',
    notThis:
      'A time-out to a service address does not prove this: see service-ip-unreachable-for-cni and kube-proxy-not-working. Time-outs of CoreDNS to the VPC’s resolver are of another path.',
    alsoKnownAs: [
      'Failed to connect to Typha i/o timeout',
      'pods on other node unreachable EKS security group',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
      'https://github.com/tigera/operator/issues/2137',
    ],
  },
});

const judged = matched(cause, (view) => matchDns(view) ?? matchTold(view) ?? matchOwnGroup(view));

type Own = ViewOf<typeof cause>;

const DNS_PORT = 53;

/** A machine's address and groups, by which security groups judge its packets. */
interface Endpoint {
  readonly fact: Seen<Instance>;
  readonly node: string;
  readonly address: string;
  readonly groups: readonly string[];
}

function endpointsOf(view: Own): readonly Endpoint[] {
  const nodes = new Map(
    view
      .list('kube/Node')
      .map(({ value }): [string, KubeNode] => [value.providerId?.split('/').at(-1) ?? '', value]),
  );
  return view.list('aws/instance').flatMap((fact) => {
    const node = nodes.get(fact.value.InstanceId ?? '');
    const groups = (fact.value.SecurityGroups ?? []).map((group) => group.GroupId ?? '');
    const address = fact.value.PrivateIpAddress ?? '';
    return node === undefined ? [] : [{ fact, node: node.name, address, groups }];
  });
}

function isForDns(rule: SecurityRule): boolean {
  const { IpProtocol: protocol, FromPort: from, ToPort: to } = rule;
  if (protocol === '-1') return true;
  if (typeof from !== 'number' || typeof to !== 'number') return false;
  return (protocol === 'udp' || protocol === '17') && from <= DNS_PORT && DNS_PORT <= to;
}

/** Prefix lists cannot be looked into, so a rule with one counts as admitting. */
function admits(rule: SecurityRule, peer: Endpoint): boolean {
  if (!isForDns(rule)) return false;
  const address = addressOf(peer.address);
  const pairs = (rule.UserIdGroupPairs ?? []).map((pair) => pair.GroupId ?? '');
  const blocks = (rule.IpRanges ?? []).map((range) => cidrOf(range.CidrIp ?? ''));
  return (
    (rule.PrefixListIds ?? []).length > 0 ||
    pairs.some((group) => peer.groups.includes(group)) ||
    blocks.some((block) => block !== null && address !== null && isInside(address, block))
  );
}

function isBlocked(view: Own, from: Endpoint, to: Endpoint): boolean {
  const groups = view
    .list('aws/security-group')
    .filter(({ value }) => to.groups.includes(value.GroupId ?? ''));
  if (groups.length < to.groups.length || to.groups.length === 0) return false;
  return groups.every(({ value }) =>
    (value.IpPermissions ?? []).every((rule) => !admits(rule, from)),
  );
}

/** All CoreDNS pods are on one side, and the other side has a security group of its own. */
function matchOwnGroup(view: Own): Match | null {
  const [server, group] = [view.sign('toldDnsElsewhere'), view.sign('toldGroupOfItsOwn')];
  if (view.isLive || server === null || group === null) return null;
  return found({ apart: 'other' }, [server.first, group.first], 'likely');
}

/** Two observations tell where packets are lost; a group that admits only itself tells who drops them. */
function matchTold(view: Own): Match | null {
  const [within, across] = [view.sign('toldWithin'), view.sign('toldAcross')];
  if (within === null || across === null || view.isLive) return null;
  const closed = view.sign('toldGroupClosed')?.last ?? selfOnlyGroup(view);
  if (closed === null) return null;
  return found({ apart: 'other' }, [within.last, across.last, closed], 'likely');
}

function selfOnlyGroup(view: Own): Quote | null {
  const own = view.list('aws/security-group').find(({ value }) => {
    const rules = value.IpPermissions ?? [];
    return rules.length > 0 && rules.every((rule) => isFromItself(rule, value.GroupId ?? ''));
  });
  if (own === undefined) return null;
  return view.quote(own, `${own.value.GroupId ?? ''} admits only its own members`);
}

function isFromItself(rule: SecurityRule, group: string): boolean {
  const pairs = rule.UserIdGroupPairs ?? [];
  const others = [...(rule.IpRanges ?? []), ...(rule.PrefixListIds ?? [])];
  return pairs.length > 0 && others.length === 0 && pairs.every(({ GroupId }) => GroupId === group);
}

function isDns({ labels }: Pod): boolean {
  return labels['k8s-app'] === 'kube-dns';
}

/** Pods of a node fail, all CoreDNS pods are elsewhere, and none of their nodes lets it in. */
function matchDns(view: Own): Match | null {
  if (view.anySign('typhaSilent', 'overlayTest', 'acrossNodes')) return null;
  const pods = view.list('kube/Pod');
  const dns = new Set(podsThat(pods, isDns).map(placeOf));
  if (dns.size === 0) return null;
  const endpoints = endpointsOf(view);
  const servers = endpoints.filter(({ node }) => dns.has(node));
  if (servers.length === 0 || servers.length < dns.size) return null;
  for (const from of endpoints) {
    if (dns.has(from.node)) continue;
    const failing = failingPod(pods, from.node, view);
    if (failing !== undefined && servers.every((server) => isBlocked(view, from, server)))
      return blockedBy(view, from, servers, failing);
  }
  return null;
}

function failingPod(pods: readonly Seen<Pod>[], node: string, time: Timed): Seen<Pod> | undefined {
  const own = pods.filter(
    (pod) =>
      placeOf(pod) === node &&
      pod.value.spec?.hostNetwork !== true &&
      (pod.value.status?.podIP ?? null) !== null,
  );
  return unreadyPods(own, time)[0];
}

function blockedBy(
  view: Own,
  from: Endpoint,
  servers: readonly Endpoint[],
  failing: Seen<Pod>,
): Match {
  const to = [...new Set(servers.flatMap(({ groups }) => groups))].join(' ');
  const details = { from: from.groups.join(' '), to, node: from.node };
  const proof = [
    view.quote(from.fact, `${from.node} ${from.address} is in ${details.from}`),
    ...servers
      .slice(0, 2)
      .map(({ fact, node }) =>
        view.quote(fact, `CoreDNS runs on ${node}; ${to} admit no UDP 53 from it`),
      ),
    view.quote(failing, `${podWords(failing)} ${stateWords(failing)}`),
  ];
  return found(details, proof, 'likely', [from.node]);
}

export default foreseen(
  judged,
  (plan, group) => {
    const { securityGroups, subnets } = machineOf(plan, group);
    const groups = groupsNamed(plan, securityGroups);
    if (groups === null || (group.desired ?? 0) < 2) return NOT_SHOWN;
    const ids = groups.map(({ value }) => value.GroupId ?? '');
    const blocks = subnets.map(({ value }) => cidrOf(value.CidrBlock ?? ''));
    const peer = { groups: ids, addresses: blocks.filter((block) => block !== null) };
    const rules = groups.flatMap(({ value }) => value.IpPermissions ?? []);
    if (mayPass(rules, DNS_PORT, peer, 'udp')) return clear;
    const to = groups.map(({ address }) => address).join(' ');
    return found(
      { from: to, to, node: group.name },
      [
        ...groups
          .slice(0, 2)
          .map((one) => plan.quote(one, 'no rule lets UDP 53 in from its own members')),
        plan.quote(group.fact, `${group.name} starts ${group.desired ?? 2} machines with them`),
      ],
      'likely',
    );
  },
  {
    summary: ({ to, planned }) =>
      `The security groups of ${planned ?? 'the group'} (${to ?? ''}) let no UDP 53 in from their own members, so pods resolve no names unless CoreDNS runs on their node.`,
    remedy: ({ to }) => [
      step(
        `Add an aws_vpc_security_group_ingress_rule to ${to?.split(' ')[0] ?? 'the group'}: ip_protocol -1 with referenced_security_group_id = itself.`,
      ),
      step('Or give the machines the cluster_security_group_id of the aws_eks_cluster.'),
    ],
  },
);
