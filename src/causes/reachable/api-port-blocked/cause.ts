import { type Cidr, cidrOf } from '../../../domain/network/cidr.ts';
import {
  blockOf,
  EPHEMERAL,
  mayPass,
  type Peer,
  stoppedBy,
} from '../../../domain/network/security.ts';
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
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Instance, NetworkInterface } from '../../../evidence/aws/instance.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';
import type { SecurityGroup, NetworkAcl } from '../../../evidence/aws/network.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { controlGroups, groupsNamed, machineOf } from '../../../domain/planned/machine.ts';

/** A security group lets nothing through between the machine and the API server. */
const cause = defineCause({
  id: 'api-port-blocked',
  stage: 'reachable',
  title: 'a security group, network ACL or route blocks the API server’s port',
  scope: 'machine',
  signs: {
    timedOut: context(
      ['kubelet', 'kubeadm', 'cloud-init', 'bottlerocket', 'nodeup'],
      /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease|configmaps\/cluster-info).*(?:dial tcp (?<address>[\d.]+):(?:443|6443): (?:i\/o timeout|connect: no route to host|connect: connection timed out)|Client\.Timeout exceeded|context deadline exceeded)/,
      {
        anchors: [
          'i/o timeout',
          'no route to host',
          'Client.Timeout exceeded',
          'context deadline exceeded',
        ],
        atLeast: 2,
      },
    ),
    // The runbook AWSSupport-TroubleshootEKSWorkerNode has compared the rules itself.
    runbookCompared: definite(
      ['client-output', 'aws-message'],
      /\[ERROR\]:? .{0,60}\b[Ss]ecurity [Gg]roups?\b.{0,120}(?:\b(?:is|are) not allowing|\b(?:does|do)(?: not|n't) (?:allow|have)|\bblock(?:s|ing)?\b).{0,80}\b(?:traffic|rules?|443|worker|control plane|cluster)\b/,
      { anchors: ['[ERROR]'] },
    ),
    // No connection is made at all, where a server that is down refuses it at once.
    discoveryUnanswered: likely(
      ['kubeadm', 'cloud-init', 'client-output', 'unknown'],
      /(?:couldn't validate the identity of the API Server|[Ff]ailed to request cluster[- ]info).*https:\/\/(?<address>(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+):6443\/.*(?:request canceled while waiting for connection|: i\/o timeout)/,
      { anchors: ['request canceled while waiting for connection', 'i/o timeout'] },
    ),
    discoveryEnded: context(
      ['kubelet', 'kubeadm', 'nodeup', 'cloud-init'],
      /timed out waiting to connect to apiserver|Abort reading the cluster-info ConfigMap after timeout|:3988\/bootstrap\\?": dial tcp \S+: i\/o timeout/,
      {
        anchors: [
          'timed out waiting to connect to apiserver',
          'Abort reading the cluster-info ConfigMap',
          ':3988/bootstrap',
        ],
      },
    ),
    toldClosed: likely(
      ['client-output', 'unknown', 'terraform'],
      /(?<!\b(?:[Ee]ndpoints?|ALB|NLB|[Ll]oad [Bb]alancer)(?:'s)? |\[ERROR\].{0,60})\b[Ss]ecurity [Gg]roups?\b(?!.{0,200}\b(?:10250|9443|[Ww]ebhooks?|[Ee]ndpoints?)\b)(?=.{0,160}\b(?:[Nn]odes?|[Ww]orkers?|[Cc]ontrol[ -][Pp]lane|[Cc]luster|API|[Mm]asters?)\b).{0,60}\b(?:(?:did|do|does)(?: not|n't) (?:allow|permit|have|open)|ha(?:d|s|ve) no (?:inbound |ingress |outbound |egress )?rules?(?! (?:except|but|other than|besides)\b)|block(?:s|ed|ing)?|(?:was|is|were)(?: not|n't) (?:allow|permit|open)\w{0,4}|missing)\b.{0,60}\b(?:443|6443|HTTPS|https)\b/,
      { isTold: true, anchors: ['ecurity group', 'ecurity Group'] },
    ),
  },
  needs: [
    'aws/instance',
    'aws/security-group',
    'aws/cluster',
    'aws/network-acl',
    'aws/network-interface',
    'aws/subnet',
  ],
  symptoms: ['api-silent', 'boot-verdict', 'machine-without-node'],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  summary: ({ groups, direction, machine, address, acl, subnet, stop }) =>
    groups === undefined && acl === undefined && address !== undefined
      ? `Nothing answers ${machine ?? 'the machine'} at the API server’s private address ${address}, and nothing refuses either: a security group, a network ACL or a firewall drops the packets.`
      : acl === undefined
        ? sentence`The security groups ${groups ?? 'of the machine'} let no traffic ${direction ?? 'through'} on port 443, so ${machine ?? 'the machine'} gets no answer from the API server${phrase` at ${address}`}.`
        : `The network ACL ${acl} of ${subnet ?? 'the subnet'} stops ${stop ?? 'the traffic'}, so ${machine ?? 'the machine'} gets no answer from the API server or any AWS API.`,
  remedy: ({ groups, direction, acl, isEgress, ports, nodeGroup }) =>
    acl !== undefined
      ? [
          step(
            'Let the traffic pass before the rule that stops it; network ACLs keep no state, so answers need a rule too.',
            `aws ec2 create-network-acl-entry --network-acl-id ${acl} --rule-number 90 --protocol tcp --port-range ${ports ?? 'From=443,To=443'} --cidr-block 0.0.0.0/0 --rule-action allow ${isEgress === 'true' ? '--egress' : '--ingress'}`,
          ),
        ]
      : direction === 'out of the machine'
        ? [
            step(
              'Let the machine’s group send.',
              `aws ec2 authorize-security-group-egress --group-id ${groups?.replaceAll("'", '').split(/[ ,]/)[0] ?? '<node-security-group>'} --protocol tcp --port 443 --cidr 0.0.0.0/0`,
            ),
          ]
        : [
            step(
              'Let the nodes’ group in at the cluster’s group.',
              `aws ec2 authorize-security-group-ingress --group-id ${groups?.replaceAll("'", '').split(/[ ,]/)[0] ?? '<cluster-security-group>'} --protocol tcp --port 443 --source-group ${nodeGroup ?? '<node-security-group>'}`,
            ),
          ],
  decide: step(
    'Try the port from the machine; a time-out means dropped packets, 401 or 403 that the path is fine.',
    'curl -sk -m 10 -o /dev/null -w "%{http_code} %{remote_ip}\\n" https://<endpoint-name>/healthz',
  ),
  page: {
    why: 'A private endpoint is reached through the cluster’s interfaces, whose security groups have to let the nodes in on 443. Own node groups with a security group of their own, edited cluster groups and network ACLs without ephemeral ports drop the packets silently.',
    prevent:
      'Attach the EKS cluster security group to all nodes, or reference the nodes’ group in its rules by code.',
    notThis:
      'A time-out alone does not tell this from public-endpoint-cidr-restricted (the name resolves to public addresses), node-in-another-vpc or no-nat-or-vpc-endpoints; the security groups do. Connection refused is control-plane-down. Port 10250 in the other direction is node-ports-closed-to-control-plane.',
    alsoKnownAs: ['dial tcp 443: i/o timeout', 'Client.Timeout exceeded while awaiting headers'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/faq.md',
    ],
  },
});

const judged = matched(cause, matchPath);

type Own = ViewOf<typeof cause>;

const API_PORT = 443;

/** Everything that is compared, of one machine that gets no answer. */
interface Path {
  readonly instance: Seen<Instance>;
  readonly cluster: Seen<Cluster> | null;
  readonly isPrivate: boolean;
  readonly nodeGroups: readonly string[];
  readonly clusterGroups: readonly string[];
}

function matchPath(view: Own): Match | null {
  const timedOut = view.sign('timedOut');
  const instance = view
    .list('aws/instance')
    .find((entry) => entry.value.InstanceId === view.instanceId);
  if (instance === undefined) return null;
  if (timedOut === null && !view.shows('machine-without-node')) return null;
  const path = pathOf(view, instance);
  if (timedOut === null && !isInClusterVpc(path)) return null;
  const blocked = matchEgress(view, path) ?? matchIngress(view, path) ?? matchAcl(view, path);
  return blocked ?? (isKnown(view, path) ? clear : null);
}

function pathOf(view: Own, instance: Seen<Instance>): Path {
  const clusters = view.list('aws/cluster');
  const cluster = clusters.length === 1 ? (clusters[0] ?? null) : null;
  const network = cluster?.value.resourcesVpcConfig;
  const clusterGroups = [
    network?.clusterSecurityGroupId ?? '',
    ...(network?.securityGroupIds ?? []),
  ].filter((id) => id !== '');
  const nodeGroups = (instance.value.SecurityGroups ?? []).map((group) => group.GroupId ?? '');
  const isPrivate = network?.endpointPrivateAccess === true;
  return { instance, cluster, isPrivate, nodeGroups, clusterGroups };
}

function isInClusterVpc({ instance, cluster }: Path): boolean {
  const vpc = cluster?.value.resourcesVpcConfig?.vpcId ?? null;
  return vpc !== null && vpc === instance.value.VpcId;
}

/** The groups with these ids, null unless all are known. */
function groupsOf(view: Own, ids: readonly string[]): readonly Seen<SecurityGroup>[] | null {
  const groups = view.list('aws/security-group');
  const described = ids.map((id) => groups.find(({ value }) => value.GroupId === id));
  const known = described.filter((group) => group !== undefined);
  return ids.length > 0 && known.length === ids.length ? known : null;
}

/** Interfaces by which the control plane of EKS stands in the VPC. */
function controlPlane(view: Own, { cluster }: Path): readonly NetworkInterface[] {
  const name = cluster?.value.name ?? '';
  return view
    .list('aws/network-interface')
    .map(({ value }) => value)
    .filter((value) => value.Description === `Amazon EKS ${name}`);
}

/** Where the API server is for the machine: known addresses when its endpoint is private. */
function apiServer(view: Own, path: Path): Peer {
  if (!path.isPrivate) return { groups: [], addresses: [] };
  const own = controlPlane(view, path).map((one) => blockOf(one.PrivateIpAddress ?? ''));
  const ids = path.cluster?.value.resourcesVpcConfig?.subnetIds ?? [];
  const subnets = view
    .list('aws/subnet')
    .filter(({ value }) => ids.includes(value.SubnetId ?? ''))
    .map(({ value }) => cidrOf(value.CidrBlock ?? ''));
  const blocks = (own.length > 0 ? own : subnets).filter((block) => block !== null);
  return { groups: path.clusterGroups, addresses: blocks };
}

function matchEgress(view: Own, path: Path): Match | null {
  const own = groupsOf(view, path.nodeGroups);
  const peer = apiServer(view, path);
  const rules = own?.flatMap(({ value }) => value.IpPermissionsEgress ?? []);
  if (own === null || rules === undefined || mayPass(rules, API_PORT, peer)) return null;
  return groupsFound(view, own, path, 'out of the machine');
}

function matchIngress(view: Own, path: Path): Match | null {
  const groups = path.isPrivate ? groupsOf(view, path.clusterGroups) : null;
  if (groups === null) return null;
  const address = blockOf(path.instance.value.PrivateIpAddress ?? '');
  const peer = { groups: path.nodeGroups, addresses: address === null ? [] : [address] };
  const rules = groups.flatMap(({ value }) => value.IpPermissions ?? []);
  return mayPass(rules, API_PORT, peer)
    ? null
    : groupsFound(view, groups, path, 'in from the machine');
}

function groupsFound(
  view: Own,
  blocking: readonly Seen<SecurityGroup>[],
  path: Path,
  direction: string,
): Match {
  const timedOut = view.sign('timedOut');
  const address = timedOut?.last.captures['address'];
  const ids = blocking.map(({ value }) => value.GroupId ?? '');
  const quotes = blocking.map((group, index) =>
    view.quote(group, `SecurityGroup ${ids[index] ?? ''} has no rule for tcp 443 ${direction}`),
  );
  const own = view.quote(
    path.instance,
    `${view.instanceId ?? ''} has the security groups ${path.nodeGroups.join(', ')}`,
  );
  const [nodeGroup] = path.nodeGroups;
  return found(
    {
      groups: ids.join(', '),
      direction,
      ...(nodeGroup === undefined ? {} : { nodeGroup }),
      ...(address === undefined ? {} : { address }),
    },
    [...(timedOut === null ? [] : [timedOut.first]), ...quotes, own],
  );
}

const ANYWHERE: Cidr = { first: 0, prefixLength: 0 };

interface Direction {
  readonly isEgress: boolean;
  readonly ports: { readonly from: number; readonly to: number };
  readonly what: string;
}

const DIRECTIONS: readonly Direction[] = [
  { isEgress: true, ports: { from: API_PORT, to: API_PORT }, what: 'tcp 443 out of it' },
  { isEgress: false, ports: EPHEMERAL, what: 'the answers, tcp 32768-60999 into it' },
];

function aclOf(view: Own, path: Path): Seen<NetworkAcl> | undefined {
  const subnet = path.instance.value.SubnetId ?? '';
  return view
    .list('aws/network-acl')
    .find(({ value }) => (value.Associations ?? []).some((one) => one.SubnetId === subnet));
}

/** Both ends' groups and the ACL were read, so that what stops nothing lets everything through. */
function isKnown(view: Own, path: Path): boolean {
  return (
    path.cluster !== null &&
    groupsOf(view, path.nodeGroups) !== null &&
    (!path.isPrivate || groupsOf(view, path.clusterGroups) !== null) &&
    aclOf(view, path) !== undefined
  );
}

/** The ACL of the machine's subnet, where it stops what goes to or comes from every other subnet. */
function matchAcl(view: Own, path: Path): Match | null {
  const subnet = path.instance.value.SubnetId ?? '';
  const acl = aclOf(view, path);
  if (acl === undefined) return null;
  for (const direction of DIRECTIONS) {
    const rule = stoppedBy(acl.value, { ...direction, peer: ANYWHERE });
    if (rule !== null) return aclFound(view, acl, subnet, direction, rule);
  }
  return null;
}

function aclFound(
  view: Own,
  acl: Seen<NetworkAcl>,
  subnet: string,
  { isEgress, ports, what }: Direction,
  rule: string,
): Match {
  const id = acl.value.NetworkAclId ?? '';
  const timedOut = view.sign('timedOut');
  const proof: readonly Quote[] = [
    ...(timedOut === null ? [] : [timedOut.first]),
    view.quote(acl, `NetworkAcl ${id} of ${subnet} has for ${what}: ${rule}`),
  ];
  const range = `From=${ports.from},To=${ports.to}`;
  const details = { acl: id, subnet, stop: what, isEgress: String(isEgress), ports: range };
  return found(details, proof);
}

export default foreseenByMatch(
  judged,
  (plan, group) => {
    const { securityGroups } = machineOf(plan, group);
    const isShown = groupsNamed(plan, securityGroups) !== null && controlGroups(group) !== null;
    return isShown ? true : null;
  },
  {
    remedy: ({ groups, direction }) => [
      step(
        direction === 'out of the machine'
          ? `Add an egress rule to ${groups ?? 'the nodes’ group'}: protocol -1 to 0.0.0.0/0. Terraform takes EC2’s own away.`
          : `Add an ingress rule to ${groups ?? 'the cluster’s group'}: tcp 443 from the nodes’ security group.`,
      ),
    ],
  },
);
