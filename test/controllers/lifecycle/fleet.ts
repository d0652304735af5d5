/** A small fleet of machines, each in one state, as the facts of a look. */
import {
  complete,
  incomplete,
  type LifecycleFacts,
  type Listed,
} from '../../../src/controllers/lifecycle/facts.ts';
import { seen, type Seen, type WhyUnknown } from '../../../src/evidence/fact.ts';
import type { KubeEvent, NodeDeletionRequest } from '../../../src/evidence/kube/event.ts';
import type { KubeNode } from '../../../src/evidence/kinds.ts';
import { awsOf, conditionOf, nodeOf, objectOf } from '../../../src/evidence/testing.ts';
import type { Instance } from '../../../src/evidence/aws/instance.ts';
import { START_MS } from './facts-of-json.ts';

/** What a machine of the fleet has come to. */
export const STATES = [
  'ready',
  'not-ready',
  'cordoned',
  'uninitialized',
  'asked-to-go',
  'gone',
  'gone-by-cloud',
  'gone-by-person',
  'terminated',
  'ended-and-gone',
  'made-again',
  'made-by-other-machine',
  'twice',
  'unlisted',
] as const;

export type State = (typeof STATES)[number];

export const UNREAD: WhyUnknown = {
  reason: 'denied',
  detail: 'it may not be listed',
  collect: null,
};

export function idOf(index: number, generation = 0): string {
  return `i-${generation}${String(index).padStart(16, '0')}`;
}

export function nameOf(index: number): string {
  return `ip-10-0-0-${index}.ec2.internal`;
}

function fact<T>(kind: string, name: string, value: T): Seen<T> {
  return seen(value, `list ${kind}`, `${kind}/${name}`);
}

const GONE: ReadonlySet<State> = new Set([
  'gone',
  'gone-by-cloud',
  'gone-by-person',
  'ended-and-gone',
]);

function changesOf(state: State, index: number, generation: number): Partial<KubeNode> {
  const isReady = state !== 'not-ready' && state !== 'terminated';
  const id = idOf(index, state === 'made-by-other-machine' ? 9 : generation);
  return {
    uid: `uid-${index}-${generation}${state.startsWith('made') ? `-${state}` : ''}`,
    providerId: `aws:///us-east-1a/${id}`,
    internalIp: `10.0.0.${index}`,
    createdMs: START_MS - 86_400_000 + index,
    ready: isReady,
    conditions: [
      conditionOf('Ready', {
        status: isReady ? 'True' : 'False',
        changedMs: START_MS,
        heartbeatMs: START_MS,
      }),
    ],
    unschedulable: state === 'cordoned',
    deletionAskedMs: state === 'asked-to-go' ? START_MS : null,
    taints:
      state === 'uninitialized'
        ? [
            {
              key: 'node.cloudprovider.kubernetes.io/uninitialized',
              value: 'true',
              effect: 'NoSchedule',
              addedMs: null,
            },
          ]
        : [],
  };
}

/** The Nodes of a machine in a state. */
export function nodesOf(state: State, index: number): readonly Seen<KubeNode>[] {
  if (GONE.has(state)) return [];
  const node = nodeOf(nameOf(index), changesOf(state, index, 0));
  const twin = nodeOf(`worker-${index}`, {
    ...changesOf(state, index, 0),
    uid: `uid-${index}-twin`,
  });
  const all = state === 'twice' ? [node, twin] : [node];
  return all.map((one) => fact('nodes', one.name, one));
}

export function instanceOf(id: string, index: number, name: string): Seen<Instance> {
  const isRunning = name === 'running';
  const value = awsOf('aws/instance', {
    InstanceId: id,
    State: { Name: name },
    LaunchTime: '2026-04-30T11:00:00Z',
    PrivateIpAddress: `10.0.0.${index}`,
    PrivateDnsName: isRunning ? nameOf(index) : '',
    StateReason: isRunning ? null : { Code: 'Client.UserInitiatedShutdown', Message: 'by a user' },
    Tags: [{ Key: 'kubernetes.io/cluster/c1', Value: 'owned' }],
  });
  return fact('instances', id, value);
}

function instancesOf(state: State, index: number): readonly Seen<Instance>[] {
  if (state === 'unlisted') return [];
  const isEnded = state === 'terminated' || state === 'ended-and-gone';
  const own = instanceOf(idOf(index), index, isEnded ? 'terminated' : 'running');
  if (state !== 'made-by-other-machine') return [own];
  return [
    instanceOf(idOf(index), index, 'terminated'),
    instanceOf(idOf(index, 9), index, 'running'),
  ];
}

/** The cloud controller says that it deletes the Node. */
export function deletionEvent(name: string, uid: string, atMs: number): Seen<KubeEvent> {
  return fact('events', `${name}.1`, {
    namespace: 'default',
    name: `${name}.1`,
    reason: 'DeletingNode',
    message: `Deleting node ${name} because it does not exist in the cloud provider`,
    component: 'cloud-node-lifecycle-controller',
    about: { kind: 'Node', name, uid, apiVersion: '' },
    lastMs: atMs,
  });
}

function requestOf(index: number, atMs: number): Seen<NodeDeletionRequest> {
  const record = { auditId: `a${index}`, uid: null, user: 'jane', agent: 'kubectl', atMs };
  return fact('audits', `a${index}`, { ...record, node: nameOf(index) });
}

/** When Nodes of the fleet go, ms. */
const WENT_MS = START_MS + 5000;

/** The facts of a look at a fleet whose machines are in these states. */
export function fleetFacts(states: readonly State[], nowMs: number): LifecycleFacts {
  const all = <T>(of: (state: State, index: number) => readonly Seen<T>[]): Listed<T> =>
    complete(states.flatMap((state, place) => of(state, place + 1)));
  const lease = (state: State, index: number) => {
    const renewTime = new Date(nowMs).toISOString();
    const name = nameOf(index);
    const isKept = state === 'gone-by-cloud' || !GONE.has(state);
    const value = objectOf(
      'Lease',
      name,
      { spec: { renewTime } },
      { namespace: 'kube-node-lease' },
    );
    return isKept ? [fact('leases', name, value)] : [];
  };
  const cloud = new Set<State>(['gone-by-cloud', 'ended-and-gone']);
  return {
    nowMs,
    isUnbroken: true,
    nodes: all(nodesOf),
    instances: all(instancesOf),
    leases: all(lease),
    events: all((state, index) =>
      cloud.has(state) ? [deletionEvent(nameOf(index), `uid-${index}-0`, WENT_MS)] : [],
    ),
    audits: all((state, index) => (state === 'gone-by-person' ? [requestOf(index, WENT_MS)] : [])),
    claims: complete([]),
    pods: complete([]),
    clusters: complete([]),
    statuses: complete([]),
    activities: complete([]),
    updates: complete([]),
    trail: incomplete(UNREAD),
  };
}
