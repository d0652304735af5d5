import type { JsonObject } from '../../evidence/json.ts';
import { listAt, textAt } from '../../evidence/json.ts';
import type { KubeClient, KubeObject } from '../kube/contract.ts';
import type { KubeletListener, NodeCache } from './kubelet/parts.ts';
import { podKey } from './kubelet/pod.ts';
import { programKind } from './programs/catalogue.ts';
import type { ProgramKind } from './programs/program.ts';

/**
 * The caches of all kubelets in one: pods by the node they are bound to, Nodes by name. Each change
 * is looked at once, whatever the number of machines.
 */
export class ClusterCache implements NodeCache {
  readonly #nodes = new Map<string, KubeObject>();
  readonly #pods = new Map<string, KubeObject>();
  readonly #byNode = new Map<string, Map<string, KubeObject>>();
  readonly #byProgram = new Map<ProgramKind, Map<string, KubeObject>>();
  readonly #kubelets = new Map<string, Set<KubeletListener>>();

  /** @param delayMs how late kubelets hear of a change */
  constructor(client: KubeClient, delayMs: () => number) {
    client.follow('Node', (type, node) => this.#node(type, node), delayMs);
    client.follow('Pod', (type, pod) => this.#pod(type, pod), delayMs);
  }

  node(name: string): JsonObject | null {
    return this.#nodes.get(name) ?? null;
  }

  pod(key: string): JsonObject | null {
    return this.#pods.get(key) ?? null;
  }

  pods(nodeName: string): Iterable<JsonObject> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  podsOf(nodeName: string): readonly KubeObject[] {
    return [...(this.#byNode.get(nodeName)?.values() ?? [])];
  }

  podsWith(program: ProgramKind): Iterable<KubeObject> {
    return this.#byProgram.get(program)?.values() ?? [];
  }

  listen(nodeName: string, kubelet: KubeletListener): void {
    const all = this.#kubelets.get(nodeName) ?? new Set();
    all.add(kubelet);
    this.#kubelets.set(nodeName, all);
  }

  forget(kubelet: KubeletListener): void {
    const name = kubelet.nodeName();
    if (name !== null) this.#kubelets.get(name)?.delete(kubelet);
  }

  #node(type: 'ADDED' | 'MODIFIED' | 'DELETED', node: KubeObject): void {
    const name = textAt(node, 'metadata.name') ?? '';
    const before = this.#nodes.get(name) ?? null;
    if (type === 'DELETED') this.#nodes.delete(name);
    else this.#nodes.set(name, node);
    for (const kubelet of this.#kubelets.get(name) ?? [])
      kubelet.onNode(type === 'DELETED' ? null : node, before);
  }

  #pod(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: KubeObject): void {
    const key = podKey(pod);
    this.#indexProgram(type, key, pod);
    const before = this.#pods.get(key);
    if (type === 'DELETED') this.#pods.delete(key);
    else this.#pods.set(key, pod);
    const nodeName = textAt(pod, 'spec.nodeName') ?? '';
    const nodeBefore = textAt(before, 'spec.nodeName') ?? '';
    // A restored backup takes a pod back from its Node, whose kubelet sees it leave its list.
    if (before !== undefined && nodeBefore !== nodeName)
      this.#atNode('DELETED', nodeBefore, before);
    this.#atNode(type, nodeName, pod);
  }

  #atNode(type: 'ADDED' | 'MODIFIED' | 'DELETED', nodeName: string, pod: KubeObject): void {
    if (nodeName === '') return;
    const key = podKey(pod);
    const here = this.#byNode.get(nodeName) ?? new Map<string, KubeObject>();
    this.#byNode.set(nodeName, here);
    if (type === 'DELETED') here.delete(key);
    else here.set(key, pod);
    for (const kubelet of this.#kubelets.get(nodeName) ?? []) kubelet.onPod(type, pod);
  }

  /** Only servers are looked for across machines. */
  #indexProgram(type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string, pod: KubeObject): void {
    if (type === 'MODIFIED' && !this.#pods.has(key)) return;
    for (const container of listAt(pod, 'spec.containers')) {
      const words = [...listAt(container, 'command'), ...listAt(container, 'args')];
      const kind = programKind(textAt(container, 'image') ?? '', words.filter(isText));
      if (kind === 'application') continue;
      const all = this.#byProgram.get(kind) ?? new Map<string, KubeObject>();
      this.#byProgram.set(kind, all);
      if (type === 'DELETED') all.delete(key);
      else all.set(key, pod);
    }
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
