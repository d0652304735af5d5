import { type NodeView, nodeView } from '../objects/node.ts';
import type { PodView } from '../objects/pod.ts';
import type { KubeObject } from '../../kube/contract.ts';

/** A node in the scheduler's cache, with what is placed on it. */
export interface NodeState {
  readonly view: NodeView;
  readonly pods: ReadonlyMap<string, PodView>;
  /** Sum of the requests of the pods on it. */
  readonly used: ReadonlyMap<string, number>;
}

class Placed implements NodeState {
  view: NodeView;
  readonly pods = new Map<string, PodView>();
  readonly used = new Map<string, number>();

  constructor(view: NodeView) {
    this.view = view;
  }

  add(pod: PodView): void {
    this.pods.set(pod.uid, pod);
    for (const [resource, amount] of pod.spec.requests)
      this.used.set(resource, (this.used.get(resource) ?? 0) + amount);
  }

  remove(pod: PodView): void {
    const known = this.pods.get(pod.uid);
    if (known === undefined) return;
    this.pods.delete(pod.uid);
    for (const [resource, amount] of known.spec.requests)
      this.used.set(resource, (this.used.get(resource) ?? 0) - amount);
  }
}

/**
 * What the scheduler believes: nodes and placed pods as its watches have told it so far, and the
 * placements it has made itself and not yet seen confirmed.
 */
export class SchedulerCache {
  readonly #nodes = new Map<string, Placed>();
  /** Pods on nodes that were never seen, or are gone. */
  readonly #homeless = new Map<string, Map<string, PodView>>();
  /** Where each pod counts, by UID: node and the view that was counted. */
  readonly #places = new Map<string, PodView>();
  #changes = 0;

  /** Grows with every change. */
  get changes(): number {
    return this.#changes;
  }

  nodes(): Iterable<NodeState> {
    return this.#nodes.values();
  }

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  get size(): number {
    return this.#nodes.size;
  }

  setNode(object: KubeObject): void {
    this.#changes++;
    const view = nodeView(object);
    const known = this.#nodes.get(view.name);
    if (known !== undefined) {
      known.view = view;
      return;
    }
    const placed = new Placed(view);
    this.#nodes.set(view.name, placed);
    for (const pod of this.#homeless.get(view.name)?.values() ?? []) placed.add(pod);
    this.#homeless.delete(view.name);
  }

  removeNode(name: string): void {
    this.#changes++;
    const gone = this.#nodes.get(name);
    this.#nodes.delete(name);
    if (gone !== undefined && gone.pods.size > 0) this.#homeless.set(name, gone.pods);
  }

  /** A pod that has a node, by its own spec or assumed to be given this one. */
  place(pod: PodView, nodeName: string = pod.spec.nodeName): void {
    this.remove(pod.uid);
    this.#changes++;
    const counted = pod.spec.nodeName === nodeName ? pod : assumed(pod, nodeName);
    this.#places.set(pod.uid, counted);
    const node = this.#nodes.get(nodeName);
    if (node !== undefined) node.add(counted);
    else this.#homelessOn(nodeName).set(pod.uid, counted);
  }

  /** @returns the node on which it counted, null when it counted nowhere */
  remove(uid: string): string | null {
    const counted = this.#places.get(uid);
    if (counted === undefined) return null;
    this.#changes++;
    const { nodeName } = counted.spec;
    this.#places.delete(uid);
    this.#nodes.get(nodeName)?.remove(counted);
    this.#homeless.get(nodeName)?.delete(uid);
    return nodeName;
  }

  #homelessOn(nodeName: string): Map<string, PodView> {
    const known = this.#homeless.get(nodeName);
    if (known !== undefined) return known;
    const pods = new Map<string, PodView>();
    this.#homeless.set(nodeName, pods);
    return pods;
  }
}

function assumed(pod: PodView, nodeName: string): PodView {
  return { ...pod, spec: { ...pod.spec, nodeName } };
}
