import type { RandomStream } from '../../kernel/random.ts';
import type { PodView } from '../objects/pod.ts';
import { untolerated } from '../objects/taints.ts';
import {
  type FilterOptions,
  type FilterWords,
  type FilterRejection,
  refusalOf,
} from './filters.ts';
import type { NodeState } from './node-state.ts';

export type Choice =
  | { readonly nodeName: string }
  | { readonly nodeName: null; readonly message: string };

/** Enough nodes are looked for among many (minFeasibleNodesToFind of kube-scheduler). */
const FEASIBLE_MIN = 100;
/** Of percentageOfNodesToScore, when it adapts to the number of nodes. */
const PERCENT_BASE = 50;
const NODES_PER_PERCENT = 125;
const PERCENT_MIN = 5;

/** numFeasibleNodesToFind: all of up to 100 nodes, fewer percent the more there are. */
export function feasibleWanted(nodes: number): number {
  if (nodes <= FEASIBLE_MIN) return nodes;
  const percent = Math.max(PERCENT_MIN, PERCENT_BASE - Math.floor(nodes / NODES_PER_PERCENT));
  return Math.max(FEASIBLE_MIN, Math.floor((nodes * percent) / 100));
}

export interface Cluster {
  readonly size: number;
  nodes(): Iterable<NodeState>;
  node(name: string): NodeState | undefined;
}

/** Chooses a node for a pod, or says in kube-scheduler's words why there is none. */
export function choose(
  pod: PodView,
  cluster: Cluster,
  options: FilterOptions,
  random: RandomStream,
): Choice {
  if (cluster.size === 0) return { nodeName: null, message: 'no nodes available to schedule pods' };
  const refusals = new Map<string, number>();
  const preemption = new Map<string, number>();
  const feasible: NodeState[] = [];
  const wanted = feasibleWanted(cluster.size);
  for (const node of candidates(pod, cluster)) {
    const refusal = refusalOf(pod, node, options);
    if (refusal === null) feasible.push(node);
    else tally(refusal, refusals, preemption);
    if (feasible.length >= wanted) break;
  }
  const nodeName = best(pod, feasible, random);
  if (nodeName !== null) return { nodeName };
  notLookedAt(pod, cluster, refusals, preemption);
  return { nodeName: null, message: fitError(cluster.size, refusals, preemption, options.words) };
}

function candidates(pod: PodView, cluster: Cluster): Iterable<NodeState> {
  const { pinnedTo } = pod.spec;
  if (pinnedTo === null) return cluster.nodes();
  const node = cluster.node(pinnedTo);
  return node === undefined ? [] : [node];
}

const NO_VICTIMS = 'No preemption victims found for incoming pod';
const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

function tally(
  refusal: FilterRejection,
  refusals: Map<string, number>,
  preemption: Map<string, number>,
): void {
  for (const reason of refusal.reasons) count(refusals, reason);
  count(preemption, refusal.mayPreempt ? NO_VICTIMS : NOT_HELPFUL);
}

function count(counts: Map<string, number>, word: string, times = 1): void {
  counts.set(word, (counts.get(word) ?? 0) + times);
}

/** Nodes that the affinity of a DaemonSet pod left out before any plugin looked at them. */
function notLookedAt(
  { spec }: PodView,
  cluster: Cluster,
  refusals: Map<string, number>,
  preemption: Map<string, number>,
): void {
  if (spec.pinnedTo === null) return;
  const left = cluster.size - (cluster.node(spec.pinnedTo) === undefined ? 0 : 1);
  if (left === 0) return;
  count(refusals, "node(s) didn't satisfy plugin(s) [NodeAffinity]", left);
  count(preemption, NOT_HELPFUL, left);
}

/** framework.FitError: reasons with their numbers, sorted as text, then what preemption found. */
export function fitError(
  nodes: number,
  refusals: ReadonlyMap<string, number>,
  preemption: ReadonlyMap<string, number>,
  { mentionsClaims }: FilterWords,
): string {
  const claims = mentionsClaims ? 'no new claims to deallocate, ' : '';
  const available = `0/${nodes} nodes are available:`;
  return `${available} ${sorted(refusals)}. ${claims}preemption: ${available} ${sorted(preemption)}.`;
}

function sorted(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([reason, times]) => `${times} ${reason}`)
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join(', ');
}

/** The highest score; one of several by chance, as selectHost does. */
function best(pod: PodView, feasible: readonly NodeState[], random: RandomStream): string | null {
  let bestScore = Number.NEGATIVE_INFINITY;
  let bestNames: string[] = [];
  for (const node of feasible) {
    const score = scoreOf(pod, node);
    if (score > bestScore) bestNames = [];
    if (score >= bestScore) bestNames.push(node.view.name);
    bestScore = Math.max(bestScore, score);
  }
  return bestNames.length === 0 ? null : random.pick(bestNames);
}

const PREFERRED = ['PreferNoSchedule'];
/** Weights of the default plugins: TaintToleration 3, NodeResourcesFit 1, spreading 2. */
const WEIGHT_TAINT = 300;
const WEIGHT_SPREAD = 2;

/** Free cpu and memory in percent (LeastAllocated), fewer pods first, soft taints last. */
function scoreOf(pod: PodView, { view, used, pods }: NodeState): number {
  const free = (freePercent('cpu') + freePercent('memory')) / 2;
  const avoided = untolerated(view.taints, pod.spec.tolerations, PREFERRED) === null ? 0 : 1;
  return Math.round(free) - WEIGHT_SPREAD * pods.size - WEIGHT_TAINT * avoided;

  function freePercent(resource: string): number {
    const all = view.allocatable.get(resource) ?? 0;
    const asked = (used.get(resource) ?? 0) + (pod.spec.requests.get(resource) ?? 0);
    return all === 0 ? 0 : (100 * (all - asked)) / all;
  }
}
