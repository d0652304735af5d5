import { type JsonObject, listAt } from '../../../evidence/json.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import { createWorkQueue, type WorkQueue } from '../running/work-queue.ts';
import type { CloudParts } from './parts.ts';
import { BATCH_MAX, instanceIdOf, lookUp, lookUpAll, type LookUp } from './look-up.ts';
import { cloudAddresses, cloudLabels, initialisation, isUninitialized } from './machine-facts.ts';
import { askLatencyMs, throttleMs } from './timing.ts';

/** How often addresses are compared (nodeStatusUpdateFrequency). */
const ADDRESSES_PERIOD_MS = 5 * 60_000;
/** UpdateNodeSpecBackoff: 20 tries, 50 ms apart and jittered. */
const CONFLICT_TRIES = 20;
const CONFLICT_WAIT_MS = 50;

/** The cloud-node controller: initialises Nodes that a kubelet with an external provider made. */
export function runCloudNode(parts: CloudParts): void {
  const { actor } = parts;
  const initialiser = new CloudNode(parts);
  parts.onNode((type, node) => {
    if (type !== 'DELETED' && isUninitialized(node)) initialiser.queue.add(node.name);
    if (type === 'DELETED') initialiser.queue.forget(node.name);
  });
  actor.every(ADDRESSES_PERIOD_MS, () => initialiser.compareAddresses());
}

class CloudNode {
  readonly queue: WorkQueue;
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
    this.queue = createWorkQueue(parts.actor, (name, done) => this.#sync(name, done));
  }

  /** Asks for many instances at once; for each alone where one of them is not known. */
  compareAddresses(): void {
    const byId = new Map<string, NodeView>();
    for (const node of this.#parts.nodes.values()) {
      const id = isUninitialized(node) ? null : instanceIdOf(node);
      if (id !== null) byId.set(id, node);
    }
    const ids = [...byId.keys()];
    for (let from = 0; from < ids.length; from += BATCH_MAX)
      this.#refresh(ids.slice(from, from + BATCH_MAX), byId);
  }

  #refresh(ids: readonly string[], byId: ReadonlyMap<string, NodeView>): void {
    const found = lookUpAll(this.#parts.cloud, ids);
    for (const id of ids) {
      const node = byId.get(id);
      const instance = found?.get(id) ?? lookUpAll(this.#parts.cloud, [id])?.get(id);
      if (node !== undefined && instance !== undefined) this.#setAddresses(node.object, instance);
    }
  }

  #sync(name: string, done: () => void): void {
    const { actor, dialect, klog, nodes } = this.#parts;
    const node = nodes.get(name);
    if (node === undefined || !isUninitialized(node)) {
      done();
      return;
    }
    const place = `node_controller.go:${dialect.lines.initializing}`;
    klog.print('I', place, `Initializing node ${name} with cloud provider`);
    const latencyMs = askLatencyMs(actor.random, dialect);
    actor.after(latencyMs / 2, () => {
      const found = lookUp(this.#parts.cloud, node);
      const retriesMs = throttleMs(found, this.#parts.actor.random);
      actor.after(latencyMs / 2 + retriesMs, () => {
        this.#answered(name, found);
        done();
      });
    });
  }

  #answered(name: string, found: LookUp): void {
    if (found.kind === 'found') this.#initialise(name, found.instance, CONFLICT_TRIES);
    else this.#requeue(name, this.#failure(name, found));
  }

  #failure(name: string, found: Exclude<LookUp, { readonly kind: 'found' }>): string {
    if (found.kind === 'not-found' && found.by === 'name')
      return this.#parts.dialect.notFound.replace('NAME', name);
    return `failed to get instance metadata for node ${name}: ${found.message}`;
  }

  #requeue(name: string, failure: string): void {
    const { dialect, klog } = this.#parts;
    const message = `error syncing '${name}': ${failure}, requeuing`;
    const place = `node_controller.go:${dialect.lines.errorSyncing}`;
    klog.print(dialect.sdk === 'v1' ? 'E' : 'I', place, message);
    if (dialect.sdk === 'v2') {
      const structured = `"Unhandled Error" err=${JSON.stringify(message)} logger="UnhandledError"`;
      klog.print('E', `node_controller.go:${dialect.lines.unhandled}`, structured);
    }
    this.queue.addRateLimited(name);
  }

  #initialise(name: string, instance: JsonObject, tries: number): void {
    const { actor, cloud } = this.#parts;
    const object = actor.client.get('Node', name);
    if (object === null) return;
    const node = nodeView(object);
    if (!isUninitialized(node)) return;
    const patch = initialisation(node, instance, cloud.aws.region);
    const outcome = actor.client.patch('Node', name, 'strategic', patch);
    if (outcome.ok) this.#initialised(outcome.object, instance);
    else if (outcome.failure.code === 409 && tries > 1)
      actor.after(CONFLICT_WAIT_MS * (1 + actor.random.next()), () =>
        this.#initialise(name, instance, tries - 1),
      );
    else this.#requeue(name, outcome.failure.message);
  }

  #initialised(object: JsonObject, instance: JsonObject): void {
    const { dialect, klog, cloud, recorder } = this.#parts;
    const { name, uid } = nodeView(object);
    this.queue.forget(name);
    this.#setAddresses(object, instance);
    const labels = Object.entries(cloudLabels(instance, cloud.aws.region));
    const place = `node_controller.go:${dialect.lines.initialized}`;
    for (const [key, value] of labels)
      klog.print('I', place, `Adding node label from cloud provider: ${key}=${value}`);
    klog.print('I', place, `Successfully initialized node ${name} with cloud provider`);
    recorder.cloudNode.record(
      { kind: 'Node', name, uid, apiVersion: dialect.eventApiVersion },
      { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' },
    );
  }

  #setAddresses(object: JsonObject, instance: JsonObject): void {
    const addresses = cloudAddresses(instance);
    if (JSON.stringify(listAt(object, 'status.addresses')) === JSON.stringify(addresses)) return;
    const { name } = nodeView(object);
    const patch = { status: { addresses: addresses.map((address) => ({ ...address })) } };
    this.#parts.actor.client.patch('Node', name, 'merge', patch, 'status');
  }
}
