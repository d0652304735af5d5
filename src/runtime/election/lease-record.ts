import { at, isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeResource } from '../../ports/kube-api.ts';

export const LEASES: KubeResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
};

/** What a Lease says about its holder. */
export interface LeaseRecord {
  /** null when nobody holds it. */
  readonly holder: string | null;
  /** How long the holder may be silent; null when the Lease does not say. */
  readonly durationMs: number | null;
  readonly transitions: number;
  /** Another text whenever the holder wrote anything. */
  readonly mark: string;
}

export function leaseRecord(lease: JsonObject): LeaseRecord {
  const holder = textAt(lease, 'spec.holderIdentity') ?? '';
  const seconds = at(lease, 'spec.leaseDurationSeconds');
  const transitions = at(lease, 'spec.leaseTransitions');
  return {
    holder: holder === '' ? null : holder,
    durationMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null,
    transitions: typeof transitions === 'number' ? transitions : 0,
    mark: JSON.stringify([at(lease, 'metadata.uid') ?? null, at(lease, 'spec') ?? null]),
  };
}

export interface LeaseClaim {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly durationMs: number;
  /** Wall clock, for people who read the Lease; nobody decides by it. */
  readonly nowMs: number;
}

export function newLease(claim: LeaseClaim): JsonObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: claim.namespace, name: claim.name },
    spec: heldSpec(null, claim),
  };
}

/** The Lease with us as its holder; its version makes the write fail when somebody was quicker. */
export function heldLease(lease: JsonObject, claim: LeaseClaim): JsonObject {
  return { ...lease, spec: heldSpec(lease, claim) };
}

function heldSpec(lease: JsonObject | null, claim: LeaseClaim): JsonObject {
  const known = lease?.['spec'];
  const before = lease === null ? null : leaseRecord(lease);
  const now = microTime(claim.nowMs);
  const isOurs = before?.holder === claim.identity;
  return {
    ...(isObject(known) ? known : {}),
    holderIdentity: claim.identity,
    leaseDurationSeconds: Math.ceil(claim.durationMs / 1000),
    acquireTime: (isOurs ? textAt(known, 'acquireTime') : null) ?? now,
    renewTime: now,
    leaseTransitions: before === null ? 0 : before.transitions + (isOurs ? 0 : 1),
  };
}

/** The Lease without a holder, so that the next one need not wait. */
export function releasedLease(lease: JsonObject, nowMs: number): JsonObject {
  const { holderIdentity: _, ...rest } = isObject(lease['spec']) ? lease['spec'] : {};
  return { ...lease, spec: { ...rest, leaseDurationSeconds: 1, renewTime: microTime(nowMs) } };
}

/** As Kubernetes writes a MicroTime. */
function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}
