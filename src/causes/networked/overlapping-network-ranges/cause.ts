import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { foreseenByMatch, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { VPCS } from '../../../domain/planned/lookups.ts';
import { serviceSubnetOf } from '../../../domain/planned/kubeadm.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import type { Planned } from '../../../evidence/planned.ts';

/** One range of addresses means two things: nodes and a bridge, or nodes and services. */
const cause = defineCause({
  id: 'overlapping-network-ranges',
  stage: 'networked',
  title: 'the VPC’s range overlaps the docker bridge or the service range',
  scope: 'cluster',
  signs: {
    bridgeTakesIt: likely(
      ['event', 'client-output', 'kube-apiserver', 'pod-app'],
      /dial tcp (?<address>172\.17\.\d+\.\d+):\d+: (?:getsockopt|connect): no route to host/,
      { anchors: ['dial tcp 172.17.'] },
    ),
    bridge: context(['host-file'], /^\s*172\.17\.0\.0\/16 dev docker0/),
    vpcOnBridge: context(
      ['client-output', 'unknown'],
      /\bVPC\b.{0,80}\b172\.17\.\d{1,3}\.\d{1,3}\/\d\d|\b172\.17\.\d{1,3}\.\d{1,3}\/\d\d\b.{0,40}\bVPC\b/,
      { isTold: true },
    ),
    unreachable: context(
      ['client-output', 'unknown', 'event', 'pod-app'],
      /\b[Nn]o route to host\b|\bdocker0\b/,
    ),
    toldBridge: likely(
      ['client-output', 'unknown'],
      /\b(?:CIDR|range|network|subnet)s?\b.{0,120}\b(?:same|overlaps?|collides?|clash(?:es)?|conflicts?|is (?:that|the one)|taken)\b.{0,40}\bdocker0?\b (?:bridge|network|interface|`?docker0)|\bdocker0?\b(?: bridge)?.{0,60}\b(?:overlaps?|collides?|clash(?:es)?|conflicts?|same (?:range|CIDR|network))\b/,
      { isTold: true, anchors: ['docker'] },
    ),
  },
  needs: ['aws/cluster', 'aws/subnet'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['service-ip-unreachable-for-cni', 'service-ip-unreachable-for-calico'],
  summary: ({ address, service, subnet }) =>
    service === undefined
      ? `${address ?? 'A node'} lies in the range of the docker bridge, so machines with that bridge send its packets to themselves.`
      : sentence`The service range ${service} overlaps the subnet ${subnet} of the VPC, so some addresses lead to the wrong place.`,
  remedy: ({ service }) =>
    service === undefined
      ? [
          step(
            'Move node subnets out of 172.17.0.0/16, or give docker another bridge.',
            'echo \'{"bip":"192.168.99.1/24"}\' | sudo tee /etc/docker/daemon.json && sudo systemctl restart docker',
          ),
          step('Machine images with containerd have no such bridge.'),
        ]
      : [
          step(
            'The service range of a cluster cannot be changed: put nodes and what pods must reach into other ranges, or make a new cluster.',
            'aws eks describe-cluster --name <cluster> --query cluster.kubernetesNetworkConfig',
          ),
        ],
  decide: step(
    'Compare the three ranges.',
    'aws eks describe-cluster --name <cluster> --query cluster.kubernetesNetworkConfig.serviceIpv4Cidr; aws ec2 describe-subnets --query Subnets[].CidrBlock; ip route show dev docker0',
  ),
  page: {
    why: 'Docker takes 172.17.0.0/16 for its bridge; machines in that range of the VPC then vanish for the host. kube-proxy likewise catches every packet to the service range.',
    prevent: 'Plan VPC, peered networks, pod and service ranges together.',
    notThis:
      'Only addresses inside the overlap fail. A time-out (instead of “no route to host”) to kubelets is node-ports-closed-to-control-plane.',
    alsoKnownAs: ['dial tcp 172.17. getsockopt: no route to host'],
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html'],
  },
});

const judged = matched(cause, matchRanges);

type Own = ViewOf<typeof cause>;

interface Range {
  readonly first: number;
  readonly last: number;
}

function rangeOf(cidr: string): Range | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  if (match === null) return null;
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map(Number);
  const size = 2 ** (32 - bits);
  const first = Math.floor((((a * 256 + b) * 256 + c) * 256 + d) / size) * size;
  return { first, last: first + size - 1 };
}

function matchRanges(view: Own): Match | null {
  const [vpcOnBridge, unreachable] = [view.sign('vpcOnBridge'), view.sign('unreachable')];
  if (vpcOnBridge !== null && unreachable !== null)
    return found({}, [vpcOnBridge.first, unreachable.first], 'likely');
  const cluster = view.read('aws/cluster');
  if (cluster.state !== 'seen') return null;
  const service = cluster.value.kubernetesNetworkConfig?.serviceIpv4Cidr ?? '';
  const range = rangeOf(service);
  if (range === null) return null;
  const vpc = cluster.value.resourcesVpcConfig?.vpcId ?? null;
  for (const entry of view.list('aws/subnet')) {
    const subnet = entry.value.CidrBlock ?? '';
    const other = rangeOf(subnet);
    const sameVpc = vpc === null || (entry.value.VpcId ?? vpc) === vpc;
    if (other === null || !sameVpc || other.first > range.last || range.first > other.last)
      continue;
    return found({ service, subnet }, [
      view.quote(cluster, `serviceIpv4Cidr ${service}`),
      view.quote(entry, `Subnet CidrBlock ${subnet}`),
    ]);
  }
  const areKnown = vpc !== null && view.list('aws/subnet').length > 0;
  return areKnown ? clearUnlessSeen(view, ['bridgeTakesIt']) : null;
}

const inPlans = foreseenByMatch(
  judged,
  (_plan, { cluster }) => {
    const range = cluster?.value.kubernetesNetworkConfig?.serviceIpv4Cidr ?? null;
    // A cluster that exists keeps its range, and its nodes run.
    return range === null || cluster?.change !== 'create' ? null : true;
  },
  {
    remedy: ({ subnet }) => [
      step(
        `Set service_ipv4_cidr in kubernetes_network_config of the aws_eks_cluster to a private range that does not overlap ${subnet ?? 'the VPC'}; it cannot be changed later.`,
      ),
    ],
  },
);

/** The VPC of the machines; of files beside a plan the only one there is. */
function vpcOf(plan: PlanView, group: PlannedGroup): Planned<'aws/vpc'> | null {
  if (group.kind !== 'Kubeadm') return lookedUp(plan, VPCS, machineOf(plan, group).vpc)[0] ?? null;
  const [only = null, ...others] = plan.list('aws/vpc');
  return others.length === 0 ? only : null;
}

function overlapOf(one: string, other: string): boolean {
  const [a, b] = [one, other].map((list) => list.split(',').map((part) => rangeOf(part.trim())));
  return (a ?? []).some((first) =>
    (b ?? []).some(
      (second) =>
        first !== null &&
        second !== null &&
        first.first <= second.last &&
        second.first <= first.last,
    ),
  );
}

export default foreseenByKubeadm(
  inPlans,
  (plan, { controlPlane, shownBy }, group) => {
    if (controlPlane === null) return NOT_SHOWN;
    const { podSubnet: pods } = controlPlane;
    const services = serviceSubnetOf(controlPlane);
    const ofPods = `ClusterConfiguration networking.podSubnet ${pods ?? ''}`;
    const ofServices = `ClusterConfiguration networking.serviceSubnet ${services ?? ''}`;
    if (typeof pods === 'string' && services !== undefined && overlapOf(pods, services))
      return found({ one: `pod range ${pods}`, other: `service range ${services}` }, [
        plan.quote(shownBy, ofPods),
        plan.quote(shownBy, ofServices),
      ]);
    const vpc = vpcOf(plan, group);
    const range = vpc?.value.CidrBlock ?? null;
    if (vpc === null || range === null || services === undefined) return NOT_SHOWN;
    const other = `range ${range} of the VPC`;
    const quote = plan.quote(vpc, `VPC cidr_block ${range}`);
    if (overlapOf(services, range))
      return found({ one: `service range ${services}`, other }, [
        plan.quote(shownBy, ofServices),
        quote,
      ]);
    if (typeof pods !== 'string') return NOT_SHOWN;
    if (!overlapOf(pods, range)) return clear;
    // The VPC CNI gives pods addresses of the VPC, and people write its range as theirs.
    if (pods === range) return NOT_SHOWN;
    return found(
      { one: `pod range ${pods}`, other },
      [plan.quote(shownBy, ofPods), quote],
      'likely',
    );
  },
  {
    summary: ({ one, other }) =>
      `The ${one ?? 'pod range'} overlaps the ${other ?? 'service range'}, so some addresses lead to the wrong place.`,
    remedy: () => [
      step(
        'Choose networking.podSubnet and networking.serviceSubnet of the ClusterConfiguration outside of each other and of the VPC; they cannot be changed later.',
      ),
    ],
  },
);
