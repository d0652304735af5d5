import type { JsonObject } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import type { World } from '../../world.ts';
import { nameOf } from '../objects/meta.ts';
import { type PodView, podView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import { type Taint, taintsOf, type Toleration, tolerates } from '../objects/taints.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createEventRecorder, type EventRecorder } from '../running/event-recorder.ts';
import { PodsByNode } from './pods-by-node.ts';

/**
 * How long a pod may stay: null for ever, 0 for not at all, else ms from the moment the controller
 * sees both. The shortest toleration of all decides (getMinTolerationTime).
 */
export function stayMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): number | null {
  let shortest: number | null = null;
  for (const taint of taints) {
    const fitting = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (fitting.length === 0) return 0;
    for (const { seconds } of fitting)
      if (seconds !== null) shortest = Math.min(shortest ?? seconds, Math.max(0, seconds));
  }
  return shortest === null ? null : shortest * 1000;
}

/** The taint eviction controller: pods leave nodes whose NoExecute taints they do not tolerate. */
export function startTaintEviction(world: World, options: ActorOptions = {}): Running {
  const name = 'taint-eviction-controller';
  return new TaintEviction(createActor(world, name, controllerUser(name), options));
}

class TaintEviction implements Running {
  readonly #actor: Actor;
  readonly #recorder: EventRecorder;
  readonly #taints = new Map<string, readonly Taint[]>();
  readonly #pods = new PodsByNode();
  readonly #planned = new Map<string, Timer>();

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#recorder = createEventRecorder(actor, actor.name);
    actor.follow('Node', (type, object) => this.#onNode(type, object));
    actor.follow('Pod', (type, object, before) => this.#onPod(type, object, before));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onNode(type: string, object: JsonObject): void {
    const name = nameOf(object);
    const taints =
      type === 'DELETED' ? [] : taintsOf(object).filter(({ effect }) => effect === 'NoExecute');
    const known = this.#taints.get(name) ?? [];
    if (taints.length === 0) this.#taints.delete(name);
    else this.#taints.set(name, taints);
    if (isSame(known, taints)) return;
    for (const pod of this.#pods.on(name)) this.#look(pod);
  }

  #onPod(type: string, object: JsonObject, before: JsonObject | null): void {
    const pod = podView(object);
    this.#pods.onChange(type, pod);
    const known = before === null ? null : podView(before);
    if (type === 'DELETED') this.#cancel(pod, false);
    else if (known?.spec.nodeName !== pod.spec.nodeName) this.#look(pod);
  }

  #look(pod: PodView): void {
    const taints = this.#taints.get(pod.spec.nodeName) ?? [];
    const waitMs = taints.length === 0 ? null : stayMs(taints, pod.spec.tolerations);
    if (waitMs === null) {
      this.#cancel(pod, true);
      return;
    }
    if (this.#planned.has(pod.uid) && waitMs > 0) return;
    this.#planned.get(pod.uid)?.cancel();
    this.#planned.set(
      pod.uid,
      this.#actor.after(waitMs, () => this.#evict(pod)),
    );
  }

  #cancel(pod: PodView, isTold: boolean): void {
    const planned = this.#planned.get(pod.uid);
    if (planned === undefined) return;
    planned.cancel();
    this.#planned.delete(pod.uid);
    if (isTold) this.#tell(pod, `Cancelling deletion of Pod ${pod.key}`);
  }

  #evict(pod: PodView): void {
    this.#planned.delete(pod.uid);
    const { client, kernel } = this.#actor;
    this.#tell(pod, `Marking for deletion Pod ${pod.key}`);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: timestamp(kernel.nowMs()),
    };
    const patch = { metadata: { uid: pod.uid }, status: { conditions: [condition] } };
    client.patch('Pod', pod.key, 'strategic', patch, 'status');
    client.delete('Pod', pod.key, { uid: pod.uid });
  }

  #tell({ name, namespace, uid }: PodView, message: string): void {
    const reference = { kind: 'Pod', namespace, name, uid, apiVersion: 'v1' };
    const reason = 'TaintManagerEviction';
    this.#recorder.record(reference, { type: 'Normal', reason, message });
  }
}

function isSame(one: readonly Taint[], other: readonly Taint[]): boolean {
  return one.length === other.length && one.every(({ key }, index) => other[index]?.key === key);
}
