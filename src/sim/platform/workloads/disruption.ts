import { SELECTOR } from '../../../evidence/kube/object.ts';
import { project } from '../../../evidence/project.ts';
import { at, type JsonObject, textAt, textsAt } from '../../../evidence/json.ts';
import { selects } from '../../../domain/pods/label-selector.ts';
import type { World } from '../../world.ts';
import { conditionOf, controllerOf, keyOf, labelsOf, namespaceOf } from '../objects/meta.ts';
import { type PodView, podView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import {
  type Actor,
  type ActorOptions,
  type Cache,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue, type WorkQueue } from '../running/work-queue.ts';
import { objectAt } from './daemon-placement.ts';
import {
  type BudgetStatus,
  budgetStatus,
  EVICTION_TIMEOUT_MS,
  stillDisrupted,
} from './disruption-rules.ts';
import { replicasOf } from './replica-set.ts';

/** The disruption controller: how many pods a PodDisruptionBudget lets go at the moment. */
export function startDisruptionController(world: World, options: ActorOptions = {}): Running {
  const name = 'disruption-controller';
  return new DisruptionController(createActor(world, name, controllerUser(name), options));
}

class DisruptionController implements Running {
  readonly #actor: Actor;
  readonly #queue: WorkQueue;
  readonly #budgets: Cache;
  readonly #replicaSets: Cache;
  readonly #deployments: Cache;
  readonly #pods = new Map<string, PodView>();

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#queue = createSyncQueue(actor, (key) => this.#sync(key));
    this.#replicaSets = cacheOf(actor, 'ReplicaSet', keyOf);
    this.#deployments = cacheOf(actor, 'Deployment', keyOf);
    this.#budgets = cacheOf(actor, 'PodDisruptionBudget', keyOf, (_type, budget) =>
      this.#queue.add(keyOf(budget)),
    );
    actor.follow('Pod', (type, object, before) => this.#onPod(type, object, before));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onPod(type: string, object: JsonObject, before: JsonObject | null): void {
    const pod = podView(object);
    if (type === 'DELETED') this.#pods.delete(pod.uid);
    else this.#pods.set(pod.uid, pod);
    const known = before === null ? null : podView(before);
    const isSame = known?.isReady === pod.isReady && known.isTerminating === pod.isTerminating;
    if (isSame && type === 'MODIFIED') return;
    for (const budget of this.#budgets.values())
      if (isOf(budget, pod)) this.#queue.add(keyOf(budget));
  }

  #sync(key: string): void {
    const budget = this.#budgets.get(key);
    if (budget === undefined) return;
    const pods = [...this.#pods.values()].filter((pod) => !pod.isOver && isOf(budget, pod));
    const nowMs = this.#actor.kernel.nowMs();
    const entries = textsAt(budget, 'status.disruptedPods');
    const disrupted = stillDisrupted(entries, pods, nowMs);
    if (disrupted.size > 0) this.#queue.addAfter(key, EVICTION_TIMEOUT_MS);
    const found = budgetStatus(budget, pods, this.#replicasOf(pods), disrupted);
    const disruptedPods = Object.fromEntries(
      [...disrupted.keys()].map((name) => [name, entries[name] ?? '']),
    );
    this.#tell(budget, { ...found, disruptedPods });
  }

  /** What the Deployments and ReplicaSets of these pods ask for together. */
  #replicasOf(pods: readonly PodView[]): number {
    const scales = new Map<string, number>();
    for (const { namespace, owner } of pods) {
      const set = this.#replicaSets.get(`${namespace}/${owner?.name ?? ''}`);
      if (set === undefined) continue;
      const above = this.#deployments.get(`${namespace}/${controllerOf(set)?.name ?? ''}`);
      const scaled = above ?? set;
      scales.set(keyOf(scaled), replicasOf(scaled));
    }
    return [...scales.values()].reduce((total, replicas) => total + replicas, 0);
  }

  #tell(budget: JsonObject, found: BudgetStatus & { readonly disruptedPods: JsonObject }): void {
    const isAllowed = found.disruptionsAllowed > 0;
    const known = conditionOf(budget, 'DisruptionAllowed');
    const wanted = isAllowed ? 'True' : 'False';
    const status = {
      ...found,
      observedGeneration: Number(textAt(budget, 'metadata.generation') ?? 1),
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: wanted,
          reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
          message: '',
          lastTransitionTime:
            known?.status === wanted
              ? known.lastTransitionTime
              : timestamp(this.#actor.kernel.nowMs()),
        },
      ],
    };
    if (isWritten(objectAt(budget, 'status'), status)) return;
    const outcome = this.#actor.client.updateStatus({ ...budget, status });
    if (!outcome.ok && outcome.failure.code === 409) this.#queue.addRateLimited(keyOf(budget));
    else this.#queue.forget(keyOf(budget));
  }
}

/** What the API server adds by itself does not count. */
function isWritten(known: JsonObject, wanted: JsonObject): boolean {
  const empty = { disruptedPods: {}, ...known };
  return Object.keys(wanted).every(
    (key) => JSON.stringify((empty as JsonObject)[key]) === JSON.stringify(wanted[key]),
  );
}

function isOf(budget: JsonObject, pod: PodView): boolean {
  if (namespaceOf(budget) !== pod.namespace) return false;
  const selector = project(SELECTOR, at(budget, 'spec.selector') ?? null);
  return selector !== undefined && selects(selector, labelsOf(pod.object));
}
