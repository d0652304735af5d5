import { amount, type Fields, type FieldsOf, text, texts } from '../shape.ts';

/** What every object of Kubernetes has; the other fields are those of its kind. */
export interface KubeObject {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Times as the API server writes them (RFC 3339). */
export const METADATA = {
  creationTimestamp: text,
  deletionTimestamp: text,
  finalizers: [text],
  ownerReferences: [{ kind: text, name: text, uid: text }],
} as const satisfies Fields;

export const CONDITION = {
  type: text,
  /** `True`, `False` or `Unknown`. */
  status: text,
  reason: text,
  message: text,
  lastTransitionTime: text,
} as const satisfies Fields;

export type Condition = FieldsOf<typeof CONDITION>;

const REQUIREMENT = { key: text, operator: text, values: [text] } as const satisfies Fields;

/** A label selector of `meta/v1`. */
export const SELECTOR = {
  matchLabels: texts,
  matchExpressions: [REQUIREMENT],
} as const satisfies Fields;

export type Selector = FieldsOf<typeof SELECTOR>;
export type SelectorRequirement = FieldsOf<typeof REQUIREMENT>;

/** A node selector of `core/v1`: one of its terms must be met. */
export const NODE_SELECTOR = {
  nodeSelectorTerms: [{ matchExpressions: [REQUIREMENT] }],
} as const satisfies Fields;

export const TAINT = { key: text, value: text, effect: text } as const satisfies Fields;

export type Taint = FieldsOf<typeof TAINT>;

export const TOLERATION = {
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: amount,
} as const satisfies Fields;

export type Toleration = FieldsOf<typeof TOLERATION>;
