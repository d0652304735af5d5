import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import type { StatusCause } from '../refusal.ts';
import {
  duplicate,
  filled,
  forbiddenField,
  listIn,
  objectAt,
  required,
  textIn,
  unsupported,
  wrong,
} from './fields.ts';
import { keyOffences, valueOffences } from './metadata.ts';
import type { KindRules } from './rules.ts';

/** What a NodeStatus prints before a kubelet filled it. */
const STATUS: JsonObject = {
  daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  nodeInfo: {
    architecture: '',
    bootID: '',
    containerRuntimeVersion: '',
    kernelVersion: '',
    kubeProxyVersion: '',
    kubeletVersion: '',
    machineID: '',
    operatingSystem: '',
    osImage: '',
    systemUUID: '',
  },
};

export const NODE: KindRules = {
  zero: { spec: {}, status: STATUS },
  defaults: (node) => {
    const whole = filled(node, { spec: {}, status: {} });
    const status = objectAt(whole, 'status');
    const made = filled(status, STATUS);
    return made === status ? whole : { ...whole, status: made };
  },
  validate: (node) => taintCauses(listIn(objectAt(node, 'spec'), 'taints')),
  validateUpdate: providerCauses,
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function taintCauses(taints: readonly Json[]): readonly StatusCause[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const place = `metadata.taints[${index}]`;
    const [key, effect, value] = [
      textIn(taint, 'key'),
      textIn(taint, 'effect'),
      textIn(taint, 'value'),
    ];
    const id = `${key}:${effect}`;
    const isKnown = seen.has(id);
    seen.add(id);
    return [
      ...keyOffences(key).map((why) => wrong(`${place}.key`, key, why)),
      ...valueOffences(value).map((why) => wrong(`${place}.value`, value, why)),
      ...(effect === '' ? [required(`${place}.effect`)] : []),
      ...(effect === '' || EFFECTS.includes(effect)
        ? []
        : [unsupported(`${place}.effect`, effect, EFFECTS)]),
      ...(isKnown ? [twice(place, goTaint(key, value, effect))] : []),
    ];
  });
}

function twice(place: string, taint: Json): StatusCause {
  const cause = duplicate(place, taint);
  return { ...cause, message: `${cause.message}: taints must be unique by key and effect pair` };
}

function goTaint(Key: string, Value: string, Effect: string): Json {
  return { Key, Value, Effect, TimeAdded: null };
}

function providerCauses(node: KubeObject, before: KubeObject): readonly StatusCause[] {
  const was = textIn(objectAt(before, 'spec'), 'providerID');
  const now = textIn(objectAt(node, 'spec'), 'providerID');
  if (was === '' || was === now) return [];
  const why = 'node updates may not change providerID except from "" to valid';
  return [forbiddenField('spec.providerID', why)];
}

/** Sets a taint, unless one with its key and effect is there. */
export function withTaint(node: KubeObject, taint: JsonObject): KubeObject {
  const spec = objectAt(node, 'spec');
  const taints = listIn(spec, 'taints');
  const isThere = taints.some(
    (one) => isObject(one) && one['key'] === taint['key'] && one['effect'] === taint['effect'],
  );
  return isThere ? node : { ...node, spec: { ...spec, taints: [...taints, taint] } };
}
