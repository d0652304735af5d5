/** A simulated world, the lifecycle watch that looks at it, and who really deleted its Nodes. */
import { decide } from '../../../src/controllers/lifecycle/decide.ts';
import type { Happening } from '../../../src/controllers/lifecycle/happening.ts';
import type { LifecycleFacts } from '../../../src/controllers/lifecycle/facts.ts';
import { type LifecycleMemory, NOTHING_KNOWN } from '../../../src/controllers/lifecycle/memory.ts';
import { guardedRun } from '../../../src/apps/sim/guarded-run.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { NodeDeletionRequest } from '../../../src/evidence/kube/event.ts';
import type { FaultScene } from '../../../src/sim/faults/contract.ts';
import { FAULT_IDS, FAULTS } from '../../../src/sim/faults/faults.ts';
import { planInjections } from '../../../src/sim/swarm/plan.ts';
import { drawSwarm, type Wishes } from '../../../src/sim/swarm/swarm.ts';
import { factsOfWorld, type Sight } from './facts-of-world.ts';

/** A deletion as the API server carried it out. */
export interface TrueDeletion {
  readonly uid: string;
  readonly name: string;
  readonly atMs: number;
  /** null where it went without a request, as when etcd is restored. */
  readonly user: string | null;
  readonly hasProviderId: boolean;
  /** State of its instance then, and EC2's reason for it; empty for a Node without a providerID. */
  readonly state: string;
  readonly stateReason: string;
}

export interface Watched {
  readonly deletions: readonly TrueDeletion[];
  readonly happenings: readonly Happening[];
  readonly memory: LifecycleMemory;
  readonly looks: number;
  /** Of the cloud controller. */
  readonly release: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Moments at which etcd was restored, by which Nodes come and go without a request. */
  readonly restoredMs: readonly number[];
}

export interface WatchOptions {
  readonly seed: number;
  readonly wishes: Wishes;
  readonly hasAudit: boolean;
  /** How often something cannot be read, as a share of looks. */
  readonly unreadShare: number;
  /** How often the list of Nodes is that of the look before, as a share of looks. */
  readonly staleShare: number;
  /** What a restart leaves of the memory. */
  readonly restart: (memory: LifecycleMemory) => LifecycleMemory;
  /** How often the watch is restarted, as a share of looks. */
  readonly restartShare: number;
}

interface Book {
  readonly deletions: TrueDeletion[];
  readonly requests: NodeDeletionRequest[];
  readonly restoredMs: number[];
}

interface Named {
  readonly uid: string;
  readonly name: string;
  readonly instanceId: string;
}

function named(object: JsonObject): Named {
  return {
    uid: textAt(object, 'metadata.uid') ?? '',
    name: textAt(object, 'metadata.name') ?? '',
    instanceId: (textAt(object, 'spec.providerID') ?? '').split('/').at(-1) ?? '',
  };
}

/** State of an instance and its reason, past all that EC2 hides. */
function stateOf({ simulated }: FaultScene, instanceId: string): readonly [string, string] {
  const instance = simulated.cloud.instance(instanceId);
  if (instance === null) return ['', ''];
  const input = { InstanceIds: [instanceId] };
  const call = { service: 'ec2', operation: 'DescribeInstances', input } as const;
  const answer = simulated.cloud.answer(simulated.admin.identity, call);
  const [item] = answer.ok
    ? listAt(answer.output, 'Reservations').flatMap((one) => listAt(one, 'Instances'))
    : [];
  return [instance.state, textAt(item, 'StateReason.Code') ?? ''];
}

/** Notes each request that takes a Node away, and each Node that goes. */
function note(stage: FaultScene, book: Book): void {
  const { simulated, people } = stage;
  const { api, kernel } = simulated;
  const askedBy = new Map<string, string>();
  const answer = api.answer.bind(api);
  api.answer = (request) => {
    const { verb, path, user } = request;
    const isDeletion = verb === 'delete' && path.plural === 'nodes' && path.subresource === null;
    const before = isDeletion ? people.get('Node', path.name ?? '') : null;
    const given = answer(request);
    if (before === null || given.code !== 200) return given;
    const { uid, name: node } = named(before);
    if (!askedBy.has(uid)) askedBy.set(uid, user.name);
    const agent = user.name === 'kubernetes-admin' ? 'kubectl/v1.34.3' : 'controller';
    const auditId = `${book.requests.length}`;
    const atMs = kernel.nowMs();
    book.requests.push({ auditId, node, uid: null, user: user.name, agent, atMs });
    return given;
  };
  const restore = api.restore.bind(api);
  api.restore = (atMs) => {
    book.restoredMs.push(kernel.nowMs());
    restore(atMs);
  };
  people.follow('Node', (type, object) => {
    if (type !== 'DELETED') return;
    const { uid, name, instanceId } = named(object);
    const [state, stateReason] = stateOf(stage, instanceId);
    const user = askedBy.get(uid) ?? null;
    const hasProviderId = instanceId !== '';
    const atMs = kernel.nowMs();
    book.deletions.push({ uid, name, atMs, user, hasProviderId, state, stateReason });
  });
}

/** Lets the world of a seed happen while the watch looks at it every few seconds. */
export async function watchWorld(options: WatchOptions): Promise<Watched> {
  const { seed, wishes } = options;
  const swarm = drawSwarm(seed, wishes, FAULT_IDS);
  const book: Book = { deletions: [], requests: [], restoredMs: [] };
  const happenings: Happening[] = [];
  let memory = NOTHING_KNOWN;
  let looks = 0;
  let fromMs = 0;
  let untilMs = 0;
  await guardedRun({
    swarm,
    injections: planInjections(swarm, wishes, FAULTS),
    begin(stage) {
      note(stage, book);
      const { simulated, people } = stage;
      const { kernel, world, admin } = simulated;
      const lookedAt = { world, people, identity: admin.identity };
      const random = kernel.random('lifecycle');
      fromMs = kernel.nowMs();
      let before: LifecycleFacts['nodes'] | null = null;
      const look = (): void => {
        const isRestarted = looks > 0 && random.chance(options.restartShare);
        if (isRestarted) memory = options.restart(memory);
        const sight: Sight = {
          isUnbroken: !isRestarted && looks > 0,
          areNodesRead: !random.chance(options.unreadShare),
          areEventsRead: !random.chance(options.unreadShare),
          areInstancesRead: !random.chance(options.unreadShare),
          audits: options.hasAudit ? book.requests : null,
        };
        const facts = factsOfWorld(lookedAt, sight);
        // A cache of the API server may answer with what was there at the last look.
        const isStale = !isRestarted && random.chance(options.staleShare);
        const nodes = isStale ? (before ?? facts.nodes) : facts.nodes;
        const decision = decide(memory, { ...facts, nodes });
        before = facts.nodes;
        memory = decision.memory;
        happenings.push(...decision.happenings);
        untilMs = kernel.nowMs();
        looks++;
        kernel.after(random.between(2000, 20_000), look);
      };
      look();
    },
    look: async () => [],
  });
  const { deletions, restoredMs } = book;
  const release = swarm.world.cluster.cloudController;
  return { release, deletions, happenings, memory, looks, fromMs, untilMs, restoredMs };
}
