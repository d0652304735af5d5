import type { Condition } from '../objects/meta.ts';
import type { NodeView } from '../objects/node.ts';
import {
  type Taint,
  TAINT_DISK_PRESSURE,
  TAINT_MEMORY_PRESSURE,
  TAINT_NETWORK_UNAVAILABLE,
  TAINT_NOT_READY,
  TAINT_PID_PRESSURE,
  TAINT_UNREACHABLE,
  TAINT_UNSCHEDULABLE,
} from '../objects/taints.ts';
import { timestamp } from '../objects/stamp.ts';

/** The last sign of life of a kubelet, as the controller noticed it. */
export interface Probe {
  /** When the controller noticed it, by its own clock. */
  readonly noticedMs: number;
  /** `spec.renewTime` of the Lease then. */
  readonly renewTime: string | null;
  /** `lastHeartbeatTime` of Ready then. */
  readonly heartbeat: string | null;
  readonly hadCondition: boolean;
}

export interface GraceTimes {
  /** node-monitor-grace-period: 50 s since 1.32, 40 s before. */
  readonly graceMs: number;
  /** node-startup-grace-period, for a Node that never had a status. */
  readonly startupGraceMs: number;
}

export function graceTimesOf(minor: number): GraceTimes {
  return { graceMs: minor >= 32 ? 50_000 : 40_000, startupGraceMs: 60_000 };
}

/** What a look at the Node's Lease and status adds to what was known. */
export function probed(
  known: Probe | undefined,
  node: NodeView,
  renewTime: string | null,
  nowMs: number,
): Probe {
  const heartbeat = node.ready?.lastHeartbeatTime ?? null;
  const hadCondition = node.ready !== null;
  const isSame =
    known !== undefined &&
    hadCondition === known.hadCondition &&
    heartbeat === known.heartbeat &&
    (renewTime === known.renewTime || renewTime === null);
  if (isSame) return known;
  const isFirst = known === undefined && !hadCondition;
  return { renewTime, heartbeat, hadCondition, noticedMs: isFirst ? node.createdMs : nowMs };
}

export function isSilent(probe: Probe, times: GraceTimes, nowMs: number): boolean {
  const graceMs = probe.hadCondition ? times.graceMs : times.startupGraceMs;
  return nowMs > probe.noticedMs + graceMs;
}

const SILENCED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions after the controller gave up on the kubelet; null when they say so already. */
export function silenced(node: NodeView, nowMs: number): readonly Condition[] | null {
  const changed = SILENCED.flatMap((type) => {
    const known = node.conditions.find((condition) => condition.type === type);
    return known?.status === 'Unknown' ? [] : [unknownOf(type, known, node, nowMs)];
  });
  return changed.length === 0 ? null : changed;
}

function unknownOf(
  type: string,
  known: Condition | undefined,
  node: NodeView,
  nowMs: number,
): Condition {
  const lastTransitionTime = timestamp(nowMs);
  if (known === undefined)
    return {
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: timestamp(node.createdMs),
      lastTransitionTime,
    };
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastHeartbeatTime: known.lastHeartbeatTime,
    lastTransitionTime,
  };
}

const CONDITION_TAINTS: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', TAINT_NOT_READY],
  ['Ready', 'Unknown', TAINT_UNREACHABLE],
  ['MemoryPressure', 'True', TAINT_MEMORY_PRESSURE],
  ['DiskPressure', 'True', TAINT_DISK_PRESSURE],
  ['NetworkUnavailable', 'True', TAINT_NETWORK_UNAVAILABLE],
  ['PIDPressure', 'True', TAINT_PID_PRESSURE],
];

const CONDITION_KEYS = new Set([...CONDITION_TAINTS.map(([, , key]) => key), TAINT_UNSCHEDULABLE]);

/** The Node's taints with those of effect NoSchedule that follow from it; null when they are so. */
export function withConditionTaints(node: NodeView): readonly Taint[] | null {
  const wanted = new Set(
    CONDITION_TAINTS.filter(([type, status]) =>
      node.conditions.some((condition) => condition.type === type && condition.status === status),
    ).map(([, , key]) => key),
  );
  if (node.isUnschedulable) wanted.add(TAINT_UNSCHEDULABLE);
  const isStale = (taint: Taint): boolean =>
    taint.effect === 'NoSchedule' && CONDITION_KEYS.has(taint.key) && !wanted.has(taint.key);
  const kept = node.taints.filter((taint) => !isStale(taint));
  const missing = [...wanted].filter((key) => !has(node.taints, key, 'NoSchedule'));
  if (kept.length === node.taints.length && missing.length === 0) return null;
  return [...kept, ...missing.map((key) => plainTaint(key, 'NoSchedule'))];
}

function has(taints: readonly Taint[], key: string, effect: string): boolean {
  return taints.some((taint) => taint.key === key && taint.effect === effect);
}

function plainTaint(key: string, effect: string, timeAdded: string | null = null): Taint {
  return { key, value: '', effect, timeAdded };
}

const EXECUTING = [TAINT_NOT_READY, TAINT_UNREACHABLE];

/** The Node's taints with the one of effect NoExecute for its state; null when they are so. */
export function withExecutionTaint(node: NodeView, nowMs: number): readonly Taint[] | null {
  const wanted = node.ready?.status === 'False' ? TAINT_NOT_READY : TAINT_UNREACHABLE;
  const rest = withoutExecutionTaints(node, wanted);
  if (has(node.taints, wanted, 'NoExecute')) return rest;
  return [...(rest ?? node.taints), plainTaint(wanted, 'NoExecute', timestamp(nowMs))];
}

/** @param keep a key that stays; null when there was nothing to take away */
export function withoutExecutionTaints(node: NodeView, keep = ''): readonly Taint[] | null {
  const kept = node.taints.filter(
    ({ key, effect }) => effect !== 'NoExecute' || key === keep || !EXECUTING.includes(key),
  );
  return kept.length === node.taints.length ? null : kept;
}
