import { annotationsAt } from './annotations.ts';
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  textsAt,
} from '../../evidence/json.ts';
import type { KubeCondition, KubeNode, KubeTaint, KubeWriter } from '../../evidence/kinds.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import { parseWhen } from '../line/timestamps.ts';

function msAt(value: Json, path: string): number | null {
  const text = textAt(value, path);
  return text === null ? null : (parseWhen(text)?.ms ?? null);
}

function condition(value: Json): KubeCondition {
  return {
    type: textAt(value, 'type') ?? '',
    status: textAt(value, 'status') ?? 'Unknown',
    reason: textAt(value, 'reason') ?? '',
    message: textAt(value, 'message') ?? '',
    changedMs: msAt(value, 'lastTransitionTime'),
    heartbeatMs: msAt(value, 'lastHeartbeatTime'),
  };
}

function taint(value: Json): KubeTaint {
  return {
    key: textAt(value, 'key') ?? '',
    value: textAt(value, 'value') ?? '',
    effect: textAt(value, 'effect') ?? '',
    addedMs: msAt(value, 'timeAdded'),
  };
}

function address(value: JsonObject, type: string): string | null {
  const found = listAt(value, 'status.addresses').find((entry) => textAt(entry, 'type') === type);
  return found === undefined ? null : textAt(found, 'address');
}

/** Ready as three values: true, false, or null when the API server has not heard for too long. */
export function readyOf(conditions: readonly KubeCondition[]): boolean | null {
  const status = conditions.find((entry) => entry.type === 'Ready')?.status;
  if (status === 'True') return true;
  return status === 'False' ? false : null;
}

function writersOf(value: JsonObject, field: string): readonly KubeWriter[] {
  return listAt(value, 'metadata.managedFields')
    .filter((entry) => isObject(at(entry, `fieldsV1.f:spec.f:${field}`)))
    .map((entry) => ({ manager: textAt(entry, 'manager') ?? '', atMs: msAt(entry, 'time') }));
}

/** The one projection of a Node object, for files, live APIs and the simulator. */
export function projectNode(value: JsonObject): KubeNode {
  const conditions = listAt(value, 'status.conditions').map(condition);
  return {
    name: textAt(value, 'metadata.name') ?? '',
    uid: textAt(value, 'metadata.uid'),
    providerId: textAt(value, 'spec.providerID'),
    internalIp: address(value, 'InternalIP'),
    hostname: address(value, 'Hostname'),
    internalDns: address(value, 'InternalDNS'),
    labels: textsAt(value, 'metadata.labels'),
    annotations: annotationsAt(value),
    taints: listAt(value, 'spec.taints').map(taint),
    unschedulable: at(value, 'spec.unschedulable') === true,
    conditions,
    ready: readyOf(conditions),
    kubeletVersion: textAt(value, 'status.nodeInfo.kubeletVersion'),
    ageMs: null,
    createdMs: msAt(value, 'metadata.creationTimestamp'),
    allocatable: textsAt(value, 'status.allocatable'),
    capacity: textsAt(value, 'status.capacity'),
    podCidr: textAt(value, 'spec.podCIDR'),
    machineId: textAt(value, 'status.nodeInfo.machineID'),
    osImage: textAt(value, 'status.nodeInfo.osImage'),
    taintWriters: writersOf(value, 'taints'),
    cordonWriters: writersOf(value, 'unschedulable'),
    deletionAskedMs: msAt(value, 'metadata.deletionTimestamp'),
  };
}

/** Every name that a Node shows for its machine. */
export function namesOfNode(node: KubeNode): readonly (MachineName | null)[] {
  return [
    classifyName(node.name, 'node'),
    node.providerId === null ? null : classifyName(node.providerId, 'provider-id'),
    node.internalIp === null ? null : classifyName(node.internalIp, 'ip'),
    node.hostname === null ? null : classifyName(node.hostname, 'host'),
    node.internalDns === null ? null : classifyName(node.internalDns, 'private-dns'),
  ];
}

/** A state of an object in words, and since when it holds, ms since the epoch. */
export interface StateLine {
  readonly text: string;
  readonly sinceMs: number | null;
}

/** The kubelet registers with this taint itself, so that it is as old as the Node. */
const REGISTERED_WITH = 'node.cloudprovider.kubernetes.io/uninitialized';

/** A Node's state in words, one line per condition and taint, as expressions read it. */
export function linesOfNode(node: KubeNode): readonly StateLine[] {
  const { name, createdMs, kubeletVersion } = node;
  const conditions = node.conditions.map((entry) => ({
    text: `Node ${name} condition ${entry.type}=${entry.status} ${entry.reason} ${entry.message}`,
    sinceMs: entry.changedMs,
  }));
  const taints = (node.taints ?? []).map(({ key, value, effect, addedMs }) => ({
    text: `Node ${name} taint ${key}=${value}:${effect}`,
    sinceMs: addedMs ?? (key === REGISTERED_WITH ? createdMs : null),
  }));
  const version = { text: `Node ${name} version ${kubeletVersion ?? ''}`, sinceMs: createdMs };
  return [...(kubeletVersion === null ? [] : [version]), ...conditions, ...taints];
}
