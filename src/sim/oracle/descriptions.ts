import type { Effect } from '../faults/contract.ts';
import type { Shown } from './effects.ts';

/** Causes of the catalogue that say no more of a machine than what it shows. */
const DESCRIBED: Readonly<Record<Effect, readonly string[]>> = {
  off: ['instance-stopped-or-terminated', 'node-heartbeat-lost'],
  'no-node': [],
  deleted: ['no-reregistration-after-deletion'],
  'deleted-by-controller': ['node-deleted-as-not-in-cloud'],
  silent: ['node-heartbeat-lost'],
  'not-ready': [],
  'disk-pressure': ['node-disk-full'],
  uninitialized: ['ccm-cannot-initialize-node'],
  cordoned: ['cordon-or-deliberate-taint'],
  tainted: ['startup-taint-not-removed'],
  addressless: [],
  stuck: [],
};

/** What may be told as a consequence of a machine, and is no root of anything. */
export function descriptionsOf(shown: Shown): ReadonlySet<string> {
  return new Set([...shown.keys()].flatMap((effect) => DESCRIBED[effect]));
}
