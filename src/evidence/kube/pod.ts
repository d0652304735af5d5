import { type Json, textAt } from '../json.ts';
import {
  amount,
  type Fields,
  type FieldsOf,
  flag,
  keys,
  type Leaf,
  presence,
  shown,
  text,
  texts,
} from '../shape.ts';
import { CONDITION, type KubeObject, METADATA, NODE_SELECTOR, TOLERATION } from './object.ts';

const VARIABLE = { name: text, value: text } as const satisfies Fields;

type Variable = FieldsOf<typeof VARIABLE>;

/** Variables by which AWS libraries and pod networks are set up, and which causes read; values of others may be secret. */
export const READ_VARIABLES =
  /^(?:AWS_(?:ROLE_ARN|WEB_IDENTITY_TOKEN_FILE|CONTAINER_CREDENTIALS_FULL_URI|STS_REGIONAL_ENDPOINTS|REGION|VPC_K8S_CNI_[A-Z_]{1,60})|WARM_(?:ENI|IP|PREFIX)_TARGET|MINIMUM_IP_TARGET|MAX_ENI|ENABLE_(?:IPv[46]|PREFIX_DELEGATION|POD_ENI)|ENI_CONFIG_(?:LABEL|ANNOTATION)_DEF|CALICO_(?:IPV4POOL_[A-Z]{1,20}|NETWORKING_BACKEND)|FELIX_INTERFACEPREFIX)$/;

const variables: Leaf<readonly Variable[]> = {
  take: (value) => {
    if (!Array.isArray(value)) return undefined;
    return (value as readonly Json[]).flatMap((entry) => {
      const name = textAt(entry, 'name');
      return name !== null && READ_VARIABLES.test(name)
        ? [{ name, value: textAt(entry, 'value') }]
        : [];
    });
  },
};

const CONTAINER = {
  name: text,
  image: text,
  command: [text],
  args: [text],
  env: variables,
  /** Names of the resources alone. */
  resources: { limits: keys, requests: keys },
  readinessProbe: presence,
  livenessProbe: presence,
} as const satisfies Fields;

/** How a pod is to run; the same for all that are made from one template. */
export const POD_SPEC = {
  nodeName: text,
  hostNetwork: flag,
  serviceAccountName: text,
  priorityClassName: text,
  nodeSelector: texts,
  tolerations: [TOLERATION],
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: NODE_SELECTOR },
  },
  containers: [CONTAINER],
  initContainers: [CONTAINER],
  volumes: [
    {
      projected: { sources: [{ serviceAccountToken: { audience: text } }] },
      persistentVolumeClaim: { claimName: text },
    },
  ],
} as const satisfies Fields;

const ENDED = {
  exitCode: amount,
  reason: text,
  message: text,
  startedAt: text,
  finishedAt: text,
} as const satisfies Fields;

const CONTAINER_STATE = {
  waiting: { reason: text, message: text },
  running: { startedAt: text },
  terminated: ENDED,
} as const satisfies Fields;

const CONTAINER_STATUS = {
  name: text,
  ready: flag,
  restartCount: amount,
  image: text,
  state: CONTAINER_STATE,
  lastState: CONTAINER_STATE,
} as const satisfies Fields;

/** What causes read of a Pod, by `kubectl get pods -o json|yaml` or the API. */
export const POD = {
  metadata: METADATA,
  spec: POD_SPEC,
  status: shown({
    phase: text,
    reason: text,
    message: text,
    hostIP: text,
    podIP: text,
    /** When the kubelet took it, RFC 3339. */
    startTime: text,
    conditions: [CONDITION],
    containerStatuses: [CONTAINER_STATUS],
    initContainerStatuses: [CONTAINER_STATUS],
  }),
} as const satisfies Fields;

export type Container = FieldsOf<typeof CONTAINER>;
export type ContainerStatus = FieldsOf<typeof CONTAINER_STATUS>;
export type PodSpec = FieldsOf<typeof POD_SPEC>;
export interface Pod extends KubeObject, FieldsOf<typeof POD> {}
