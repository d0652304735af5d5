import type { PodView } from '../objects/pod.ts';

/** Pods by the node that they are bound to. */
export class PodsByNode {
  readonly #byNode = new Map<string, Map<string, PodView>>();

  onChange(type: string, pod: PodView): void {
    const { nodeName } = pod.spec;
    if (nodeName === '') return;
    const known = this.#byNode.get(nodeName);
    if (type === 'DELETED') {
      known?.delete(pod.uid);
      if (known?.size === 0) this.#byNode.delete(nodeName);
    } else if (known === undefined) this.#byNode.set(nodeName, new Map([[pod.uid, pod]]));
    else known.set(pod.uid, pod);
  }

  on(nodeName: string): Iterable<PodView> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  /** Nodes with at least one pod. */
  nodeNames(): Iterable<string> {
    return this.#byNode.keys();
  }
}
