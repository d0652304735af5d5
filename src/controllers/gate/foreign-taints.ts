import type { ObjectName } from './policy.ts';
import type { Looked } from './proofs/saying.ts';

/** Startup taints that other programs put on a node and remove themselves. */
interface ForeignTaint {
  readonly key: string;
  readonly owner: string;
  /** In the name of a DaemonSet without which its owner is not installed, however it was renamed. */
  readonly daemonSet?: string;
  /** True where an owner can run without any DaemonSet, so that it is never shown to be gone. */
  readonly hasOtherWays?: true;
}

const FOREIGN: readonly ForeignTaint[] = [
  { key: 'ebs.csi.aws.com/agent-not-ready', owner: 'the EBS CSI driver', daemonSet: 'ebs-csi' },
  { key: 'efs.csi.aws.com/agent-not-ready', owner: 'the EFS CSI driver', daemonSet: 'efs-csi' },
  { key: 'fsx.csi.aws.com/agent-not-ready', owner: 'the FSx CSI driver', daemonSet: 'fsx-csi' },
  { key: 'node.cilium.io/agent-not-ready', owner: 'Cilium', daemonSet: 'cilium' },
  { key: 'cni.istio.io/not-ready', owner: 'the Istio CNI plugin', daemonSet: 'istio-cni' },
  {
    key: 'agent.datadoghq.com/not-ready',
    owner: 'the Datadog operator',
    daemonSet: 'datadog',
    // It runs its agents by ExtendedDaemonSets too.
    hasOtherWays: true,
  },
  { key: 'node.gardener.cloud/critical-components-not-ready', owner: 'Gardener' },
  { key: 'node.nextdoor.com/initializing', owner: 'vigil' },
  { key: 'nodewright.nvidia.com', owner: 'NVIDIA Nodewright' },
  { key: 'zalando.org/node-not-ready', owner: "Zalando's node readiness controller" },
  { key: 'karpenter.sh/unregistered', owner: 'Karpenter' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', owner: 'the cloud controller' },
  { key: 'node.kubernetes.io/not-ready', owner: 'the node lifecycle controller' },
  { key: 'node.kubernetes.io/unreachable', owner: 'the node lifecycle controller' },
  { key: 'node.kubernetes.io/unschedulable', owner: 'kubectl cordon' },
];

/** Taints that a gate may adopt: that their owner is gone can be shown. */
export const ADOPTABLE_TAINTS: readonly string[] = FOREIGN.filter(
  ({ daemonSet, hasOtherWays }) => daemonSet !== undefined && hasOtherWays !== true,
).map(({ key }) => key);

/** Who puts and removes a taint that is no gate's; null for nobody that is known. */
export function ownerOfTaint(key: string): string | null {
  return foreign(key)?.owner ?? null;
}

/** True for a taint whose owner is seen by its DaemonSet. */
export function hasSeenOwner(key: string): boolean {
  return foreign(key)?.daemonSet !== undefined;
}

/** `unknown` where the DaemonSets were not read, or where no DaemonSet shows the owner. */
export type OwnerState = 'there' | 'gone' | 'unknown';

/** @param daemonSets all of the cluster */
export function ownerState(key: string, daemonSets: Looked<readonly ObjectName[]>): OwnerState {
  const word = foreign(key)?.daemonSet;
  if (word === undefined || daemonSets.state !== 'seen') return 'unknown';
  return daemonSets.value.some(({ name }) => name.includes(word)) ? 'there' : 'gone';
}

function foreign(key: string): ForeignTaint | undefined {
  return FOREIGN.find((taint) => taint.key === key);
}
