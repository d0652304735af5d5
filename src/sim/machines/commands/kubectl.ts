import type { JsonObject } from '../../../evidence/json.ts';
import { listAt, textAt } from '../../../evidence/json.ts';

/** A row of `kubectl get nodes`, without an age. */
export function nodeRow(node: JsonObject): string {
  const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  const status = textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const name = textAt(node, 'metadata.name') ?? '';
  const version = textAt(node, 'status.nodeInfo.kubeletVersion') ?? '';
  return `${name}   ${status}   <none>   0s   ${version}\n`;
}
