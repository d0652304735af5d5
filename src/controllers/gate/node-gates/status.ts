import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../evidence/json.ts';
import { NODE_GATES, readNodeGate } from '../policies/node-gate.ts';
import type { PolicyReading } from '../policy.ts';
import type { Action } from '../../../ports/action.ts';
import { timeText } from '../record.ts';

/** A NodeGate as it is in the cluster, with what its status says. */
export interface KnownGate {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly status: JsonObject;
  readonly reading: PolicyReading;
}

/** Reads a NodeGate of the cluster; null for an object without a name, UID or version. */
export function readKnownGate(object: JsonObject): KnownGate | null {
  const name = textAt(object, 'metadata.name');
  const uid = textAt(object, 'metadata.uid');
  const resourceVersion = textAt(object, 'metadata.resourceVersion');
  if (name === null || uid === null || resourceVersion === null) return null;
  const status = at(object, 'status');
  return {
    name,
    uid,
    resourceVersion,
    generation: Number(textAt(object, 'metadata.generation') ?? '1'),
    status: isObject(status) ? status : {},
    reading: readNodeGate(object),
  };
}

/** Nodes of one gate. */
export interface GateCounts {
  readonly selected: number;
  readonly held: number;
  readonly expired: number;
}

export interface GateStatusInput {
  readonly gate: KnownGate;
  readonly counts: GateCounts;
  /** Whole sentences, of a gate that is followed. */
  readonly warnings: readonly string[];
  readonly nowMs: number;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const MESSAGE_CHARS_MAX = 4096;

function untilCorrected({ policies }: PolicyReading): string {
  return policies.length > 0
    ? 'Its nodes stay shut until that is corrected.'
    : 'Until that is corrected it shuts no node, and taints that nodes carry stay.';
}

function acceptance({ gate: { reading } }: GateStatusInput): Condition {
  const whys = reading.refusals.map(({ why }) => why);
  const isRefused = whys.length > 0;
  return {
    type: 'Accepted',
    status: isRefused ? 'False' : 'True',
    reason: isRefused ? 'Invalid' : 'Accepted',
    message: isRefused ? `${whys.join(' ')} ${untilCorrected(reading)}` : 'The gate is followed.',
  };
}

function warning({ warnings }: GateStatusInput): Condition {
  const isWarned = warnings.length > 0;
  return {
    type: 'Warned',
    status: isWarned ? 'True' : 'False',
    reason: isWarned ? 'Unusual' : 'Usual',
    message: isWarned ? warnings.join(' ') : 'Nothing unusual about the gate.',
  };
}

/** A condition keeps its time while its status stays. */
function conditionObject(known: JsonObject, one: Condition, input: GateStatusInput): JsonObject {
  const before = listAt(known, 'conditions').find((entry) => textAt(entry, 'type') === one.type);
  const isSame = before !== undefined && textAt(before, 'status') === one.status;
  const since = isSame ? textAt(before, 'lastTransitionTime') : null;
  return {
    ...one,
    message: one.message.slice(0, MESSAGE_CHARS_MAX),
    observedGeneration: input.gate.generation,
    lastTransitionTime: since ?? timeText(input.nowMs),
  };
}

/** What the status of a NodeGate is to say. */
export function gateStatus(input: GateStatusInput): JsonObject {
  const { gate, counts } = input;
  const conditions = [acceptance(input), warning(input)].map((one) =>
    conditionObject(gate.status, one, input),
  );
  return { observedGeneration: gate.generation, conditions, nodes: { ...counts } };
}

function stable(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(stable);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(fields.map(([key, entry]) => [key, stable(entry)]));
}

/** The write that brings a status up to date; null where it is. */
export function decideGate(gate: KnownGate, status: JsonObject): Action | null {
  if (JSON.stringify(stable(gate.status)) === JSON.stringify(stable(status))) return null;
  const { name, uid, resourceVersion } = gate;
  const patch = { type: 'merge', change: { status } } as const;
  return {
    id: `node-gates/${name}/${resourceVersion}`,
    object: { resource: NODE_GATES, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'patch', patch, requires: 'same-version', subresource: 'status' },
    why: { kind: 'rule', name: 'node-gates', text: `the standing of NodeGate ${name}` },
    askedBy: 'node-gates',
    undo: null,
  };
}
