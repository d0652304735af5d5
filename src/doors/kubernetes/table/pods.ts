import { at, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { ageOf } from './age.ts';
import { age, type Column, columns, name, NONE, numberAt, objectsAt } from './column.ts';

interface Told {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  readonly lastRestart: string | null;
}

type State = JsonObject;

function terminatedReason(state: State): string {
  const reason = textAt(state, 'state.terminated.reason') ?? '';
  if (reason !== '') return reason;
  const signal = numberAt(state, 'state.terminated.signal');
  return signal === 0
    ? `ExitCode:${numberAt(state, 'state.terminated.exitCode')}`
    : `Signal:${signal}`;
}

function isSidecar(pod: JsonObject, container: string): boolean {
  return objectsAt(pod, 'spec.initContainers').some(
    (one) => textAt(one, 'name') === container && textAt(one, 'restartPolicy') === 'Always',
  );
}

function hasCondition(pod: JsonObject, type: string): boolean {
  return objectsAt(pod, 'status.conditions').some(
    (one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True',
  );
}

function isGated(pod: JsonObject): boolean {
  return objectsAt(pod, 'status.conditions').some(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'reason') === 'SchedulingGated',
  );
}

function firstReason(pod: JsonObject): string {
  if (isGated(pod)) return 'SchedulingGated';
  return textAt(pod, 'status.reason') || textAt(pod, 'status.phase') || '';
}

function latest(...stamps: readonly (string | null)[]): string | null {
  return stamps.reduce((one, other) => ((other ?? '') > (one ?? '') ? other : one), null);
}

const lastEnd = (state: State): string | null => textAt(state, 'lastState.terminated.finishedAt');

/** Why a container that runs before the others is not done; null when it is. */
function initReason(pod: JsonObject, state: State, index: number): string | null {
  const isRestarting = isSidecar(pod, textAt(state, 'name') ?? '');
  if (at(state, 'state.terminated') !== undefined) {
    if (numberAt(state, 'state.terminated.exitCode') === 0) return null;
    return `Init:${terminatedReason(state)}`;
  }
  if (isRestarting && at(state, 'started') === true) return null;
  const waiting = textAt(state, 'state.waiting.reason') ?? '';
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${objectsAt(pod, 'spec.initContainers').length}`;
}

/** What the containers that run before the others say; reason null when all are done. */
function initTold(pod: JsonObject): Told & { readonly sidecars: Told; readonly isDone: boolean } {
  const states = objectsAt(pod, 'status.initContainerStatuses');
  const sidecars = states.filter((state) => isSidecar(pod, textAt(state, 'name') ?? ''));
  const index = states.findIndex((state, place) => initReason(pod, state, place) !== null);
  const seen = index < 0 ? states : states.slice(0, index + 1);
  const ready = sidecars.filter(
    (state) => seen.includes(state) && at(state, 'ready') === true && at(state, 'started') === true,
  ).length;
  const own = {
    reason: index < 0 ? '' : (initReason(pod, states[index] as State, index) ?? ''),
    ready,
    total: objectsAt(pod, 'spec.initContainers').filter(
      (one) => textAt(one, 'restartPolicy') === 'Always',
    ).length,
  };
  return {
    ...own,
    ...restartsOf(seen),
    sidecars: { ...own, ...restartsOf(sidecars) },
    isDone: index < 0 || hasCondition(pod, 'Initialized'),
  };
}

function restartsOf(states: readonly State[]): Pick<Told, 'restarts' | 'lastRestart'> {
  return {
    restarts: states.reduce((sum, state) => sum + numberAt(state, 'restartCount'), 0),
    lastRestart: latest(...states.map(lastEnd)),
  };
}

function isRunning(state: State): boolean {
  return at(state, 'ready') === true && at(state, 'state.running') !== undefined;
}

function containerReason(pod: JsonObject, otherwise: string): string {
  let reason = otherwise;
  const states = objectsAt(pod, 'status.containerStatuses');
  for (const state of states.toReversed()) {
    const waiting = textAt(state, 'state.waiting.reason') ?? '';
    if (waiting !== '') reason = waiting;
    else if (at(state, 'state.terminated') !== undefined) reason = terminatedReason(state);
  }
  if (reason !== 'Completed' || !states.some(isRunning)) return reason;
  return hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

/** Objects are never changed, so that what one says is found out once for all its cells. */
const TOLD = new WeakMap<JsonObject, Told>();

function told(pod: JsonObject): Told {
  const known = TOLD.get(pod);
  if (known !== undefined) return known;
  const made = toldAnew(pod);
  TOLD.set(pod, made);
  return made;
}

function toldAnew(pod: JsonObject): Told {
  const init = initTold(pod);
  const total = objectsAt(pod, 'spec.containers').length + init.total;
  if (!init.isDone) return { ...init, total };
  const states = objectsAt(pod, 'status.containerStatuses');
  const own = restartsOf(states);
  return {
    reason: containerReason(pod, init.reason === '' ? firstReason(pod) : init.reason),
    ready: init.ready + states.filter(isRunning).length,
    total,
    restarts: init.sidecars.restarts + own.restarts,
    lastRestart: latest(init.sidecars.lastRestart, own.lastRestart),
  };
}

const FINAL_PHASES = new Set(['Succeeded', 'Failed']);

function statusOf(pod: JsonObject): Json {
  const { reason } = told(pod);
  if (textAt(pod, 'metadata.deletionTimestamp') === null) return reason;
  if (textAt(pod, 'status.reason') === 'NodeLost') return 'Unknown';
  return FINAL_PHASES.has(textAt(pod, 'status.phase') ?? '') ? reason : 'Terminating';
}

function readyOf(pod: JsonObject): Json {
  const { ready, total } = told(pod);
  return `${ready}/${total}`;
}

function restartsText(pod: JsonObject, nowMs: number): Json {
  const { restarts, lastRestart } = told(pod);
  if (restarts === 0 || lastRestart === null) return String(restarts);
  return `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
}

function gatesOf(pod: JsonObject): Json {
  const gates = objectsAt(pod, 'spec.readinessGates');
  if (gates.length === 0) return NONE;
  const passed = gates.filter((gate) => hasCondition(pod, textAt(gate, 'conditionType') ?? ''));
  return `${passed.length}/${gates.length}`;
}

function addressOf(pod: JsonObject): Json {
  const [first] = objectsAt(pod, 'status.podIPs');
  return (textAt(first ?? {}, 'ip') ?? textAt(pod, 'status.podIP')) || NONE;
}

export const POD: readonly Column[] = columns(
  'Name/name | Ready | Status | Restarts | Age | IP*1 | Node*1 | Nominated Node*1 | Readiness Gates*1',
  name,
  readyOf,
  statusOf,
  restartsText,
  age,
  addressOf,
  (pod) => textAt(pod, 'spec.nodeName') || NONE,
  (pod) => textAt(pod, 'status.nominatedNodeName') || NONE,
  gatesOf,
);
