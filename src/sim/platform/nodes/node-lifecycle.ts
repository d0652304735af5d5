import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { nameOf, type ObjectReference } from '../objects/meta.ts';
import { isReady, type NodeView, nodeView } from '../objects/node.ts';
import { type PodView, podView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import { type Taint, taintObject } from '../objects/taints.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createEventRecorder, type EventRecorder } from '../running/event-recorder.ts';
import { createSyncQueue, type WorkQueue } from '../running/work-queue.ts';
import { evictionRate, zoneOf, type Zones, zonesOf } from './disruption.ts';
import {
  type GraceTimes,
  graceTimesOf,
  isSilent,
  type Probe,
  probed,
  silenced,
  withConditionTaints,
  withExecutionTaint,
  withoutExecutionTaints,
} from './health.ts';
import { PodsByNode } from './pods-by-node.ts';

export interface NodeLifecycleOptions extends ActorOptions {
  /** Minor of Kubernetes, of which the grace depends; 34 when not given. */
  readonly minor?: number;
}

/** node-monitor-period. */
const MONITOR_PERIOD_MS = 5000;
const MINOR = 34;

/** The node lifecycle controller: finds silent kubelets, taints and tells of nodes. */
export function startNodeLifecycle(world: World, options: NodeLifecycleOptions = {}): Running {
  const name = 'node-controller';
  const actor = createActor(world, name, controllerUser(name), options);
  return new NodeLifecycle(actor, graceTimesOf(options.minor ?? MINOR));
}

class NodeLifecycle implements Running {
  readonly #actor: Actor;
  readonly #times: GraceTimes;
  readonly #recorder: EventRecorder;
  readonly #taintQueue: WorkQueue;
  readonly #nodes = new Map<string, NodeView>();
  readonly #renewTimes = new Map<string, string>();
  readonly #known = new Map<string, NodeView>();
  /** Names that came or went since the last look. */
  readonly #unclassified = new Set<string>();
  readonly #probes = new Map<string, Probe>();
  readonly #pods = new PodsByNode();
  /** Nodes that wait for the taint of effect NoExecute, by zone. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #nextTaintMs = new Map<string, number>();
  #zones: Zones = zonesOf([]);

  constructor(actor: Actor, times: GraceTimes) {
    this.#actor = actor;
    this.#times = times;
    this.#recorder = createEventRecorder(actor, 'node-controller');
    this.#taintQueue = createSyncQueue(actor, (name) => this.#taintByCondition(name));
    actor.follow('Node', (type, object) => this.#onNode(type, object));
    actor.follow('Lease', (type, object) => this.#onLease(type, object));
    actor.follow('Pod', (type, object) => this.#pods.onChange(type, podView(object)));
    const firstMs = actor.random.between(0, MONITOR_PERIOD_MS);
    actor.every(MONITOR_PERIOD_MS, () => this.#monitor(), firstMs);
  }

  stop(): void {
    this.#actor.stop();
  }

  #onNode(type: string, object: JsonObject): void {
    const node = nodeView(object);
    this.#unclassified.add(node.name);
    if (type === 'DELETED') this.#nodes.delete(node.name);
    else {
      this.#nodes.set(node.name, node);
      if (withConditionTaints(node) !== null) this.#taintQueue.add(node.name);
    }
  }

  #onLease(type: string, object: JsonObject): void {
    if (textAt(object, 'metadata.namespace') !== 'kube-node-lease') return;
    const name = nameOf(object);
    if (type === 'DELETED') this.#renewTimes.delete(name);
    else this.#renewTimes.set(name, textAt(object, 'spec.renewTime') ?? '');
  }

  #taintByCondition(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    const taints = withConditionTaints(node);
    if (taints !== null && !this.#setTaints(node, taints)) this.#taintQueue.addRateLimited(name);
    else this.#taintQueue.forget(name);
  }

  /** A write to what was seen: on a conflict the next look decides again. */
  #setTaints(node: NodeView, taints: readonly Taint[]): boolean {
    const { name, object } = node;
    const resourceVersion = textAt(object, 'metadata.resourceVersion') ?? '';
    const patch = { metadata: { resourceVersion }, spec: { taints: taints.map(taintObject) } };
    return this.#actor.client.patch('Node', name, 'strategic', patch).ok;
  }

  #monitor(): void {
    const isChanged = this.#unclassified.size > 0;
    this.#classify();
    for (const node of this.#nodes.values()) this.#look(node);
    // Who fell silent in this very look counts already.
    if (isChanged || this.#unclassified.size > 0) this.#recount();
    if (this.#zones.areAllDown) this.#calmDown();
    this.#taintWaiting();
  }

  /** After every zone was down each kubelet gets its whole grace again. */
  #recount(): void {
    const { areAllDown } = this.#zones;
    this.#zones = zonesOf(this.#nodes.values());
    if (!areAllDown || this.#zones.areAllDown) return;
    const noticedMs = this.#actor.kernel.nowMs();
    for (const [name, probe] of this.#probes) this.#probes.set(name, { ...probe, noticedMs });
  }

  #classify(): void {
    for (const name of this.#unclassified) {
      const [known, node] = [this.#known.get(name), this.#nodes.get(name)];
      if (known !== undefined && node === undefined) this.#forget(name, known);
      if (node === undefined) continue;
      if (known === undefined)
        this.#tell(node, 'RegisteredNode', `Registered Node ${name} in Controller`);
      this.#known.set(name, node);
    }
    this.#unclassified.clear();
  }

  #forget(name: string, node: NodeView): void {
    this.#tell(node, 'RemovingNode', `Removing Node ${name} from Controller`);
    this.#known.delete(name);
    this.#probes.delete(name);
    for (const names of this.#waiting.values()) names.delete(name);
  }

  #tell({ name, uid }: NodeView, reason: string, what: string): void {
    const message = `Node ${name} event: ${what}`;
    this.#actor.log(`${reason} ${name}`);
    this.#recorder.record(nodeReference(name, uid), { type: 'Normal', reason, message });
  }

  #look(node: NodeView): void {
    const nowMs = this.#actor.kernel.nowMs();
    const known = this.#probes.get(node.name);
    const probe = probed(known, node, this.#renewTimes.get(node.name) ?? null, nowMs);
    if (probe !== known) this.#probes.set(node.name, probe);
    const isGivenUp = isSilent(probe, this.#times, nowMs) && this.#giveUp(node, nowMs);
    if (!isGivenUp && isReady(node)) this.#recovered(node);
    else this.#await(node);
  }

  /** @returns true when the Node is now Unknown */
  #giveUp(node: NodeView, nowMs: number): boolean {
    const conditions = silenced(node, nowMs);
    if (conditions === null) return true;
    const patch = { status: { conditions: conditions.map((condition) => ({ ...condition })) } };
    const outcome = this.#actor.client.patch('Node', node.name, 'strategic', patch, 'status');
    if (!outcome.ok) return false;
    this.#nodes.set(node.name, nodeView(outcome.object));
    this.#unclassified.add(node.name);
    if (isReady(node)) this.#wentSilent(node);
    return true;
  }

  #wentSilent({ name, uid }: NodeView): void {
    const message = `Node ${name} status is now: NodeNotReady`;
    this.#actor.log(`NodeNotReady ${name}`);
    this.#recorder.record(nodeReference(name, uid), {
      type: 'Normal',
      reason: 'NodeNotReady',
      message,
    });
    for (const pod of this.#pods.on(name)) if (pod.isReady) this.#markUnready(pod);
  }

  /** MarkPodsNotReady: so that services leave them out. */
  #markUnready(pod: PodView): void {
    const lastTransitionTime = timestamp(this.#actor.kernel.nowMs());
    const condition = { type: 'Ready', status: 'False', lastTransitionTime };
    const patch = { metadata: { uid: pod.uid }, status: { conditions: [condition] } };
    const outcome = this.#actor.client.patch('Pod', pod.key, 'strategic', patch, 'status');
    if (!outcome.ok) return;
    this.#recorder.record(
      { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid, apiVersion: 'v1' },
      { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' },
    );
  }

  #recovered(node: NodeView): void {
    this.#waiting.get(zoneOf(node))?.delete(node.name);
    const taints = withoutExecutionTaints(node);
    if (taints !== null) this.#setTaints(this.#latest(node), taints);
  }

  #latest({ name }: NodeView): NodeView {
    return this.#nodes.get(name) as NodeView;
  }

  #await(node: NodeView): void {
    const zone = zoneOf(node);
    const names = this.#waiting.get(zone) ?? new Set<string>();
    names.add(node.name);
    this.#waiting.set(zone, names);
  }

  #calmDown(): void {
    this.#waiting.clear();
    for (const node of this.#nodes.values()) {
      const taints = withoutExecutionTaints(node);
      if (taints !== null) this.#setTaints(node, taints);
    }
  }

  /** doNoExecuteTaintingPass: one node of a zone after the other, at the zone's rate. */
  #taintWaiting(): void {
    for (const [zone, names] of this.#waiting) {
      const nodes = this.#zones.sizes.get(zone) ?? 0;
      const rate = evictionRate(this.#zones.states.get(zone) ?? 'normal', nodes);
      if (rate > 0) this.#taintZone(zone, names, 1000 / rate);
    }
  }

  #taintZone(zone: string, names: Set<string>, periodMs: number): void {
    const nowMs = this.#actor.kernel.nowMs();
    for (const name of names) {
      const node = this.#nodes.get(name);
      const taints = node === undefined || isReady(node) ? null : withExecutionTaint(node, nowMs);
      if (node !== undefined && taints !== null) {
        if ((this.#nextTaintMs.get(zone) ?? 0) > nowMs) return;
        this.#nextTaintMs.set(zone, nowMs + periodMs);
        this.#setTaints(node, taints);
      }
      names.delete(name);
    }
  }
}

/** Events of the node controller carry the Node's UID; those of the kubelet its name. */
function nodeReference(name: string, uid: string): ObjectReference {
  return { kind: 'Node', name, uid, apiVersion: 'v1' };
}
