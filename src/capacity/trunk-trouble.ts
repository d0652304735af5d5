import { isoMs, type Timed } from '../evidence/time.ts';
import type { Seen } from '../evidence/fact.ts';
import type { FactTypes, KubeNode } from '../evidence/kinds.ts';
import { isSettled, POD_NORMAL_MS } from '../domain/pods/pods.ts';
import { asksForTrunk, POD_ENI, waitsForBranch } from '../domain/pods/pod-security-groups.ts';
import { attachedOf } from './attached.ts';
import { networkModeOf } from './cni-settings.ts';
import { knownType } from './known-type.ts';
import type { NetworkMode } from './mode.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import type { DaemonSet } from '../evidence/kube/workloads.ts';
import type { Instance } from '../evidence/aws/instance.ts';
import type { CniNode } from '../evidence/kube/network.ts';

/** The kinds of facts that show nodes without a trunk; causes that ask need them. */
export const TRUNK_KINDS = [
  'kube/Node',
  'kube/Pod',
  'kube/DaemonSet',
  'kube/CNINode',
  'kube/SecurityGroupPolicy',
  'kube/ServiceAccount',
  'aws/instance',
  'aws/instance-type',
] as const;

type Kind = (typeof TRUNK_KINDS)[number];

/** Whatever gives the facts of a whole cluster, as a cause's view does. */
export interface TrunkFacts {
  readonly nowMs: number | null;
  list<N extends Kind>(kind: N): readonly Seen<FactTypes[N]>[];
  everywhere<N extends Kind>(kind: N): readonly Seen<FactTypes[N]>[];
}

/** Pods that wait for branch interfaces which none of the nodes that fit them can give. */
export interface TrunkTrouble {
  readonly waiting: readonly Seen<Pod>[];
  /** The nodes that fit the first of them. */
  readonly nodes: readonly Seen<KubeNode>[];
  readonly daemonSet: Seen<DaemonSet>;
  readonly mode: NetworkMode;
}

function isWorker({ labels, taints }: KubeNode): boolean {
  const isLinux = labels['kubernetes.io/os'] !== 'windows';
  return isLinux && !(taints ?? []).some(({ key }) => key.startsWith('node-role.kubernetes.io/'));
}

function fits(pod: Seen<Pod>, { labels }: KubeNode): boolean {
  const wanted = Object.entries(pod.value.spec?.nodeSelector ?? {});
  return wanted.every(([key, value]) => labels[key] === value);
}

/** How many branch interfaces a node offers; a node without a trunk announces none. */
export function branchesOf({ allocatable }: KubeNode): number {
  return Number(allocatable[POD_ENI] ?? 0);
}

function hasWaited({ value }: Seen<Pod>, { nowMs }: Timed): boolean {
  if (nowMs === null) return false;
  const madeMs = isoMs(value.metadata?.creationTimestamp);
  return isSettled(value, nowMs) || (madeMs !== null && nowMs - madeMs > POD_NORMAL_MS);
}

/** null where nothing waits, where a node has branch interfaces, or where the CNI was not read. */
export function trunkTrouble(facts: TrunkFacts): TrunkTrouble | null {
  const daemonSet = facts.list('kube/DaemonSet').find(({ value }) => isCni(value));
  if (daemonSet === undefined) return null;
  const waiting = facts
    .list('kube/Pod')
    .filter((pod) => waitsForBranch(pod.value) && hasWaited(pod, facts));
  const [first] = waiting;
  if (first === undefined) return null;
  const fitting = facts
    .everywhere('kube/Node')
    .filter(({ value }) => isWorker(value) && fits(first, value));
  if (fitting.length === 0 || fitting.some(({ value }) => branchesOf(value) > 0)) return null;
  return { waiting, nodes: fitting, daemonSet, mode: networkModeOf(daemonSet.value) };
}

function isCni({ namespace, name }: DaemonSet): boolean {
  return namespace === 'kube-system' && name === 'aws-node';
}

/** Why a node has no trunk, as far as the objects tell; null when the node did its part. */
export type TrunkReason =
  | { readonly why: 'switched-off' }
  | { readonly why: 'type'; readonly type: string }
  | { readonly why: 'slots'; readonly type: string; readonly enis: number }
  | { readonly why: 'not-asked'; readonly cniNode: Seen<CniNode> };

/** Reads one node of the trouble: switch, type, slots, then what its agent asked for. */
export function trunkReason(
  facts: TrunkFacts,
  trouble: TrunkTrouble,
  node: KubeNode,
): TrunkReason | null {
  if (!trouble.mode.podEni) return { why: 'switched-off' };
  const type = node.labels['node.kubernetes.io/instance-type'] ?? '';
  const described = facts.list('aws/instance-type').map(({ value }) => value);
  const known = knownType(type, described);
  if (known?.trunk === false) return { why: 'type', type };
  const instance = instanceOf(facts, node);
  const enis = instance === undefined ? 0 : attachedOf(instance, true).enis;
  if (known !== null && enis >= known.enis) return { why: 'slots', type, enis };
  const cniNode = cniNodeOf(facts, node);
  return cniNode === undefined || asksForTrunk(cniNode) ? null : { why: 'not-asked', cniNode };
}

function instanceOf(facts: TrunkFacts, { providerId }: KubeNode): Instance | undefined {
  const id = providerId?.split('/').at(-1) ?? '-';
  return facts.list('aws/instance').find((fact) => fact.value.InstanceId === id)?.value;
}

/** What the VPC resource controller knows of a node. */
export function cniNodeOf(facts: TrunkFacts, node: KubeNode): Seen<CniNode> | undefined {
  return facts.list('kube/CNINode').find(({ value }) => value.name === node.name);
}
