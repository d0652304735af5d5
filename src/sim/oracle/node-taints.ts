import { listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';

/** Who has to take a taint away: the cloud controller, or whoever has put it there. */
export type TaintState = 'uninitialized' | 'other';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
/** Only asks pods to stay away. */
const PREFERENCE = 'PreferNoSchedule';

/** Those that come and go with what else a Node shows, and that of machines not meant for pods. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/network-unavailable',
  'node-role.kubernetes.io/control-plane',
]);

/** What keeps pods off a Node by taints that say something of their own. */
export function taintStates(node: KubeObject): readonly TaintState[] {
  const keys = listAt(node, 'spec.taints')
    .filter((one) => textAt(one, 'effect') !== PREFERENCE)
    .map((one) => textAt(one, 'key') ?? '')
    .filter((key) => !FOLLOWING.has(key));
  return [...new Set(keys.map((key) => (key === UNINITIALIZED ? 'uninitialized' : 'other')))];
}
