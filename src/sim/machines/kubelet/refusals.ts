import { type KubeletLog, sayNodeNotFound } from './lines.ts';
import type { ApiResult } from './node-api.ts';

export interface RefusalTask {
  readonly log: KubeletLog;
  readonly nodeName: string;
  /** As the API server knows the kubelet. */
  userName(): string;
  complainOfLease(err: string, intervalMs: number): void;
}

/** The first tries are told in full, later ones every so often. */
const FULL = 3;
const EVERY = 4;
/** Back-off of the Lease's making. */
const LEASE_STEP_MS = 200;
const LEASE_STEP_MAX_MS = 7000;

/** What else is refused while a kubelet cannot register, and says so. */
export class Refusals {
  readonly #task: RefusalTask;
  #count = 0;

  constructor(task: RefusalTask) {
    this.#task = task;
  }

  /** True when this one was told. */
  tell({ code, message }: Extract<ApiResult, { ok: false }>): boolean {
    this.#count += 1;
    if (this.#count > FULL && this.#count % EVERY !== 0) return false;
    const { log, nodeName } = this.#task;
    const isForbidden = code === 403;
    const user = this.#task.userName();
    const list = isForbidden ? watchForbidden(nodeName, user) : message;
    log.line('E', 'watch', 'Failed to watch', {
      err: `failed to list *v1.Node: ${list}`,
      logger: 'UnhandledError',
    });
    const stepMs = Math.min(LEASE_STEP_MS * 2 ** Math.min(this.#count, 6), LEASE_STEP_MAX_MS);
    this.#task.complainOfLease(isForbidden ? leaseForbidden(nodeName, user) : message, stepMs);
    sayNodeNotFound(log, nodeName);
    return true;
  }
}

/** Captured from kubelet 1.36 with another node's certificate. */
function watchForbidden(node: string, user: string): string {
  const own = user.replace('system:node:', '');
  return `nodes ${JSON.stringify(node)} is forbidden: User ${JSON.stringify(user)} cannot list resource "nodes" in API group "" at the cluster scope: node '${own}' cannot read '${node}', only its own Node object`;
}

function leaseForbidden(node: string, user: string): string {
  return `leases.coordination.k8s.io ${JSON.stringify(node)} is forbidden: User ${JSON.stringify(user)} cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-node-lease": can only access node lease with the same name as the requesting node`;
}
