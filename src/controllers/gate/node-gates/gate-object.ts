import { at, isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { readNodeGate } from '../policies/node-gate.ts';
import type { PolicyReading, TaintRelease } from '../policy.ts';

/** Keeps a NodeGate until no node carries its taints. */
export const GATE_FINALIZER = 'rollcall.dev/gate-taints';

/** A NodeGate as it is in the cluster. */
export interface KnownGate {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly finalizers: readonly string[];
  /** True while its deletion waits for finalizers. */
  readonly isLeaving: boolean;
  readonly isDryRun: boolean;
  readonly status: JsonObject;
  readonly reading: PolicyReading;
  /** Taints that go with it. */
  readonly releases: readonly TaintRelease[];
}

/** Reads a NodeGate with what its status says; null for an object without a name, UID or version. */
export function readGateObject(object: JsonObject): KnownGate | null {
  const name = textAt(object, 'metadata.name');
  const uid = textAt(object, 'metadata.uid');
  const resourceVersion = textAt(object, 'metadata.resourceVersion');
  if (name === null || uid === null || resourceVersion === null) return null;
  const status = at(object, 'status');
  const reading = readNodeGate(object);
  return {
    name,
    uid,
    resourceVersion,
    generation: Number(textAt(object, 'metadata.generation') ?? '1'),
    finalizers: listAt(object, 'metadata.finalizers').filter((one) => typeof one === 'string'),
    isLeaving: textAt(object, 'metadata.deletionTimestamp') !== null,
    isDryRun: at(object, 'spec.dryRun') === true,
    status: isObject(status) ? status : {},
    reading,
    releases: reading.releases ?? [],
  };
}
