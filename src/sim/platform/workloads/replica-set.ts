import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import {
  controllerReference,
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  uidOf,
} from '../objects/meta.ts';
import { type PodView, podView } from '../objects/pod.ts';
import {
  type Actor,
  type ActorOptions,
  type Cache,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createEventRecorder, type EventRecorder, recordAbout } from '../running/event-recorder.ts';
import { createSyncQueue, type WorkQueue } from '../running/work-queue.ts';
import { objectAt } from './daemon-placement.ts';
import { isSameStatus } from './daemon-status.ts';
import { createOwnedPods, Expectations, type OwnedPods, REPLICA_BURST } from './owned-pods.ts';

/** One look at a ReplicaSet takes longer the more pods it has. */
const SYNC_MS = 1;
const PODS_PER_MS = 100;

/** The ReplicaSet controller: as many pods as asked for, wherever the scheduler puts them. */
export function startReplicaSetController(world: World, options: ActorOptions = {}): Running {
  const name = 'replicaset-controller';
  return new ReplicaSetController(createActor(world, name, controllerUser(name), options));
}

class ReplicaSetController implements Running {
  readonly #actor: Actor;
  readonly #queue: WorkQueue;
  readonly #recorder: EventRecorder;
  readonly #replicaSets: Cache;
  readonly #keys = new Map<string, string>();
  readonly #pods: OwnedPods = createOwnedPods('ReplicaSet');
  readonly #expectations = new Expectations();
  #syncMs = SYNC_MS;

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#recorder = createEventRecorder(actor, 'replicaset-controller');
    this.#queue = createSyncQueue(actor, (key) => this.#sync(key), { syncMs: () => this.#syncMs });
    this.#replicaSets = cacheOf(actor, 'ReplicaSet', keyOf, (_type, object) => {
      this.#keys.set(uidOf(object), keyOf(object));
      this.#queue.add(keyOf(object));
    });
    actor.follow('Pod', (type, object) => this.#onPod(type, object));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onPod(type: string, object: JsonObject): void {
    const ownerUid = this.#pods.onChange(type, object);
    if (ownerUid === null) return;
    this.#expectations.seen(ownerUid, type, podView(object));
    const key = this.#keys.get(ownerUid);
    if (key !== undefined) this.#queue.add(key);
  }

  #sync(key: string): void {
    const replicaSet = this.#replicaSets.get(key);
    if (replicaSet === undefined) return;
    const pods = [...this.#pods.of(uidOf(replicaSet)).values()].filter(isActive);
    this.#syncMs = SYNC_MS + pods.length / PODS_PER_MS;
    const nowMs = this.#actor.kernel.nowMs();
    const isFree = this.#expectations.areMet(uidOf(replicaSet), nowMs);
    if (isFree && !isTerminating(replicaSet)) this.#act(replicaSet, pods);
    this.#tell(replicaSet, pods);
  }

  #act(replicaSet: JsonObject, pods: readonly PodView[]): void {
    const missing = replicasOf(replicaSet) - pods.length;
    if (missing === 0) return;
    const creations = Math.min(Math.max(0, missing), REPLICA_BURST);
    const surplus = missing < 0 ? leastWorth(pods).slice(0, -missing) : [];
    const uids = surplus.map(({ uid }) => uid);
    this.#expectations.expect(uidOf(replicaSet), creations, uids, this.#actor.kernel.nowMs());
    for (let index = 0; index < creations; index++) this.#create(replicaSet);
    for (const pod of surplus) this.#delete(replicaSet, pod);
  }

  #create(replicaSet: JsonObject): void {
    const outcome = this.#actor.client.create(replicaPod(replicaSet));
    recordAbout(this.#recorder, replicaSet, {
      type: outcome.ok ? 'Normal' : 'Warning',
      reason: outcome.ok ? 'SuccessfulCreate' : 'FailedCreate',
      message: outcome.ok
        ? `Created pod: ${nameOf(outcome.object)}`
        : `Error creating: ${outcome.failure.message}`,
    });
    if (outcome.ok) return;
    this.#expectations.creationRefused(uidOf(replicaSet));
    this.#queue.addRateLimited(keyOf(replicaSet));
  }

  #delete(replicaSet: JsonObject, pod: PodView): void {
    const outcome = this.#actor.client.delete('Pod', pod.key, { uid: pod.uid });
    if (!outcome.ok) return;
    recordAbout(this.#recorder, replicaSet, {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.name}`,
    });
  }

  #tell(replicaSet: JsonObject, pods: readonly PodView[]): void {
    const ready = pods.filter(({ isReady }) => isReady).length;
    const status = {
      ...objectAt(replicaSet, 'status'),
      replicas: pods.length,
      fullyLabeledReplicas: pods.length,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: Number(textAt(replicaSet, 'metadata.generation') ?? 1),
    };
    if (!isSameStatus(replicaSet, status))
      this.#actor.client.updateStatus({ ...replicaSet, status });
  }
}

function isActive(pod: PodView): boolean {
  return !pod.isOver && !pod.isTerminating;
}

export function replicasOf(object: JsonObject): number {
  return Number(textAt(object, 'spec.replicas') ?? 1);
}

/** ActivePodsWithRanks: without a node first, then pending, then not ready. */
function leastWorth(pods: readonly PodView[]): readonly PodView[] {
  return pods.toSorted((one, other) => worth(one) - worth(other));
}

function worth(pod: PodView): number {
  return (
    (pod.spec.nodeName === '' ? 0 : 4) + (pod.phase === 'Running' ? 2 : 0) + (pod.isReady ? 1 : 0)
  );
}

function replicaPod(replicaSet: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...objectAt(replicaSet, 'spec.template.metadata'),
      generateName: `${nameOf(replicaSet)}-`,
      namespace: namespaceOf(replicaSet),
      ownerReferences: [controllerReference(replicaSet)],
    },
    spec: objectAt(replicaSet, 'spec.template.spec'),
  };
}
