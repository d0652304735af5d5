import { type Fields, type FieldsOf, keys, presence, quantities, shown, text } from '../shape.ts';
import { CONDITION, type KubeObject, METADATA, SELECTOR } from './object.ts';

const RULE = {
  apiGroups: [text],
  operations: [text],
  resources: [text],
  scope: text,
} as const satisfies Fields;

const WEBHOOK = {
  name: text,
  failurePolicy: text,
  namespaceSelector: SELECTOR,
  objectSelector: SELECTOR,
  clientConfig: { service: { name: text, namespace: text } },
  matchConditions: [presence],
  rules: [RULE],
} as const satisfies Fields;

export const WEBHOOK_CONFIGURATION = { webhooks: [WEBHOOK] } as const satisfies Fields;

export type Webhook = FieldsOf<typeof WEBHOOK>;
export type WebhookRule = FieldsOf<typeof RULE>;
export interface WebhookConfiguration extends KubeObject, FieldsOf<typeof WEBHOOK_CONFIGURATION> {}

export const CERTIFICATE_SIGNING_REQUEST = {
  metadata: METADATA,
  /** The user that the PKCS#10 request asks for, where it is a node's. */
  requestedUser: text,
  spec: { signerName: text, username: text },
  status: shown({ certificate: presence, conditions: [CONDITION] }),
} as const satisfies Fields;

export interface CertificateSigningRequest
  extends KubeObject,
    FieldsOf<typeof CERTIFICATE_SIGNING_REQUEST> {}

/** Who wrote which annotations last. */
const WRITER = {
  manager: text,
  operation: text,
  time: text,
  fieldsV1: { 'f:metadata': { 'f:annotations': keys } },
} as const satisfies Fields;

export const SERVICE_ACCOUNT = {
  metadata: { ...METADATA, managedFields: [WRITER] },
} as const satisfies Fields;

export const NAMESPACE = { status: shown({ phase: text }) } as const satisfies Fields;

export const CONFIG_MAP = { data: quantities } as const satisfies Fields;

export interface ServiceAccount extends KubeObject, FieldsOf<typeof SERVICE_ACCOUNT> {}
export interface Namespace extends KubeObject, FieldsOf<typeof NAMESPACE> {}
export interface ConfigMap extends KubeObject, FieldsOf<typeof CONFIG_MAP> {}

/** kubeadm's; which way of discovery it gives. */
export const JOIN_CONFIGURATION = {
  discovery: { bootstrapToken: presence, file: presence },
} as const satisfies Fields;

export interface JoinConfiguration extends KubeObject, FieldsOf<typeof JOIN_CONFIGURATION> {}
