import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import { isEqual } from '../../../evidence/equal.ts';
import type { StatusCause } from '../refusal.ts';
import {
  changedPart,
  duplicate,
  filled,
  forbiddenField,
  listIn,
  objectAt,
  required,
  textIn,
  unsupported,
  withKey,
  wrong,
} from './fields.ts';
import { keyOffences } from './metadata.ts';
import { podSpecDefaults, qosClassOf } from './pod-template.ts';
import { wordOf } from '../word.ts';
import type { KindRules } from './rules.ts';

export const POD: KindRules = {
  defaults: (pod) =>
    changedPart(
      changedPart(pod, 'spec', (spec) =>
        filled(podSpecDefaults(spec), { enableServiceLinks: true }),
      ),
      'status',
      addressesBothWays,
    ),
  created: (pod) => ({
    ...pod,
    status: { phase: 'Pending', qosClass: qosClassOf(objectAt(pod, 'spec')) },
  }),
  updated: (pod, before) => withKey(pod, 'status', before['status']),
  validate: (pod) => podSpecCauses(objectAt(pod, 'spec'), 'spec'),
  validateUpdate: specUpdateCauses,
};

/** `podIP` is the first of `podIPs`. */
function addressesBothWays(status: JsonObject): JsonObject {
  const ip = textIn(status, 'podIP');
  return ip === '' ? status : filled(status, { podIPs: [{ ip }] });
}

const RESTART = ['Always', 'OnFailure', 'Never'];
const DNS = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** What is wrong with a PodSpec, in a pod or in the template of a workload. */
export function podSpecCauses(spec: JsonObject, path: string): readonly StatusCause[] {
  const containers = listIn(spec, 'containers');
  const restart = textIn(spec, 'restartPolicy');
  return [
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containerCauses(listIn(spec, 'initContainers'), `${path}.initContainers`),
    ...containerCauses(containers, `${path}.containers`),
    ...portCauses(containers, `${path}.containers`, spec['hostNetwork'] === true),
    ...hostPortCauses(containers, `${path}.containers`),
    ...(RESTART.includes(restart) ? [] : [unsupported(`${path}.restartPolicy`, restart, RESTART)]),
    ...(DNS.includes(textIn(spec, 'dnsPolicy'))
      ? []
      : [unsupported(`${path}.dnsPolicy`, textIn(spec, 'dnsPolicy'), DNS)]),
    ...tolerationCauses(listIn(spec, 'tolerations'), `${path}.tolerations`),
  ];
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_WORDS =
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must ` +
  `start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for ` +
  `validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;

function containerCauses(containers: readonly Json[], path: string): readonly StatusCause[] {
  const seen = new Set<string>();
  return containers.flatMap((container, index) => {
    const place = `${path}[${index}]`;
    const [name, image] = [textIn(container, 'name'), textIn(container, 'image')];
    const isKnown = seen.has(name);
    seen.add(name);
    return [
      ...(name === '' ? [required(`${place}.name`)] : []),
      ...(name !== '' && !LABEL.test(name) ? [wrong(`${place}.name`, name, LABEL_WORDS)] : []),
      ...(isKnown && name !== '' ? [duplicate(`${place}.name`, name)] : []),
      ...(image === '' ? [required(`${place}.image`)] : []),
    ];
  });
}

const PORT_MAX = 65_535;
const PORT_WORDS = `must be between 1 and ${PORT_MAX}, inclusive`;
const HOST_PORT_WORDS = 'must match `containerPort` when `hostNetwork` is true';

function isPort(value: Json): boolean {
  return typeof value === 'number' && value >= 1 && value <= PORT_MAX;
}

function portCauses(
  containers: readonly Json[],
  path: string,
  isHost: boolean,
): readonly StatusCause[] {
  return containers.flatMap((container, index) =>
    listIn(container, 'ports').flatMap((port, number) => {
      const { containerPort = 0, hostPort = 0 } = isObject(port) ? port : {};
      const place = `${path}[${index}].ports[${number}]`;
      return [
        ...(containerPort === 0 ? [required(`${place}.containerPort`)] : []),
        ...(containerPort !== 0 && !isPort(containerPort)
          ? [wrong(`${place}.containerPort`, containerPort, PORT_WORDS)]
          : []),
        ...(hostPort !== 0 && !isPort(hostPort)
          ? [wrong(`${place}.hostPort`, hostPort, PORT_WORDS)]
          : []),
        ...(isHost && hostPort !== containerPort
          ? [wrong(`${place}.hostPort`, hostPort, HOST_PORT_WORDS)]
          : []),
      ];
    }),
  );
}

/** A port of the host is for one container (core validation, AccumulateUniqueHostPorts). */
function hostPortCauses(containers: readonly Json[], path: string): readonly StatusCause[] {
  const seen = new Set<string>();
  return containers.flatMap((container, index) =>
    listIn(container, 'ports').flatMap((port, number) => {
      const hostPort = isObject(port) ? (port['hostPort'] ?? 0) : 0;
      if (hostPort === 0) return [];
      const claim = `${textIn(port, 'protocol')}/${textIn(port, 'hostIP')}/${wordOf(hostPort)}`;
      const isTaken = seen.has(claim);
      seen.add(claim);
      return isTaken ? [duplicate(`${path}[${index}].ports[${number}].hostPort`, claim)] : [];
    }),
  );
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function tolerationCauses(tolerations: readonly Json[], path: string): readonly StatusCause[] {
  return tolerations.flatMap((one, index) => {
    const place = `${path}[${index}]`;
    const [key, operator] = [textIn(one, 'key'), textIn(one, 'operator') || 'Equal'];
    const effect = textIn(one, 'effect');
    const value = textIn(one, 'value');
    const isSeconds = isObject(one) && one['tolerationSeconds'] !== undefined;
    return [
      ...(key === '' ? [] : keyOffences(key).map((why) => wrong(`${place}.key`, key, why))),
      ...(key === '' && operator !== 'Exists'
        ? [wrong(`${place}.operator`, operator, KEYLESS)]
        : []),
      ...(isSeconds && effect !== 'NoExecute'
        ? [
            wrong(
              `${place}.effect`,
              effect,
              `effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
            ),
          ]
        : []),
      ...(operator === 'Exists' && value !== '' ? [wrong(`${place}.operator`, value, VALUED)] : []),
      ...(['Exists', 'Equal'].includes(operator)
        ? []
        : [unsupported(`${place}.operator`, operator, ['Equal', 'Exists'])]),
      ...(effect === '' || EFFECTS.includes(effect)
        ? []
        : [unsupported(`${place}.effect`, effect, EFFECTS)]),
    ];
  });
}

const KEYLESS =
  'operator must be Exists when `key` is empty, which means "match all values and all keys"';
const VALUED = "value must be empty when `operator` is 'Exists'";

const FROZEN =
  'pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions ' +
  'to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it ' +
  'was previously negative)';

/** Of a pod that exists only few things may change. */
function specUpdateCauses(pod: KubeObject, before: KubeObject): readonly StatusCause[] {
  const [now, was] = [objectAt(pod, 'spec'), objectAt(before, 'spec')];
  if (now === was) return [];
  const [list, old] = [listIn(now, 'containers'), listIn(was, 'containers')];
  if (list.length !== old.length)
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')];
  return [
    ...(lostTolerations(now, was) ? [forbiddenField('spec.tolerations', LOST_TOLERATION)] : []),
    ...(isEqual(frozenPart(now), frozenPart(was)) ? [] : [forbiddenField('spec', FROZEN)]),
  ];
}

const LOST_TOLERATION = 'existing toleration can not be modified except its tolerationSeconds';

function lostTolerations(now: JsonObject, was: JsonObject): boolean {
  const timeless = (one: Json): Json =>
    isObject(one) ? withKey(one, 'tolerationSeconds', undefined) : one;
  const kept = listIn(now, 'tolerations').map(timeless);
  return listIn(was, 'tolerations').some(
    (one) => !kept.some((other) => isEqual(other, timeless(one))),
  );
}

function frozenPart(spec: JsonObject): JsonObject {
  const imageless = (one: Json): Json => (isObject(one) ? withKey(one, 'image', undefined) : one);
  return {
    ...spec,
    containers: listIn(spec, 'containers').map(imageless),
    initContainers: listIn(spec, 'initContainers').map(imageless),
    tolerations: [],
    activeDeadlineSeconds: 0,
    schedulingGates: [],
  };
}
