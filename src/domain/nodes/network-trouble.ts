import { POD_NORMAL_MS } from '../pods/pods.ts';
import type { Fact, Seen } from '../../evidence/fact.ts';
import type { FactTypes, KubeNode } from '../../evidence/kinds.ts';
import type { Timed } from '../../evidence/time.ts';
import {
  placeOf,
  podsOfSet,
  podWords,
  stateWords,
  unreadyPods,
  waitingPods,
  waitingWords,
} from '../pods/pods-seen.ts';

/** An object that shows that pods of a Node get no network, and the words that say so. */
export interface NetworkTrouble {
  readonly fact: Seen<unknown>;
  readonly words: string;
}

type Kind = 'kube/Node' | 'kube/Pod';

/** The part of a cause's view that is read here. */
export interface TroubleView extends Timed {
  read<N extends Kind>(kind: N): Fact<FactTypes[N]>;
  list<N extends Kind>(kind: N): readonly Seen<FactTypes[N]>[];
}

const NO_NETWORK = /cni plugin not initialized|cni config uninitialized|NetworkPluginNotReady/;

/** What a Node that waits for its pod network says, null when it says nothing of that. */
function waitsForCni(node: KubeNode, time: Timed): string | null {
  const ready = node.conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'False' || !NO_NETWORK.test(ready.message)) return null;
  const { nowMs } = time;
  const isFresh = nowMs !== null && nowMs - (ready.changedMs ?? 0) <= POD_NORMAL_MS;
  const isYoung = nowMs !== null && nowMs - (node.createdMs ?? 0) <= POD_NORMAL_MS;
  return isFresh && isYoung ? null : `Node ${node.name} Ready=False: ${ready.message}`;
}

/** How a Node shows that its pods get no network; null where it shows nothing of the kind. */
export function networkTrouble(view: TroubleView, daemonSet: string): NetworkTrouble | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const pods = view.list('kube/Pod');
  const { name } = node.value;
  const own = podsOfSet(pods, daemonSet).filter((pod) => placeOf(pod) === name);
  const [broken] = unreadyPods(own, view);
  if (broken !== undefined)
    return { fact: broken, words: `${podWords(broken)} ${stateWords(broken)}` };
  const waits = waitsForCni(node.value, view);
  if (waits !== null) return { fact: node, words: waits };
  const [waiting] = waitingPods(pods, name, view);
  return waiting === undefined ? null : { fact: waiting, words: waitingWords(waiting) };
}
