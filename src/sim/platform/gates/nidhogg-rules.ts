import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { ownersOf } from '../objects/meta.ts';
import { isWanted, type NodeView } from '../objects/node.ts';
import { type PodView, podSpec } from '../objects/pod.ts';
import type { Taint } from '../objects/taints.ts';
import { daemonTemplate } from '../workloads/daemon-placement.ts';
import { meetsSelector } from './selector-text.ts';

/** nidhogg's configuration file, as both forks read it. */
export interface NidhoggConfig {
  /** Which program: the original one up to v0.4.0, or the fork that goes on from it. */
  readonly fork: 'uswitch' | 'pelotech';
  readonly daemonSets: readonly { readonly namespace: string; readonly name: string }[];
  /** Label selectors as text; null where the file has none. */
  readonly nodeSelector: readonly string[] | null;
  readonly taintNamePrefix: string;
  readonly taintEffect: string;
  /** Only of the fork; its chart sets 5 s. */
  readonly taintRemovalDelayMs: number;
}

export const NIDHOGG_DEFAULTS: NidhoggConfig = {
  fork: 'pelotech',
  daemonSets: [],
  nodeSelector: null,
  taintNamePrefix: 'nidhogg.uswitch.com',
  taintEffect: 'NoSchedule',
  taintRemovalDelayMs: 0,
};

/** What it knows when it looks at one Node. */
export interface NidhoggView {
  readonly node: NodeView;
  /** Pods of the namespaces of the DaemonSets, in the order of its cache. */
  readonly pods: readonly PodView[];
  daemonSet(namespace: string, name: string): JsonObject | undefined;
}

export interface NidhoggPlan {
  readonly taints: readonly Taint[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** None of its taints is left. */
  readonly isOpen: boolean;
}

/** The taints that the Node is to have; null when nidhogg leaves this Node alone. */
export function nidhoggPlan(config: NidhoggConfig, view: NidhoggView): NidhoggPlan | null {
  const isSelected = selectsNode(config, view.node);
  if (config.fork === 'uswitch' && !isSelected) return null;
  const wanted = config.daemonSets.flatMap(({ namespace, name }) => {
    const isRequired =
      config.fork === 'uswitch' || isRequiredOn(config, view, isSelected, namespace, name);
    const isReady = isRequired && isReadyOn(config, view, namespace, name);
    return isRequired && !isReady ? [`${config.taintNamePrefix}/${namespace}.${name}`] : [];
  });
  return planOf(config, view.node, wanted);
}

/**
 * The original ANDs its selectors. The fork replaces its selector by each next one, so that only
 * the last one of a list counts.
 */
function selectsNode({ fork, nodeSelector }: NidhoggConfig, { labels }: NodeView): boolean {
  if (nodeSelector === null) return true;
  const effective = fork === 'uswitch' ? nodeSelector : nodeSelector.slice(-1);
  return effective.every((selector) => meetsSelector(selector, labels));
}

/**
 * The fork asks the DaemonSet's own nodeSelector where the file has none. A DaemonSet that is not
 * there is not required: a typo opens the gate.
 */
function isRequiredOn(
  { nodeSelector }: NidhoggConfig,
  view: NidhoggView,
  isSelected: boolean,
  namespace: string,
  name: string,
): boolean {
  if (nodeSelector !== null) return isSelected;
  const daemonSet = view.daemonSet(namespace, name);
  if (daemonSet === undefined) return false;
  const spec = podSpec(daemonTemplate(daemonSet));
  return isWanted(view.node, { nodeSelector: spec.nodeSelector, nodeTerms: null });
}

/**
 * Ownership goes by name alone, and pods that are ending count. The original takes the first pod
 * and asks whether a container says that it is not ready: a pod without a status is ready. The
 * fork asks every pod's condition.
 */
function isReadyOn(
  { fork }: NidhoggConfig,
  { node, pods }: NidhoggView,
  namespace: string,
  name: string,
): boolean {
  const own = pods.filter(
    (pod) =>
      pod.namespace === namespace &&
      pod.spec.nodeName === node.name &&
      ownersOf(pod.object).some((owner) => owner.name === name),
  );
  const [first] = own;
  if (first === undefined) return false;
  return fork === 'uswitch' ? !saysUnready(first) : own.every(({ isReady }) => isReady);
}

function saysUnready({ object }: PodView): boolean {
  const status = object['status'] as JsonObject | undefined;
  const statuses = status?.['containerStatuses'];
  if (!Array.isArray(statuses)) return false;
  return (statuses as readonly JsonObject[]).some((entry) => textAt(entry, 'ready') === 'false');
}

function planOf(
  { taintNamePrefix, taintEffect }: NidhoggConfig,
  node: NodeView,
  wanted: readonly string[],
): NidhoggPlan {
  const isOurs = ({ key }: Taint): boolean => key.startsWith(taintNamePrefix);
  const known = new Set(node.taints.filter(isOurs).map(({ key }) => key));
  const added = wanted.filter((key) => !known.has(key));
  const removed = [...known].filter((key) => !wanted.includes(key));
  const kept = node.taints.filter((taint) => !isOurs(taint) || wanted.includes(taint.key));
  const effect = EFFECTS.has(taintEffect) ? taintEffect : 'NoSchedule';
  const fresh = added.map((key) => ({ key, value: '', effect, timeAdded: null }));
  return { taints: [...kept, ...fresh], added, removed, isOpen: wanted.length === 0 };
}

const EFFECTS = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);

/** Written once, when the Node is open for the first time. */
export function readySinceKey({ fork, taintNamePrefix }: NidhoggConfig): string {
  return `${taintNamePrefix}/${fork === 'uswitch' ? 'first-time-ready' : 'ready-since'}`;
}
