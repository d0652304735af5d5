import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { nameOf } from '../objects/meta.ts';
import { nodeView } from '../objects/node.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createEventRecorder, type EventRecorder } from '../running/event-recorder.ts';
import { createSyncQueue } from '../running/work-queue.ts';

export interface NodeIpamOptions extends ActorOptions {
  /** `--cluster-cidr`, of which each Node gets a /24. */
  readonly podCidr: string;
}

/** `--node-cidr-mask-size`. */
const NODE_BITS = 24;
const BLOCK = 2 ** (32 - NODE_BITS);

/** All blocks of a cluster's range in order; none for a text that is no IPv4 range. */
export function blocksOf(cidr: string): readonly string[] {
  const [, a, b, c, d, bits] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr) ?? [];
  if (bits === undefined || Number(bits) > NODE_BITS || Number(bits) < 8) return [];
  const base = ((Number(a) * 256 + Number(b)) * 256 + Number(c)) * 256 + Number(d);
  return Array.from({ length: 2 ** (NODE_BITS - Number(bits)) }, (_, index) =>
    dotted(base + index * BLOCK),
  );
}

function dotted(address: number): string {
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
  return `${parts.join('.')}/${NODE_BITS}`;
}

/** The node IPAM controller: a block of pod addresses for each Node, as long as there are some. */
export function startNodeIpam(world: World, options: NodeIpamOptions): Running {
  const name = 'node-ipam-controller';
  const actor = createActor(world, name, controllerUser('node-controller'), options);
  const recorder = createEventRecorder(actor, 'cidrAllocator');
  const free = new Set(blocksOf(options.podCidr));
  const taken = new Map<string, string>();
  const queue = createSyncQueue(actor, (node) => {
    if (!taken.has(node)) allocate(actor, recorder, node, free, taken);
  });
  actor.follow('Node', (type, object) => {
    const known = textAt(object, 'spec.podCIDR');
    if (type === 'DELETED') release(nameOf(object), free, taken);
    else if (known === null) queue.add(nameOf(object));
    else take(nameOf(object), known, free, taken);
  });
  return actor;
}

function take(node: string, block: string, free: Set<string>, taken: Map<string, string>): void {
  free.delete(block);
  taken.set(node, block);
}

function release(node: string, free: Set<string>, taken: Map<string, string>): void {
  const block = taken.get(node);
  if (block === undefined) return;
  taken.delete(node);
  free.add(block);
}

function allocate(
  actor: Actor,
  recorder: EventRecorder,
  node: string,
  free: Set<string>,
  taken: Map<string, string>,
): void {
  const object: JsonObject | null = actor.client.get('Node', node);
  if (object === null) return;
  const [block] = free;
  if (block === undefined) {
    const message = `Node ${node} status is now: CIDRNotAvailable`;
    const { uid } = nodeView(object);
    const involved = { kind: 'Node', name: node, uid, apiVersion: 'v1' };
    recorder.record(involved, { type: 'Normal', reason: 'CIDRNotAvailable', message });
    return;
  }
  const patch = { spec: { podCIDR: block, podCIDRs: [block] } };
  if (actor.client.patch('Node', node, 'strategic', patch).ok) take(node, block, free, taken);
}
