import { instancesWithoutNode, isTerminated, type MachineFacts } from '../../domain/nodes/fleet.ts';
import { isNodeLease, renewedNowMs } from '../../domain/nodes/leases.ts';
import { isSilentBeyondLag } from '../../domain/nodes/ready-node.ts';
import type { Fact, Seen } from '../../evidence/fact.ts';
import type { FactTypes, KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { happened, type LookContext, proofOf, type Whose } from './context.ts';
import type { LifecycleFacts, ListName } from './facts.ts';
import type { Happening, HappeningKind, Proof } from './happening.ts';
import type { StandingMemory } from './memory.ts';

/** Lists are read one after another: what they disagree about for so long is no accident of that. */
const STANDING_MS = 30_000;

/** A state of things that is so at this look. */
interface Standing {
  readonly key: string;
  readonly kind: HappeningKind;
  readonly whose: Whose;
  readonly detail: string | null;
  readonly proof: readonly Proof[];
}

/** A kind of state, and the lists without which nobody can say whether it is so. */
interface StandingKind {
  readonly kind: HappeningKind;
  readonly needs: readonly ListName[];
  readonly find: (context: LookContext) => readonly Standing[];
}

type FleetKind = 'aws/instance' | 'kube/Node' | 'aws/cluster';

type FleetLists = { readonly [K in FleetKind]: readonly Seen<FactTypes[K]>[] };

/** The facts as the questions about a whole fleet read them. */
function fleetOf({ nowMs, nodes, instances, clusters }: LifecycleFacts): MachineFacts {
  const lists: FleetLists = {
    'aws/instance': instances.items,
    'kube/Node': nodes.items,
    'aws/cluster': clusters.items,
  };
  const list = <K extends FleetKind>(kind: K): readonly Seen<FactTypes[K]>[] => lists[kind];
  const read = <K extends FleetKind>(kind: K): Fact<FactTypes[K]> =>
    list(kind)[0] ?? { state: 'absent', by: 'list' };
  return { nowMs, read, list };
}

function machinesWithoutNode(context: LookContext): readonly Standing[] {
  const alone = instancesWithoutNode(fleetOf(context.facts)) ?? [];
  return alone.map((instance) => {
    const id = instance.value.InstanceId ?? '';
    const excerpt = `${id} running since ${instance.value.LaunchTime ?? 'an unknown time'}, and no Node is its`;
    return {
      key: `machine-without-node/${id}`,
      kind: 'machine-without-node',
      whose: { instanceId: id },
      detail: null,
      proof: [proofOf(instance, excerpt, null)],
    };
  });
}

/** The instance has ended, or EC2 has not listed it for longer than its answers lag behind. */
function withoutMachine(node: Seen<KubeNode>, context: LookContext): Standing | null {
  const { value } = node;
  const id = instanceIdIn(value.providerId ?? '');
  if (id === null || value.uid === null) return null;
  const instance = context.instances.get(id);
  const isEnded = instance !== undefined && isTerminated(instance.value);
  const isForgotten = instance === undefined && isSilentBeyondLag(value, context.facts.nowMs);
  if (!isEnded && !isForgotten) return null;
  const state = instance?.value.State?.Name ?? 'not listed by EC2';
  return {
    key: `node-without-machine/${value.uid}`,
    kind: 'node-without-machine',
    whose: { node: value.name, uid: value.uid, instanceId: id },
    detail: state,
    proof: [
      proofOf(node, `Node ${value.name} providerID ${value.providerId ?? ''}`, null),
      ...(instance === undefined ? [] : [proofOf(instance, `${id} ${state}`, null)]),
    ],
  };
}

function nodesWithoutMachine(context: LookContext): readonly Standing[] {
  return context.facts.nodes.items.flatMap((node) => withoutMachine(node, context) ?? []);
}

function leasesWithoutNode({ facts }: LookContext): readonly Standing[] {
  const names = new Set(facts.nodes.items.map(({ value }) => value.name));
  return facts.leases.items.flatMap((lease) => {
    const { name } = lease.value;
    const renewedMs = renewedNowMs(lease.value, facts.nowMs);
    if (!isNodeLease(lease.value) || renewedMs === null || names.has(name)) return [];
    const excerpt = `Lease kube-node-lease/${name} renewed ${lease.value.spec?.renewTime ?? ''}, and no Node ${name} in the list of all Nodes`;
    return [
      {
        key: `lease-without-node/${name}`,
        kind: 'lease-without-node',
        whose: { node: name },
        detail: null,
        proof: [proofOf(lease, excerpt, renewedMs)],
      },
    ];
  });
}

/** Nodes of one instance by providerID, or of one system by machine-id and address. */
function machineKey({ providerId, machineId, internalIp }: KubeNode): string | null {
  const id = instanceIdIn(providerId ?? '');
  if (id !== null) return id;
  return (machineId ?? '') === '' || internalIp === null ? null : `${machineId} ${internalIp}`;
}

/** Of a machine that registers under ever new names so many are named. */
const TWINS_MAX = 8;

function twinNodes({ facts }: LookContext): readonly Standing[] {
  const byMachine = Map.groupBy(facts.nodes.items, ({ value }) => machineKey(value));
  byMachine.delete(null);
  return [...byMachine.values()].flatMap((nodes) => {
    const sorted = nodes.toSorted((a, b) => (a.value.name < b.value.name ? -1 : 1));
    const names = sorted.map(({ value }) => value.name);
    const newest = sorted.toSorted(
      (a, b) => (b.value.createdMs ?? 0) - (a.value.createdMs ?? 0),
    )[0];
    if (names.length < 2 || newest === undefined) return [];
    const { name, uid, providerId } = newest.value;
    const instanceId = instanceIdIn(providerId ?? '');
    return [
      {
        key: `two-nodes-for-one-machine/${names.slice(0, TWINS_MAX).join(' ')}`,
        kind: 'two-nodes-for-one-machine',
        whose: { node: name, uid, instanceId },
        detail: names.slice(0, TWINS_MAX).join(', '),
        proof: sorted
          .slice(0, TWINS_MAX)
          .map((node) =>
            proofOf(
              node,
              `Node ${node.value.name} providerID ${node.value.providerId ?? 'none'}`,
              null,
            ),
          ),
      },
    ];
  });
}

const STANDING_KINDS: readonly StandingKind[] = [
  {
    kind: 'machine-without-node',
    needs: ['nodes', 'instances'],
    find: machinesWithoutNode,
  },
  { kind: 'node-without-machine', needs: ['nodes', 'instances'], find: nodesWithoutMachine },
  { kind: 'lease-without-node', needs: ['nodes', 'leases'], find: leasesWithoutNode },
  { kind: 'two-nodes-for-one-machine', needs: ['nodes'], find: twinNodes },
];

export interface StandingSeen {
  readonly standing: ReadonlyMap<string, StandingMemory>;
  readonly happenings: readonly Happening[];
}

/** What was so of this kind before; where a list is missing, nobody knows whether it is over. */
function before({ kind }: StandingKind, context: LookContext): readonly StandingMemory[] {
  const all = [...context.memory.standing.values()];
  return all.filter(({ key }) => key.startsWith(`${kind}/`));
}

function judged(now: Standing, context: LookContext): readonly [StandingMemory, Happening | null] {
  const { nowMs } = context.facts;
  const known = context.memory.standing.get(now.key) ?? null;
  const sinceMs = known?.sinceMs ?? nowMs;
  const isTold = known?.isTold ?? false;
  const isDue = !isTold && nowMs - sinceMs >= STANDING_MS;
  const { kind, whose, detail, proof, key } = now;
  const memory = { key, sinceMs, isTold: isTold || isDue };
  const found = happened(context, kind, null, { ...whose, detail, proof });
  const time = { atMs: sinceMs, from: 'look', notBeforeMs: null } as const;
  return [memory, isDue ? { ...found, time } : null];
}

/** States that have lasted and were not told; each is told once until it is over. */
export function standingSeen(context: LookContext): StandingSeen {
  const standing = new Map<string, StandingMemory>();
  const happenings: Happening[] = [];
  for (const one of STANDING_KINDS) {
    if (one.needs.some((list) => context.facts[list].unread !== null)) {
      for (const memory of before(one, context)) standing.set(memory.key, memory);
      continue;
    }
    for (const [memory, happening] of one.find(context).map((now) => judged(now, context))) {
      standing.set(memory.key, memory);
      if (happening !== null) happenings.push(happening);
    }
  }
  return { standing, happenings };
}
