import { isTaggedFor } from '../../domain/nodes/fleet.ts';
import { CLOUD_LAG_MAX_MS } from '../../domain/nodes/ready-node.ts';
import type { Instance } from '../../evidence/aws/instance.ts';
import type { Seen } from '../../evidence/fact.ts';
import { happened, type LookContext, proofOf, type Whose } from './context.ts';
import type { Happening } from './happening.ts';
import type { InstanceMemory, NodeMemory } from './memory.ts';

const ENDED = new Set(['shutting-down', 'terminated', 'stopping', 'stopped']);

export interface InstancesSeen {
  readonly instances: ReadonlyMap<string, InstanceMemory>;
  readonly happenings: readonly Happening[];
}

interface Owners {
  readonly context: LookContext;
  readonly nodes: ReadonlyMap<string, NodeMemory>;
}

/** `User initiated (2026-05-01 10:00:00 GMT)`: when it changed its state, ms; null without a time. */
function transitionMs({ StateTransitionReason: reason }: Instance): number | null {
  const time = /\((\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) GMT\)$/.exec(reason ?? '');
  return time === null ? null : Date.parse(`${time[1]}T${time[2]}Z`);
}

function ownerOf(id: string, { nodes }: Owners): Whose {
  const node = nodes.get(id);
  return { instanceId: id, node: node?.name ?? null, uid: node?.uid ?? null };
}

/** Nodes by instance, also those that have just gone; of two Nodes of one instance the first by name. */
function ownersOf(context: LookContext, nodes: readonly NodeMemory[]): Owners['nodes'] {
  const gone = [...context.memory.gone.values()].map(({ node }) => node);
  const byName = [...gone, ...nodes].toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  return new Map(byName.map((node) => [node.instanceId ?? '', node]));
}

function keyOf({ name, uid }: NodeMemory): string {
  return `${name} ${uid}`;
}

function endedOf(fact: Seen<Instance>, id: string, owners: Owners): Happening {
  const { State: state, StateReason: reason, StateTransitionReason: how } = fact.value;
  const atMs = transitionMs(fact.value);
  const excerpt = `${id} ${state?.Name ?? ''} ${reason?.Message ?? ''} ${how ?? ''}`;
  const proof = [proofOf(fact, excerpt, atMs)];
  const detail = [state?.Name, reason?.Code].filter((part) => part).join(' ');
  return happened(owners.context, 'instance-ended', atMs, {
    ...ownerOf(id, owners),
    detail,
    proof,
  });
}

function unlisted(id: string, owners: Owners): Happening {
  const detail = 'not listed by EC2';
  return happened(owners.context, 'instance-ended', null, { ...ownerOf(id, owners), detail });
}

type Judged = readonly [InstanceMemory | null, Happening | null];

function listed(fact: Seen<Instance>, id: string, owners: Owners): Judged {
  const known = owners.context.memory.instances.get(id);
  const isEnded = ENDED.has(fact.value.State?.Name ?? '');
  const memory = { id, isEnded, missingSinceMs: null };
  const isNews = isEnded && known !== undefined && !known.isEnded;
  return [memory, isNews ? endedOf(fact, id, owners) : null];
}

/** An answer of EC2 may lack an instance that runs; only one that stays away has ended. */
function missing(known: InstanceMemory, owners: Owners): Judged {
  const { facts } = owners.context;
  if (facts.instances.unread !== null) return [known, null];
  if (known.isEnded) return [null, null];
  const missingSinceMs = known.missingSinceMs ?? facts.nowMs;
  if (facts.nowMs - missingSinceMs <= CLOUD_LAG_MAX_MS) return [{ ...known, missingSinceMs }, null];
  return [null, unlisted(known.id, owners)];
}

function isOfCluster({ value }: Seen<Instance>, { context, nodes }: Owners): boolean {
  const cluster = context.facts.clusters.items[0]?.value.name ?? null;
  return nodes.has(value.InstanceId ?? '') || isTaggedFor(value, cluster);
}

/** Which instances of the cluster have ended since the last look; the first look only remembers. */
export function instancesSeen(
  context: LookContext,
  remembered: ReadonlyMap<string, NodeMemory>,
): InstancesSeen {
  const owners = { context, nodes: ownersOf(context, [...remembered.values()]) };
  const known = context.memory.instances;
  const judged = [
    ...[...context.instances]
      .filter(([id, fact]) => known.has(id) || isOfCluster(fact, owners))
      .map(([id, fact]) => listed(fact, id, owners)),
    ...[...known.values()]
      .filter(({ id }) => !context.instances.has(id))
      .map((one) => missing(one, owners)),
  ];
  const instances = judged.flatMap(([memory]) => (memory === null ? [] : [memory]));
  return {
    instances: new Map(instances.map((one) => [one.id, one])),
    happenings: judged.flatMap(([, happening]) => happening ?? []),
  };
}
