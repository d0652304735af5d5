import type { Json, JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import { isEqual } from '../../../evidence/equal.ts';
import type { StatusCause } from '../refusal.ts';
import {
  changedItems,
  changedPart,
  filled,
  forbiddenField,
  IMMUTABLE,
  objectAt,
  textIn,
  unsupported,
  wrong,
} from './fields.ts';
import type { KindRules } from './rules.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Subjects and roles name the API group that they are of. */
export const BINDING: KindRules = {
  defaults: (binding) => {
    const subjects = changedItems(binding, 'subjects', (subject) =>
      filled(subject, textIn(subject, 'kind') === 'ServiceAccount' ? {} : { apiGroup: RBAC }),
    );
    return changedPart(subjects, 'roleRef', (role) => filled(role, { apiGroup: RBAC }));
  },
  validate: (binding) => {
    const role = objectAt(binding, 'roleRef');
    const kinds = ['ClusterRole', 'Role'];
    const kind = textIn(role, 'kind');
    return kinds.includes(kind) ? [] : [unsupported('roleRef.kind', kind, kinds)];
  },
  validateUpdate: (binding, before) => {
    const [now, was] = [objectAt(binding, 'roleRef'), objectAt(before, 'roleRef')];
    if (isEqual(now, was)) return [];
    const shown = {
      APIGroup: now['apiGroup'] ?? '',
      Kind: now['kind'] ?? '',
      Name: now['name'] ?? '',
    };
    return [wrong('roleRef', shown, 'cannot change roleRef')];
  },
};

export const ROLE: KindRules = { defaults: (role) => filled(role, { rules: null }) };

export const PRIORITY_CLASS: KindRules = {
  defaults: (one) => filled(one, { preemptionPolicy: 'PreemptLowerPriority', value: 0 }),
  validate: (one) => {
    const name = textIn(one['metadata'], 'name');
    const isSystem = name === 'system-node-critical' || name === 'system-cluster-critical';
    if (!name.startsWith('system-') || isSystem) return [];
    const why = "priority class names with 'system-' prefix are reserved for system use only";
    return [forbiddenField('metadata.name', why)];
  },
  validateUpdate: (one, before) =>
    ['value', 'preemptionPolicy']
      .filter((key) => one[key] !== before[key])
      .map((key) => wrong(key, one[key] ?? null, IMMUTABLE)),
};

const NO_DISRUPTIONS: JsonObject = {
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
};

export const DISRUPTION_BUDGET: KindRules = {
  looksAtMetadataLast: true,
  created: (budget) => ({ ...budget, status: NO_DISRUPTIONS }),
  validate: (budget) => {
    const spec = objectAt(budget, 'spec');
    if (spec['minAvailable'] === undefined || spec['maxUnavailable'] === undefined) return [];
    return [wrong('spec', budgetSpec(spec), BOTH)];
  },
};

const BOTH = 'minAvailable and maxUnavailable cannot be both set';

function budgetSpec(spec: JsonObject): Json {
  return {
    MinAvailable: spec['minAvailable'] ?? null,
    Selector: spec['selector'] ?? null,
    MaxUnavailable: spec['maxUnavailable'] ?? null,
    UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
  };
}

/** Who asks is written into the request, whatever it says itself. */
export const SIGNING_REQUEST: KindRules = {
  created: (request, { user }) => {
    const spec = objectAt(request, 'spec');
    const asked = { ...spec, username: user.name, groups: [...user.groups] };
    const usages = spec['usages'] ?? ['digital signature', 'key encipherment'];
    return { ...request, spec: { ...asked, usages }, status: {} };
  },
  updated: (request, before) => ({ ...request, spec: before['spec'] ?? {} }),
};

function phased(phase: string): KindRules {
  return { created: (object) => ({ ...object, status: { phase } }) };
}

export const VOLUME: KindRules = {
  ...phased('Pending'),
  defaults: volumeDefaults,
};

export const CLAIM: KindRules = { ...phased('Pending'), defaults: volumeDefaults };

function volumeDefaults(object: KubeObject): KubeObject {
  const isVolume = object['kind'] === 'PersistentVolume';
  const policy = isVolume ? { persistentVolumeReclaimPolicy: 'Retain' } : {};
  return changedPart(object, 'spec', (spec) =>
    filled(spec, { volumeMode: 'Filesystem', ...policy }),
  );
}

export const STORAGE_CLASS: KindRules = {
  defaults: (one) => filled(one, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validateUpdate: (one, before) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
      .filter((key) => !isEqual(one[key] ?? null, before[key] ?? null))
      .map((key): StatusCause => forbiddenField(key, 'updates to ' + key + ' are forbidden.')),
};

export const LEASE: KindRules = { defaults: (lease) => filled(lease, { spec: {} }) };

const TWO_HOOKS: JsonObject = {
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
};

export const WEBHOOKS: KindRules = {
  defaults: (one) => changedItems(one, 'webhooks', (hook) => filled(hook, TWO_HOOKS)),
};
