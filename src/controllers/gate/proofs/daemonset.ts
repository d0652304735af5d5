import { whyNotPlaced } from '../placement.ts';
import type { ObjectName } from '../policy.ts';
import type { DaemonPodFacts, DaemonSetFacts } from '../workloads.ts';
import { type Saying, type Scene, unknown, unproven, unread } from './saying.ts';

/** True for a Pod that was started before the node's present boot, and whose status is a leftover. */
function isOfOtherBoot(
  { startedMs }: DaemonPodFacts,
  hold: string,
  { bootFloorMs, formerHolds }: Scene,
): boolean {
  const isOld = bootFloorMs !== null && startedMs !== null && startedMs <= bootFloorMs;
  return isOld || formerHolds.has(hold);
}

function sayingOf(pod: DaemonPodFacts, scene: Scene): Saying {
  const name = `Pod ${pod.namespace}/${pod.name}`;
  if (pod.isLeaving) return unproven(`${name} is being deleted`);
  if (!pod.isReady || pod.phase !== 'Running') {
    const because = pod.trouble === '' ? '' : `: ${pod.trouble}`;
    return unproven(`${name} is not ready (${pod.phase})${because}`);
  }
  const hold = `${pod.uid} ${pod.readySinceMs} ${pod.restarts} ${pod.startedMs}`;
  if (isOfOtherBoot(pod, hold, scene))
    return unproven(`${name} has not started since the node booted; its status is from before`);
  return { state: 'proven', sinceMs: pod.readySinceMs, hold, by: `${name} is ready` };
}

function withoutPod(set: DaemonSetFacts, { node }: Scene): Saying {
  const name = `DaemonSet ${set.namespace}/${set.name}`;
  const reason = whyNotPlaced(set, node);
  if (reason === null) return unproven(`${name} has no Pod on this node yet`);
  return unproven(`${name} does not run on this node: ${reason}`);
}

/** Proven by a ready Pod of the present DaemonSet on the node; by nothing while one is missing. */
export function sayDaemonSet(wanted: ObjectName, scene: Scene): Saying {
  const name = `DaemonSet ${wanted.namespace}/${wanted.name}`;
  const set = scene.around.daemonSet(wanted);
  if (set.state === 'absent') return unknown(`${name} does not exist`);
  if (set.state === 'unknown') return unread(`${name}: ${set.why}`);
  if (set.value.podSelector === null)
    return unknown(`${name} has no Pod selector that can be read`);
  const pods = scene.around.daemonPods(set.value, scene.node.name);
  if (pods.state === 'unknown') return unread(`Pods of ${name}: ${pods.why}`);
  const sayings = pods.state === 'absent' ? [] : pods.value.map((pod) => sayingOf(pod, scene));
  const proven = sayings.find(({ state }) => state === 'proven');
  return proven ?? sayings[0] ?? withoutPod(set.value, scene);
}
