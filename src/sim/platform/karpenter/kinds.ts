import type { CustomKind } from '../running/custom-kinds.ts';

export const KARPENTER_KINDS: readonly CustomKind[] = [
  { group: 'karpenter.sh', version: 'v1', plural: 'nodepools', kind: 'NodePool' },
  { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims', kind: 'NodeClaim' },
  { group: 'karpenter.k8s.aws', version: 'v1', plural: 'ec2nodeclasses', kind: 'EC2NodeClass' },
];

/** How long a claim may take to launch and to register before it is given up. */
export const LAUNCH_TIMEOUT_MS = 5 * 60_000;
export const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

export const UNREGISTERED_TAINT = 'karpenter.sh/unregistered';
export const NODEPOOL_LABEL = 'karpenter.sh/nodepool';
export const TERMINATION_FINALIZER = 'karpenter.sh/termination';

/** Taints which are expected to go by themselves before a Node counts as initialised. */
export const EPHEMERAL_TAINTS: readonly string[] = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
  UNREGISTERED_TAINT,
];
/** Keys of this beginning are ephemeral too. */
export const EPHEMERAL_PREFIX = 'readiness.k8s.io/';
