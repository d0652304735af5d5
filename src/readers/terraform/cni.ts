import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { at, isObject, type Json, textAt } from '../../evidence/json.ts';
import type { Made, Maker } from './made.ts';
import { isUnknownIn, type Resource } from './resource.ts';

/** The add-on takes JSON or YAML of at most a few kilobytes. */
const CHARACTERS_MAX = 65_536;

function parsed(text: string): Json | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  try {
    return load(text, { schema: CORE_SCHEMA }) as Json;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return undefined;
  }
}

/** Of an environment its shape keeps what programs that are known here read. */
function environmentOf(values: Json): readonly Json[] {
  const given = at(values, 'env');
  if (!isObject(given)) return [];
  return Object.keys(given).map((name) => ({ name, value: textAt(given, name) }));
}

/** One object for each zone, where the add-on makes them. */
function configsOf(values: Json): readonly Made[] {
  const subnets = at(values, 'eniConfig.subnets');
  if (at(values, 'eniConfig.create') !== true || !isObject(subnets)) return [];
  return Object.entries(subnets).map(([name, subnet]) => ({
    object: 'ENIConfig',
    body: { metadata: { name }, spec: { subnet: textAt(subnet, 'id') } },
  }));
}

const DOUBT: Made = {
  doubt: 'kube/DaemonSet',
  what: 'how the add-on vpc-cni is configured, until the plan is applied',
};

function objectsOf(values: Json): readonly Made[] {
  const container = { name: 'aws-node', env: environmentOf(values) };
  const settings = { 'enable-windows-ipam': textAt(values, 'enableWindowsIpam') ?? 'false' };
  return [
    {
      object: 'DaemonSet',
      body: {
        metadata: { name: 'aws-node', namespace: 'kube-system' },
        spec: { template: { spec: { containers: [container] } } },
      },
    },
    {
      object: 'ConfigMap',
      body: { metadata: { name: 'amazon-vpc-cni', namespace: 'kube-system' }, data: settings },
    },
    ...configsOf(values),
  ];
}

/** The objects that the add-on vpc-cni makes, with what its configuration sets. */
export function cniObjects(resource: Resource): readonly Made[] {
  if (textAt(resource.values, 'addon_name') !== 'vpc-cni') return [];
  const text = textAt(resource.values, 'configuration_values') ?? '';
  const isOpen = isUnknownIn(at(resource.unknown, 'configuration_values')) && text === '';
  if (isOpen && at(resource.configuration, 'expressions.configuration_values') !== undefined)
    return [DOUBT];
  const values = text === '' ? {} : parsed(text);
  return values === undefined ? [DOUBT] : objectsOf(values);
}

/** Objects of the cluster that are made in other ways are not looked into. */
export const manifests: Maker = () => [
  { doubt: 'kube/ENIConfig', what: 'which objects this manifest makes' },
  { doubt: 'kube/ConfigMap', what: 'which objects this manifest makes' },
];
