import type { Sign } from './cause.ts';
import { instanceIdIn, ipInName } from '../evidence/names.ts';
import { NODE_INITIALISED } from './milestones.ts';

/**
 * How the API server refuses a kubelet whose credential carries another name than it asks for; the
 * causes that share these lines are told apart by the two names.
 */
export const REFUSED_NAMES = {
  refusedName: {
    in: ['kubelet', 'kubeadm'],
    anchors: ['is not allowed to modify node', 'cannot modify node'],
    pattern:
      /node "?(?<credential>[^"\s]+)"? (?:is not allowed to|cannot) modify node "?(?<node>[^"\s]+)/,
    weight: 'context',
  },
  refusedObject: {
    in: ['kubelet'],
    anchors: ['with the same name as the requesting node', 'only its own Node object'],
    pattern:
      /(?:csinodes|leases)\.\S+ "(?<node>[^"\s]+)" is forbidden: User "system:node:(?<credential>[^"\s]+)".*can only access \S.* with the same name as the requesting node|node '(?<credential2>[^'\s]+)' cannot read '(?<node2>[^'\s]+)', only its own Node object/,
    weight: 'context',
  },
  // The API server's own log of what it refused.
  refusedInLog: {
    in: ['kube-apiserver'],
    anchors: ['NODE DENY: '],
    pattern:
      /NODE DENY: '(?<credential>[^'\s]{1,253})' .{0,600}\bResource:"(?:leases|csinodes)", .{0,80}\bName:"(?<node>[^"\s]{1,253})"/,
    weight: 'context',
  },
} as const satisfies Readonly<Record<string, Sign>>;

/** What only machines of EKS print, whose kubelets the API server knows through an IAM mapping. */
export const OF_EKS = {
  onEks: {
    in: ['kubelet'],
    anchors: ['kubeletVersion=', 'Version: v1.'],
    pattern: /(?:kubeletVersion="|Version: )v[\d.]+-eks-/,
    weight: 'context',
  },
  onBottlerocket: {
    in: ['client-output', 'unknown', 'journal', 'kubelet', 'karpenter'],
    anchors: ['.bottlerocket/', 'Bottlerocket OS'],
    pattern: /\/\.bottlerocket\/|\bBottlerocket OS\b/,
    weight: 'context',
    isBackground: true,
  },
} as const satisfies Readonly<Record<string, Sign>>;

/**
 * True for a credential that is an instance id and nothing more where the Node has a name of an
 * address. IAM gives every session of an instance this name, which a mapping with {{SessionName}} takes.
 */
export function isSessionName(credential: string, node: string): boolean {
  return instanceIdIn(credential) === credential && ipInName(node) !== null;
}

/** A cloud controller that found the instance after all. */
export const INITIALISED = {
  initialised: { ...NODE_INITIALISED, weight: 'withdraws' },
} as const satisfies Readonly<Record<string, Sign>>;
