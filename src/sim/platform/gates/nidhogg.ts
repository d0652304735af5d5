import { type JsonObject, textAt, textsAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { controllerOf, keyOf } from '../objects/meta.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import { podView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import { PodsByNode } from '../nodes/pods-by-node.ts';
import { taintObject } from '../objects/taints.ts';
import {
  type Actor,
  type ActorOptions,
  type Cache,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createEventRecorder, type EventRecorder } from '../running/event-recorder.ts';
import { createWorkQueue, type WorkQueue } from '../running/work-queue.ts';
import {
  type NidhoggConfig,
  nidhoggPlan,
  type NidhoggPlan,
  readySinceKey,
} from './nidhogg-rules.ts';

export interface NidhoggOptions extends ActorOptions {
  readonly config: NidhoggConfig;
}

/**
 * Writes a second that its client lets through: `--kube-api-qps` 20 of the fork; the original sets
 * none, which is client-go's 5.
 */
const WRITES_PER_SECOND = { uswitch: 5, pelotech: 20 } as const;
const WRITES_BURST = { uswitch: 10, pelotech: 30 } as const;

/** nidhogg: keeps a taint on each Node for each DaemonSet that it takes to be unready there. */
export function startNidhogg(world: World, options: NidhoggOptions): Running {
  const actor = createActor(world, 'nidhogg', controllerUser('nidhogg'), options);
  return new Nidhogg(actor, options.config);
}

class Nidhogg implements Running {
  readonly #actor: Actor;
  readonly #config: NidhoggConfig;
  readonly #queue: WorkQueue;
  readonly #recorder: EventRecorder;
  readonly #nodes = new Map<string, NodeView>();
  readonly #pods = new PodsByNode();
  readonly #daemonSets: Cache;
  #freeMs = 0;

  constructor(actor: Actor, config: NidhoggConfig) {
    this.#actor = actor;
    this.#config = config;
    this.#recorder = createEventRecorder(actor, 'nidhogg');
    this.#queue = createWorkQueue(actor, (name, done) => this.#sync(name, done));
    this.#daemonSets = cacheOf(actor, 'DaemonSet', keyOf);
    actor.follow('Node', (type, object) => this.#onNode(type, object));
    actor.follow('Pod', (type, object) => this.#onPod(type, object));
  }

  stop(): void {
    this.#actor.stop();
  }

  /** Only the creation of a Node wakes it: a taint that somebody strips is not noticed. */
  #onNode(type: string, object: JsonObject): void {
    const node = nodeView(object);
    if (type === 'DELETED') this.#nodes.delete(node.name);
    else this.#nodes.set(node.name, node);
    if (type === 'ADDED') this.#queue.add(node.name);
  }

  #onPod(type: string, object: JsonObject): void {
    if (controllerOf(object)?.kind !== 'DaemonSet') return;
    const pod = podView(object);
    this.#pods.onChange(type, pod);
    if (pod.spec.nodeName !== '') this.#queue.add(pod.spec.nodeName);
  }

  #plan(node: NodeView): NidhoggPlan | null {
    return nidhoggPlan(this.#config, {
      node,
      pods: [...this.#pods.on(node.name)],
      daemonSet: (namespace, name) => this.#daemonSets.get(`${namespace}/${name}`),
    });
  }

  #sync(name: string, done: () => void): void {
    const node = this.#nodes.get(name);
    const plan = node === undefined ? null : this.#plan(node);
    if (node === undefined || plan === null || !this.#isChange(node, plan)) {
      done();
      return;
    }
    // The delay is slept through by the only worker, once a taint, and nothing is read again after.
    const sleepMs = plan.removed.length * this.#config.taintRemovalDelayMs;
    this.#actor.after(sleepMs + this.#writeWaitMs(sleepMs), () => {
      this.#write(node, plan);
      done();
    });
  }

  #isChange(node: NodeView, plan: NidhoggPlan): boolean {
    return plan.added.length > 0 || plan.removed.length > 0 || this.#isFirstOpen(node, plan);
  }

  #isFirstOpen(node: NodeView, plan: NidhoggPlan): boolean {
    const known = textsAt(node.object, 'metadata.annotations');
    return plan.isOpen && known[readySinceKey(this.#config)] === undefined;
  }

  #writeWaitMs(fromMs: number): number {
    const { fork } = this.#config;
    const tokenMs = 1000 / WRITES_PER_SECOND[fork];
    const nowMs = this.#actor.kernel.nowMs() + fromMs;
    this.#freeMs = Math.max(nowMs, this.#freeMs) + tokenMs;
    return Math.max(0, this.#freeMs - nowMs - WRITES_BURST[fork] * tokenMs);
  }

  /** One write of what was seen before the sleep: a kubelet's write in between refuses it. */
  #write(node: NodeView, plan: NidhoggPlan): void {
    const { client, kernel } = this.#actor;
    const annotations = this.#isFirstOpen(node, plan)
      ? { [readySinceKey(this.#config)]: timestamp(kernel.nowMs()) }
      : {};
    const resourceVersion = textAt(node.object, 'metadata.resourceVersion') ?? '';
    const taints = plan.taints.length === 0 ? null : plan.taints.map(taintObject);
    const patch = { metadata: { resourceVersion, annotations }, spec: { taints } };
    const outcome = client.patch('Node', node.name, 'strategic', patch);
    if (!outcome.ok) {
      if (outcome.failure.code !== 404) this.#queue.addRateLimited(node.name);
      return;
    }
    this.#queue.forget(node.name);
    this.#tell(node, plan);
  }

  /** The event's UID is the Node's name. */
  #tell({ name }: NodeView, { added, removed, isOpen }: NidhoggPlan): void {
    const message = `Taints added: [${added.join(' ')}], taints removed: [${removed.join(' ')}], taintless: ${isOpen}`;
    const involved = { kind: 'Node', name, uid: name, apiVersion: 'v1' };
    this.#recorder.record(involved, { type: 'Normal', reason: 'TaintsChanged', message });
    this.#actor.log(`${name} ${message}`);
  }
}
