import type { JsonObject } from '../../evidence/json.ts';
import type { KubeApi, KubeResource, KubeSelection } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { PolicyKind } from '../gate/caches.ts';
import { PODS } from '../gate/daemon-pods.ts';
import { readAllSurroundings, readPolicies } from '../gate/live-surroundings.ts';
import { type NodeFacts, readNode } from '../gate/node-facts.ts';
import { NODES } from '../gate/plan.ts';
import type { Looked } from '../gate/proofs/saying.ts';
import { type DaemonPodFacts, readDaemonPod } from '../gate/workloads.ts';
import { type PodFacts, readPod } from './pod.ts';
import type { ReportInput } from './report-input.ts';

const PAGE_SIZE = 500;

/** All objects of a selection that can be read. @throws PortError */
export async function readAll<T>(
  api: KubeApi,
  resource: KubeResource,
  selection: KubeSelection,
  read: (object: JsonObject) => T | null,
): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const { items } of api.list(resource, { pageSize: PAGE_SIZE, ...selection }))
    found.push(...items.map(read).filter((one) => one !== null));
  return found;
}

/** One Pod; null for one that is gone. @throws PortError */
export async function readOne(
  api: KubeApi,
  { namespace, name }: Pick<PodFacts, 'namespace' | 'name'>,
): Promise<PodFacts | null> {
  try {
    return readPod(await api.get(PODS, { namespace, name }));
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}

/** @throws PortError, also for a Node that is not there */
async function nodesOf(api: KubeApi, name: string | null): Promise<readonly NodeFacts[]> {
  if (name === null) return await readAll(api, NODES, {}, readNode);
  return [readNode(await api.get(NODES, { name }))].filter((node) => node !== null);
}

interface ReadPods {
  readonly all: readonly PodFacts[];
  readonly ofDaemonSets: Looked<readonly DaemonPodFacts[]>;
}

interface ReadPod {
  readonly pod: PodFacts | null;
  readonly proof: DaemonPodFacts | null;
}

/** One list for both: candidates, and Pods that are proofs. @throws PortError */
async function podsOf(api: KubeApi, name: string | null): Promise<ReadPods> {
  const selection = name === null ? {} : { fieldSelector: `spec.nodeName=${name}` };
  const read = (object: JsonObject): ReadPod => ({
    pod: readPod(object),
    proof: readDaemonPod(object),
  });
  const both = await readAll(api, PODS, selection, read);
  return {
    all: both.map(({ pod }) => pod).filter((pod) => pod !== null),
    ofDaemonSets: {
      state: 'seen',
      value: both.map(({ proof }) => proof).filter((proof) => proof !== null),
    },
  };
}

/** What shows slip-ins, read once, with the kinds of policies that could not be read. */
export interface LiveInput extends ReportInput {
  readonly notRead: readonly string[];
}

/** Reads what shows the slip-ins of one node, or of all. @throws PortError */
export async function readInput(
  api: KubeApi,
  kinds: readonly PolicyKind[],
  name: string | null,
  nowMs: number,
): Promise<LiveInput> {
  const nodes = await nodesOf(api, name);
  const { readings, notRead } = await readPolicies(api, kinds);
  const pods = await podsOf(api, name);
  const around = await readAllSurroundings(api, pods.ofDaemonSets);
  const policies = readings.flatMap((reading) => reading.policies);
  return { nodes, pods: pods.all, policies, around, nowMs, notRead };
}
