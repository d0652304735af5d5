/** The kind NodeReadinessRule as its controller's documentation has it, restated. */
import type { JsonObject } from '../../src/evidence/json.ts';

const STATUS = { type: 'string', enum: ['True', 'False', 'Unknown'] };
const NODE_NAME = { type: 'string', minLength: 1, maxLength: 253 };
const TIME = { type: 'string', format: 'date-time' };

type Rule = Readonly<Record<'rule' | 'message', string>>;

function immutable(field: string): Rule {
  return { rule: 'self == oldSelf', message: `${field} is immutable` };
}

const KEY_RULES: readonly Rule[] = [
  { rule: "self.startsWith('readiness.k8s.io/')", message: "must start with 'readiness.k8s.io/'" },
  { rule: "self.split('/').size() == 2", message: "must have exactly one '/' separator" },
  {
    rule: "self.split('/').size() != 2 || (self.split('/')[1].size() >= 1 && self.split('/')[1].size() <= 63)",
    message: 'the name must be 1-63 characters',
  },
  {
    rule: "self.split('/').size() != 2 || self.split('/')[1].size() == 0 || self.split('/')[1].matches('^[A-Za-z0-9].*$') && self.split('/')[1].matches('^.*[A-Za-z0-9]$')",
    message: 'the name must start and end with an alphanumeric character',
  },
  {
    rule: "self.split('/').size() != 2 || self.split('/')[1].matches('^[-A-Za-z0-9_.]*$')",
    message: "the name must consist of alphanumeric characters, '-', '_' or '.'",
  },
  immutable('key'),
];

const TAINT = {
  type: 'object',
  required: ['key', 'effect'],
  properties: {
    key: { type: 'string', minLength: 1, maxLength: 253, 'x-kubernetes-validations': KEY_RULES },
    value: { type: 'string', maxLength: 63 },
    effect: {
      type: 'string',
      enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
      'x-kubernetes-validations': [immutable('effect')],
    },
    timeAdded: TIME,
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(oldSelf.value) || (has(self.value) && self.value == oldSelf.value)',
      message: 'value is immutable',
    },
  ],
};

const CONDITIONS = {
  type: 'array',
  minItems: 1,
  maxItems: 32,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  'x-kubernetes-validations': [immutable('conditions')],
  items: {
    type: 'object',
    required: ['type', 'requiredStatus'],
    properties: {
      type: { type: 'string', minLength: 1, maxLength: 316 },
      requiredStatus: STATUS,
      defaultStatus: STATUS,
    },
  },
};

const SELECTOR = {
  type: 'object',
  'x-kubernetes-validations': [immutable('nodeSelector')],
  properties: {
    matchLabels: {
      type: 'object',
      maxProperties: 32,
      additionalProperties: { type: 'string', maxLength: 63 },
    },
    matchExpressions: {
      type: 'array',
      maxItems: 32,
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['key', 'operator'],
        properties: {
          key: { type: 'string', maxLength: 317 },
          operator: { type: 'string', maxLength: 16 },
          values: {
            type: 'array',
            maxItems: 64,
            'x-kubernetes-list-type': 'atomic',
            items: { type: 'string', maxLength: 63 },
          },
        },
      },
    },
  },
};

const SPEC = {
  type: 'object',
  required: ['conditions', 'enforcementMode', 'taint', 'nodeSelector'],
  properties: {
    conditions: CONDITIONS,
    enforcementMode: {
      type: 'string',
      enum: ['bootstrap-only', 'continuous'],
      'x-kubernetes-validations': [immutable('enforcementMode')],
    },
    taint: TAINT,
    nodeSelector: SELECTOR,
    conditionPolicy: { type: 'string', enum: ['allOf', 'anyOf'] },
    dryRun: { type: 'boolean' },
  },
  'x-kubernetes-validations': [
    {
      rule: "(has(self.conditionPolicy) ? self.conditionPolicy : 'allOf') == (has(oldSelf.conditionPolicy) ? oldSelf.conditionPolicy : 'allOf')",
      message: 'conditionPolicy is immutable',
    },
  ],
};

function byNode(properties: JsonObject, required: readonly string[]): JsonObject {
  return {
    type: 'array',
    maxItems: 5000,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['nodeName'],
    items: {
      type: 'object',
      required: ['nodeName', 'lastEvaluationTime', ...required],
      properties: { nodeName: NODE_NAME, lastEvaluationTime: TIME, ...properties },
    },
  };
}

const RESULTS = {
  type: 'array',
  maxItems: 5000,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'currentStatus', 'requiredStatus'],
    properties: {
      type: { type: 'string', minLength: 1, maxLength: 316 },
      currentStatus: STATUS,
      requiredStatus: STATUS,
      defaultStatus: STATUS,
    },
  },
};

const COUNT = { type: 'integer', format: 'int32', minimum: 0 };

const RULE_STATUS = {
  type: 'object',
  minProperties: 1,
  properties: {
    observedGeneration: { type: 'integer', format: 'int64', minimum: 1 },
    appliedNodes: {
      type: 'array',
      maxItems: 5000,
      'x-kubernetes-list-type': 'set',
      items: { type: 'string', maxLength: 253 },
    },
    failedNodes: byNode(
      {
        reason: { type: 'string', minLength: 1, maxLength: 256 },
        message: { type: 'string', minLength: 1, maxLength: 10240 },
      },
      [],
    ),
    nodeEvaluations: byNode(
      { conditionResults: RESULTS, taintStatus: { type: 'string', enum: ['Present', 'Absent'] } },
      ['conditionResults', 'taintStatus'],
    ),
    dryRunResults: {
      type: 'object',
      required: ['summary'],
      properties: {
        affectedNodes: COUNT,
        taintsToAdd: COUNT,
        taintsToRemove: COUNT,
        riskyOperations: COUNT,
        summary: { type: 'string', minLength: 1, maxLength: 4096 },
      },
    },
  },
};

const SELECTABLE = ['.spec.enforcementMode', '.spec.taint.key', '.spec.dryRun'];

export const RULE_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'nodereadinessrules.readiness.node.x-k8s.io',
    // A group under k8s.io is protected; whoever installs one says where it was approved.
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
  spec: {
    group: 'readiness.node.x-k8s.io',
    scope: 'Cluster',
    names: {
      plural: 'nodereadinessrules',
      singular: 'nodereadinessrule',
      kind: 'NodeReadinessRule',
      listKind: 'NodeReadinessRuleList',
      shortNames: ['nrr'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: SELECTABLE.map((jsonPath) => ({ jsonPath })),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: { spec: SPEC, status: RULE_STATUS },
          },
        },
      },
    ],
  },
};
