import { isReady, type NodeView, nodeView } from '../objects/node.ts';
import { TAINT_SHUTDOWN, taintObject } from '../objects/taints.ts';
import type { CloudParts } from './parts.ts';
import { instanceIdOf, lookUp, type LookUp, stateOf } from './look-up.ts';
import { askLatencyMs, throttleMs } from './timing.ts';

/** What is done about a Node that is not Ready, by what EC2 says. */
export type NodeFate =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'taint-shutdown' }
  | { readonly kind: 'error'; readonly message: string };

/** The decision of the controller for one Node, Ready or not. */
export function verdictOf(found: LookUp, deletesUnknownNames: boolean): NodeFate {
  if (found.kind === 'refused') return { kind: 'error', message: found.message };
  if (found.kind === 'not-found') {
    if (found.by === 'id' || deletesUnknownNames) return { kind: 'delete' };
    return { kind: 'error', message: found.message };
  }
  const state = stateOf(found.instance);
  if (state === 'terminated') return { kind: 'delete' };
  return { kind: state === 'stopped' ? 'taint-shutdown' : 'keep' };
}

/** The cloud-node-lifecycle controller: looks at Nodes that are not Ready, one after another. */
export function runCloudNodeLifecycle(parts: CloudParts): void {
  const { actor } = parts;
  const lifecycle = new CloudNodeLifecycle(parts);
  const again = (): void => {
    lifecycle.monitor(() => actor.after(parts.monitorPeriodMs, again));
  };
  actor.after(actor.random.between(0, parts.monitorPeriodMs), again);
}

class CloudNodeLifecycle {
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  monitor(done: () => void): void {
    const suspects: string[] = [];
    for (const node of this.#parts.nodes.values()) {
      if (!isReady(node)) suspects.push(node.name);
      else if (hasShutdownTaint(node)) this.#removeShutdown(node);
    }
    this.#next(suspects, 0, done);
  }

  #next(names: readonly string[], index: number, done: () => void): void {
    const name = names[index];
    if (name === undefined) {
      done();
      return;
    }
    const { actor, dialect, nodes } = this.#parts;
    const node = nodes.get(name);
    const onDone = (): void => this.#next(names, index + 1, done);
    if (node === undefined) onDone();
    else this.#ask(node, onDone, askLatencyMs(actor.random, dialect));
  }

  #ask(node: NodeView, onDone: () => void, latencyMs: number): void {
    const { actor, cloud, dialect } = this.#parts;
    actor.after(latencyMs / 2, () => {
      const found = lookUp(cloud, node);
      const restMs = latencyMs / 2 + throttleMs(found, this.#parts.actor.random);
      actor.after(restMs, () => {
        this.#warn(node, found);
        this.#act(node, verdictOf(found, dialect.deletesUnknownNames));
        onDone();
      });
    });
  }

  /** By id the batch is tried first, and says so when one of it is unknown. */
  #warn(node: NodeView, found: LookUp): void {
    const { dialect, klog } = this.#parts;
    if (dialect.sdk === 'v1' || found.kind !== 'not-found' || instanceIdOf(node) === null) return;
    const error = found.message.replace(/^failed to get instance by ID \S+: /, '');
    const message = `Error occurred trying to batch describe instance, trying individually, ${error}`;
    klog.print('E', 'describe_instance_batch.go:92', message);
  }

  #act(node: NodeView, verdict: NodeFate): void {
    if (verdict.kind === 'error') this.#error(node, verdict.message);
    if (verdict.kind === 'delete') this.#delete(node);
    if (verdict.kind === 'taint-shutdown') this.#taintShutdown(node);
  }

  #error({ name }: NodeView, message: string): void {
    const { dialect, klog } = this.#parts;
    const place = `node_lifecycle_controller.go:${dialect.lines.checkingExists}`;
    klog.print('E', place, `error checking if node ${name} exists: ${message}`);
  }

  #delete({ name, uid }: NodeView): void {
    const { actor, dialect, klog, recorder } = this.#parts;
    const place = `node_lifecycle_controller.go:${dialect.lines.deleting}`;
    const message = `Deleting node ${name} because it does not exist in the cloud provider`;
    klog.print(
      'I',
      place,
      `deleting node since it is no longer present in cloud provider: ${name}`,
    );
    const { eventApiVersion } = dialect;
    klog.print(
      'I',
      'event.go:389',
      `"Event occurred" object="${name}" kind="Node" apiVersion="${eventApiVersion}" type="Normal" reason="DeletingNode" message="${message}"`,
    );
    recorder.lifecycle.record(
      {
        kind: 'Node',
        name,
        uid,
        ...(eventApiVersion === '' ? {} : { apiVersion: eventApiVersion }),
      },
      { type: 'Normal', reason: 'DeletingNode', message },
    );
    actor.log(`deletes node ${name}`);
    actor.client.delete('Node', name);
  }

  #taintShutdown({ name }: NodeView): void {
    const { actor } = this.#parts;
    const object = actor.client.get('Node', name);
    if (object === null || hasShutdownTaint(nodeView(object))) return;
    const shutdown = { key: TAINT_SHUTDOWN, value: '', effect: 'NoSchedule', timeAdded: null };
    const taints = [...nodeView(object).taints, shutdown].map(taintObject);
    actor.client.patch('Node', name, 'strategic', { spec: { taints } });
  }

  #removeShutdown({ name }: NodeView): void {
    const { actor } = this.#parts;
    const object = actor.client.get('Node', name);
    if (object === null) return;
    const kept = nodeView(object).taints.filter(({ key }) => key !== TAINT_SHUTDOWN);
    const taints = kept.length === 0 ? null : kept.map(taintObject);
    actor.client.patch('Node', name, 'strategic', { spec: { taints } });
  }
}

function hasShutdownTaint({ taints }: NodeView): boolean {
  return taints.some(({ key }) => key === TAINT_SHUTDOWN);
}
