/** Objects as tests of this room need them: only what is of matter is given. */
import { seen, type Seen } from './fact.ts';
import type { Json, JsonObject } from './json.ts';
import type { KubeCondition, KubeNode } from './kinds.ts';
import { AWS_SHAPES, type AwsFacts, type AwsKind } from './aws/shapes.ts';
import type { KubeObject } from './kube/object.ts';
import type { Pod } from './kube/pod.ts';
import { KUBE_SHAPES, type KubeFacts, type KubeKind } from './kube/shapes.ts';
import { project } from './project.ts';

/** 2026-05-01T12:00:00Z, at which the tests look. */
export const NOW_MS = Date.UTC(2026, 4, 1, 12);

/** ISO text of so many seconds before `NOW_MS`. */
export function ago(seconds: number): string {
  return new Date(NOW_MS - seconds * 1000).toISOString();
}

export function fact<T>(value: T): Seen<T> {
  return seen(value, 'test', 'test');
}

/** A fact of AWS as the readers make it of an answer's item. */
export function awsOf<K extends AwsKind>(kind: K, item: Json): AwsFacts[K] {
  return project(AWS_SHAPES[kind], item) as AwsFacts[K];
}

/** An object of Kubernetes as the readers make it. */
export function objectOf<K extends KubeKind>(
  kind: K,
  name: string,
  body: JsonObject = {},
  change: Partial<KubeObject> = {},
): KubeFacts[K] {
  const identity = { kind, namespace: 'shop', name, uid: null, labels: {}, annotations: {} };
  return { ...identity, ...project(KUBE_SHAPES[kind], body), ...change } as unknown as KubeFacts[K];
}

/** A pod that runs and is Ready on `node00` for an hour; each part of its body can be replaced. */
export function podOf(
  parts: Readonly<Record<string, Json>> = {},
  change: Partial<KubeObject> = {},
): Pod {
  const body = {
    metadata: {},
    spec: { nodeName: 'node00' },
    status: { phase: 'Running', startTime: ago(3600), conditions: [readyIs('True')] },
    ...parts,
  };
  return objectOf('Pod', 'web-x7k2p', body, change);
}

export function readyIs(status: string): Json {
  return { type: 'Ready', status, lastTransitionTime: ago(60) };
}

/** A pod that has waited for its sandbox for so many seconds. */
export function waitingPod(seconds: number, change: Partial<KubeObject> = {}): Pod {
  const waiting = { state: { waiting: { reason: 'ContainerCreating' } } };
  const status = {
    phase: 'Pending',
    startTime: ago(seconds),
    conditions: [readyIs('False')],
    containerStatuses: [waiting],
  };
  return podOf({ status }, change);
}

export function conditionOf(type: string, change: Partial<KubeCondition> = {}): KubeCondition {
  const plain = { status: 'True', reason: '', message: '', changedMs: null, heartbeatMs: null };
  return { type, ...plain, ...change };
}

export function nodeOf(name: string, change: Partial<KubeNode> = {}): KubeNode {
  return {
    name,
    uid: null,
    providerId: null,
    internalIp: null,
    hostname: null,
    internalDns: null,
    labels: {},
    annotations: {},
    taints: [],
    unschedulable: false,
    conditions: [],
    ready: true,
    kubeletVersion: null,
    ageMs: null,
    createdMs: null,
    allocatable: {},
    capacity: {},
    podCidr: null,
    machineId: null,
    osImage: null,
    taintWriters: [],
    cordonWriters: [],
    deletionAskedMs: null,
    ...change,
  };
}
