import type { Part } from '../faults/parts.ts';

/** What must hold, by number; what is checked so far is declared beside it under its id. */
export interface Rule {
  /** `I-29` for safety, after every event; `L-02` for liveness, after the faults have ended. */
  readonly id: string;
  readonly title: string;
  readonly of: Part;
}

function row(id: string, of: Part, title: string): Rule {
  return { id, title, of };
}

/** Safety: true at every moment, whatever fault there is. */
export const SAFETY: readonly Rule[] = [
  row(
    'I-01',
    'gate',
    'no pod that does not tolerate the gate is bound to a gated node before it is deep-ready for its dwell',
  ),
  row(
    'I-02',
    'gate',
    'a gate opens only on deep, fresh evidence of this boot and this Node that has held for its dwell',
  ),
  row('I-03', 'gate', 'what is unknown never opens a gate; an empty list is unknown'),
  row('I-04', 'gate', 'a gate whose configuration cannot be read stays shut and says so'),
  row('I-05', 'gate', 'a write of taints changes only taints that are ours'),
  row('I-06', 'gate', 'every write carries the version that it was made from'),
  row('I-07', 'gate', 'a startup taint is not put back on a node that was ready once'),
  row('I-08', 'gate', 'no node outside the selector is touched'),
  row(
    'I-09',
    'evictor',
    'no pod is evicted that belongs there: tolerating, of a DaemonSet, static, or not the one that was judged',
  ),
  row('I-10', 'evictor', 'eviction is by the Eviction API with the UID, never a plain delete'),
  row('I-11', 'evictor', 'no budget of disruption is broken by us'),
  row(
    'I-12',
    'evictor',
    '429 of an eviction is never bypassed, and no hour sees more than the budget allows',
  ),
  row('I-13', 'evictor', 'a pod is evicted for a wrong role only on positive evidence'),
  row('I-14', 'evictor', 'a pod is evicted at most once'),
  row('I-15', 'runtime', 'two replicas never act twice on one decision'),
  row('I-16', 'runtime', 'a leader stops deciding at its deadline'),
  row('I-17', 'access', 'no mapping of aws-auth is lost, narrowed or widened by our write'),
  row(
    'I-18',
    'access',
    'aws-auth is never written without its version, nor where it cannot be read',
  ),
  row('I-19', 'access', 'an access entry is created only where there is none, and never deleted'),
  row(
    'I-20',
    'addresses',
    'an interface is deleted only when it is free, ours, old and looked at right before',
  ),
  row('I-21', 'addresses', 'a stamp that cannot be read means young'),
  row('I-22', 'addresses', 'nothing is deleted after a list that was not whole'),
  row(
    'I-23',
    'runtime',
    'nothing is decided from a cache older than our own last write or than 90 s',
  ),
  row('I-24', 'runtime', 'versions of one kind never go back without a new list'),
  row(
    'I-25',
    'diagnosis',
    'no more pod addresses are promised than interfaces, subnet and kubelet allow; an unknown type stays unknown',
  ),
  row(
    'I-26',
    'join',
    'no two joins at once on a machine, no reset of one that is well, no endless restarts',
  ),
  row('I-27', 'join', 'a join is a success only when the Node is ours and has stayed'),
  row('I-28', 'diagnosis', 'no secret is printed, recorded or bundled'),
  row(
    'I-29',
    'diagnosis',
    'a cause that is named is one of the true ones, and its evidence was there',
  ),
  row('I-30', 'diagnosis', 'what could not be read is reported'),
  row('I-31', 'diagnosis', 'in a timeline no effect stands before its cause'),
  row('I-32', 'runtime', 'memory is bounded by the number of nodes and pods'),
  row('I-33', 'runtime', 'requests to each API stay within their budget, also in failure'),
  row('I-34', 'runtime', 'a failure makes one Event per node and reason in ten minutes'),
  row('I-35', 'runtime', 'a dry run writes nothing'),
  row('I-36', 'gate', 'our outage blocks nothing outside our scope'),
  row('I-37', 'runtime', 'a release reads the state of the one before and the one after'),
  row('I-38', 'gate', 'a deletion of a Node is never held up by us for more than a minute'),
  row(
    'I-39',
    'agent',
    'the agent dials only loopback, the API server, the metadata service and its probes',
  ),
  row('I-40', 'runtime', 'a step of a clock shortens no dwell, no lease and no age'),
];

/** Liveness: what must have come so long after the last fault has ended. */
export const LIVENESS: readonly Rule[] = [
  row('L-01', 'gate', 'every healthy node has lost its gate'),
  row('L-02', 'diagnosis', 'every broken machine has a verdict that is right and stays'),
  row('L-03', 'evictor', 'every pod with a wrong role is replaced as fast as its budget allows'),
  row(
    'L-04',
    'join',
    'every machine that can join has joined and stays; of the others the cause is named',
  ),
  row('L-05', 'access', 'every mapping that policy allows is restored in two minutes'),
  row('L-06', 'addresses', 'every leaked interface is gone after three scans'),
  row('L-07', 'runtime', 'a new leader acts'),
  row('L-08', 'runtime', 'a dead watch is noticed in 90 s and cured in 120 s'),
  row('L-09', 'runtime', 'writing ends'),
  row('L-10', 'runtime', 'the load on the API is again what it was'),
];
