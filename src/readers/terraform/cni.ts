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

/** Settings of the VPC CNI are numbers and words; nothing else is kept of them. */
const SETTING = /^[A-Z][A-Z0-9_]*v?[0-9]*$/i;

function environmentOf(values: Json): readonly Json[] {
  const given = at(values, 'env');
  if (!isObject(given)) return [];
  return Object.entries(given)
    .filter(([name]) => SETTING.test(name))
    .flatMap(([name]) => {
      const value = textAt(given, name);
      return value === null ? [] : [{ name, value: value.slice(0, 200) }];
    });
}

const DOUBT: Made = {
  doubt: 'kube/DaemonSet',
  what: 'how the add-on vpc-cni is configured, until the plan is applied',
};

function objectsOf(values: Json): readonly Made[] {
  const container = { name: 'aws-node', env: environmentOf(values) };
  const configs = at(values, 'eniConfig.create') === true ? { ENI_CONFIG: 'true' } : {};
  const settings = {
    'enable-windows-ipam': textAt(values, 'enableWindowsIpam') ?? 'false',
    ...configs,
  };
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
