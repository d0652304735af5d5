import type { Json, JsonObject } from '../../../evidence/json.ts';
import { isObject, listAt, textAt } from '../../../evidence/json.ts';
import { secondStamp } from '../logs/stamps.ts';
import { type ContainerRunner, stateObject } from './container.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodState {
  readonly phase: PodPhase;
  readonly pod: JsonObject;
  readonly hostAddress: string;
  /** Empty until its sandbox has one. */
  readonly address: string;
  readonly seenMs: number;
  readonly init: readonly ContainerRunner[];
  readonly main: readonly ContainerRunner[];
}

/** The status of a pod as the kubelet writes it; conditions of others stay. */
export function podStatus(state: PodState, nowMs: number): JsonObject {
  const { address, hostAddress, init, main, phase } = state;
  return {
    phase,
    startTime: secondStamp(state.seenMs),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(address === '' ? {} : { podIP: address, podIPs: [{ ip: address }] }),
    conditions: conditions(state, nowMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: init.map(containerStatus) }),
    containerStatuses: main.map(containerStatus),
    qosClass: textAt(state.pod, 'status.qosClass') ?? 'BestEffort',
  };
}

function containerStatus(container: ContainerRunner): JsonObject {
  const { containerId, image, lastState, name, restarts, state } = container;
  return {
    name,
    state: stateObject(state, containerId),
    lastState: lastState === null ? {} : stateObject(lastState, containerId),
    ready: container.isReady,
    started: container.isRunning(),
    restartCount: restarts,
    image,
    imageID: containerId === '' ? '' : `${image}@sha256:${digestOf(image)}`,
    containerID: containerId,
  };
}

/** The same image has the same digest on every machine. */
function digestOf(image: string): string {
  let hash = 0x811c9dc5;
  const digits: string[] = [];
  for (let index = 0; index < 64; index++) {
    hash = Math.imul(hash ^ image.charCodeAt(index % image.length), 0x01000193) >>> 0;
    digits.push((hash >>> 28).toString(16));
  }
  return digits.join('');
}

const OWN = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'] as const;

function conditions(state: PodState, nowMs: number): readonly Json[] {
  const before = listAt(state.pod, 'status.conditions').filter(isObject);
  const others = before.filter((one) => !OWN.some((type) => type === one['type']));
  const unready = state.main.filter(({ isReady }) => !isReady).map(({ name }) => name);
  const areInitDone = state.init.every(
    (one) => one.state.kind === 'terminated' && one.state.exitCode === 0,
  );
  const gates = listAt(state.pod, 'spec.readinessGates').every((gate) =>
    before.some((one) => one['type'] === textAt(gate, 'conditionType') && one['status'] === 'True'),
  );
  const isReady = state.phase === 'Running' && unready.length === 0;
  const isOver = state.phase === 'Succeeded' || state.phase === 'Failed';
  const notReady = isOver
    ? { reason: 'PodCompleted' }
    : {
        reason: 'ContainersNotReady',
        message: `containers with unready status: [${unready.join(' ')}]`,
      };
  const noGate = {
    reason: 'ReadinessGatesNotReady',
    message: 'corresponding condition of pod readiness gate does not exist.',
  };
  const stamp = { before, nowMs };
  return [
    condition('PodReadyToStartContainers', state.address !== '', {}, stamp),
    condition('Initialized', areInitDone, { reason: 'ContainersNotInitialized' }, stamp),
    condition('Ready', isReady && gates, isReady ? noGate : notReady, stamp),
    condition('ContainersReady', isReady, notReady, stamp),
    ...others,
  ];
}

interface Stamp {
  readonly before: readonly JsonObject[];
  readonly nowMs: number;
}

function condition(
  type: (typeof OWN)[number],
  isTrue: boolean,
  why: JsonObject,
  { before, nowMs }: Stamp,
): JsonObject {
  const status = isTrue ? 'True' : 'False';
  const old = before.find((one) => one['type'] === type);
  const since = old?.['status'] === status ? old['lastTransitionTime'] : undefined;
  return {
    type,
    status,
    ...(isTrue ? {} : why),
    lastProbeTime: null,
    lastTransitionTime: since ?? secondStamp(nowMs),
  };
}
