import type { JsonObject } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { isTerminating, keyOf, nameOf, uidOf } from '../objects/meta.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
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
import { DaemonLedger, shareOf } from './daemon-ledger.ts';
import { placementOn } from './daemon-placement.ts';
import { daemonPod, revisionOf, surplusOf } from './daemon-pod.ts';
import { daemonStatus, isSameStatus, rolledOut } from './daemon-status.ts';
import {
  createOwnedPods,
  DAEMON_BURST,
  Expectations,
  type OwnedPods,
  placeOf,
} from './owned-pods.ts';

const FAILED_FIRST_MS = 1000;
const FAILED_MAX_MS = 15 * 60_000;
const SYNC_MS = 2;
const NOWHERE = { shouldRun: false, mayStay: false } as const;

/** The DaemonSet controller: a pod for each node that it is meant for, as soon as the node is there. */
export function startDaemonSetController(world: World, options: ActorOptions = {}): Running {
  const name = 'daemon-set-controller';
  const actor = createActor(world, name, controllerUser(name), options);
  return new DaemonSetController(actor);
}

interface Plan {
  readonly creations: readonly string[];
  readonly deletions: readonly PodView[];
}

class DaemonSetController implements Running {
  readonly #actor: Actor;
  readonly #queue: WorkQueue;
  readonly #recorder: EventRecorder;
  readonly #nodes = new Map<string, NodeView>();
  readonly #daemonSets: Cache;
  readonly #keys = new Map<string, string>();
  readonly #ledgers = new Map<string, DaemonLedger>();
  readonly #pods: OwnedPods = createOwnedPods('DaemonSet');
  readonly #expectations = new Expectations();
  readonly #failures = new FailedPods();

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#recorder = createEventRecorder(actor, 'daemonset-controller');
    this.#queue = createSyncQueue(actor, (key) => this.#sync(key), { syncMs: () => SYNC_MS });
    this.#daemonSets = cacheOf(actor, 'DaemonSet', keyOf, (type, object) =>
      this.#onDaemonSet(type, object),
    );
    actor.follow('Node', (type, object, before) => this.#onNode(type, object, before));
    actor.follow('Pod', (type, object) => this.#onPod(type, object));
  }

  stop(): void {
    this.#actor.stop();
  }

  #onDaemonSet(type: string, object: JsonObject): void {
    if (type === 'DELETED') this.#keys.delete(uidOf(object));
    else this.#keys.set(uidOf(object), keyOf(object));
    this.#queue.add(keyOf(object));
  }

  #onNode(type: string, object: JsonObject, before: JsonObject | null): void {
    const node = nodeView(object);
    if (type === 'DELETED') this.#nodes.delete(node.name);
    else this.#nodes.set(node.name, node);
    for (const daemonSet of this.#daemonSets.values())
      if (type === 'DELETED' || this.#isMoved(daemonSet, node, before)) {
        this.#ledgerOf(daemonSet).touch(node.name);
        this.#queue.add(keyOf(daemonSet));
      }
  }

  #isMoved(daemonSet: JsonObject, node: NodeView, before: JsonObject | null): boolean {
    const now = placementOn(daemonSet, node);
    if (before === null) return true;
    const then = placementOn(daemonSet, nodeView(before));
    return now.shouldRun !== then.shouldRun || now.mayStay !== then.mayStay;
  }

  #onPod(type: string, object: JsonObject): void {
    const ownerUid = this.#pods.onChange(type, object);
    if (ownerUid === null) return;
    const pod = podView(object);
    this.#expectations.seen(ownerUid, type, pod);
    this.#ledgers.get(ownerUid)?.touch(placeOf(pod));
    const key = this.#keys.get(ownerUid);
    if (key !== undefined) this.#queue.add(key);
  }

  /** A new template is a reason to look at every node again. */
  #ledgerOf(daemonSet: JsonObject): DaemonLedger {
    const uid = uidOf(daemonSet);
    const ledger = this.#ledgers.get(uid) ?? new DaemonLedger();
    this.#ledgers.set(uid, ledger);
    const hash = revisionOf(daemonSet);
    if (ledger.hash !== hash) {
      for (const name of this.#nodes.keys()) ledger.touch(name);
      for (const name of this.#pods.byNode(uid).keys()) ledger.touch(name);
    }
    ledger.hash = hash;
    return ledger;
  }

  #sync(key: string): void {
    const daemonSet = this.#daemonSets.get(key);
    if (daemonSet === undefined || isTerminating(daemonSet)) return;
    const ledger = this.#ledgerOf(daemonSet);
    const byNode = this.#pods.byNode(uidOf(daemonSet));
    ledger.refresh((name) => {
      const node = this.#nodes.get(name);
      if (node === undefined) return null;
      return shareOf(placementOn(daemonSet, node), byNode.get(name) ?? [], ledger.hash);
    });
    if (this.#expectations.areMet(uidOf(daemonSet), this.#actor.kernel.nowMs()))
      this.#act(daemonSet, this.#planFor(daemonSet, ledger));
    const status = daemonStatus(daemonSet, ledger);
    if (!isSameStatus(daemonSet, status)) this.#actor.client.updateStatus({ ...daemonSet, status });
  }

  #planFor(daemonSet: JsonObject, ledger: DaemonLedger): Plan {
    const byNode = this.#pods.byNode(uidOf(daemonSet));
    const creations: string[] = [];
    const deletions: PodView[] = [];
    for (const name of ledger.takeUnsettled()) {
      const pods = byNode.get(name) ?? [];
      const node = this.#nodes.get(name);
      const { shouldRun, mayStay } = node === undefined ? NOWHERE : placementOn(daemonSet, node);
      if (shouldRun && pods.length === 0) creations.push(name);
      const isLeft = (pod: PodView): boolean => node !== undefined || pod.spec.nodeName === '';
      if (!mayStay) deletions.push(...pods.filter((pod) => !pod.isTerminating && isLeft(pod)));
      else deletions.push(...surplusOf(pods), ...this.#failed(daemonSet, name, pods));
    }
    for (const name of creations.slice(DAEMON_BURST)) ledger.touch(name);
    if (ledger.total.outdated > 0) deletions.push(...this.#outdated(daemonSet, ledger));
    return { creations: creations.slice(0, DAEMON_BURST), deletions };
  }

  #outdated(daemonSet: JsonObject, { hash }: DaemonLedger): readonly PodView[] {
    const wanted: (readonly PodView[])[] = [];
    const byNode = this.#pods.byNode(uidOf(daemonSet));
    for (const node of this.#nodes.values())
      if (placementOn(daemonSet, node).shouldRun) wanted.push(byNode.get(node.name) ?? []);
    return rolledOut(daemonSet, hash, wanted);
  }

  /** The failed pods whose back-off is over; the others are looked at again when it is. */
  #failed(daemonSet: JsonObject, nodeName: string, pods: readonly PodView[]): readonly PodView[] {
    const nowMs = this.#actor.kernel.nowMs();
    return pods.filter((pod) => {
      if (pod.phase !== 'Failed' || pod.isTerminating) return false;
      const waitMs = this.#failures.waitMs(`${uidOf(daemonSet)}/${nodeName}`, pod.uid, nowMs);
      if (waitMs === 0) return true;
      this.#actor.after(waitMs, () => {
        this.#ledgerOf(daemonSet).touch(nodeName);
        this.#queue.add(keyOf(daemonSet));
      });
      recordAbout(this.#recorder, daemonSet, {
        type: 'Warning',
        reason: 'FailedDaemonPod',
        message: `Found failed daemon pod ${pod.key} on node ${nodeName}, will try to kill it`,
      });
      return false;
    });
  }

  #act(daemonSet: JsonObject, { creations, deletions }: Plan): void {
    if (creations.length === 0 && deletions.length === 0) return;
    const uids = deletions.map(({ uid }) => uid);
    const nowMs = this.#actor.kernel.nowMs();
    this.#expectations.expect(uidOf(daemonSet), creations.length, uids, nowMs);
    for (const nodeName of creations) this.#create(daemonSet, nodeName);
    for (const pod of deletions) this.#delete(daemonSet, pod);
  }

  #create(daemonSet: JsonObject, nodeName: string): void {
    const outcome = this.#actor.client.create(daemonPod(daemonSet, nodeName));
    if (!outcome.ok) this.#expectations.creationRefused(uidOf(daemonSet));
    recordAbout(this.#recorder, daemonSet, {
      type: outcome.ok ? 'Normal' : 'Warning',
      reason: outcome.ok ? 'SuccessfulCreate' : 'FailedCreate',
      message: outcome.ok
        ? `Created pod: ${nameOf(outcome.object)}`
        : `Error creating: ${outcome.failure.message}`,
    });
    if (outcome.ok) return;
    this.#ledgerOf(daemonSet).touch(nodeName);
    this.#queue.addRateLimited(keyOf(daemonSet));
  }

  #delete(daemonSet: JsonObject, pod: PodView): void {
    const outcome = this.#actor.client.delete('Pod', pod.key, { uid: pod.uid });
    if (!outcome.ok) return;
    recordAbout(this.#recorder, daemonSet, {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.name}`,
    });
  }
}

/** FailedPodsBackoff: 1 s for the first failure on a node, doubled up to 15 min. */
class FailedPods {
  readonly #times = new Map<string, number>();
  readonly #dueMs = new Map<string, number>();

  /** How long a failed pod still stays, ms; 0 when it is to go now. */
  waitMs(place: string, podUid: string, nowMs: number): number {
    const known = this.#dueMs.get(podUid);
    if (known !== undefined) return Math.max(0, known - nowMs);
    const times = this.#times.get(place) ?? 0;
    const waitMs = Math.min(FAILED_FIRST_MS * 2 ** times, FAILED_MAX_MS);
    this.#times.set(place, times + 1);
    this.#dueMs.set(podUid, nowMs + waitMs);
    return waitMs;
  }
}
