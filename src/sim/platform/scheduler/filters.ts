import { isWanted } from '../objects/node.ts';
import type { PodView } from '../objects/pod.ts';
import { isTolerated, type Taint, TAINT_UNSCHEDULABLE, untolerated } from '../objects/taints.ts';
import type { NodeState } from './node-state.ts';

/** Why a node does not take a pod, in the words of kube-scheduler's plugins. */
export interface FilterRejection {
  readonly reasons: readonly string[];
  /** False when nothing that is evicted there would change it. */
  readonly mayPreempt: boolean;
}

/** Where the volumes of a pod may be attached; null of a claim that has no volume yet. */
export interface VolumePlaces {
  /** True when some node may mount what the pod claims. */
  isReachableFrom(pod: PodView, node: NodeState): boolean;
}

export interface FilterOptions {
  readonly volumes: VolumePlaces;
  readonly words: FilterWords;
}

/** What the plugins say, which has changed between minors. */
export interface FilterWords {
  /** `untolerated taint(s)`, without naming the taint. */
  readonly hidesTaint: boolean;
  /** `node(s) didn't match PersistentVolume's node affinity`. */
  readonly namesPersistentVolume: boolean;
  /** `no new claims to deallocate, ` before what preemption found. */
  readonly mentionsClaims: boolean;
}

/**
 * Taints are hidden since 1.35 and 1.34.2 (kubernetes#134740), claims for devices are a part of
 * every cluster since 1.34, and volumes are named since 1.33.
 */
export function wordsOf(minor: number): FilterWords {
  return {
    hidesTaint: minor >= 34,
    namesPersistentVolume: minor >= 33,
    mentionsClaims: minor >= 34,
  };
}

const FINAL = { mayPreempt: false } as const;
const BLOCKING_EFFECTS = ['NoSchedule', 'NoExecute'];
const UNSCHEDULABLE = {
  key: TAINT_UNSCHEDULABLE,
  value: '',
  effect: 'NoSchedule',
  timeAdded: null,
};

const UNSCHEDULABLE_NODE: FilterRejection = { reasons: ['node(s) were unschedulable'], ...FINAL };
const SOME_TAINT: FilterRejection = { reasons: ['node(s) had untolerated taint(s)'], ...FINAL };
const OTHER_NODE: FilterRejection = {
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  ...FINAL,
};
const BY_TAINT = new WeakMap<Taint, FilterRejection>();

type Filter = (pod: PodView, node: NodeState, options: FilterOptions) => FilterRejection | null;

/** In the order of the default plugins; the first that refuses speaks for the node. */
const FILTERS: readonly Filter[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourcesFit,
  volumeBinding,
];

/** @returns null when the node takes the pod */
export function refusalOf(
  pod: PodView,
  node: NodeState,
  options: FilterOptions,
): FilterRejection | null {
  for (const filter of FILTERS) {
    const refusal = filter(pod, node, options);
    if (refusal !== null) return refusal;
  }
  return null;
}

function nodeUnschedulable(pod: PodView, { view }: NodeState): FilterRejection | null {
  if (!view.isUnschedulable || isTolerated(UNSCHEDULABLE, pod.spec.tolerations)) return null;
  return UNSCHEDULABLE_NODE;
}

function taintToleration(
  pod: PodView,
  { view }: NodeState,
  { words }: FilterOptions,
): FilterRejection | null {
  const taint = untolerated(view.taints, pod.spec.tolerations, BLOCKING_EFFECTS);
  if (taint === null) return null;
  return words.hidesTaint ? SOME_TAINT : refusalBy(taint);
}

/** Pods are refused by the same taint again and again. */
function refusalBy(taint: Taint): FilterRejection {
  const known = BY_TAINT.get(taint);
  if (known !== undefined) return known;
  const reason = `node(s) had untolerated taint {${taint.key}: ${taint.value}}`;
  const refusal = { reasons: [reason], ...FINAL };
  BY_TAINT.set(taint, refusal);
  return refusal;
}

function nodeAffinity(pod: PodView, { view }: NodeState): FilterRejection | null {
  if (isWanted(view, pod.spec)) return null;
  return OTHER_NODE;
}

function nodePorts(pod: PodView, { pods }: NodeState): FilterRejection | null {
  const { hostPorts } = pod.spec;
  if (hostPorts.length === 0) return null;
  for (const other of pods.values())
    if (other.spec.hostPorts.some((port) => hostPorts.includes(port)))
      return {
        reasons: ["node(s) didn't have free ports for the requested pod ports"],
        mayPreempt: true,
      };
  return null;
}

/** Without an amount of pods in its status a node takes none. */
function resourcesFit(pod: PodView, { view, used, pods }: NodeState): FilterRejection | null {
  const reasons: string[] = [];
  if (pods.size + 1 > (view.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
  for (const [resource, amount] of pod.spec.requests) {
    const free = (view.allocatable.get(resource) ?? 0) - (used.get(resource) ?? 0);
    if (amount > 0 && amount > free + ROUNDING) reasons.push(`Insufficient ${resource}`);
  }
  return reasons.length === 0 ? null : { reasons, mayPreempt: isPossible(pod, view.allocatable) };
}

/** Sums of decimal fractions of cores differ in the last digits. */
const ROUNDING = 1e-9;

function isPossible(pod: PodView, allocatable: ReadonlyMap<string, number>): boolean {
  for (const [resource, amount] of pod.spec.requests)
    if (amount > (allocatable.get(resource) ?? 0)) return false;
  return true;
}

function volumeBinding(
  pod: PodView,
  node: NodeState,
  { volumes, words }: FilterOptions,
): FilterRejection | null {
  if (pod.spec.claims.length === 0 || volumes.isReachableFrom(pod, node)) return null;
  const reason = words.namesPersistentVolume
    ? "node(s) didn't match PersistentVolume's node affinity"
    : 'node(s) had volume node affinity conflict';
  return { reasons: [reason], ...FINAL };
}
