import { at, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { conditionOf, nameOf, referenceTo, uidOf } from '../objects/meta.ts';
import { nodeView } from '../objects/node.ts';
import { type PodView, podView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import {
  type Actor,
  type ActorOptions,
  componentUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSeriesRecorder } from '../running/event-recorder.ts';
import { choose } from './choice.ts';
import { type FilterWords, wordsOf } from './filters.ts';
import { Misfits } from './misfits.ts';
import { SchedulerCache } from './node-state.ts';
import { createPodQueue, type PodQueue } from './pod-queue.ts';
import { createVolumePlaces } from './volumes.ts';

export interface SchedulerOptions extends ActorOptions {
  /** Minor of Kubernetes, of which the words of its events depend; 34 when not given. */
  readonly minor?: number;
}

/** One cycle of kube-scheduler takes milliseconds; p50 of its benchmarks at some 100 nodes. */
const CYCLE_MS = 1.5;
/** The bind call runs beside the next cycle. */
const BIND_MS = 3;

const MINOR = 34;

/**
 * kube-scheduler: one pod after another, on what its own watches have told it so far. A taint that
 * is set a moment after its node appeared is therefore seen too late by the pods that wait.
 */
export function startScheduler(world: World, options: SchedulerOptions = {}): Running {
  const user = componentUser('system:kube-scheduler');
  const actor = createActor(world, 'scheduler', user, options);
  return new Scheduler(actor, wordsOf(options.minor ?? MINOR));
}

class Scheduler implements Running {
  readonly #actor: Actor;
  readonly #cache = new SchedulerCache();
  readonly #queue: PodQueue;
  readonly #pending = new Map<string, PodView>();
  readonly #recorder: ReturnType<typeof createSeriesRecorder>;
  readonly #filterOptions;
  readonly #misfits = new Misfits();
  #isCycling = false;

  constructor(actor: Actor, words: FilterWords) {
    this.#actor = actor;
    this.#recorder = createSeriesRecorder(actor, 'default-scheduler');
    this.#queue = createPodQueue(actor, () => this.#cycleSoon());
    const volumes = createVolumePlaces(actor, () => this.#queue.wake((uid) => this.#claims(uid)));
    this.#filterOptions = { volumes, words };
    actor.follow('Node', (type, object, before) => this.#onNode(type, object, before));
    actor.follow('Pod', (type, object) => this.#onPod(type, object));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onNode(type: string, object: JsonObject, before: JsonObject | null): void {
    if (type === 'DELETED') {
      this.#cache.removeNode(nameOf(object));
      return;
    }
    this.#cache.setNode(object);
    if (before !== null && !mayOpen(before, object)) return;
    const name = nameOf(object);
    this.#queue.wake((uid) => {
      const pinnedTo = this.#pending.get(uid)?.spec.pinnedTo ?? null;
      return pinnedTo === null || pinnedTo === name;
    });
  }

  #onPod(type: string, object: JsonObject): void {
    const pod = podView(object);
    if (type === 'DELETED' || pod.isOver) this.#gone(pod);
    else if (pod.spec.nodeName !== '') {
      this.#forget(pod.uid);
      this.#cache.place(pod);
    } else if (this.#isMine(pod)) {
      const known = this.#pending.get(pod.uid);
      this.#pending.set(pod.uid, pod);
      this.#queue.add(pod.uid, pod.spec.priority > 0);
      if (known !== undefined && isOtherSpec(known, pod))
        this.#queue.wake((uid) => uid === pod.uid);
    } else this.#forget(pod.uid);
  }

  #isMine({ spec, isTerminating }: PodView): boolean {
    return spec.schedulerName === 'default-scheduler' && spec.gates === 0 && !isTerminating;
  }

  #gone(pod: PodView): void {
    this.#forget(pod.uid);
    if (this.#cache.remove(pod.uid) !== null) this.#queue.wake((uid) => !this.#isPinned(uid));
  }

  #forget(uid: string): void {
    this.#pending.delete(uid);
    this.#queue.remove(uid);
  }

  #isPinned(uid: string): boolean {
    return (this.#pending.get(uid)?.spec.pinnedTo ?? null) !== null;
  }

  #claims(uid: string): boolean {
    return (this.#pending.get(uid)?.spec.claims.length ?? 0) > 0;
  }

  #cycleSoon(): void {
    if (this.#isCycling) return;
    this.#isCycling = true;
    this.#actor.after(CYCLE_MS, () => this.#cycle());
  }

  #cycle(): void {
    this.#isCycling = false;
    const uid = this.#queue.next();
    if (uid === undefined) return;
    const pod = this.#pending.get(uid);
    if (pod !== undefined) this.#try(pod);
    this.#cycleSoon();
  }

  #try(pod: PodView): void {
    const known = this.#misfits.messageFor(pod, this.#cache.changes);
    if (known !== null) return this.#failed(pod, known);
    const choice = choose(pod, this.#cache, this.#filterOptions, this.#actor.random);
    if (choice.nodeName !== null) return this.#assume(pod, choice.nodeName);
    this.#misfits.add(pod, this.#cache.changes, choice.message);
    this.#failed(pod, choice.message);
  }

  #assume(pod: PodView, nodeName: string): void {
    this.#cache.place(pod, nodeName);
    this.#actor.after(BIND_MS, () => this.#bind(pod, nodeName));
  }

  #bind(pod: PodView, nodeName: string): void {
    const outcome = this.#actor.client.bind(pod.key, nodeName);
    if (outcome.ok) {
      this.#recorder.record(referenceTo(pod.object), {
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        message: `Successfully assigned ${pod.key} to ${nodeName}`,
      });
      return;
    }
    this.#cache.remove(pod.uid);
    if (this.#pending.has(pod.uid)) this.#failed(pod, outcome.failure.message);
  }

  #failed(pod: PodView, message: string): void {
    this.#queue.failed(pod.uid);
    this.#recorder.record(referenceTo(pod.object), {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      message,
    });
    this.#tellPod(pod, message);
  }

  /** The condition is written when it says something new. */
  #tellPod(pod: PodView, message: string): void {
    const known = conditionOf(this.#pending.get(pod.uid)?.object ?? pod.object, 'PodScheduled');
    if (known?.status === 'False' && known.message === message) return;
    const lastTransitionTime =
      known?.status === 'False' ? known.lastTransitionTime : timestamp(this.#actor.kernel.nowMs());
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime,
    };
    const patch = { metadata: { uid: uidOf(pod.object) }, status: { conditions: [condition] } };
    this.#actor.client.patch('Pod', pod.key, 'strategic', patch, 'status');
  }
}

/** The queueing hints of the default plugins: whether a change of a node may let pods fit. */
export function mayOpen(beforeObject: JsonObject, object: JsonObject): boolean {
  const [before, after] = [nodeView(beforeObject), nodeView(object)];
  return (
    (before.isUnschedulable && !after.isUnschedulable) ||
    !isSame(at(beforeObject, 'spec.taints'), at(object, 'spec.taints')) ||
    !isSame(at(beforeObject, 'metadata.labels'), at(object, 'metadata.labels')) ||
    [...after.allocatable].some(([key, amount]) => amount > (before.allocatable.get(key) ?? 0))
  );
}

/** Versions of an object share what did not change. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Somebody changed what the pod tolerates or wants. */
function isOtherSpec(before: PodView, after: PodView): boolean {
  return !isSame(at(before.object, 'spec'), at(after.object, 'spec'));
}
