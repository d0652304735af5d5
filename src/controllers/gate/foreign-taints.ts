/** Startup taints that other programs put on a node and remove themselves. */
interface ForeignTaint {
  readonly key: string;
  readonly owner: string;
}

const FOREIGN: readonly ForeignTaint[] = [
  { key: 'ebs.csi.aws.com/agent-not-ready', owner: 'the EBS CSI driver' },
  { key: 'efs.csi.aws.com/agent-not-ready', owner: 'the EFS CSI driver' },
  { key: 'fsx.csi.aws.com/agent-not-ready', owner: 'the FSx CSI driver' },
  { key: 'node.cilium.io/agent-not-ready', owner: 'Cilium' },
  { key: 'cni.istio.io/not-ready', owner: 'the Istio CNI plugin' },
  { key: 'agent.datadoghq.com/not-ready', owner: 'the Datadog operator' },
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

/** Who puts and removes a taint that is no gate's; null for nobody that is known. */
export function ownerOfTaint(key: string): string | null {
  return FOREIGN.find((taint) => taint.key === key)?.owner ?? null;
}
