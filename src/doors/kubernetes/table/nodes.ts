import { at, type Json, type JsonObject, textAt, textsAt } from '../../../evidence/json.ts';
import { age, type Column, columns, name, NONE, objectsAt, orUnknown, text } from './column.ts';

function statusOf(node: JsonObject): Json {
  const ready = objectsAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  const word =
    ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function rolesOf(node: JsonObject): Json {
  const labels = Object.entries(textsAt(node, 'metadata.labels'));
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  const named = [...new Set(roles)].filter((role) => role !== '').toSorted();
  return named.length === 0 ? NONE : named.join(',');
}

function addressOf(type: string): (node: JsonObject) => Json {
  return (node) => {
    const found = objectsAt(node, 'status.addresses').find((one) => textAt(one, 'type') === type);
    return textAt(found ?? {}, 'address') ?? NONE;
  };
}

function kernelOf(node: JsonObject): Json {
  const kernel = textAt(node, 'status.nodeInfo.kernelVersion') || '<unknown>';
  const architecture = textAt(node, 'status.nodeInfo.architecture') ?? '';
  return architecture === '' ? kernel : `${kernel} (${architecture})`;
}

export const NODE: readonly Column[] = columns(
  'Name/name | Status | Roles | Age | Version | Internal-IP*1 | External-IP*1 | OS-Image*1 | Kernel-Version*1 | Container-Runtime*1',
  name,
  statusOf,
  rolesOf,
  age,
  text('status.nodeInfo.kubeletVersion'),
  addressOf('InternalIP'),
  addressOf('ExternalIP'),
  orUnknown('status.nodeInfo.osImage'),
  kernelOf,
  orUnknown('status.nodeInfo.containerRuntimeVersion'),
);
