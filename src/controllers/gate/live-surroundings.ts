import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { CSI_NODES, DAEMON_SETS } from './caches.ts';
import { PODS } from './daemon-pods.ts';
import { hasSeenOwner } from './foreign-taints.ts';
import { proofsOf } from './judge.ts';
import type { GatePolicy, ObjectName, PolicyReading } from './policy.ts';
import type { PolicyKind } from './caches.ts';
import type { Looked, Surroundings } from './proofs/saying.ts';
import {
  type CsiNodeFacts,
  type DaemonPodFacts,
  type DaemonSetFacts,
  readCsiNode,
  readDaemonPod,
  readDaemonSet,
} from './workloads.ts';
import type { JsonObject } from '../../evidence/json.ts';

const PODS_MAX = 100;

/** @throws what is no failure of the API server */
async function looked<T>(ask: () => Promise<T | null>): Promise<Looked<T>> {
  try {
    const value = await ask();
    return value === null ? { state: 'absent' } : { state: 'seen', value };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'not-found') return { state: 'absent' };
    return { state: 'unknown', why: error.message };
  }
}

function get<T>(
  api: KubeApi,
  resource: KubeResource,
  name: { readonly namespace?: string; readonly name: string },
  read: (object: JsonObject) => T | null,
): Promise<Looked<T>> {
  return looked(async () => read(await api.get(resource, name)));
}

async function podsOf(
  api: KubeApi,
  { namespace, podSelector }: DaemonSetFacts,
  nodeName: string,
): Promise<Looked<readonly DaemonPodFacts[]>> {
  const selection = {
    namespace,
    labelSelector: podSelector ?? '',
    fieldSelector: `spec.nodeName=${nodeName}`,
    pageSize: PODS_MAX,
  };
  return await looked(async () => {
    const found: DaemonPodFacts[] = [];
    for await (const { items } of api.list(PODS, selection))
      found.push(...items.map(readDaemonPod).filter((pod) => pod !== null));
    return found;
  });
}

function namesIn(policies: readonly GatePolicy[]): readonly ObjectName[] {
  const proofs = policies.flatMap(proofsOf).filter((proof) => proof.kind === 'daemonset');
  const placing = policies.map(({ selects }) => selects.placedBy).filter((name) => name !== null);
  return [...proofs, ...placing];
}

const NOT_ASKED: Looked<never> = { state: 'unknown', why: 'not asked for' };

/** Reads once what some policies need to know around one node. */
export async function readSurroundings(
  api: KubeApi,
  policies: readonly GatePolicy[],
  nodeName: string,
): Promise<Surroundings> {
  const sets = new Map<string, Looked<DaemonSetFacts>>();
  const pods = new Map<string, Looked<readonly DaemonPodFacts[]>>();
  for (const { namespace, name } of namesIn(policies)) {
    const key = `${namespace}/${name}`;
    if (sets.has(key)) continue;
    const set = await get(api, DAEMON_SETS, { namespace, name }, readDaemonSet);
    sets.set(key, set);
    if (set.state === 'seen') pods.set(set.value.uid, await podsOf(api, set.value, nodeName));
  }
  const asksCsi = policies.flatMap(proofsOf).some(({ kind }) => kind === 'csi-driver');
  const csiNode: Looked<CsiNodeFacts> = asksCsi
    ? await get(api, CSI_NODES, { name: nodeName }, readCsiNode)
    : NOT_ASKED;
  return {
    daemonSet: ({ namespace, name }) => sets.get(`${namespace}/${name}`) ?? NOT_ASKED,
    daemonPods: ({ uid }) => {
      const found = pods.get(uid) ?? NOT_ASKED;
      if (found.state !== 'seen') return found;
      return { state: 'seen', value: found.value.filter((pod) => pod.ownerUid === uid) };
    },
    daemonSets: () => NOT_ASKED,
    csiNode: () => csiNode,
  };
}

async function allOf<T>(
  api: KubeApi,
  resource: KubeResource,
  read: (object: JsonObject) => T | null,
): Promise<Looked<readonly T[]>> {
  return await looked(async () => {
    const found: T[] = [];
    for await (const { items } of api.list(resource))
      found.push(...items.map(read).filter((one) => one !== null));
    return found;
  });
}

/** The names of all DaemonSets, where one of these taints has an owner that they show. */
export async function readOwners(
  api: KubeApi,
  taintKeys: readonly string[],
): Promise<Looked<readonly ObjectName[]>> {
  return taintKeys.some(hasSeenOwner) ? await allOf(api, DAEMON_SETS, readDaemonSet) : NOT_ASKED;
}

function oneOf<T>(all: Looked<readonly T[]>, isIt: (one: T) => boolean): Looked<T> {
  if (all.state !== 'seen') return all;
  const value = all.value.find(isIt);
  return value === undefined ? { state: 'absent' } : { state: 'seen', value };
}

/** Reads once what policies need to know around all nodes; of Pods it is told. */
export async function readAllSurroundings(
  api: KubeApi,
  pods: Looked<readonly DaemonPodFacts[]>,
): Promise<Surroundings> {
  const [sets, csiNodes] = await Promise.all([
    allOf(api, DAEMON_SETS, readDaemonSet),
    allOf(api, CSI_NODES, readCsiNode),
  ]);
  const byOwner = pods.state === 'seen' ? Map.groupBy(pods.value, (pod) => pod.ownerUid) : null;
  return {
    daemonSet: ({ namespace, name }) =>
      oneOf(sets, (set) => set.namespace === namespace && set.name === name),
    daemonPods: ({ uid }, nodeName) => {
      if (byOwner === null || pods.state !== 'seen') return pods;
      const own = byOwner.get(uid) ?? [];
      return { state: 'seen', value: own.filter((pod) => pod.nodeName === nodeName) };
    },
    daemonSets: () => sets,
    csiNode: (nodeName) => oneOf(csiNodes, ({ name }) => name === nodeName),
  };
}

export interface ReadPolicies {
  readonly readings: readonly PolicyReading[];
  /** Kinds that could not be read, with the reason; one that is not installed is not among them. */
  readonly notRead: readonly string[];
}

/** Reads every policy of some kinds once. */
export async function readPolicies(
  api: KubeApi,
  kinds: readonly PolicyKind[],
): Promise<ReadPolicies> {
  const readings: PolicyReading[] = [];
  const notRead: string[] = [];
  for (const { resource, read } of kinds) {
    try {
      for await (const { items } of api.list(resource)) readings.push(...items.map(read));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      const isAbsent = error.failure === 'not-found' || error.failure === 'unsupported';
      if (!isAbsent) notRead.push(`${resource.plural}: ${error.message}`);
    }
  }
  return { readings, notRead };
}
