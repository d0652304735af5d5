import type { JsonObject } from '../../../evidence/json.ts';
import type { ApiPath } from '../../kube/contract.ts';
import { microStamp } from '../logs/stamps.ts';
import type { KubeletLog } from './lines.ts';
import type { ApiResult, NodeApi } from './node-api.ts';

/** `nodeLeaseDurationSeconds` (KubeletConfiguration v1beta1). */
const LEASE_SECONDS = 40;
/** The kubelet tries a status update this many times in a row (kubelet.go). */
const STATUS_TRIES = 5;

export interface HeartbeatTask {
  readonly api: NodeApi;
  readonly log: KubeletLog;
  readonly nodeName: string;
  nowMs(): number;
  /** Uid of the Node as the kubelet's own cache has it; null when it is not there. */
  nodeUid(): string | null;
}

/** The Lease of one kubelet, renewed by its own version as long as nobody else touches it. */
export class NodeLease {
  readonly #task: HeartbeatTask;
  #lease: JsonObject | null = null;
  #hasFailed = false;

  constructor(task: HeartbeatTask) {
    this.#task = task;
  }

  /** True when the Lease is renewed or made. */
  renew(): boolean {
    const lease = this.#lease;
    if (lease === null) return this.#ensure();
    const { api, nodeName } = this.#task;
    const answer = api.ask(leasePath(nodeName), (client) => client.update(this.#renewed(lease)));
    if (answer.ok) {
      this.#lease = answer.object;
      this.#hasFailed = false;
      return true;
    }
    this.#refused(answer);
    return false;
  }

  #refused(answer: Extract<ApiResult, { ok: false }>): void {
    const { api, log, nodeName } = this.#task;
    const isRefusal = answer.code === 0 || answer.code === 401 || answer.code === 403;
    const isGone = !isRefusal && !api.get(leaseOf(nodeName)).ok;
    const err = isGone ? goneText(nodeName) : answer.message;
    if (!this.#hasFailed || !isGone)
      log.line('E', 'updateLease', 'Failed to update lease', { err });
    this.#hasFailed = true;
    if (isGone || answer.code === 409) this.#lease = null;
  }

  #ensure(): boolean {
    const { api, log, nodeName } = this.#task;
    const uid = this.#task.nodeUid();
    if (uid === null) {
      const err = `nodes ${JSON.stringify(nodeName)} not found`;
      const message = 'Failed to get node when trying to set owner ref to the node lease';
      log.line('E', 'leaseOwner', message, { err, node: nodeName });
      return false;
    }
    const made = api.ask(leasePath(nodeName), (client) => {
      const existing = client.get('Lease', `kube-node-lease/${nodeName}`);
      return existing === null
        ? client.create(this.#fresh(uid))
        : client.update(this.#renewed(existing));
    });
    if (made.ok) this.#lease = made.object;
    else this.complain(made.message, 7000);
    return made.ok;
  }

  /** What the kubelet says while it cannot have a Lease. */
  complain(err: string, intervalMs: number): void {
    const seconds = intervalMs < 1000 ? `${intervalMs}ms` : `${intervalMs / 1000}s`;
    const values = { err, interval: seconds };
    this.#task.log.line('E', 'ensureLease', 'Failed to ensure lease exists, will retry', values);
  }

  #renewed(lease: JsonObject): JsonObject {
    const spec = lease['spec'] as JsonObject;
    return { ...lease, spec: { ...spec, renewTime: microStamp(this.#task.nowMs()) } };
  }

  #fresh(uid: string): JsonObject {
    const { nodeName } = this.#task;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: nodeName,
        namespace: 'kube-node-lease',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }],
      },
      spec: {
        holderIdentity: nodeName,
        leaseDurationSeconds: LEASE_SECONDS,
        renewTime: microStamp(this.#task.nowMs()),
      },
    };
  }
}

function leaseOf(nodeName: string): ApiPath {
  return {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    namespace: 'kube-node-lease',
    name: nodeName,
    subresource: null,
  };
}

function leasePath(nodeName: string): string {
  return `namespaces/kube-node-lease/leases/${nodeName}`;
}

/** Captured from kubelet 1.36 after its Node was deleted. */
function goneText(nodeName: string): string {
  return `Operation cannot be fulfilled on leases.coordination.k8s.io ${JSON.stringify(nodeName)}: StorageError: invalid object, Code: 4, Key: /registry/leases/kube-node-lease/${nodeName}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 7d1c0f1e-5a0b-4c53-9f0b-1d6a7d0c2b11, UID in object meta: `;
}

/** Five tries of a status update that is refused, and the end of the round. */
export function complainOfStatus({ log }: HeartbeatTask, err: string): void {
  for (let attempt = 0; attempt < STATUS_TRIES; attempt++)
    log.line('E', 'statusRetry', 'Error updating node status, will retry', { err });
  const err2 = 'update node status exceeds retry count';
  log.line('E', 'statusGivenUp', 'Unable to update node status', { err: err2 });
}
