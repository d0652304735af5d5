import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import {
  controllerOf,
  controllerReference,
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  uidOf,
} from '../objects/meta.ts';
import { templateHash } from '../objects/template-hash.ts';
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
import { deploymentConditions } from './deployment-conditions.ts';
import { replicasOf } from './replica-set.ts';

const HASH_LABEL = 'pod-template-hash';
/** maxSurge and maxUnavailable of a rolling update that says none. */
const ROLLING_DEFAULT = '25%';

/** The Deployment controller: a ReplicaSet for each template, rolled over step by step. */
export function startDeploymentController(world: World, options: ActorOptions = {}): Running {
  const name = 'deployment-controller';
  return new DeploymentController(createActor(world, name, controllerUser(name), options));
}

class DeploymentController implements Running {
  readonly #actor: Actor;
  readonly #queue: WorkQueue;
  readonly #recorder: EventRecorder;
  readonly #deployments: Cache;
  readonly #owned = new Map<string, Map<string, JsonObject>>();

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#recorder = createEventRecorder(actor, 'deployment-controller');
    this.#queue = createSyncQueue(actor, (key) => this.#sync(key));
    this.#deployments = cacheOf(actor, 'Deployment', keyOf, (_type, object) =>
      this.#queue.add(keyOf(object)),
    );
    actor.follow('ReplicaSet', (type, object) => this.#onReplicaSet(type, object));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onReplicaSet(type: string, object: JsonObject): void {
    const owner = controllerOf(object);
    if (owner === null || owner.kind !== 'Deployment') return;
    const owned = this.#owned.get(owner.uid) ?? new Map<string, JsonObject>();
    if (type === 'DELETED') owned.delete(uidOf(object));
    else owned.set(uidOf(object), object);
    this.#owned.set(owner.uid, owned);
    this.#queue.add(`${namespaceOf(object)}/${owner.name}`);
  }

  #sync(key: string): void {
    const deployment = this.#deployments.get(key);
    if (deployment === undefined || isTerminating(deployment)) return;
    const all = [...(this.#owned.get(uidOf(deployment))?.values() ?? [])];
    const hash = templateHash(objectAt(deployment, 'spec.template'));
    const current = all.find((set) => textAt(set, `metadata.labels.${HASH_LABEL}`) === hash);
    const old = all.filter((set) => set !== current);
    if (current === undefined) this.#create(deployment, hash, old);
    else this.#roll(deployment, current, old);
    this.#tell(deployment, current, all);
  }

  #create(deployment: JsonObject, hash: string, old: readonly JsonObject[]): void {
    const { desired, surge } = boundsOf(deployment);
    const replicas = Math.max(0, Math.min(desired, desired + surge - sum(old, 'spec.replicas')));
    const outcome = this.#actor.client.create(replicaSetOf(deployment, hash, replicas));
    if (outcome.ok) this.#scaled(deployment, outcome.object, 'up', 0, replicas);
  }

  /** First more of the new one, then fewer of the old ones, within surge and unavailable. */
  #roll(deployment: JsonObject, current: JsonObject, old: readonly JsonObject[]): void {
    const { desired, surge, unavailable } = boundsOf(deployment);
    const now = replicasOf(current);
    const room = desired + surge - now - sum(old, 'spec.replicas');
    const wanted = now > desired ? desired : Math.min(desired, now + Math.max(0, room));
    if (wanted !== now) this.#scale(deployment, current, wanted);
    const all = wanted + sum(old, 'spec.replicas');
    const missing = wanted - Number(textAt(current, 'status.availableReplicas') ?? 0);
    const budget = all - (desired - unavailable) - missing;
    if (budget > 0) this.#shrink(deployment, [current, ...old], desired - unavailable, budget);
  }

  /** Old pods that are of no use first, then useful ones as far as others take their place. */
  #shrink(
    deployment: JsonObject,
    [current, ...old]: readonly JsonObject[],
    availableMin: number,
    budget: number,
  ): void {
    const isUsed = current === undefined ? old : [current, ...old];
    let spare = sum(isUsed, 'status.availableReplicas') - availableMin;
    let left = budget;
    for (const set of old) {
      const has = replicasOf(set);
      const idle = Math.max(0, has - Number(textAt(set, 'status.availableReplicas') ?? 0));
      const fewer = Math.min(has, left, Math.max(0, spare) + idle);
      spare -= Math.max(0, fewer - idle);
      left -= fewer;
      if (fewer > 0) this.#scale(deployment, set, has - fewer);
    }
  }

  #scale(deployment: JsonObject, replicaSet: JsonObject, to: number): void {
    const from = replicasOf(replicaSet);
    const patch = { spec: { replicas: to } };
    const outcome = this.#actor.client.patch('ReplicaSet', keyOf(replicaSet), 'merge', patch);
    if (outcome.ok) this.#scaled(deployment, replicaSet, to > from ? 'up' : 'down', from, to);
  }

  #scaled(
    deployment: JsonObject,
    replicaSet: JsonObject,
    direction: 'up' | 'down',
    from: number,
    to: number,
  ): void {
    recordAbout(this.#recorder, deployment, {
      type: 'Normal',
      reason: 'ScalingReplicaSet',
      message: `Scaled ${direction} replica set ${nameOf(replicaSet)} from ${from} to ${to}`,
    });
  }

  #tell(deployment: JsonObject, current: JsonObject | undefined, all: readonly JsonObject[]): void {
    const { desired, unavailable } = boundsOf(deployment);
    const before = objectAt(deployment, 'status');
    const rollout = {
      desired,
      unavailable,
      available: sum(all, 'status.availableReplicas'),
      all: sum(all, 'status.replicas'),
      updated: Number(textAt(current, 'status.replicas') ?? 0),
      replicaSet: current === undefined ? null : nameOf(current),
    };
    const status = {
      ...before,
      observedGeneration: Number(textAt(deployment, 'metadata.generation') ?? 1),
      replicas: rollout.all,
      updatedReplicas: rollout.updated,
      readyReplicas: sum(all, 'status.readyReplicas'),
      availableReplicas: rollout.available,
      unavailableReplicas: Math.max(0, desired - rollout.available),
      conditions: deploymentConditions(before, rollout, this.#actor.kernel.nowMs()),
    };
    if (!isSameStatus(deployment, status))
      this.#actor.client.updateStatus({ ...deployment, status });
  }
}

function sum(sets: readonly JsonObject[], path: string): number {
  return sets.reduce((total, set) => total + Number(textAt(set, path) ?? 0), 0);
}

interface Bounds {
  readonly desired: number;
  readonly surge: number;
  readonly unavailable: number;
}

function boundsOf(deployment: JsonObject): Bounds {
  const desired = replicasOf(deployment);
  if (textAt(deployment, 'spec.strategy.type') === 'Recreate')
    return { desired, surge: 0, unavailable: desired };
  const rolling = 'spec.strategy.rollingUpdate';
  return {
    desired,
    surge: share(textAt(deployment, `${rolling}.maxSurge`), desired, Math.ceil),
    unavailable: share(textAt(deployment, `${rolling}.maxUnavailable`), desired, Math.floor),
  };
}

function share(text: string | null, of: number, round: (value: number) => number): number {
  const wanted = text ?? ROLLING_DEFAULT;
  const number = Number.parseInt(wanted, 10);
  return wanted.endsWith('%') ? round((of * number) / 100) : number;
}

function replicaSetOf(deployment: JsonObject, hash: string, replicas: number): JsonObject {
  const template = objectAt(deployment, 'spec.template');
  const labels = { ...objectAt(template, 'metadata.labels'), [HASH_LABEL]: hash };
  const selector = objectAt(deployment, 'spec.selector');
  const matchLabels = { ...objectAt(selector, 'matchLabels'), [HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${nameOf(deployment)}-${hash}`,
      namespace: namespaceOf(deployment),
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
    },
  };
}
