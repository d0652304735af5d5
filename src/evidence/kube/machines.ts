import { type Fields, type FieldsOf, quantities, shown, text, texts } from '../shape.ts';
import { CONDITION, type KubeObject, METADATA, TAINT } from './object.ts';

const CLASS = { group: text, kind: text, name: text } as const satisfies Fields;

/** A machine that Karpenter launched or is launching. */
export const NODE_CLAIM = {
  metadata: METADATA,
  spec: { nodeClassRef: CLASS, startupTaints: [TAINT], taints: [TAINT] },
  status: shown({
    nodeName: text,
    providerID: text,
    imageID: text,
    allocatable: quantities,
    capacity: quantities,
    conditions: [CONDITION],
  }),
} as const satisfies Fields;

export const NODE_POOL = {
  spec: {
    limits: quantities,
    template: { spec: { nodeClassRef: CLASS, startupTaints: [TAINT], taints: [TAINT] } },
  },
  status: shown({ conditions: [CONDITION], resources: quantities }),
} as const satisfies Fields;

const TERM = { id: text, name: text, tags: texts } as const satisfies Fields;

export type SelectorTerm = FieldsOf<typeof TERM>;

export const EC2_NODE_CLASS = {
  spec: {
    subnetSelectorTerms: [TERM],
    securityGroupSelectorTerms: [TERM],
    amiSelectorTerms: [TERM],
  },
  status: shown({ conditions: [CONDITION] }),
} as const satisfies Fields;

/** A machine of OpenShift's machine API or of Cluster API. */
export const MACHINE = {
  metadata: METADATA,
  spec: { providerID: text },
  status: shown({
    phase: text,
    errorReason: text,
    errorMessage: text,
    failureMessage: text,
    nodeName: text,
    nodeRef: { name: text },
    providerStatus: { instanceId: text },
    conditions: [CONDITION],
  }),
} as const satisfies Fields;

/** A gate of the SIG's node-readiness-controller. */
export const NODE_READINESS_RULE = {
  spec: {
    conditions: [{ type: text, requiredStatus: text, defaultStatus: text }],
    /** `allOf` or `anyOf`. */
    conditionPolicy: text,
    taint: TAINT,
    enforcementMode: text,
  },
} as const satisfies Fields;

export const LEASE = {
  spec: { holderIdentity: text, leaseDurationSeconds: text, renewTime: text },
} as const satisfies Fields;

export interface NodeClaim extends KubeObject, FieldsOf<typeof NODE_CLAIM> {}
export interface NodePool extends KubeObject, FieldsOf<typeof NODE_POOL> {}
export interface Ec2NodeClass extends KubeObject, FieldsOf<typeof EC2_NODE_CLASS> {}
export interface Machine extends KubeObject, FieldsOf<typeof MACHINE> {}
export interface NodeReadinessRule extends KubeObject, FieldsOf<typeof NODE_READINESS_RULE> {}
export interface Lease extends KubeObject, FieldsOf<typeof LEASE> {}
