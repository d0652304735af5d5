import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';
import type { ReflectorLimits } from '../../runtime/reflector/reflector-options.ts';
import type { ReflectorChange } from '../../runtime/reflector/reflector-store.ts';
import { type DaemonPodFacts, readDaemonPod } from './workloads.ts';

export const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};

export interface DaemonPodsOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Partial<ReflectorLimits>;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly onNode: (name: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** The Pods of one DaemonSet by node. */
export class DaemonPods {
  readonly selector: string;
  readonly reflector: Reflector<DaemonPodFacts>;
  readonly #onNode: (name: string) => void;
  readonly #byNode = new Map<string, readonly DaemonPodFacts[]>();

  constructor(options: DaemonPodsOptions) {
    const { api, clock, random, limits, namespace, labelSelector, onNode, onBug } = options;
    this.selector = labelSelector;
    this.#onNode = onNode;
    this.reflector = new Reflector({
      api,
      clock,
      random,
      limits,
      resource: PODS,
      selection: { namespace, labelSelector },
      project: readDaemonPod,
      onChange: (change) => this.#take(change),
      onBug,
    });
  }

  /** Those of the DaemonSet with this UID on a node. */
  of(ownerUid: string, nodeName: string): readonly DaemonPodFacts[] {
    return (this.#byNode.get(nodeName) ?? []).filter((pod) => pod.ownerUid === ownerUid);
  }

  #take({ type, value, previous }: ReflectorChange<DaemonPodFacts>): void {
    if (previous !== null) this.#drop(previous);
    if (type !== 'deleted')
      this.#byNode.set(value.nodeName, [...(this.#byNode.get(value.nodeName) ?? []), value]);
    this.#onNode(value.nodeName);
  }

  #drop({ nodeName, uid }: DaemonPodFacts): void {
    const rest = (this.#byNode.get(nodeName) ?? []).filter((pod) => pod.uid !== uid);
    if (rest.length === 0) this.#byNode.delete(nodeName);
    else this.#byNode.set(nodeName, rest);
  }
}
