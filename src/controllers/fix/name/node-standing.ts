import { at, type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';
import { instanceIdIn } from '../../../evidence/names.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { KubeApi, KubeResource } from '../../../ports/kube-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { LEASES } from '../../../runtime/election/lease-record.ts';
import { NODES } from '../../gate/plan.ts';

/** What is asked of a Node that may be deleted, and of the one that its machine has now. */
export interface NodeStanding {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdMs: number | null;
  readonly isReady: boolean;
  readonly isLeaving: boolean;
  /** False where no kubelet ever wrote to it. */
  readonly hasKubelet: boolean;
  readonly isControlPlane: boolean;
  readonly finalizers: readonly string[];
  readonly providerId: string | null;
  readonly instanceId: string | null;
  /** Empty where no kubelet told it. */
  readonly machineId: string;
  /** Of the machine's firmware, which EC2 gives each instance; empty where no kubelet told it. */
  readonly systemUuid: string;
  /** When its kubelet renewed its Lease, by the clock of the machine; null where there is none. */
  readonly renewedMs: number | null;
}

const CONTROL_PLANE = [
  'node-role.kubernetes.io/control-plane',
  'node-role.kubernetes.io/master',
] as const;

function isReadyNode(node: JsonObject): boolean {
  const conditions = listAt(node, 'status.conditions');
  return conditions.some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
}

/** Reads a Node with its Lease; null for an object without a name, UID or version. */
export function readStanding(node: JsonObject, lease: JsonObject | null): NodeStanding | null {
  const [name, uid, resourceVersion] = ['name', 'uid', 'resourceVersion'].map((field) =>
    textAt(node, `metadata.${field}`),
  );
  if (!name || !uid || !resourceVersion) return null;
  const labels = textsAt(node, 'metadata.labels');
  const providerId = textAt(node, 'spec.providerID');
  return {
    name,
    uid,
    resourceVersion,
    createdMs: isoMs(textAt(node, 'metadata.creationTimestamp')),
    isReady: isReadyNode(node),
    isLeaving: textAt(node, 'metadata.deletionTimestamp') !== null,
    hasKubelet: (textAt(node, 'status.nodeInfo.kubeletVersion') ?? '') !== '',
    isControlPlane: CONTROL_PLANE.some((label) => Object.hasOwn(labels, label)),
    finalizers: listAt(node, 'metadata.finalizers').map(String),
    providerId,
    instanceId: instanceIdIn(`${providerId ?? ''} ${name}`),
    machineId: textAt(node, 'status.nodeInfo.machineID') ?? '',
    systemUuid: textAt(node, 'status.nodeInfo.systemUUID') ?? '',
    renewedMs: isoMs(textAt(lease ?? undefined, 'spec.renewTime')),
  };
}

async function getOrNull(
  kube: KubeApi,
  resource: KubeResource,
  place: { readonly namespace: string | null; readonly name: string },
): Promise<JsonObject | null> {
  try {
    return await kube.get(resource, place);
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}

/** A Node with its Lease as they are now; null where there is no such Node. @throws PortError */
export async function standingOf(kube: KubeApi, name: string): Promise<NodeStanding | null> {
  const lease = await getOrNull(kube, LEASES, { namespace: 'kube-node-lease', name });
  const node = await getOrNull(kube, NODES, { namespace: null, name });
  return node === null ? null : readStanding(node, lease);
}

/** Instances of the other Nodes that are Ready, which EC2 has to show. @throws PortError */
export async function neighboursOf(
  kube: KubeApi,
  instanceId: string | null,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { items } of kube.list(NODES))
    for (const node of items) {
      const id = instanceIdIn(textAt(node, 'spec.providerID') ?? '');
      const isOther = id !== null && id !== instanceId && at(node, 'metadata.uid') !== undefined;
      if (isOther && isReadyNode(node) && ids.length < NEIGHBOURS_MAX) ids.push(id);
    }
  return ids;
}

const NEIGHBOURS_MAX = 50;
