/** One node, one gate, one agent: a world so small that all that can happen is played. */
import { lookAt } from '../../../src/controllers/gate/look.ts';
import type { NodeMemory } from '../../../src/controllers/gate/memory.ts';
import { readNode } from '../../../src/controllers/gate/node-facts.ts';
import { planOf } from '../../../src/controllers/gate/plan.ts';
import { readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import type { GatePolicy } from '../../../src/controllers/gate/policy.ts';
import type { Surroundings } from '../../../src/controllers/gate/proofs/saying.ts';
import { readDaemonPod, readDaemonSet } from '../../../src/controllers/gate/workloads.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { isoTime } from '../../../src/evidence/time.ts';
import { jsonPatch } from '../../../src/sim/kube/patch/json.ts';

const SECOND_MS = 1_000;
/** Between two steps of time; two of them are a dwell. */
export const TICK_MS = 5 * SECOND_MS;
export const DWELL_MS = 2 * TICK_MS;
const START_MS = Date.UTC(2026, 10, 22, 9);

const STARTUP = 'readiness.k8s.io/small';
const REGRESS = 'regress.rollcall.dev/small';
const THEIRS = 'example.com/theirs';

/** What the API and the program know, and what is true. */
export interface SmallState {
  readonly nowMs: number;
  readonly node: JsonObject;
  readonly pod: JsonObject;
  /** Of the program; nothing after its start. */
  readonly memory: NodeMemory | undefined;
  /** Since when the agent has worked in this boot without interruption; null while it does not. */
  readonly worksSinceMs: number | null;
  /** True while the Pod says what it said before the last boot. */
  readonly isPodOld: boolean;
  /** Whether the gate opened the node in this boot. */
  readonly wasOpened: boolean;
}

export interface SmallRules {
  readonly mode: 'continuous' | 'bootstrap-only';
  /** A mistake in what the program remembers. */
  readonly remembers?: (memory: NodeMemory, before: NodeMemory | undefined) => NodeMemory;
  /** A mistake in what is written. */
  readonly writes?: (operations: readonly JsonObject[]) => readonly JsonObject[];
}

function stamp(ms: number): string {
  return isoTime({ ms, yearless: false, clock: 'utc' })?.replace('.000Z', 'Z') ?? '';
}

function policyOf(mode: SmallRules['mode']): GatePolicy {
  const { policies } = readNodeGate({
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name: 'small', uid: 'gate', creationTimestamp: stamp(START_MS - TICK_MS) },
    spec: {
      nodeSelector: { matchLabels: { group: 'small' } },
      taint: { key: STARTUP, effect: 'NoSchedule' },
      proofs: [{ daemonSet: { namespace: 'default', name: 'agent' } }],
      dwell: `${DWELL_MS / SECOND_MS}s`,
      mode,
      regress: { after: '0s', maxPercent: 100 },
    },
  });
  const [policy] = policies;
  if (policy === undefined) throw new Error('no policy');
  return policy;
}

const SET = readDaemonSet({
  metadata: { namespace: 'default', name: 'agent', uid: 'set' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { spec: { tolerations: [{ operator: 'Exists' }] } },
  },
});

function around(pod: JsonObject): Surroundings {
  const seen = readDaemonPod(pod);
  if (SET === null || seen === null) throw new Error('no Pod');
  return {
    daemonSet: () => ({ state: 'seen', value: SET }),
    daemonPods: () => ({ state: 'seen', value: [seen] }),
    daemonSets: () => ({ state: 'seen', value: [SET] }),
    csiNode: () => ({ state: 'absent' }),
  };
}

/** A Node with a heartbeat of now: kubelets write at least what changed about themselves. */
function nodeAt(nowMs: number, boot: number, before: JsonObject | null): JsonObject {
  const heartbeat = { type: 'Ready', status: 'True', lastHeartbeatTime: stamp(nowMs) };
  const metadata = before?.['metadata'] ?? {
    name: 'n',
    uid: 'node',
    resourceVersion: '1',
    creationTimestamp: stamp(START_MS),
    labels: { group: 'small' },
    annotations: {},
  };
  const taints = [THEIRS, STARTUP].map((key) => ({ key, effect: 'NoSchedule' }));
  return {
    metadata,
    spec: before?.['spec'] ?? { taints },
    status: { nodeInfo: { bootID: `boot-${boot}` }, conditions: [heartbeat] },
  };
}

function podAt(nowMs: number, isReady: boolean, restarts: number): JsonObject {
  const at = stamp(nowMs);
  const state = isReady ? { running: { startedAt: at } } : { waiting: { reason: 'Error' } };
  return {
    metadata: {
      namespace: 'default',
      name: 'agent-1',
      uid: 'pod',
      ownerReferences: [{ kind: 'DaemonSet', name: 'agent', uid: 'set', controller: true }],
    },
    spec: { nodeName: 'n' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: at }],
      containerStatuses: [{ name: 'main', ready: isReady, restartCount: restarts, state }],
    },
  };
}

export const FIRST: SmallState = {
  nowMs: START_MS,
  node: nodeAt(START_MS, 0, null),
  pod: podAt(START_MS, false, 0),
  memory: undefined,
  worksSinceMs: null,
  isPodOld: false,
  wasOpened: false,
};

export const EVENTS = [
  'time passes',
  'the agent begins',
  'the agent ends',
  'the gate looks and writes',
  'the gate looks and its write is a conflict',
  'the program starts again',
  'somebody strips our taints',
  'somebody puts the startup taint back',
  'the machine boots',
] as const;
export type SmallEvent = (typeof EVENTS)[number];

function keysOf(node: JsonObject): readonly string[] {
  return listAt(node, 'spec.taints').map((taint) => textAt(taint, 'key') ?? '');
}

export function isShut({ node }: SmallState): boolean {
  return keysOf(node).some((key) => key === STARTUP || key === REGRESS);
}

function withKeys(state: SmallState, keys: readonly string[]): SmallState {
  const taints = keys.map((key) => ({ key, effect: 'NoSchedule' }));
  return { ...state, node: versioned({ ...state.node, spec: { taints } }) };
}

function versioned(node: JsonObject): JsonObject {
  const metadata = node['metadata'] as JsonObject;
  const resourceVersion = String(Number(metadata['resourceVersion']) + 1);
  return { ...node, metadata: { ...metadata, resourceVersion } };
}

function restartsOf({ pod }: SmallState): number {
  return Number((listAt(pod, 'status.containerStatuses')[0] as JsonObject)['restartCount']);
}

function bootOf({ node }: SmallState): number {
  return Number(textAt(node, 'status.nodeInfo.bootID')?.split('-')[1] ?? '0');
}

interface Looked {
  readonly state: SmallState;
  readonly operations: readonly JsonObject[];
}

function looked(state: SmallState, { mode, remembers, writes }: SmallRules): Looked {
  const { nowMs, memory: before } = state;
  const node = readNode(state.node);
  if (node === null) throw new Error('no Node');
  const look = lookAt({
    node,
    before,
    policies: [policyOf(mode)],
    around: around(state.pod),
    nowMs,
    monotonicMs: nowMs,
    isWithinBudget: () => true,
    isAtStart: before === undefined,
  });
  const memory = remembers?.(look.memory, before) ?? look.memory;
  const write = planOf({ ...look, nowMs })?.write;
  const planned =
    write?.verb === 'patch' && write.patch.type === 'json' ? write.patch.operations : [];
  return { state: { ...state, memory }, operations: writes?.(planned) ?? planned };
}

function written(state: SmallState, rules: SmallRules): SmallState {
  const { state: seen, operations } = looked(state, rules);
  if (operations.length === 0) return seen;
  const node = versioned(jsonPatch(seen.node, operations) as JsonObject);
  const next = { ...seen, node };
  return isShut(seen) && !isShut(next) ? { ...next, wasOpened: true } : next;
}

/** What comes of an event; null where it cannot happen, or nothing tells what it is. */
export function after(state: SmallState, event: SmallEvent, rules: SmallRules): SmallState | null {
  const { nowMs, node } = state;
  switch (event) {
    case 'time passes': {
      const now = nowMs + TICK_MS;
      return { ...state, nowMs: now, node: nodeAt(now, bootOf(state), node) };
    }
    case 'the agent begins': {
      if (state.worksSinceMs !== null) return null;
      const pod = podAt(nowMs, true, restartsOf(state) + 1);
      return { ...state, pod, worksSinceMs: nowMs, isPodOld: false };
    }
    case 'the agent ends': {
      if (state.worksSinceMs === null && !state.isPodOld) return null;
      const pod = podAt(nowMs, false, restartsOf(state));
      return { ...state, pod, worksSinceMs: null, isPodOld: false };
    }
    case 'the gate looks and writes':
      return written(state, rules);
    case 'the gate looks and its write is a conflict':
      return looked(state, rules).state;
    case 'the program starts again':
      // What a Pod said before a boot is known to those who were there.
      return state.isPodOld ? null : { ...state, memory: undefined };
    case 'somebody strips our taints':
      return isShut(state) ? withKeys(state, [THEIRS]) : null;
    case 'somebody puts the startup taint back':
      return keysOf(node).includes(STARTUP) ? null : withKeys(state, [...keysOf(node), STARTUP]);
    case 'the machine boots': {
      // A watch brings what a Pod says before its machine boots.
      const { state: seen } = looked(state, rules);
      // Nothing starts in the second in which the machine went down.
      const upMs = nowMs + SECOND_MS;
      const boot = versioned(nodeAt(upMs, bootOf(state) + 1, node));
      const isPodOld = state.worksSinceMs !== null || state.isPodOld;
      const gone = { worksSinceMs: null, isPodOld, wasOpened: false };
      return { ...seen, ...gone, nowMs: upMs, node: boot };
    }
    default:
      throw new Error(event satisfies never);
  }
}

/** What a write must not do; null where all is well. */
export function wrongIn(
  before: SmallState,
  now: SmallState,
  event: SmallEvent,
  { mode }: SmallRules,
): string | null {
  if (!event.startsWith('the gate looks')) return null;
  if (keysOf(before.node).includes(THEIRS) !== keysOf(now.node).includes(THEIRS))
    return 'I-05: the taint of others';
  const { worksSinceMs, nowMs } = before;
  const isDeep = worksSinceMs !== null && nowMs - worksSinceMs >= DWELL_MS;
  const isHisDeed = isShut(before) && !isShut(now);
  const isDoneWith = mode === 'bootstrap-only' && before.wasOpened;
  if (isHisDeed && !isDeep && !isDoneWith) return 'I-02: opens before the dwell';
  if (!isShut(before) && isShut(now) && isDoneWith) return 'I-07: shuts what it is done with';
  return null;
}
