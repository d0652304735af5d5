import { kubeClient } from '../../adapters/kubernetes/client.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { EVENTS } from '../../collection/resources.ts';
import { PODS } from '../../controllers/gate/daemon-pods.ts';
import { readAllSurroundings, readPolicies } from '../../controllers/gate/live-surroundings.ts';
import { type NodeFacts, readNode } from '../../controllers/gate/node-facts.ts';
import { NODES } from '../../controllers/gate/plan.ts';
import type { Looked } from '../../controllers/gate/proofs/saying.ts';
import { type DaemonPodFacts, readDaemonPod } from '../../controllers/gate/workloads.ts';
import type { SlipInReason } from '../../controllers/slip-ins/notes.ts';
import { type PodFacts, readPod } from '../../controllers/slip-ins/pod.ts';
import {
  findSlipIns,
  type ReportedReplacement,
  type SlipInReport,
} from '../../controllers/slip-ins/report.ts';
import { type JsonObject, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { KubeApi, KubeResource, KubeSelection } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { policyKinds } from './policy-kinds.ts';

interface ReadPods {
  readonly all: readonly PodFacts[];
  readonly ofDaemonSets: Looked<readonly DaemonPodFacts[]>;
}

async function readAll<T>(
  api: KubeApi,
  resource: KubeResource,
  selection: KubeSelection,
  read: (object: JsonObject) => T | null,
): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const { items } of api.list(resource, selection))
    found.push(...items.map(read).filter((one) => one !== null));
  return found;
}

/** @throws PortError, also for a Node that is not there */
async function nodesOf(api: KubeApi, name: string | null): Promise<readonly NodeFacts[]> {
  if (name === null) return await readAll(api, NODES, {}, readNode);
  return [readNode(await api.get(NODES, { name }))].filter((node) => node !== null);
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

const REPLACED: SlipInReason = 'SlipInReplaced';
const MESSAGE_CHARS_MAX = 500;

function replacementOf(event: JsonObject): ReportedReplacement {
  const at = textAt(event, 'lastTimestamp') ?? textAt(event, 'eventTime');
  return {
    at: at === null ? null : excerptOf(at),
    says: excerptOf(textAt(event, 'message') ?? '', MESSAGE_CHARS_MAX),
  };
}

async function replacements(
  api: KubeApi,
  notRead: string[],
): Promise<readonly ReportedReplacement[]> {
  try {
    const selection = { fieldSelector: `reason=${REPLACED}` };
    return await readAll(api, EVENTS, selection, replacementOf);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    notRead.push(excerptOf(`events: ${error.message}`));
    return [];
  }
}

/** Looks at the Pods of one node or of all. @throws SourceError, PortError */
export async function reportedSlipIns(api: KubeApi, name: string | null): Promise<SlipInReport> {
  const nodes = await nodesOf(api, name);
  const { readings, notRead } = await readPolicies(api, policyKinds());
  const pods = await podsOf(api, name);
  const around = await readAllSurroundings(api, pods.ofDaemonSets);
  const unread = notRead.map((why) => excerptOf(why));
  const replaced = await replacements(api, unread);
  const policies = readings.flatMap((reading) => reading.policies);
  const nowMs = systemClock.nowMs();
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'SlipIns',
    slipIns: findSlipIns({ nodes, pods: pods.all, policies, around, nowMs }),
    replaced,
    nodesLookedAt: nodes.length,
    notRead: unread,
  };
}

/** `rollcall gate slip-ins`. @throws SourceError when the cluster cannot be looked at */
export async function reportSlipIns(flags: LiveFlags, name: string | null): Promise<SlipInReport> {
  try {
    const { target, environment } = await openKubeTarget(flags);
    const api = kubeClient(target, { environment, clock: systemClock });
    try {
      return await reportedSlipIns(api, name);
    } finally {
      await api.close();
    }
  } catch (error) {
    if (error instanceof PortError) throw new SourceError(error.message);
    throw error;
  }
}
