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

/** Those that AWS libraries and pod networks are set up by; values of others may be secret. */
const VARIABLES = /^(?:AWS_|WARM_|MINIMUM_|ENABLE_|DISABLE_|CALICO_|CNI_|IP|FELIX_|KUBERNETES_)/;

const variables: Leaf<readonly Variable[]> = {
  take: (value) => {
    if (!Array.isArray(value)) return undefined;
    return (value as readonly Json[]).flatMap((entry) => {
      const name = textAt(entry, 'name');
      return name !== null && VARIABLES.test(name) ? [{ name, value: textAt(entry, 'value') }] : [];
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
