import type { World } from '../../world.ts';
import { nameOf } from '../objects/meta.ts';
import { type PodView, podView } from '../objects/pod.ts';
import {
  type Actor,
  type ActorOptions,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { PodsByNode } from '../nodes/pods-by-node.ts';

/** gcCheckPeriod and quarantineTime of the pod garbage collector. */
const CHECK_PERIOD_MS = 20_000;
const QUARANTINE_MS = 40_000;

/** Pods of a Node that is gone are deleted by force after 40 to 60 s, still running or not. */
export function startPodGc(world: World, options: ActorOptions = {}): Running {
  const name = 'pod-garbage-collector';
  const actor = createActor(world, name, controllerUser(name), options);
  const pods = new PodsByNode();
  const unbound = new Map<string, PodView>();
  const quarantined = new Map<string, number>();
  const nodes = cacheOf(actor, 'Node', nameOf);
  actor.follow('Pod', (type, object) => {
    const pod = podView(object);
    pods.onChange(type, pod);
    const isLeftOver = type !== 'DELETED' && pod.isTerminating && pod.spec.nodeName === '';
    if (isLeftOver) unbound.set(pod.uid, pod);
    else unbound.delete(pod.uid);
  });
  const check = (): void => {
    for (const pod of unbound.values()) forceDelete(actor, pod);
    const nowMs = actor.kernel.nowMs();
    for (const nodeName of pods.nodeNames()) {
      if (nodes.get(nodeName) !== undefined) quarantined.delete(nodeName);
      else if (!quarantined.has(nodeName)) quarantined.set(nodeName, nowMs);
      else if (nowMs - (quarantined.get(nodeName) ?? nowMs) >= QUARANTINE_MS)
        deleteOrphans(actor, nodeName, pods);
    }
  };
  actor.every(CHECK_PERIOD_MS, check, actor.random.between(0, CHECK_PERIOD_MS));
  return actor;
}

/** The cache may lag behind: the Node is asked for once more first. */
function deleteOrphans(actor: Actor, nodeName: string, pods: PodsByNode): void {
  if (actor.client.get('Node', nodeName) !== null) return;
  for (const pod of pods.on(nodeName)) forceDelete(actor, pod);
}

function forceDelete(actor: Actor, pod: PodView): void {
  actor.log(`deletes pod ${pod.key} by force`);
  if (!pod.isOver) {
    const status = { phase: 'Failed' };
    const patch = { metadata: { uid: pod.uid }, status };
    actor.client.patch('Pod', pod.key, 'strategic', patch, 'status');
  }
  actor.client.delete('Pod', pod.key, { gracePeriodSeconds: 0, uid: pod.uid });
}
