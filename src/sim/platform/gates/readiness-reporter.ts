import { isObject, type JsonObject, listAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { conditionOf, controllerOf } from '../objects/meta.ts';
import { type PodView, podView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';

/** A reporter beside each pod of a DaemonSet, which asks the agent's own endpoint. */
export interface ReporterOptions extends ActorOptions {
  /** The condition of the Node that it writes. */
  readonly condition: string;
  readonly namespace: string;
  readonly daemonSet: string;
  /** CHECK_INTERVAL; 30 s when not given. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 30_000;
/** HEARTBEAT_PERIOD: a condition is written anew this often without a change. */
const HEARTBEAT_MS = 5 * 60_000;
/** From the start of the sidecar to its first check. */
const START_MS = 1000;

/**
 * The reporter of node-readiness-controller. An agent that runs answers, whether it works or not;
 * and when the pod is gone nobody takes its last word back.
 */
export function startReadinessReporter(world: World, options: ReporterOptions): Running {
  const name = `reporter/${options.condition}`;
  const actor = createActor(world, name, controllerUser('node-readiness-reporter'), options);
  const pods = new Map<string, PodView>();
  const checked = new Set<string>();
  const check = (uid: string): void => {
    const pod = pods.get(uid);
    if (pod === undefined) {
      checked.delete(uid);
      return;
    }
    report(actor, pod, options.condition);
    actor.after(options.intervalMs ?? INTERVAL_MS, () => check(uid));
  };
  actor.follow('Pod', (type, object) => {
    const pod = podView(object);
    if (pod.namespace !== options.namespace) return;
    if (controllerOf(object)?.name !== options.daemonSet) return;
    if (type === 'DELETED') pods.delete(pod.uid);
    else pods.set(pod.uid, pod);
    if (checked.has(pod.uid) || !isRunning(pod)) return;
    checked.add(pod.uid);
    actor.after(START_MS * (1 + actor.random.next()), () => check(pod.uid));
  });
  return actor;
}

function isRunning({ object }: PodView): boolean {
  const statuses = listAt(object, 'status.containerStatuses');
  return statuses.length > 0 && statuses.every(isUp);
}

function isUp(status: unknown): boolean {
  const state = isObject(status as JsonObject) ? (status as JsonObject)['state'] : undefined;
  return isObject(state) && isObject(state['running']);
}

/** A GET and an UpdateStatus, when something changed or the heartbeat is due. */
function report(actor: Actor, pod: PodView, type: string): void {
  const node = actor.client.get('Node', pod.spec.nodeName);
  if (node === null) return;
  const nowMs = actor.kernel.nowMs();
  const status = isRunning(pod) ? 'True' : 'False';
  const known = conditionOf(node, type);
  const toldMs = Date.parse(known?.lastHeartbeatTime ?? '');
  if (known?.status === status && nowMs - toldMs < HEARTBEAT_MS) return;
  const isOk = status === 'True';
  const condition = {
    type,
    status,
    reason: isOk ? 'EndpointOK' : 'EndpointConnectionError',
    message: isOk ? 'Endpoint responded with 200' : 'connection refused',
    lastHeartbeatTime: timestamp(nowMs),
    lastTransitionTime:
      known?.status === status ? (known.lastTransitionTime ?? null) : timestamp(nowMs),
  };
  const patch = { status: { conditions: [condition] } };
  actor.client.patch('Node', pod.spec.nodeName, 'strategic', patch, 'status');
}
