import { textAt } from '../../evidence/json.ts';
import type { FaultScene } from '../faults/contract.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { SimulatedMachine } from '../machines/contract.ts';
import type { Marks } from '../marks/marks.ts';
import { type EffectBook, effectsOfNode } from '../oracle/effects.ts';
import { nodeOfInstance } from '../oracle/states.ts';
import type { KnownTruth, Truths } from '../oracle/truths.ts';
import { isReady, nodeView } from '../platform/objects/node.ts';

/** What a world does by itself, as its maker sees it. */
export interface History {
  /** Machines that have had a Node. */
  readonly joins: () => number;
}

export interface HistoryBooks {
  readonly truths: Truths;
  readonly marks: Marks;
  readonly effects: EffectBook;
}

/** Faults by which people take a Node away, or what was before it comes back. */
const BY_PEOPLE = /^F(?:13|23|38)\./;

/** Between a deletion and its being heard of, ms. */
const SAME_MOMENT_MS = 1000;

/** Of a machine that no cloud controller finds by its name: then that is why its Node goes. */
const MISNAMED = 'hostname-without-domain';

const CONTROLLERS = new Set(['1.29', '1.34', '1.37']);

/** Follows Nodes; each change costs one look at one machine. */
export function followHistory(stage: FaultScene, books: HistoryBooks): History {
  const { people, simulated } = stage;
  const follower = new HistoryFollower(stage, books);
  people.follow('Node', (type, node) => {
    if (type === 'DELETED') follower.deleted(node);
    else follower.seen(node, type === 'ADDED');
  });
  // Machines of the control plane were there before, and may have lost their Node by now.
  const nodes = people.list('Node');
  for (const machine of simulated.hypervisor.machines()) {
    const name = machine.nodeName();
    const node = nodeOfInstance(nodes, machine.instanceId, name);
    if (node !== null) follower.seen(node, false);
    else if (name !== null) follower.lost(machine, null);
  }
  return { joins: () => follower.joined.size };
}

class HistoryFollower {
  readonly joined = new Set<string>();
  readonly #gone = new Set<string>();
  readonly #wereReady = new Set<string>();
  /** Machines by the names of Nodes, also of those that have another name by now. */
  readonly #owners = new Map<string, SimulatedMachine>();
  readonly #stage: FaultScene;
  readonly #books: HistoryBooks;

  constructor(stage: FaultScene, books: HistoryBooks) {
    this.#stage = stage;
    this.#books = books;
  }

  seen(node: KubeObject, isNew: boolean): void {
    const machine = this.#ownerOf(node);
    if (machine === null) return;
    const { instanceId } = machine;
    const { marks, effects } = this.#books;
    if (isNew && this.#gone.delete(instanceId)) marks.reach('node-came-back');
    if (isNew) this.joined.add(instanceId);
    if (isReady(nodeView(node))) this.#wereReady.add(instanceId);
    effects.see(instanceId, effectsOfNode(node), this.#nowMs());
  }

  deleted(node: KubeObject): void {
    const machine = this.#ownerOf(node);
    if (machine === null) return;
    this.#gone.add(machine.instanceId);
    if (machine.unit('kubelet') === 'running')
      this.#books.marks.reach('node-deleted-while-kubelet-runs');
    this.lost(machine, node);
  }

  /** @param node null where it was lost before anybody saw it */
  lost({ instanceId }: SimulatedMachine, node: KubeObject | null): void {
    const { truths, effects } = this.#books;
    const { simulated } = this.#stage;
    const atMs = this.#nowMs();
    effects.see(instanceId, ['deleted'], atMs);
    const known = truths.of(instanceId);
    const isByPeople = known.some(
      ({ of, fromMs }) => BY_PEOPLE.test(of) && atMs - fromMs < SAME_MOMENT_MS,
    );
    if (isByPeople || !CONTROLLERS.has(simulated.setting.cluster.cloudController)) return;
    effects.see(instanceId, ['deleted', 'deleted-by-controller'], atMs);
    // A machine that stands still is still one that the cloud controller should have found.
    if (simulated.cloud.instance(instanceId)?.state !== 'running') return;
    if (known.some(({ causes }) => causes.includes(MISNAMED))) return;
    const isYoung = node !== null && !this.#wereReady.has(instanceId);
    truths.add(deletionOf(instanceId, isYoung, atMs));
  }

  #ownerOf(node: KubeObject): SimulatedMachine | null {
    const name = textAt(node, 'metadata.name') ?? '';
    const machine =
      this.#stage.simulated.hypervisor.machineOfNode(name) ?? this.#owners.get(name) ?? null;
    if (machine !== null) this.#owners.set(name, machine);
    return machine;
  }

  #nowMs(): number {
    return this.#stage.simulated.kernel.nowMs();
  }
}

/** The cloud controller has deleted a Node of a machine that is there and does not register again. */
function deletionOf(instanceId: string, isYoung: boolean, atMs: number): KnownTruth {
  const young = isYoung ? ['instance-not-yet-visible-in-ec2'] : [];
  return {
    causes: ['node-deleted-as-not-in-cloud', ...young],
    machines: [instanceId],
    shows: ['deleted'],
    of: 'course',
    fromMs: atMs,
    untilMs: atMs,
  };
}
