import type { NodeFacts, SeenTaint } from './node-facts.ts';
import type { AffinityRequirement, DaemonSetFacts, SeenToleration } from './workloads.ts';

/** What the DaemonSet controller tolerates for every one of its Pods (pkg/controller/daemon/util). */
const TOLERATED_BY_ALL = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/network-unavailable',
]);

/** Whether a toleration lets a Pod stay in spite of a taint. */
export function tolerates(
  { key, operator, value, effect }: SeenToleration,
  taint: Pick<SeenTaint, 'key' | 'value' | 'effect'>,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === taint.value);
}

function meets({ key, operator, values, of }: AffinityRequirement, node: NodeFacts): boolean {
  const isName = of === 'fields' && key === 'metadata.name';
  if (of === 'fields' && !isName) return false;
  const value = isName ? node.name : Object.hasOwn(node.labels, key) ? node.labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function isWanted({ affinity }: DaemonSetFacts, node: NodeFacts): boolean {
  if (affinity === null) return true;
  return affinity.some((term) => term.length > 0 && term.every((one) => meets(one, node)));
}

/**
 * Why the DaemonSet controller would not place a Pod on a node, in one clause; null when it would.
 * A taint that only asks to prefer other nodes keeps nothing away.
 */
export function whyNotPlaced(set: DaemonSetFacts, node: NodeFacts): string | null {
  const missing = Object.entries(set.nodeSelector).find(
    ([key, value]) => node.labels[key] !== value,
  );
  if (missing !== undefined) return `its nodeSelector asks for ${missing[0]}=${missing[1]}`;
  if (!isWanted(set, node)) return 'its node affinity excludes this node';
  const taint = node.taints.find(
    (one) =>
      one.effect !== 'PreferNoSchedule' &&
      !TOLERATED_BY_ALL.has(one.key) &&
      !set.tolerations.some((toleration) => tolerates(toleration, one)),
  );
  return taint === undefined ? null : `it does not tolerate the taint ${taint.key}:${taint.effect}`;
}

/** True when the labels of a node are those which the DaemonSet asks for, whatever its taints. */
export function isPlacedByLabels(set: DaemonSetFacts, node: NodeFacts): boolean {
  return whyNotPlaced(set, { ...node, taints: [] }) === null;
}
