import { at, isObject, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { Effect, Fault, FaultScene } from './contract.ts';
import { cordon, MINUTE_MS, onMember, patchNode, truthOf, UNHEARD } from './shapes.ts';
import { daemonSetNamed, nothing } from './targets.ts';

const AWS_AUTH = 'kube-system/aws-auth';

const DELETED_BY_PEOPLE = ['node-deleted-by-other-actor', 'no-reregistration-after-deletion'];

const deletedNode = onMember(
  { id: 'F38', perHour: 2, lastsMs: 0 },
  ({ people }, { machine, name }) => {
    if (!people.delete('Node', name).ok) return null;
    return {
      what: `${name}: somebody deletes the Node`,
      truths: [truthOf(machine, DELETED_BY_PEOPLE, ['deleted'])],
      undo: nothing,
    };
  },
);

/** A Node that is deleted and there again at once, of which whoever watches hears a change alone. */
const madeAgain = onMember(
  { id: 'F23', perHour: 1, lastsMs: 3 * MINUTE_MS },
  ({ people, looking }, { machine, name }) => {
    const undo = looking.wire.twist('nodes', 'without-deletions');
    if (!people.delete('Node', name).ok) {
      undo();
      return null;
    }
    machine.restartKubelet();
    return {
      what: `${name}: the Node is deleted and made again, and watches tell of a change`,
      truths: [truthOf(machine, DELETED_BY_PEOPLE, ['deleted'])],
      undo,
    };
  },
);

const cordoned = onMember(
  { id: 'F64', perHour: 1.5, lastsMs: 15 * MINUTE_MS },
  (stage, { machine, name }) => {
    cordon(stage, name, true);
    return {
      what: `${name}: cordoned`,
      truths: [truthOf(machine, ['cordon-or-deliberate-taint'], ['cordoned'])],
      undo: () => cordon(stage, name, false),
    };
  },
);

/** Of taints that come back when whoever takes them away has done so: nobody does it again. */
const STALE_TAINTS = ['startup-taint-added-after-removal'];

/** As kubectl sends it: the whole list, without the version that it was read at. */
const staleTaints = onMember(
  { id: 'F63', perHour: 1, lastsMs: 2 * MINUTE_MS },
  (stage, { machine, name }) => {
    const taints = at(stage.people.get('Node', name), 'spec.taints') ?? [];
    return {
      what: `${name}: somebody edits its taints for a while`,
      truths: [truthOf(machine, STALE_TAINTS, ['tainted', 'uninitialized'])],
      undo: () => patchNode(stage, name, { spec: { taints } }),
    };
  },
);

type Spoil = (mapRoles: string) => string | null;

/** What becomes of mapRoles; null deletes the whole ConfigMap. */
const SPOILS: readonly (readonly [string, readonly string[], Spoil])[] = [
  [
    'overwritten',
    ['node-role-not-in-aws-auth'],
    () =>
      '- rolearn: arn:aws:iam::123456789012:role/admins\n  username: admin\n  groups:\n    - system:masters\n',
  ],
  [
    'made unreadable',
    ['unparseable-aws-auth'],
    (mapRoles) => `${mapRoles}  - groups\n\t- system:nodes\n`,
  ],
  ['deleted', ['aws-auth-missing'], () => null],
];

/** What is put back at the end of a fault must not be what another one has left. */
function isSpoiled(mapRoles: string): boolean {
  return mapRoles.includes('\t') || !mapRoles.includes('system:nodes');
}

const spoiledAwsAuth: Fault = {
  id: 'F62',
  perHour: 1,
  lastsMs: 15 * MINUTE_MS,
  inject({ people }, random) {
    const before = people.get('ConfigMap', AWS_AUTH);
    const mapRoles = textAt(before, 'data.mapRoles');
    if (before === null || mapRoles === null || isSpoiled(mapRoles)) return null;
    const [what, causes, spoil] = random.pick(SPOILS);
    const next = spoil(mapRoles);
    if (next === null) people.delete('ConfigMap', AWS_AUTH);
    else people.patch('ConfigMap', AWS_AUTH, 'merge', { data: { mapRoles: next } });
    return {
      what: `aws-auth is ${what}`,
      truths: [{ causes, machines: null, shows: UNHEARD }],
      marks: causes.includes('unparseable-aws-auth') ? ['aws-auth-unreadable'] : [],
      undo: () => restore({ people }, before, mapRoles),
    };
  },
};

function restore(
  { people }: Pick<FaultScene, 'people'>,
  before: KubeObject,
  mapRoles: string,
): void {
  if (people.get('ConfigMap', AWS_AUTH) !== null)
    people.patch('ConfigMap', AWS_AUTH, 'merge', { data: { mapRoles } });
  else people.create(asNew(before));
}

/** The object as somebody writes it again: without what the server had put in. */
function asNew(object: KubeObject): KubeObject {
  const { metadata, status: _status, ...rest } = object;
  const { name, namespace, labels = {} } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: { name: name ?? '', namespace: namespace ?? '', labels } };
}

/** Agents without which a node is not usable, with what their absence is and where it shows. */
const AGENTS: readonly (readonly [string, readonly string[], readonly Effect[]])[] = [
  ['aws-node', ['cni-configuration-missing', 'cni-pod-not-scheduled'], ['not-ready', 'stuck']],
  ['calico-node', ['cni-configuration-missing', 'cni-pod-not-scheduled'], ['not-ready', 'stuck']],
  ['kube-proxy', ['kube-proxy-not-working'], ['not-ready', 'stuck']],
  ['kiam-agent', ['gate-daemonset-pod-absent'], ['tainted']],
  ['eks-pod-identity-agent', ['pod-identity-agent-down'], []],
];

const deletedAgent: Fault = {
  id: 'F68',
  perHour: 0.7,
  lastsMs: 10 * MINUTE_MS,
  inject(stage, random) {
    const there = AGENTS.filter(([name]) => daemonSetNamed(stage, name) !== null);
    if (there.length === 0) return null;
    const [name, causes, shows] = random.pick(there);
    const before = daemonSetNamed(stage, name);
    if (before === null) return null;
    stage.people.delete('DaemonSet', `kube-system/${name}`);
    return {
      what: `somebody deletes the DaemonSet ${name}`,
      truths: [{ causes, machines: null, shows }],
      undo: () => {
        if (daemonSetNamed(stage, name) === null) stage.people.create(asNew(before));
      },
    };
  },
};

/** Faults of people. */
export const PEOPLE_FAULTS: readonly Fault[] = [
  deletedNode,
  madeAgain,
  spoiledAwsAuth,
  staleTaints,
  cordoned,
  deletedAgent,
];
