/** Nodes that no gate is for, and the Pods that must come to them whatever becomes of us. */
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { TestCluster } from '../platform/cluster.ts';

/** From the registration of a Node until a Pod of every node is bound to it, ms. */
const BOUND_MS = 12_000;

export interface Bystander {
  readonly name: string;
  /** What keeps Pods away from it; null for nothing. */
  readonly why: string | null;
}

function hasPodOf(cluster: TestCluster, set: string, node: string): boolean {
  const pods = cluster.admin.list('Pod', { fieldSelector: `spec.nodeName=${node}` });
  return pods.some((pod) =>
    listAt(pod, 'metadata.ownerReferences').some((one) => textAt(one, 'name') === set),
  );
}

function whyKept(cluster: TestCluster, node: JsonObject, ours: ReadonlySet<string>): string | null {
  const name = textAt(node, 'metadata.name') ?? '';
  const keys = listAt(node, 'spec.taints').map((taint) => textAt(taint, 'key') ?? '');
  const taint = keys.find((key) => ours.has(key));
  if (taint !== undefined) return `carries ${taint}`;
  const createdMs = Date.parse(textAt(node, 'metadata.creationTimestamp') ?? '');
  const isOld = cluster.kernel.nowMs() - createdMs > BOUND_MS;
  return isOld && !hasPodOf(cluster, 'shop', name) ? 'has no Pod of the shop' : null;
}

/** Every Node outside of our scope now. */
export function bystandersOf(
  cluster: TestCluster,
  isOurs: (node: JsonObject) => boolean,
  ours: ReadonlySet<string>,
): readonly Bystander[] {
  return cluster.admin
    .list('Node')
    .filter((node) => !isOurs(node))
    .map((node) => ({
      name: textAt(node, 'metadata.name') ?? '',
      why: whyKept(cluster, node, ours),
    }));
}
