import type { KubeObject } from '../contract.ts';
import type { CustomVersion, KubeKind } from '../kinds.ts';
import { withSchemaDefaults } from '../schema/custom.ts';
import { schemaCauses } from '../schema/validate.ts';
import { CONFIG_MAP, EVENT, NAMESPACE, SECRET, SERVICE } from './core.ts';
import { DEFINITION } from './definition.ts';
import { NODE } from './node.ts';
import {
  BINDING,
  CLAIM,
  DISRUPTION_BUDGET,
  LEASE,
  PRIORITY_CLASS,
  ROLE,
  SIGNING_REQUEST,
  STORAGE_CLASS,
  VOLUME,
  WEBHOOKS,
} from './others.ts';
import { POD } from './pod.ts';
import type { KindRules } from './rules.ts';
import { DAEMON_SET, DEPLOYMENT, JOB, REPLICA_SET, STATEFUL_SET } from './workloads.ts';

const RULES: Readonly<Record<string, KindRules>> = {
  Pod: POD,
  Node: NODE,
  Namespace: NAMESPACE,
  ConfigMap: CONFIG_MAP,
  Secret: SECRET,
  Service: SERVICE,
  Event: EVENT,
  DaemonSet: DAEMON_SET,
  Deployment: DEPLOYMENT,
  ReplicaSet: REPLICA_SET,
  StatefulSet: STATEFUL_SET,
  Job: JOB,
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
  Role: ROLE,
  ClusterRole: ROLE,
  PriorityClass: PRIORITY_CLASS,
  PodDisruptionBudget: DISRUPTION_BUDGET,
  CertificateSigningRequest: SIGNING_REQUEST,
  PersistentVolume: VOLUME,
  PersistentVolumeClaim: CLAIM,
  StorageClass: STORAGE_CLASS,
  Lease: LEASE,
  CustomResourceDefinition: DEFINITION,
  MutatingWebhookConfiguration: WEBHOOKS,
  ValidatingWebhookConfiguration: WEBHOOKS,
};

const NONE: KindRules = {};
const CUSTOM = new WeakMap<CustomVersion, KindRules>();

function customRules(custom: CustomVersion): KindRules {
  const known = CUSTOM.get(custom);
  if (known !== undefined) return known;
  const { openApi } = custom;
  const rules: KindRules = {
    defaults: (object) => withSchemaDefaults(object, openApi) as KubeObject,
    validate: (object) => schemaCauses(object, openApi),
  };
  CUSTOM.set(custom, rules);
  return rules;
}

export function rulesOf(kind: KubeKind): KindRules {
  return kind.custom === null ? (RULES[kind.kind] ?? NONE) : customRules(kind.custom);
}
