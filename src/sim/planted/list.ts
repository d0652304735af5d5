import type { Part } from '../faults/parts.ts';

/** A mistake that was made somewhere, or easily is, and that the simulation must notice. */
export interface PlantedKind {
  /** `P40` */
  readonly id: string;
  readonly title: string;
  readonly of: Part;
}

function row(id: string, of: Part, title: string): PlantedKind {
  return { id, title, of };
}

/** Every planted bug; those that can be planted by now are declared beside it under their id. */
export const PLANTED_KINDS: readonly PlantedKind[] = [
  row('P1', 'gate', 'a pod without container statuses counts as ready'),
  row('P2', 'gate', 'the owner of a pod is matched by its name only'),
  row('P3', 'gate', 'a sleep before the taint goes, and no second look'),
  row('P4', 'gate', 'only the last expression of a selector counts'),
  row('P5', 'gate', 'a DaemonSet that is not found opens the gate'),
  row(
    'P6',
    'agent',
    'the redirect stands before its server is reached and goes when the agent ends',
  ),
  row('P7', 'agent', 'a rule that is there is taken for one that works'),
  row('P8', 'addresses', 'a stamp that cannot be read counts as the year 1'),
  row('P9', 'gate', 'a patch of taints without its version'),
  row('P10', 'gate', 'the mark of a first readiness and the taint go in two writes'),
  row('P11', 'gate', 'labels are compared in one direction only'),
  row('P12', 'gate', 'nodes that are gone stay in memory'),
  row('P13', 'join', 'exit code 0 is taken for a join'),
  row('P14', 'join', 'a Lease that is renewed is taken for a Node'),
  row('P15', 'join', 'all machines try again at the same moment'),
  row('P16', 'runtime', 'leadership is looked at only as a loop begins'),
  row('P17', 'gate', 'a dwell is measured by the wall clock'),
  row('P18', 'runtime', '410 is taken for an empty list'),
  row('P19', 'diagnosis', '403 is taken for 404'),
  row('P20', 'runtime', 'a conflict is swallowed'),
  row('P21', 'evictor', 'a pod is evicted by its name after it was made again'),
  row('P22', 'access', 'mapRoles is written from a part of it'),
  row('P23', 'diagnosis', 'the failure of a second page is ignored'),
  row('P24', 'runtime', 'an error in a listener ends the watch'),
  row(
    'P25',
    'runtime',
    'a new list is not compared with the old one, so that a deletion is never seen',
  ),
  row('P26', 'runtime', 'bookmarks are ignored, so that a quiet kind looks dead'),
  row('P27', 'gate', 'a flap shorter than the period does not restart the dwell'),
  row('P28', 'gate', 'evidence is kept by the name of the node only'),
  row('P29', 'gate', 'a gate is removed from the configuration and its taint stays'),
  row('P30', 'gate', 'a restart of the kubelet counts as a new node'),
  row('P31', 'agent', 'a probe uses a connection from before the rule'),
  row('P32', 'agent', 'probes leave from the network of the host only'),
  row('P33', 'agent', 'an agent probes itself by a short cut'),
  row('P34', 'access', 'a lost answer leads to a second access entry'),
  row('P35', 'evictor', 'an eviction is repeated against a new pod'),
  row('P36', 'join', 'kubelets are restarted because the API server is away'),
  row('P37', 'join', '401 is taken for a deleted node'),
  row(
    'P38',
    'diagnosis',
    'a throttled DescribeInstances is taken for an instance that is not there',
  ),
  row(
    'P39',
    'diagnosis',
    'addresses are counted without prefixes and with the first one of each interface',
  ),
  row('P40', 'diagnosis', 'the latest symptom is preferred to the first cause'),
  row('P41', 'access', 'aws-auth is written at every look'),
  row('P42', 'runtime', 'a lock is lost during a wait and the write done nevertheless'),
  row('P43', 'diagnosis', 'every machine that does not work has the same cause'),
  row('P44', 'diagnosis', 'a root and its consequence change places'),
  row('P45', 'diagnosis', 'what was named once is named for ever'),
  row('P46', 'diagnosis', 'each machine is given the answer of another one'),
  row('P47', 'diagnosis', 'values behind the name of a secret are saved as they are'),
  row('P48', 'runtime', 'what cannot be recorded is done nevertheless'),
  row('P49', 'runtime', 'rows are written without their keys, so that a second try doubles them'),
  row('P50', 'runtime', 'an Event has another name at each try'),
  row('P51', 'runtime', 'a dry run creates objects'),
  row('P52', 'runtime', 'a status is replaced whole, with what a newer release wrote in it'),
  row('P53', 'runtime', 'a report has a finalizer that nobody takes away'),
];
