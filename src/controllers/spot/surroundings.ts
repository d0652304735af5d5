import type { SpotNode } from '../../domain/nodes/spot-node.ts';
import { textAt } from '../../evidence/json.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { askForAll } from '../fix/aws-read.ts';
import { PODS } from '../gate/daemon-pods.ts';
import { type PodFacts, readPod } from '../slip-ins/pod.ts';
import { NODE_CLAIMS } from './actions.ts';
import type { GroupMember, NodeClaim } from './facts.ts';

export interface SurroundingsTools {
  readonly kube: Pick<KubeApi, 'get' | 'list'>;
  /** null where AWS could not be opened. */
  readonly aws: AwsApi | null;
  /** Hears why something is unknown. */
  readonly onBlind: (why: string) => void;
}

/** null, and the reason told, where it cannot be read. */
async function orUnknown<T>(
  { onBlind }: SurroundingsTools,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    onBlind(error.message);
    return null;
  }
}

/** Pods by the UID of their Node; a Node whose Pods cannot be read is left out. */
export async function podsOn(
  nodes: readonly SpotNode[],
  tools: SurroundingsTools,
): Promise<ReadonlyMap<string, readonly PodFacts[]>> {
  const found = new Map<string, readonly PodFacts[]>();
  for (const { name, uid } of nodes) {
    const pods = await orUnknown(tools, async () => {
      const all: PodFacts[] = [];
      const selection = { fieldSelector: `spec.nodeName=${name}` };
      for await (const page of tools.kube.list(PODS, selection))
        all.push(...page.items.map(readPod).filter((pod) => pod !== null));
      return all;
    });
    if (pods !== null) found.set(uid, pods);
  }
  return found;
}

/** NodeClaims by the name of their Node; none where the cluster has no Karpenter, null unknown. */
export async function claimsByNode(
  tools: SurroundingsTools,
): Promise<ReadonlyMap<string, NodeClaim> | null> {
  return await orUnknown(tools, async () => {
    const claims = new Map<string, NodeClaim>();
    try {
      for await (const page of tools.kube.list(NODE_CLAIMS))
        for (const object of page.items) {
          const node = textAt(object, 'status.nodeName') ?? '';
          const [name, uid, resourceVersion] = ['name', 'uid', 'resourceVersion'].map((field) =>
            textAt(object, `metadata.${field}`),
          );
          if (node === '' || !name || !uid || !resourceVersion) continue;
          const isLeaving = textAt(object, 'metadata.deletionTimestamp') !== null;
          claims.set(node, { name, uid, resourceVersion, isLeaving });
        }
    } catch (error) {
      const isWithout =
        error instanceof PortError && ['unsupported', 'not-found'].includes(error.failure);
      if (!isWithout) throw error;
    }
    return claims;
  });
}

/** The most ids that DescribeAutoScalingInstances takes (Amazon EC2 Auto Scaling API Reference). */
const IDS_MAX = 50;

/** Auto Scaling groups by instance; one in none is left out, null unknown. */
export async function membersOf(
  ids: readonly string[],
  tools: SurroundingsTools,
): Promise<ReadonlyMap<string, GroupMember> | null> {
  const { aws } = tools;
  if (aws === null) return null;
  return await orUnknown(tools, async () => {
    const members = new Map<string, GroupMember>();
    for (let from = 0; from < ids.length; from += IDS_MAX) {
      const input = { InstanceIds: ids.slice(from, from + IDS_MAX) };
      const call = {
        service: 'autoscaling',
        operation: 'DescribeAutoScalingInstances',
        input,
      } as const;
      for (const item of await askForAll(aws, call, 'AutoScalingInstances')) {
        const group = textAt(item, 'AutoScalingGroupName') ?? '';
        members.set(textAt(item, 'InstanceId') ?? '', {
          group,
          state: textAt(item, 'LifecycleState') ?? '',
        });
      }
    }
    return members;
  });
}
