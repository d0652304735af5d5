import { amount, type Fields, type FieldsOf, shown, text, texts } from '../shape.ts';
import { CONDITION, type KubeObject, METADATA, SELECTOR } from './object.ts';
import { POD_SPEC } from './pod.ts';

const TEMPLATE = { metadata: { labels: texts }, spec: POD_SPEC } as const satisfies Fields;

export const DAEMON_SET = {
  metadata: METADATA,
  spec: { selector: SELECTOR, template: TEMPLATE, updateStrategy: { type: text } },
  status: shown({
    desiredNumberScheduled: amount,
    currentNumberScheduled: amount,
    numberReady: amount,
    updatedNumberScheduled: amount,
    conditions: [CONDITION],
  }),
} as const satisfies Fields;

export const DEPLOYMENT = {
  metadata: METADATA,
  spec: { replicas: amount, template: TEMPLATE },
  status: shown({
    replicas: amount,
    readyReplicas: amount,
    availableReplicas: amount,
    conditions: [CONDITION],
  }),
} as const satisfies Fields;

export interface DaemonSet extends KubeObject, FieldsOf<typeof DAEMON_SET> {}
export interface Deployment extends KubeObject, FieldsOf<typeof DEPLOYMENT> {}

/** Pods that are allowed to go away, counted by the disruption controller. */
export const POD_DISRUPTION_BUDGET = {
  spec: { selector: SELECTOR },
  status: shown({
    currentHealthy: amount,
    desiredHealthy: amount,
    disruptionsAllowed: amount,
    expectedPods: amount,
  }),
} as const satisfies Fields;

export interface PodDisruptionBudget extends KubeObject, FieldsOf<typeof POD_DISRUPTION_BUDGET> {}
