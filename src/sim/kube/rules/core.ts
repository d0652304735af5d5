import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { badRequest, type StatusCause } from '../refusal.ts';
import { metadataOf } from '../store.ts';
import { base64Of, base64Offence } from './base64.ts';
import {
  changedItems,
  filled,
  forbiddenField,
  IMMUTABLE,
  listIn,
  objectAt,
  required,
  textIn,
  withKey,
  wrong,
} from './fields.ts';
import type { KindRules } from './rules.ts';
import { wordOf } from '../word.ts';

export const NAMESPACE: KindRules = {
  defaults: (namespace) => {
    const metadata = metadataOf(namespace);
    const { name = '' } = metadata;
    const labels = { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
    return { ...namespace, metadata: { ...metadata, labels } };
  },
  created: (namespace) => ({
    ...namespace,
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }),
  updated: (namespace, before) => ({
    ...namespace,
    spec: before['spec'] ?? {},
    status: before['status'] ?? {},
  }),
};

const CONFIG_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const CONFIG_KEY_WORDS =
  `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  ` +
  `or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`;
/** ConfigMaps and Secrets may hold one MiB. */
const SIZE_MAX = 1024 * 1024;

function keyCauses(object: KubeObject): readonly StatusCause[] {
  const entries = ['data', 'binaryData'].flatMap((part) =>
    Object.entries(objectAt(object, part)).map(([key, value]) => ({ part, key, value })),
  );
  const size = entries.reduce((sum, { value }) => sum + wordOf(value).length, 0);
  const message = `Too long: may not be more than ${SIZE_MAX} bytes`;
  return [
    ...entries
      .filter(({ key }) => !CONFIG_KEY.test(key))
      .map(({ part, key }) => wrong(`${part}[${key}]`, key, CONFIG_KEY_WORDS)),
    ...(size > SIZE_MAX ? [{ reason: 'FieldValueTooLong', message, field: '' }] : []),
  ];
}

/** Once `immutable`, neither content nor the mark may change. */
function frozenCauses(object: KubeObject, before: KubeObject): readonly StatusCause[] {
  if (before['immutable'] !== true) return [];
  const words = 'field is immutable when `immutable` is set';
  return ['immutable', 'data', 'binaryData']
    .filter((key) => !isEqual(object[key] ?? null, before[key] ?? null))
    .map((key) => forbiddenField(key, words));
}

export const CONFIG_MAP: KindRules = { validate: keyCauses, validateUpdate: frozenCauses };

export const SECRET: KindRules = {
  defaults: (secret) => {
    const typed = filled(secret, { type: 'Opaque' });
    const plain = typed['stringData'];
    const { kind } = secret;
    for (const value of Object.values(objectAt(typed, 'data'))) assertBase64(wordOf(kind), value);
    if (!isObject(plain)) return typed;
    const encoded = Object.entries(plain).map(([key, value]) => [key, base64Of(wordOf(value))]);
    const all = { ...objectAt(typed, 'data'), ...(Object.fromEntries(encoded) as JsonObject) };
    return { ...withKey(typed, 'stringData', undefined), data: all };
  },
  validate: keyCauses,
  validateUpdate: (secret, before) => {
    const { type = '' } = secret;
    const changed = type === before['type'] ? [] : [wrong('type', type, IMMUTABLE)];
    return [...changed, ...frozenCauses(secret, before)];
  },
};

function assertBase64(kind: string, value: Json): void {
  const at = base64Offence(wordOf(value));
  if (at !== null)
    throw badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: illegal base64 data at input byte ${at}`,
    );
}

/** Both APIs print these of an Event even when they are empty. */
export const EVENT: KindRules = {
  defaults: (event) => {
    const blank = { source: {}, firstTimestamp: null, lastTimestamp: null, eventTime: null };
    return filled(event, { ...blank, reportingComponent: '', reportingInstance: '' });
  },
  validate: (event) => {
    const involved = textIn(event['involvedObject'], 'namespace');
    const { namespace = '' } = metadataOf(event);
    const isClusterWide = involved === '' && namespace === 'default';
    if (involved === namespace || isClusterWide) return [];
    return [wrong('involvedObject.namespace', involved, 'does not match event.namespace')];
  },
};

export const SERVICE: KindRules = {
  defaults: (service) => {
    const spec = filled(objectAt(service, 'spec'), SERVICE_SPEC);
    const ported = changedItems(spec, 'ports', (port) => {
      const { port: number = 0 } = port;
      return filled(port, { protocol: 'TCP', targetPort: number });
    });
    return { ...service, spec: ported };
  },
  created: (service, scope) => {
    const spec = objectAt(service, 'spec');
    const given = textIn(spec, 'clusterIP');
    const clusterIP = given === '' ? freeAddress(scope) : given;
    const addressed = { ...spec, clusterIP, clusterIPs: [clusterIP], ...FAMILIES };
    return { ...service, spec: addressed, status: { loadBalancer: {} } };
  },
  updated: (service, before) => {
    const [spec, own] = [objectAt(service, 'spec'), objectAt(before, 'spec')];
    const kept = {
      ...FAMILIES,
      clusterIP: own['clusterIP'] ?? '',
      clusterIPs: own['clusterIPs'] ?? [],
    };
    const asked = textIn(spec, 'clusterIP');
    return { ...service, spec: asked === '' ? { ...spec, ...kept } : spec };
  },
  validate: (service) => {
    const spec = objectAt(service, 'spec');
    const isHeadless = spec['clusterIP'] === 'None' || spec['type'] === 'ExternalName';
    return listIn(spec, 'ports').length === 0 && !isHeadless ? [required('spec.ports')] : [];
  },
  validateUpdate: (service, before) => {
    const [now, was] = [objectAt(service, 'spec'), objectAt(before, 'spec')];
    const address = now['clusterIP'] ?? '';
    if (address === was['clusterIP']) return [];
    return [wrong('spec.clusterIPs[0]', address, 'may not change once set')];
  },
};

const SERVICE_SPEC: JsonObject = {
  type: 'ClusterIP',
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
};
const FAMILIES: JsonObject = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };

/** An address of 10.96.0.0/16 that no Service has. */
function freeAddress({ core, table }: Parameters<NonNullable<KindRules['created']>>[1]): string {
  const taken = new Set(
    table.keys(null).map((key) => textIn(objectAt(table.get(key) ?? {}, 'spec'), 'clusterIP')),
  );
  for (;;) {
    const address = `10.96.${core.random.below(256)}.${2 + core.random.below(250)}`;
    if (!taken.has(address)) return address;
  }
}
