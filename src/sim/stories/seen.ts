import { listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { World } from '../world.ts';

/** What somebody who watches the cluster with kubectl sees of it, as sentences. */
export type Tell = (sentence: string) => void;

/** `system:masters`, who may see everything. */
const WATCHING_PERSON = { name: 'kubernetes-admin', groups: ['system:masters'] };

function readyOf(node: KubeObject): string {
  const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  const status = textAt(ready, 'status');
  return status === 'True' ? 'Ready' : status === 'Unknown' ? 'NotReady, silent' : 'NotReady';
}

function taintsOf(node: KubeObject): string {
  const keys = listAt(node, 'spec.taints').map((taint) => shortKey(textAt(taint, 'key') ?? ''));
  // One key may be there with several effects.
  return keys.length === 0 ? '' : `, tainted ${[...new Set(keys)].join(' and ')}`;
}

/** `node.cloudprovider.kubernetes.io/uninitialized` as people speak of it. */
function shortKey(key: string): string {
  return key.split('/').at(-1) ?? key;
}

function nodeSentence(node: KubeObject): string {
  return `${readyOf(node)}${taintsOf(node)}`;
}

function nameOf(object: KubeObject): string {
  return textAt(object, 'metadata.name') ?? '';
}

/** Nodes as they come, change and go. */
export function watchNodes(world: World, tell: Tell): void {
  const said = new Map<string, string>();
  world.client(WATCHING_PERSON).follow('Node', (type, node) => {
    const name = nameOf(node);
    if (type === 'DELETED') {
      said.delete(name);
      return tell(`Node ${name} is gone`);
    }
    const sentence = nodeSentence(node);
    if (said.get(name) === sentence) return;
    tell(`Node ${name} ${said.has(name) ? 'is' : 'joined:'} ${sentence}`);
    said.set(name, sentence);
  });
}

/** Events as `kubectl get events -w` prints them, each reason of an object once. */
export function watchEvents(world: World, tell: Tell, reasons: ReadonlySet<string>): void {
  const said = new Set<string>();
  world.client(WATCHING_PERSON).follow('Event', (type, event) => {
    const reason = textAt(event, 'reason') ?? '';
    const object = textAt(event, 'involvedObject.name') ?? '';
    const key = `${reason} ${object}`;
    if (type === 'DELETED' || said.has(key) || !reasons.has(reason)) return;
    said.add(key);
    const kind = textAt(event, 'involvedObject.kind') ?? '';
    tell(`${kind} ${object}: ${reason}: ${textAt(event, 'message') ?? ''}`);
  });
}
