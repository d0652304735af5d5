import type { JsonObject } from '../../evidence/json.ts';
import { isoTime } from '../../evidence/time.ts';
import { createKernel, type Kernel, type LogLine } from '../kernel/kernel.ts';
import { createClient } from '../kube/client.ts';
import type { ApiUser, KubeClient } from '../kube/contract.ts';
import { createApiServer, type KubeApiServer } from '../kube/server.ts';
import { definitionOf } from '../platform/running/custom-kinds.ts';

/** An API server with a few Nodes that a script moves: the least in which a controller has work. */
export interface SmallWorld {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly people: KubeClient;
}

export interface SmallWorldOptions {
  readonly seed: number;
  readonly moves: readonly Move[];
  readonly onLine?: (line: LogLine) => void;
}

export const MOVES = ['comes', 'breaks', 'mends', 'goes', 'cordoned', 'uncordoned'] as const;

/** What happens to a Node, after the beginning. */
export interface Move {
  readonly atMs: number;
  readonly node: string;
  readonly move: (typeof MOVES)[number];
}

const START_MS = 1_772_442_000_000;
const PEOPLE: ApiUser = {
  name: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};
const HEARTBEAT_MS = 10_000;

/** A message that Nodes carry, with what nobody may write, say or record. */
export const NODE_SECRET = 'AKIAIOSFODNN7EXAMPLE';

const NODE_REPORT = {
  group: 'rollcall.dev',
  version: 'v1alpha1',
  plural: 'nodereports',
  kind: 'NodeReport',
};

export function createSmallWorld({ seed, moves, onLine }: SmallWorldOptions): SmallWorld {
  const listening = onLine === undefined ? {} : { onLine };
  const kernel = createKernel({ seed, startMs: START_MS, ...listening });
  const server = createApiServer({ kernel });
  const people = createClient(server, PEOPLE);
  people.create(definitionOf(NODE_REPORT));
  people.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const world = { kernel, server, people };
  for (const move of moves) kernel.after(move.atMs, () => happen(world, move));
  kernel.every(HEARTBEAT_MS, () => beat(world));
  return world;
}

function stampOf({ kernel }: SmallWorld): string {
  return isoTime({ ms: kernel.nowMs(), yearless: false, clock: 'utc' }) ?? '';
}

function happen(world: SmallWorld, { node, move }: Move): void {
  const { people, kernel } = world;
  kernel.log('people', `${node} ${move}`);
  if (move === 'comes') come(world, node);
  else if (move === 'goes') go(world, node);
  else if (move === 'breaks' || move === 'mends') setReady(world, node, move === 'mends');
  else if (people.get('Node', node) !== null)
    people.patch('Node', node, 'merge', { spec: { unschedulable: move === 'cordoned' } });
}

function come(world: SmallWorld, name: string): void {
  const { people } = world;
  if (people.get('Node', name) !== null) return;
  const number = name.replaceAll(/\D/g, '').padStart(17, '0');
  people.create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name },
      annotations: { 'example.com/access-key': NODE_SECRET },
    },
    spec: { providerID: `aws:///us-west-2a/i-${number}` },
  });
  people.create({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'kube-node-lease', name },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: renewTime(world) },
  });
  setReady(world, name, true);
}

function go({ people }: SmallWorld, name: string): void {
  people.delete('Node', name);
  people.delete('Lease', `kube-node-lease/${name}`);
}

function renewTime(world: SmallWorld): string {
  return stampOf(world).replace('Z', '.000000Z');
}

function setReady(world: SmallWorld, name: string, isReady: boolean): void {
  const { people } = world;
  if (people.get('Node', name) === null) return;
  people.patch('Node', name, 'merge', { status: statusOf(world, isReady) }, 'status');
}

function statusOf(world: SmallWorld, isReady: boolean): JsonObject {
  const at = stampOf(world);
  const message = isReady
    ? 'kubelet is posting ready status'
    : `container runtime network not ready: cni plugin not initialized, key ${NODE_SECRET}`;
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
  return {
    conditions: [ready],
    nodeInfo: { kubeletVersion: 'v1.34.3', bootID: 'b1', machineID: 'm1' },
  };
}

/** Kubelets that run renew their Leases. */
function beat(world: SmallWorld): void {
  const { people } = world;
  const spec = { renewTime: renewTime(world) };
  for (const { metadata } of people.list('Lease', { namespace: 'kube-node-lease' })) {
    const { name } = metadata as { readonly name: string };
    people.patch('Lease', `kube-node-lease/${name}`, 'merge', { spec });
  }
}
