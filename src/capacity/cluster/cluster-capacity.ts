import type { KubeNode } from '../../evidence/kinds.ts';
import type { Observations, Refusal } from '../../evidence/observations.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import { cidrText } from '../../domain/network/cidr.ts';
import { byOwner, withoutPodAddresses } from '../../domain/network/interfaces.ts';
import { type KnownInstances, type Leaks, leaksOf } from '../leaks.ts';
import type { SubnetState } from '../subnet.ts';
import type { CniSetup } from './aws-node.ts';
import type {
  CapacityDocument,
  CniView,
  GroupCapacity,
  LeakView,
  NodeCapacity,
  SubnetCapacity,
  Unseen,
} from './document.ts';
import { networkInterfaces } from './facts.ts';
import {
  capacityOfNode,
  type ClusterView,
  clusterView,
  groupOf,
  instanceOf,
  nodeRow,
  podSubnets,
  typeText,
  warmOn,
} from './nodes.ts';
import type { NetworkInterface } from '../../evidence/aws/instance.ts';

/** What a report is made from. */
export interface CapacityEvidence {
  readonly observations: Observations;
  readonly instances: KnownInstances;
  /** ms since the epoch; null for files, whose interfaces then have no age. */
  readonly nowMs: number | null;
  /** Nodes or instances that were asked about; empty for all. */
  readonly asked: readonly string[];
}

function cniView({ state, mode, targets }: CniSetup): CniView {
  const { cniVersion, ...rest } = mode;
  return { state, ...rest, version: cniVersion, ...targets };
}

function isAsked(asked: readonly string[], row: NodeCapacity): boolean {
  return asked.length === 0 || asked.includes(row.name) || asked.includes(row.instanceId ?? '');
}

function groupRows(view: ClusterView, nodes: readonly KubeNode[]): readonly GroupCapacity[] {
  const groups = Map.groupBy(nodes, (node) => {
    const { kind, name } = groupOf(node, instanceOf(view, node));
    return `${kind} ${name} ${typeText(view, node) ?? ''}`;
  });
  return [...groups.values()].flatMap((own) => groupRow(view, own) ?? []);
}

function groupRow(view: ClusterView, own: readonly KubeNode[]): GroupCapacity | null {
  const [first] = own;
  const instanceType = first === undefined ? null : typeText(view, first);
  if (first === undefined || instanceType === null) return null;
  const ids = own.flatMap((node) => podSubnets(view, node, instanceOf(view, node)));
  const subnets = [...new Set(ids)];
  const states = view.states.filter(({ subnet }) => subnets.includes(subnet.id));
  const isWhole = subnets.length > 0 && states.length === subnets.length;
  const capacity = capacityOfNode(view, first, subnets);
  return {
    group: groupOf(first, instanceOf(view, first)),
    instanceType,
    nodes: own.length,
    maxPods: [...new Set(own.flatMap((node) => nodeRow(view, node).maxPods ?? []))],
    addressPods: capacity?.maxPods?.allowed ?? null,
    subnets,
    free: isWhole ? states.reduce((sum, { free }) => sum + (free ?? 0), 0) : null,
    moreNodes: isWhole ? (capacity?.fit?.nodes ?? null) : null,
    limit: capacity?.sentence ?? 'Pods do not get their addresses from the Amazon VPC CNI here.',
  };
}

function warmIn(view: ClusterView, subnetId: string): number | null {
  if (view.interfaces === null || view.pods === null) return null;
  const machines = machinesOf(view);
  const used = new Set(view.podAddresses);
  return view.interfaces
    .filter((item) => item.SubnetId === subnetId)
    .filter((item) => machines.has(item.Attachment?.InstanceId ?? ''))
    .reduce((sum: number, item) => sum + warmOn(item, used), 0);
}

/** Instances that have a Node. */
function machinesOf(view: ClusterView): ReadonlySet<string> {
  const items = view.nodes.map((node) => instanceOf(view, node));
  return new Set(items.flatMap((item) => item?.InstanceId ?? []));
}

/** A subnet as it is printed. */
export function subnetRow(state: SubnetState, warm: number | null, nodes: number): SubnetCapacity {
  const { subnet, usable, free, freeBlocks, fragmentation, unexplained } = state;
  const { id, zone } = subnet;
  const cidr = cidrText(subnet.cidr);
  return { id, zone, cidr, usable, free, freeBlocks, fragmentation, unexplained, warm, nodes };
}

function leakViews({ leaked }: Leaks): readonly LeakView[] {
  return leaked.map(({ network, verdict, because, command }) => {
    const { id, subnetId, addresses } = network;
    return { id, subnet: subnetId, addresses, verdict, because, command };
  });
}

/** What was not to be seen, each once. */
export function unseenOf(refusals: readonly Refusal[]): readonly Unseen[] {
  const whats = new Map(refusals.map(({ call, message }) => [call, message]));
  return [...whats].map(([what, why]) => ({ what, why }));
}

/** Refusals of calls that show what capacity reads. */
const MATTERS =
  /Instances|InstanceTypes|Subnet|NetworkInterface|nodes|pods|daemonsets|eniconfigs|kubernetes|aws/;

function notObservable(view: ClusterView): readonly Unseen[] {
  const refusals = view.observations.collection?.refusals ?? [];
  const refused = unseenOf(refusals.filter(({ call }) => MATTERS.test(call)));
  if (view.interfaces !== null || refused.some(({ what }) => /NetworkInterfaces/.test(what)))
    return refused;
  const why = 'not collected; show them: aws ec2 describe-network-interfaces --output json';
  return [...refused, { what: 'network interfaces', why }];
}

/** Interfaces that leaked; of files, whose time nobody knows, none is called so. */
function leaksIn(evidence: CapacityEvidence, items: readonly NetworkInterface[] | null): Leaks {
  if (evidence.nowMs === null || items === null) return { leaked: [], addresses: 0 };
  return leaksOf(networkInterfaces(items), evidence.instances, evidence.nowMs);
}

/** The capacity of a cluster from what was observed of it. */
export function capacityDocument(evidence: CapacityEvidence): CapacityDocument {
  const view = clusterView(evidence.observations);
  const rows = view.nodes.map((node) => nodeRow(view, node));
  const shown = rows.filter((row) => isAsked(evidence.asked, row));
  const names = new Set(shown.map(({ name }) => name));
  const networks = networkInterfaces(view.interfaces);
  const bare = view.cni.state === 'seen' ? withoutPodAddresses(networks, machinesOf(view)) : [];
  const used = new Set(shown.flatMap(({ subnets }) => subnets));
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Capacity',
    cni: cniView(view.cni),
    nodes: shown,
    groups: groupRows(
      view,
      view.nodes.filter(({ name }) => names.has(name)),
    ),
    subnets: view.states
      .filter(({ subnet }) => evidence.asked.length === 0 || used.has(subnet.id))
      .map((state) => {
        const { id } = state.subnet;
        const count = rows.filter(({ subnets }) => subnets.includes(id)).length;
        return subnetRow(state, warmIn(view, id), count);
      }),
    owners: byOwner(networks),
    leaked: leakViews(leaksIn(evidence, view.interfaces)),
    withoutPodAddresses: bare.map(({ instanceId }) => ({
      instanceId,
      node: rows.find((row) => row.instanceId === instanceId)?.name ?? null,
    })),
    notObservable: notObservable(view),
  };
}

/** `not-usable` when something is out of addresses or will be. */
export function verdictOfCapacity(document: CapacityDocument): Verdict {
  const { nodes, subnets, leaked, withoutPodAddresses: bare } = document;
  const isFull = subnets.some(({ free, nodes: count }) => free === 0 && count > 0);
  const isLeaking = leaked.some(({ verdict }) => verdict === 'leaked');
  const isProblem = nodes.some(({ problem }) => problem !== null);
  if (isFull || isLeaking || isProblem || bare.length > 0) return 'not-usable';
  const isUnknown = nodes.length === 0 || document.notObservable.length > 0;
  return isUnknown ? 'cannot-tell' : 'usable';
}
