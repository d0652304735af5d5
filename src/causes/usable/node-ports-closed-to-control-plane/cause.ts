import type { SecurityRule, SecurityGroup } from '../../../evidence/aws/network.ts';
import {
  apartFromOthers,
  isAnnouncementUnknown,
  isOfSecondInterface,
  misannounced,
} from '../../../domain/nodes/announced-address.ts';
import { WRONG_ADDRESS } from '../../../diagnosis/address-signs.ts';
import { OTHER_NETWORK } from '../../../diagnosis/other-network-signs.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import {
  controlGroups as plannedControl,
  groupsNamed,
  machineOf,
} from '../../../domain/planned/machine.ts';

const KUBELET_PORT = 10_250;

/** The control plane's packets to the node are dropped, while the node's own to it pass. */
const cause = defineCause({
  id: 'node-ports-closed-to-control-plane',
  stage: 'usable',
  title: 'the control plane does not reach ports of the node',
  scope: 'machine',
  signs: {
    ...WRONG_ADDRESS,
    kubeletSilent: likely(
      ['client-output', 'event', 'kube-apiserver', 'pod-app', 'audit', 'controller-manager'],
      /dial tcp (?!(?:172\.17\.0\.1|192\.168\.122\.1|10\.0\.2\.15):)(?<owner>(?<address>\d+\.\d+\.\d+\.\d+):(?<port>10250)): (?:i\/o timeout|(?:connect|getsockopt): (?:connection timed out|(?<!dial tcp 172\.17\.\d+\.\d+:10250: (?:connect|getsockopt): )no route to host))/,
      { anchors: [':10250'] },
    ),
    webhookSilent: likely(
      [
        'client-output',
        'event',
        'kube-apiserver',
        'controller-manager',
        'terraform',
        'object',
        'karpenter',
        'pod-app',
        'journal',
      ],
      /(?:(?<owner>(?:replicaset|daemonset|statefulset|job)\/[\w.-]+) .{0,200}failed to call webhook|(?<!Error creating: Internal error occurred: )failed (?:calling|to call) webhook "?(?<owner2>[\w.-]*(?![\w.-]))).*(?:dial tcp (?<address>\d+\.\d+\.\d+\.\d+):(?<port>\d+): (?:i\/o timeout|connect: (?:connection timed out|no route to host))|: context deadline exceeded|Client\.Timeout exceeded|net\/http: request canceled while waiting for connection)/,
    ),
    created: withdraws(
      ['event'],
      /\bSuccessfulCreate +(?<owner>(?:replicaset|daemonset|statefulset|job)\/[\w.-]+) .*\bCreated pod: /,
    ),
    apiServiceSilent: likely(
      ['object', 'client-output', 'kube-apiserver'],
      /failing or missing response from https:\/\/(?<owner>(?<address>\d+\.\d+\.\d+\.\d+):(?<port>\d+))\/apis\/.*(?:i\/o timeout|context deadline exceeded|Client\.Timeout exceeded|request canceled while waiting)/,
    ),
    ...OTHER_NETWORK,
    nodeGone: context(
      ['event', 'node-status'],
      /status is now: NodeNotReady|condition Ready=Unknown/,
    ),
    portHidden: context(['event', 'node-status'], /\bPortConflict\b/),
    toldClosed: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Ss]ecurity [Gg]roups?\b.{0,80}\b(?:(?:did|do|does)(?: not|n't) (?:allow|permit|have|open)|block(?:s|ed|ing)?|(?:was|is|were)(?: not|n't) (?:allow|permit|open)\w{0,4}|missing)\b.{0,60}\b(?:10250|9443|8443|4443|15017)\b|\b(?:[Pp]orts? )?(?:10250|9443|4443|15017)\b.{0,40}\b(?:(?:was|is|were|are)(?: not|n't) (?:open|allowed|permitted|reachable)|(?:was|is|were|are) (?:blocked|closed))\b.{0,100}\b(?:security group|control[ -]plane|cluster|API|nodes?)\b/,
      {
        isTold: true,
        anchors: [
          'ecurity group',
          'ecurity Group',
          'ort 10250',
          'ort 9443',
          'ort 4443',
          'ort 15017',
        ],
      },
    ),
  },
  needs: ['kube/Node', 'aws/instance', 'aws/cluster', 'aws/security-group'],
  symptoms: [],
  withdrawnBy: [],
  // A pod that its owner got later takes back only that owner's failures.
  per: ['owner'],
  blocksAbove: false,
  summary: ({ address, port, group, control }) =>
    group !== undefined
      ? `No rule of ${group} lets the cluster’s security group ${control ?? ''} reach port ${port ?? '10250'}, so logs, exec and metrics of ${address ?? 'the node'} fail while it stays Ready.`
      : address === undefined
        ? 'The control plane gets no answer from an admission webhook on the nodes, so creating pods fails while nodes stay Ready.'
        : `The control plane gets no answer from ${address}:${port ?? '10250'}, so ${port === '10250' ? 'logs, exec and metrics' : 'webhooks and aggregated APIs'} fail while the node stays Ready.`,
  remedy: ({ port, group, control }) => [
    step(
      'Let the cluster’s security group reach the nodes’ on that port.',
      `aws ec2 authorize-security-group-ingress --group-id ${group ?? '<node-security-group>'} --protocol tcp --port ${port ?? '<webhook-port>'} --source-group ${control ?? '<cluster-security-group>'}`,
    ),
    step(
      'On hybrid nodes, route the remote node and pod networks back to the cluster’s VPC.',
      'aws eks describe-cluster --name <cluster> --query cluster.remoteNetworkConfig',
    ),
  ],
  decide: step(
    'See what the nodes’ security group lets in.',
    'aws ec2 describe-security-groups --group-ids <node-security-group> --query SecurityGroups[].IpPermissions',
  ),
  page: {
    why: 'Heartbeats go from the node to the control plane; logs, exec, webhooks and aggregated APIs go the other way. Custom security groups often let only some ports in (443 and 10250), and a webhook’s pod listens on 9443, 8443 or 4443.',
    prevent: 'Use the cluster security group for nodes, or let all ports in from it.',
    notThis:
      'Connection refused means that nothing listens. tls: internal error is kubelet-serving-certificate-missing. no endpoints available is webhook-blocks-system-pods. A node that is NotReady as well has another cause; an address that is not the instance’s primary one is kubelet-announces-wrong-address.',
    alsoKnownAs: [
      'Error from server: Get https://…:10250/containerLogs: dial tcp i/o timeout',
      'failed calling webhook context deadline exceeded',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/network_connectivity.md',
    ],
  },
});

const judged = matched(
  cause,
  (view) => matchOverlay(view) ?? matchAddress(view) ?? matchGroups(view),
);

type Own = ViewOf<typeof cause>;

/** Pods of another network than the VPC's have addresses that no security group opens. */
function matchOverlay(view: Own): Match | null {
  const told = view.sign('otherNetworkTold') ?? view.clusterSign('otherNetworkTold');
  return told !== null && !view.isLive && view.anySign('webhookSilent') ? clear : null;
}

/** The address that does not answer may not be the one by which EC2 knows the machine. */
function matchAddress(view: Own): Match | null {
  const address = view.sign('kubeletSilent')?.last.captures['address'];
  if (address === undefined || view.anySign('webhookSilent', 'apiServiceSilent')) return null;
  const [nodes, instances] = [view.everywhere('kube/Node'), view.everywhere('aws/instance')];
  if (misannounced(address, nodes, instances) !== null) return clear;
  const shown = view.sign('machineAddresses') ?? view.clusterSign('machineAddresses');
  const isApart = (shown?.quotes ?? []).some(
    ({ captures }) => apartFromOthers(address, nodes, captures['addresses'] ?? '') !== null,
  );
  if (isApart) return clear;
  if (instances.length === 0 && view.anySign('wrongAddressTold')) return clear;
  const second = view.sign('secondInterfaceTold') ?? view.clusterSign('secondInterfaceTold');
  const isSecond = (second?.quotes ?? []).some(({ captures }) =>
    isOfSecondInterface(address, nodes, { network: captures['network'] }),
  );
  if (instances.length === 0 && isSecond) return clear;
  if (!isAnnouncementUnknown(address, nodes, instances)) return null;
  const detail = `whether EC2 knows the machine by ${address}`;
  return cannotSay({ reason: 'not-in-source', detail, collect: cause.decide.command });
}

/** All groups of a Ready node are seen, and none lets anybody in on the kubelet's port. */
function matchGroups(view: Own): Match | null {
  const node = view.read('kube/Node');
  const cluster = view.list('aws/cluster')[0];
  const instance = view
    .list('aws/instance')
    .find(({ value }) => (value.InstanceId ?? null) === view.instanceId);
  if (node.state !== 'seen' || node.value.ready !== true) return null;
  if (cluster === undefined || instance === undefined) return null;
  const control = controlGroups(cluster.value);
  const ids = (instance.value.SecurityGroups ?? []).map((one) => one.GroupId ?? '');
  const groups = view
    .list('aws/security-group')
    .filter(({ value }) => ids.includes(value.GroupId ?? ''));
  const isWhole = ids.length > 0 && control.length > 0 && groups.length === ids.length;
  if (!isWhole) return null;
  if (groups.some((group) => letsIn(group, control)))
    return clearUnlessSeen(view, ['kubeletSilent', 'webhookSilent', 'apiServiceSilent']);
  const names = { group: ids.join(','), control: control[0] ?? '', port: String(KUBELET_PORT) };
  return found({ ...names, address: node.value.internalIp ?? node.value.name }, [
    view.quote(instance, `${view.instanceId ?? ''} has the security groups ${ids.join(', ')}`),
    ...groups.slice(0, 3).map((group) => view.quote(group, wordsOf(group.value))),
    view.quote(cluster, `the control plane has the security groups ${control.join(', ')}`),
  ]);
}

function controlGroups(cluster: Cluster): readonly string[] {
  const own = cluster.resourcesVpcConfig?.clusterSecurityGroupId ?? null;
  const more = (cluster.resourcesVpcConfig?.securityGroupIds ?? []).map(String);
  return own === null ? more : [own, ...more];
}

/** Address ranges count as letting in: they usually are those of the VPC. */
function letsIn({ value }: Seen<SecurityGroup>, control: readonly string[]): boolean {
  return (value.IpPermissions ?? []).filter(coversKubelet).some((rule) => {
    const groups = (rule.UserIdGroupPairs ?? []).map((pair) => pair.GroupId ?? '');
    const { IpRanges: ipv4, Ipv6Ranges: ipv6, PrefixListIds: lists } = rule;
    const ranges = [...(ipv4 ?? []), ...(ipv6 ?? []), ...(lists ?? [])];
    return ranges.length > 0 || groups.some((group) => control.includes(group));
  });
}

function coversKubelet({
  IpProtocol: protocol,
  FromPort: from,
  ToPort: to,
}: SecurityRule): boolean {
  if (protocol === '-1') return true;
  const isTcp = protocol === 'tcp' || protocol === '6';
  return isTcp && (from ?? -1) <= KUBELET_PORT && KUBELET_PORT <= (to ?? -1);
}

function wordsOf(group: SecurityGroup): string {
  const rules = (group.IpPermissions ?? []).map((rule) => {
    const from = rule.FromPort ?? 'all';
    const pairs = (rule.UserIdGroupPairs ?? []).map((pair) => pair.GroupId ?? '');
    return `${rule.IpProtocol ?? ''} ${from}-${rule.ToPort ?? 'all'} from ${pairs.join(' ')}`;
  });
  return `${group.GroupId ?? ''} lets in: ${rules.join('; ') || 'nothing'}`;
}

/** Rules that others add to a group that exists already are shown by the plan, too. */
export default foreseen(
  judged,
  (plan, group) => {
    const { securityGroups } = machineOf(plan, group);
    const groups = groupsNamed(plan, securityGroups);
    const control = plannedControl(group);
    if (groups === null || control === null || group.cluster === null) return NOT_SHOWN;
    if (groups.some((one) => letsIn(one, control))) return clear;
    const names = groups.map(({ address }) => address).join(', ');
    return found({ group: names, control: control[0] ?? '', port: String(KUBELET_PORT) }, [
      ...groups.slice(0, 3).map((one) => plan.quote(one, wordsOf(one.value))),
      plan.quote(group.fact, `${group.name} has the security groups ${names}`),
      plan.quote(group.cluster, `the control plane has the security groups ${control.join(', ')}`),
    ]);
  },
  {
    summary: ({ group, control, port, planned }) =>
      `No rule of ${group ?? ''} lets the cluster’s security group ${control ?? ''} reach port ${port ?? '10250'}, so logs, exec and metrics of the nodes of ${planned ?? 'the group'} will fail.`,
    remedy: ({ group }) => [
      step(
        `Add an aws_vpc_security_group_ingress_rule to ${group ?? 'the nodes’ group'}: tcp 10250 with referenced_security_group_id = the cluster_security_group_id of the aws_eks_cluster.`,
      ),
    ],
  },
);
