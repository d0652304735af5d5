import { amount, type Fields, type FieldsOf, text } from '../shape.ts';
import { type KubeObject, SELECTOR } from './object.ts';

/** The subnet and the security groups of pods in one zone (VPC CNI, custom networking). */
export const ENI_CONFIG = {
  spec: { subnet: text, securityGroups: [text] },
} as const satisfies Fields;

export const CNI_NODE = { spec: { features: [{ name: text }] } } as const satisfies Fields;

export const SECURITY_GROUP_POLICY = {
  spec: {
    podSelector: SELECTOR,
    serviceAccountSelector: SELECTOR,
    securityGroups: { groupIds: [text] },
  },
} as const satisfies Fields;

/** Counts instead of addresses, of which there may be thousands. */
export const ENDPOINT_SLICE = {
  /** The Service that it belongs to. */
  service: text,
  ready: amount,
  notReady: amount,
  ports: [text],
} as const satisfies Fields;

export interface EniConfig extends KubeObject, FieldsOf<typeof ENI_CONFIG> {}
export interface CniNode extends KubeObject, FieldsOf<typeof CNI_NODE> {}
export interface SecurityGroupPolicy extends KubeObject, FieldsOf<typeof SECURITY_GROUP_POLICY> {}
export interface EndpointSlice extends KubeObject, FieldsOf<typeof ENDPOINT_SLICE> {}
