import { isObject } from '../../../evidence/json.ts';
import {
  type GateTaint,
  type LabelRequirement,
  TAINT_EFFECTS,
  type TaintEffect,
} from '../policy.ts';
import type { Fields } from './fields.ts';
import { contradictedLabel } from './selector-sets.ts';
import { shownKey } from './shown.ts';

/** Stands for a taint that cannot be read. */
export const NO_TAINT: GateTaint = { key: '', value: '', effect: 'NoSchedule' };

/** A qualified name (apimachinery, util/validation IsQualifiedName). */
const KEY = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?\/)?[A-Za-z\d](?:[\w.-]{0,61}[A-Za-z\d])?$/;
const LABEL_VALUE = /^(?:[A-Za-z\d](?:[\w.-]{0,61}[A-Za-z\d])?)?$/;
/** Taints that other programs put and remove by rules of their own: a gate would fight them. */
export const RESERVED_TAINT_PREFIXES: readonly string[] = [
  'node.kubernetes.io/',
  'node.cloudprovider.kubernetes.io/',
  'node-role.kubernetes.io/',
  'karpenter.sh/',
];

/** Karpenter waits for these before it calls a node initialized, so none may come back later. */
export const EPHEMERAL_TAINT_PREFIX = 'readiness.k8s.io/';

function isReserved(key: string): boolean {
  return RESERVED_TAINT_PREFIXES.some((prefix) => key.startsWith(prefix));
}

export function isQualifiedName(text: string): boolean {
  return KEY.test(text);
}

/** Reads a taint; null where it is missing or refused. */
export function readTaint(fields: Fields, field: string): GateTaint | null {
  if (!isObject(fields.value(field))) {
    fields.refuse(field, 'is missing; write a key and an effect');
    return null;
  }
  const taint = fields.inside(field, ['key', 'value', 'effect', 'timeAdded']);
  const key = taint.text('key');
  const value = taint.text('value', '');
  const effect = taint.choice('effect', TAINT_EFFECTS);
  if (!isQualifiedName(key)) taint.refuse('key', 'is no qualified name, such as example.com/gate');
  else if (isReserved(key))
    taint.refuse('key', 'belongs to another program; use a domain of yours');
  if (!LABEL_VALUE.test(value)) taint.refuse('value', 'is no label value');
  return fields.isRefused(field) ? null : { key, value, effect: effect as TaintEffect };
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const EXPRESSIONS_MAX = 64;

function readExpression(fields: Fields): LabelRequirement {
  const key = fields.text('key');
  const operator = fields.choice('operator', OPERATORS);
  const values = fields.texts('values');
  if (!isQualifiedName(key)) fields.refuse('key', 'is no label key');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) fields.refuse('values', `is empty, and ${operator} needs some`);
    return { key, operator, values };
  }
  if (values.length > 0) fields.refuse('values', `is not empty, and ${operator} takes none`);
  return { key, operator: operator === 'Exists' ? 'Exists' : 'DoesNotExist' };
}

/** Reads a label selector of `meta/v1`; one that is missing is refused, `{}` selects everything. */
export function readSelector(fields: Fields, field: string): readonly LabelRequirement[] {
  if (!isObject(fields.value(field))) {
    fields.refuse(field, 'is missing; write {} to select every node');
    return [];
  }
  const selector = fields.inside(field, ['matchLabels', 'matchExpressions']);
  const labels = selector.value('matchLabels');
  if (labels !== undefined && !isObject(labels)) selector.refuse('matchLabels', 'is not an object');
  const pairs = Object.entries(isObject(labels) ? labels : {}).map(([key, value]) => {
    if (typeof value !== 'string')
      selector.refuse('matchLabels', `has ${shownKey(key)} without a text`);
    return { key, operator: 'In', values: [typeof value === 'string' ? value : ''] } as const;
  });
  const expressions = selector.items(
    'matchExpressions',
    ['key', 'operator', 'values'],
    EXPRESSIONS_MAX,
  );
  const requirements = [...pairs, ...expressions.map(readExpression)];
  const label = contradictedLabel(requirements);
  if (label !== null) fields.refuse(field, `selects no node: no value of ${label} meets all of it`);
  return requirements;
}
