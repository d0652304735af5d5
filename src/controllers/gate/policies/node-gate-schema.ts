import type { JsonObject } from '../../../evidence/json.ts';
import { TAINT_EFFECTS } from '../policy.ts';
import { DURATION, NAME_PART, SUBDOMAIN } from './names.ts';
import { EPHEMERAL_TAINT_PREFIX, RESERVED_TAINT_PREFIXES } from './parts.ts';

/** What a NodeGate means where it says nothing; the API server writes them into the object. */
export const NODE_GATE_DEFAULTS = {
  proofPolicy: 'All',
  mode: 'continuous',
  dwell: '5s',
  boundToBoot: true,
  dryRun: false,
  conditionStatus: 'True',
  regressAfter: '10s',
  regressMaxPercent: 20,
  kubeletRestart: 'ignore',
  expiry: '15m',
} as const;

/** Limits of the lists of a NodeGate. */
export const NODE_GATE_LIMITS = {
  proofs: 32,
  expressions: 32,
  labels: 32,
  values: 64,
  annotations: 8,
  /** The longest dwell, freshness, expiry or regress.after. */
  duration: '720h',
} as const;

/** A rule of a schema in CEL, and what a person reads whose object breaks it. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

const KEY = { type: 'string', minLength: 1, maxLength: 316 };
export const LABEL_KEY = { ...KEY, pattern: `^(${SUBDOMAIN}/)?${NAME_PART}$` };
export const OBJECT_NAME = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  pattern: `^${SUBDOMAIN}$`,
};
const LABEL_VALUE = { type: 'string', maxLength: 63, pattern: `^(${NAME_PART})?$` };

export function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

export function objectOf(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
  rules: readonly Rule[] = [],
): JsonObject {
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required: [...required] }),
    properties,
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules.map(({ ...rule }) => rule) }),
  };
}

export function duration(description: string, more: JsonObject = {}): JsonObject {
  return {
    type: 'string',
    maxLength: 20,
    pattern: `^${DURATION}$`,
    description,
    'x-kubernetes-validations': [
      {
        rule: `duration(self) <= duration('${NODE_GATE_LIMITS.duration}')`,
        message: `must not be longer than ${NODE_GATE_LIMITS.duration}`,
      },
    ],
    ...more,
  };
}

const RESERVED = RESERVED_TAINT_PREFIXES.map((prefix) => `self.startsWith('${prefix}')`).join(
  ' || ',
);

const TAINT_KEY = {
  type: 'string',
  minLength: 3,
  maxLength: 317,
  pattern: `^${SUBDOMAIN}/${NAME_PART}$`,
  'x-kubernetes-validations': [
    {
      rule: `!(${RESERVED})`,
      message: 'this taint belongs to another program; choose a key of your own',
    },
  ],
};

export const TAINT = described(
  objectOf(
    {
      key: TAINT_KEY,
      value: LABEL_VALUE,
      effect: { type: 'string', enum: [...TAINT_EFFECTS] },
    },
    ['key', 'effect'],
    [
      {
        rule: 'self.key == oldSelf.key && self.effect == oldSelf.effect',
        message: 'key and effect are immutable; make another NodeGate for another taint',
      },
    ],
  ),
  'The taint that a node starts with, and that goes when its proofs hold.',
);

export const REGRESS_TAINT = described(
  objectOf(
    {
      key: {
        ...TAINT_KEY,
        'x-kubernetes-validations': [
          ...TAINT_KEY['x-kubernetes-validations'],
          {
            rule: `!self.startsWith('${EPHEMERAL_TAINT_PREFIX}')`,
            message: `Karpenter takes ${EPHEMERAL_TAINT_PREFIX} for a startup taint; choose another prefix`,
          },
        ],
      },
      value: LABEL_VALUE,
      effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule'] },
    },
    ['key', 'effect'],
  ),
  'Put instead of taint when an opened node loses a proof; regress.rollcall.dev/ and the name of taint when not given.',
);

const EXPRESSION = objectOf(
  {
    key: LABEL_KEY,
    operator: { type: 'string', enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] },
    values: {
      type: 'array',
      maxItems: NODE_GATE_LIMITS.values,
      'x-kubernetes-list-type': 'atomic',
      items: LABEL_VALUE,
    },
  },
  ['key', 'operator'],
  [
    {
      rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
      message: 'In and NotIn need values; Exists and DoesNotExist take none',
    },
  ],
);

const BOTH = 'has(self.matchLabels) && has(self.matchExpressions)';
const CONTRADICTION: Rule = {
  rule: `!(${BOTH}) || self.matchExpressions.all(e, !(e.key in self.matchLabels) || (e.operator == 'In' ? self.matchLabels[e.key] in e.values : e.operator == 'NotIn' ? !(self.matchLabels[e.key] in e.values) : e.operator == 'Exists'))`,
  message: 'matchLabels and matchExpressions contradict each other; no node can have such labels',
};

export const SELECTOR = described(
  objectOf(
    {
      matchLabels: {
        type: 'object',
        maxProperties: NODE_GATE_LIMITS.labels,
        additionalProperties: LABEL_VALUE,
      },
      matchExpressions: {
        type: 'array',
        maxItems: NODE_GATE_LIMITS.expressions,
        'x-kubernetes-list-type': 'atomic',
        items: EXPRESSION,
      },
    },
    [],
    [CONTRADICTION],
  ),
  'Which nodes the gate is for; an empty one selects every node.',
);

export const DAEMON_SET = objectOf({ namespace: OBJECT_NAME, name: OBJECT_NAME }, [
  'namespace',
  'name',
]);
export const STATUSES = { type: 'string', enum: ['True', 'False', 'Unknown'] };
export const METADATA = objectOf({ key: LABEL_KEY, value: { type: 'string', maxLength: 512 } }, [
  'key',
]);
