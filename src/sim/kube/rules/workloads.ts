import { SELECTOR } from '../../../evidence/kube/object.ts';
import { project } from '../../../evidence/project.ts';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { selects, selectsAll } from '../../../domain/pods/label-selector.ts';
import type { KubeObject } from '../contract.ts';
import { isEqual } from '../../../evidence/equal.ts';
import type { StatusCause } from '../refusal.ts';
import { metadataOf } from '../store.ts';
import {
  changedPart,
  filled,
  IMMUTABLE,
  objectAt,
  required,
  unsupported,
  withKey,
  wrong,
} from './fields.ts';
import { podSpecCauses } from './pod.ts';
import { templateDefaults } from './pod-template.ts';
import type { KindRules } from './rules.ts';
import { wordOf } from '../word.ts';

function workload(defaults: JsonObject, status: JsonObject): KindRules {
  return {
    defaults: (object) =>
      changedPart(object, 'spec', (spec) => filled(templateDefaults(spec), defaults)),
    created: (object) => ({ ...object, status }),
    validate: templateCauses,
    validateUpdate: (object, before) => selectorKept(object, before),
  };
}

const ROLLING = { type: 'RollingUpdate' };

export const DEPLOYMENT: KindRules = workload(
  {
    replicas: 1,
    strategy: { ...ROLLING, rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  },
  {},
);

export const REPLICA_SET: KindRules = workload({ replicas: 1 }, { replicas: 0 });

export const STATEFUL_SET: KindRules = workload(
  {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { ...ROLLING, rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  },
  { replicas: 0, availableReplicas: 0 },
);

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const DAEMON_SET_RULES = workload(
  {
    updateStrategy: { ...ROLLING, rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  },
  {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
);

export const DAEMON_SET: KindRules = {
  ...DAEMON_SET_RULES,
  created: (object, scope) =>
    templateCounted(DAEMON_SET_RULES.created?.(object, scope) ?? object, '1'),
  updated: (object, before) => {
    const known = objectAt(metadataOf(before), 'annotations')[TEMPLATE_GENERATION] ?? '0';
    const template = (one: KubeObject): Json => objectAt(objectAt(one, 'spec'), 'template');
    const isSame = isEqual(template(object), template(before));
    return templateCounted(object, isSame ? wordOf(known) : wordOf(Number(known) + 1));
  },
};

function templateCounted(object: KubeObject, count: string): KubeObject {
  const metadata = metadataOf(object);
  const annotations = { ...objectAt(metadata, 'annotations'), [TEMPLATE_GENERATION]: count };
  return { ...object, metadata: { ...metadata, annotations } };
}

function templateCauses(object: KubeObject): readonly StatusCause[] {
  const spec = objectAt(object, 'spec');
  const template = objectAt(spec, 'template');
  const pod = objectAt(template, 'spec');
  return [
    ...selectorCauses(object, spec, objectAt(objectAt(template, 'metadata'), 'labels')),
    ...podSpecCauses(pod, 'spec.template.spec'),
    ...(pod['restartPolicy'] === 'Always' || pod['restartPolicy'] === undefined
      ? []
      : [unsupported('spec.template.spec.restartPolicy', pod['restartPolicy'], ['Always'])]),
  ];
}

function selectorCauses(
  object: KubeObject,
  spec: JsonObject,
  labels: JsonObject,
): readonly StatusCause[] {
  const selector = spec['selector'];
  if (selector === undefined) return [required('spec.selector')];
  const read = project(SELECTOR, selector);
  if (selectsAll(read))
    return [wrong('spec.selector', selector, `empty selector is invalid for ${kindWord(object)}`)];
  if (selects(read, labels as Readonly<Record<string, string>>)) return [];
  const why = '`selector` does not match template `labels`';
  return [wrong('spec.template.metadata.labels', labels, why)];
}

function kindWord(object: KubeObject): string {
  return wordOf(object['kind'] ?? '').toLowerCase();
}

function selectorKept(object: KubeObject, before: KubeObject): readonly StatusCause[] {
  const selectorOf = (one: KubeObject): Json => objectAt(one, 'spec')['selector'] ?? null;
  const now = selectorOf(object);
  return isEqual(now, selectorOf(before)) ? [] : [wrong('spec.selector', now, IMMUTABLE)];
}

const JOB_LABELS = ['batch.kubernetes.io/controller-uid', 'controller-uid'];
const JOB_NAMES = ['batch.kubernetes.io/job-name', 'job-name'];

export const JOB: KindRules = {
  defaults: (object) =>
    changedPart(object, 'spec', (spec) => filled(templateDefaults(spec), JOB_DEFAULTS)),
  created: (object) => ({ ...withJobLabels(object), status: {} }),
  validate: (object) => {
    const pod = objectAt(objectAt(objectAt(object, 'spec'), 'template'), 'spec');
    const restart = pod['restartPolicy'] ?? '';
    return [
      ...podSpecCauses(pod, 'spec.template.spec'),
      ...(restart === 'Never' || restart === 'OnFailure'
        ? []
        : [unsupported('spec.template.spec.restartPolicy', restart, ['OnFailure', 'Never'])]),
    ];
  },
};

const JOB_DEFAULTS: JsonObject = {
  parallelism: 1,
  completions: 1,
  completionMode: 'NonIndexed',
  backoffLimit: 6,
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
  manualSelector: false,
};

/** A Job selects its pods by its own uid. */
function withJobLabels(job: KubeObject): KubeObject {
  const metadata = metadataOf(job);
  const { uid = '', name = '' } = metadata;
  const labels = Object.fromEntries([
    ...JOB_LABELS.map((key) => [key, uid]),
    ...JOB_NAMES.map((key) => [key, name]),
  ]) as JsonObject;
  const spec = objectAt(job, 'spec');
  const template = objectAt(spec, 'template');
  const own = objectAt(template, 'metadata');
  const inner = withKey(own, 'labels', { ...objectAt(own, 'labels'), ...labels });
  const [key = ''] = JOB_LABELS;
  return {
    ...job,
    metadata: { ...metadata, labels: { ...objectAt(metadata, 'labels'), ...labels } },
    spec: {
      ...spec,
      selector: { matchLabels: { [key]: uid } },
      template: { ...template, metadata: inner },
    },
  };
}
