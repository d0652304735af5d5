import type { Fields } from '../shape.ts';
import {
  CONFIG_MAP,
  type ConfigMap,
  JOIN_CONFIGURATION,
  type JoinConfiguration,
  SERVICE_ACCOUNT,
  type ServiceAccount,
  CERTIFICATE_SIGNING_REQUEST,
  type CertificateSigningRequest,
  WEBHOOK_CONFIGURATION,
  type WebhookConfiguration,
  NAMESPACE,
  type Namespace,
} from './admission.ts';
import {
  NODE_READINESS_RULE,
  type NodeReadinessRule,
  MACHINE,
  type Machine,
  LEASE,
  type Lease,
  NODE_CLAIM,
  type NodeClaim,
  NODE_POOL,
  type NodePool,
  EC2_NODE_CLASS,
  type Ec2NodeClass,
} from './machines.ts';
import {
  ENI_CONFIG,
  type EniConfig,
  ENDPOINT_SLICE,
  type EndpointSlice,
  CNI_NODE,
  type CniNode,
  SECURITY_GROUP_POLICY,
  type SecurityGroupPolicy,
} from './network.ts';
import { POD, type Pod } from './pod.ts';
import {
  CSI_NODE,
  type CsiNode,
  PERSISTENT_VOLUME_CLAIM,
  type PersistentVolumeClaim,
  PERSISTENT_VOLUME,
  type PersistentVolume,
} from './storage.ts';
import {
  DAEMON_SET,
  type DaemonSet,
  DEPLOYMENT,
  type Deployment,
  POD_DISRUPTION_BUDGET,
  type PodDisruptionBudget,
} from './workloads.ts';

/** Every kind of object of Kubernetes that is read, but Nodes, which several sources show. */
export interface KubeFacts {
  readonly Pod: Pod;
  readonly DaemonSet: DaemonSet;
  readonly Deployment: Deployment;
  readonly ConfigMap: ConfigMap;
  readonly CSINode: CsiNode;
  readonly NodeReadinessRule: NodeReadinessRule;
  readonly Machine: Machine;
  readonly JoinConfiguration: JoinConfiguration;
  readonly Lease: Lease;
  readonly ServiceAccount: ServiceAccount;
  readonly NodeClaim: NodeClaim;
  readonly NodePool: NodePool;
  readonly EC2NodeClass: Ec2NodeClass;
  readonly CertificateSigningRequest: CertificateSigningRequest;
  readonly MutatingWebhookConfiguration: WebhookConfiguration;
  readonly ENIConfig: EniConfig;
  readonly Namespace: Namespace;
  readonly EndpointSlice: EndpointSlice;
  readonly CNINode: CniNode;
  readonly SecurityGroupPolicy: SecurityGroupPolicy;
  readonly ValidatingWebhookConfiguration: WebhookConfiguration;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly PersistentVolume: PersistentVolume;
  readonly PodDisruptionBudget: PodDisruptionBudget;
}

export type KubeKind = keyof KubeFacts;

/** What is kept of each beside what all objects have. */
export const KUBE_SHAPES = {
  Pod: POD,
  DaemonSet: DAEMON_SET,
  Deployment: DEPLOYMENT,
  ConfigMap: CONFIG_MAP,
  CSINode: CSI_NODE,
  NodeReadinessRule: NODE_READINESS_RULE,
  Machine: MACHINE,
  JoinConfiguration: JOIN_CONFIGURATION,
  Lease: LEASE,
  ServiceAccount: SERVICE_ACCOUNT,
  NodeClaim: NODE_CLAIM,
  NodePool: NODE_POOL,
  EC2NodeClass: EC2_NODE_CLASS,
  CertificateSigningRequest: CERTIFICATE_SIGNING_REQUEST,
  MutatingWebhookConfiguration: WEBHOOK_CONFIGURATION,
  ENIConfig: ENI_CONFIG,
  Namespace: NAMESPACE,
  EndpointSlice: ENDPOINT_SLICE,
  CNINode: CNI_NODE,
  SecurityGroupPolicy: SECURITY_GROUP_POLICY,
  ValidatingWebhookConfiguration: WEBHOOK_CONFIGURATION,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIM,
  PersistentVolume: PERSISTENT_VOLUME,
  PodDisruptionBudget: POD_DISRUPTION_BUDGET,
} as const satisfies Readonly<Record<KubeKind, Fields>>;

export const KUBE_KINDS = Object.keys(KUBE_SHAPES) as readonly KubeKind[];

export function isKubeKind(text: string): text is KubeKind {
  return Object.hasOwn(KUBE_SHAPES, text);
}
