/** Leases in memory with faults, for elections on any clock. */
import { at, type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';

/** `hang`: no answer until aborted; `lost`: it takes effect, and the answer does not arrive. */
export type LeaseFault = 'hang' | 'lost' | PortFailure;

export interface LeaseCall {
  readonly verb: 'get' | 'create' | 'update';
  readonly atMs: number;
}

/** The one Lease, which tests read and write as somebody else. */
export class LeaseStore {
  lease: JsonObject | null = null;
  #version = 0;

  put(lease: JsonObject): JsonObject {
    this.#version += 1;
    const metadata = { ...(lease['metadata'] as JsonObject), uid: 'u' };
    this.lease = { ...lease, metadata: { ...metadata, resourceVersion: String(this.#version) } };
    return this.lease;
  }

  spec(): JsonObject {
    return (at(this.lease ?? undefined, 'spec') ?? {}) as JsonObject;
  }

  holder(): string | null {
    return textAt(this.spec(), 'holderIdentity');
  }

  /** As by kubectl edit. */
  change(change: JsonObject): void {
    this.put({ ...this.lease, spec: { ...this.spec(), ...change } });
  }
}

export interface LeaseDoor {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly delayMs?: () => number;
  readonly fault?: (call: LeaseCall) => LeaseFault | null;
  readonly calls?: LeaseCall[];
}

export function leaseApi(door: LeaseDoor): Pick<KubeApi, 'get'> {
  return {
    get: (_resource, _name, signal) => call(door, 'get', signal, () => existing(door.store)),
  };
}

export function leaseWrites(door: LeaseDoor): Pick<KubeWrites, 'create' | 'update'> {
  const { store } = door;
  return {
    create: (_resource, object, options) =>
      call(door, 'create', options?.signal, () => {
        if (store.lease !== null) throw failure('already-exists');
        return store.put(object);
      }),
    update: (_resource, object, options) =>
      call(door, 'update', options?.signal, () => {
        const version = textAt(existing(store), 'metadata.resourceVersion');
        if (textAt(object, 'metadata.resourceVersion') !== version) throw failure('conflict');
        return store.put(object);
      }),
  };
}

function existing({ lease }: LeaseStore): JsonObject {
  if (lease === null) throw failure('not-found');
  return lease;
}

function failure(what: PortFailure): PortError {
  return new PortError({ failure: what, message: what });
}

const FOREVER_MS = 1e9;

/** Half of the delay is before the effect, half after it. */
async function call(
  { clock, delayMs, fault, calls }: LeaseDoor,
  verb: LeaseCall['verb'],
  signal: AbortSignal | undefined,
  effect: () => JsonObject,
): Promise<JsonObject> {
  const made = { verb, atMs: clock.monotonicMs() };
  calls?.push(made);
  const trouble = fault?.(made) ?? null;
  const half = (delayMs?.() ?? 0) / 2;
  if (trouble === 'hang') await clock.sleep(FOREVER_MS, signal);
  // What is sent is not taken back by an abort.
  if (half > 0) await clock.sleep(half);
  if (trouble !== null && trouble !== 'lost' && trouble !== 'hang') throw failure(trouble);
  const answer = effect();
  if (trouble === 'lost') await clock.sleep(FOREVER_MS, signal);
  if (half > 0) await clock.sleep(half, signal);
  return answer;
}
