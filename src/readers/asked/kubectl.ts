import { goValue } from './go-value.ts';
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { Command } from './command.ts';
import { printedBy, putAt } from './jsonpath.ts';
import { jsonAhead, yamlAhead } from './printed.ts';

/** Kinds by the names under which kubectl takes them. */
const KINDS: Readonly<Record<string, string>> = {
  node: 'Node',
  no: 'Node',
  pod: 'Pod',
  po: 'Pod',
  daemonset: 'DaemonSet',
  ds: 'DaemonSet',
  deployment: 'Deployment',
  deploy: 'Deployment',
  configmap: 'ConfigMap',
  cm: 'ConfigMap',
  serviceaccount: 'ServiceAccount',
  sa: 'ServiceAccount',
  lease: 'Lease',
  nodeclaim: 'NodeClaim',
  nodepool: 'NodePool',
  ec2nodeclass: 'EC2NodeClass',
  ec2nodeclasse: 'EC2NodeClass',
  csr: 'CertificateSigningRequest',
  certificatesigningrequest: 'CertificateSigningRequest',
  eniconfig: 'ENIConfig',
  cninode: 'CNINode',
  csinode: 'CSINode',
  namespace: 'Namespace',
  ns: 'Namespace',
  machine: 'Machine',
  securitygrouppolicie: 'SecurityGroupPolicy',
  sgp: 'SecurityGroupPolicy',
  nodereadinessrule: 'NodeReadinessRule',
  nrr: 'NodeReadinessRule',
  pvc: 'PersistentVolumeClaim',
  pv: 'PersistentVolume',
};

const OF_CLUSTER = new Set([
  'Node',
  'NodeClaim',
  'NodePool',
  'EC2NodeClass',
  'CertificateSigningRequest',
  'ENIConfig',
  'CNINode',
  'CSINode',
  'Namespace',
  'NodeReadinessRule',
  'PersistentVolume',
]);

/** What a `kubectl get` asks for. */
export interface Asked {
  readonly kind: string;
  readonly name: string | null;
  readonly namespace: string | null;
  /** True where nothing of the kind is left out. */
  readonly isOfAll: boolean;
}

function kindOf(word: string): string | null {
  const plain = (word.toLowerCase().split('.')[0] ?? '').replace(/s$/, '');
  return KINDS[plain] ?? KINDS[`${plain}s`] ?? null;
}

/** What a command of kubectl or oc asks for; null for one that gets nothing of a known kind. */
export function askedOf({ program, words, options }: Command): Asked | null {
  const [verb, what = '', second] = words;
  if (!/^(?:kubectl|oc)$/.test(program) || verb !== 'get' || what.includes(',')) return null;
  const [resource = '', behindSlash] = what.split('/', 2);
  const kind = kindOf(resource);
  if (kind === null || words.length > 3) return null;
  const name = behindSlash ?? second ?? null;
  const isNarrow =
    name !== null || ['l', 'selector', 'field-selector'].some((one) => options.has(one));
  const isEverywhere = options.has('A') || options.has('all-namespaces') || OF_CLUSTER.has(kind);
  return {
    kind,
    name,
    namespace: options.get('n') ?? options.get('namespace') ?? null,
    isOfAll: isEverywhere && !isNarrow,
  };
}

function outputOf({ options }: Command): string {
  return options.get('o') ?? options.get('output') ?? '';
}

/** A path of kubectl, such as `.metadata.annotations.eks\.amazonaws\.com/role-arn`. */
function membersOf(path: string): readonly string[] | null {
  const plain = path
    .trim()
    .replace(/^\{|\}$/g, '')
    .replace(/^\$/, '');
  if (!plain.startsWith('.') || /[[\]*?@{}]/.test(plain)) return null;
  const members = plain.slice(1).split(/(?<!\\)\./);
  return members.map((member) => member.replaceAll('\\.', '.'));
}

function put(object: Record<string, Json>, members: readonly string[], value: Json): void {
  const [first = '', ...rest] = members;
  if (rest.length === 0) {
    object[first] = value;
    return;
  }
  const before = object[first];
  const inner: Record<string, Json> = isObject(before) ? { ...before } : {};
  put(inner, rest, value);
  object[first] = inner;
}

function emptyObject({ kind, name, namespace }: Asked): Record<string, Json> {
  const metadata = {
    ...(name === null ? {} : { name }),
    ...(namespace === null ? {} : { namespace }),
  };
  return { apiVersion: 'v1', kind, metadata };
}

function ofJsonpath(asked: Asked, template: string, output: readonly string[]): JsonObject | null {
  const values = asked.name === null ? null : printedBy(template, output);
  if (values === null || values.some(({ path }) => path.includes('[*]'))) return null;
  return values.reduce<Json>(
    // kubectl prints nothing for what is not there.
    (object, { path, text }) => putAt(object, path, text === '' ? null : valueIn(text)),
    emptyObject(asked),
  ) as JsonObject;
}

/** kubectl prints lists and maps as JSON, older ones as Go does. */
function valueIn(text: string): Json {
  return (/^[[{]/.test(text) ? jsonAhead(text.split('\n')) : undefined) ?? goValue(text);
}

const RANGE = /^\{ ?range \.items\[\*?\] ?\}(?<each>.{1,800})\{ ?end ?\}$/s;

/** A row an object, of which the template names the parts. */
function ofRange(asked: Asked, each: string, output: readonly string[]): readonly JsonObject[] {
  const paths = (each.match(/\{\.[^{}]*\}/g) ?? []).map(membersOf);
  return output.flatMap((row) => {
    const cells = row.split(/\t|\s{2,}/).map((cell) => cell.trim());
    if (cells.length !== paths.length || paths.length < 2) return [];
    const object = emptyObject(asked);
    for (const [index, members] of paths.entries()) {
      const cell = cells[index] ?? '';
      if (members !== null) put(object, members, cell === '' ? null : valueIn(cell));
    }
    return [object];
  });
}

/** What jq printed of one object. */
function ofJq(asked: Asked, path: string, output: readonly string[]): readonly JsonObject[] {
  const members = membersOf(path);
  const value = members === null ? undefined : jsonAhead(output);
  if (asked.name === null || members === null || value === undefined) return [];
  const object = emptyObject(asked);
  put(object, members, value);
  return [object];
}

/** Amounts are texts in objects, and a device that a Node does not have is 0 for the scheduler. */
function cellValue([, list = '', name = '']: readonly string[], cell: string): Json {
  const isDevice = /^(?:allocatable|capacity)$/.test(list) && name.includes('/');
  if (cell === '<none>') return isDevice ? '0' : null;
  return isDevice ? cell : goValue(cell);
}

function ofColumns(asked: Asked, spec: string, output: readonly string[]): readonly JsonObject[] {
  const paths = spec.split(',').map((column) => membersOf(column.slice(column.indexOf(':') + 1)));
  const titles = spec.split(',').map((column) => column.slice(0, column.indexOf(':')));
  return output.flatMap((row) => {
    const cells = row.trim().split(/\s{2,}/);
    // Sorting moves the titles.
    if (cells.every((cell, index) => cell === titles[index])) return [];
    if (cells.length !== paths.length) return [];
    const object = emptyObject(asked);
    for (const [index, members] of paths.entries()) {
      const cell = cells[index] ?? '';
      if (members !== null) put(object, members, cellValue(members, cell));
    }
    return [object];
  });
}

/** The parts of objects that a template or columns of one's own print. */
export function partsOf(
  command: Command,
  asked: Asked,
  output: readonly string[],
): readonly JsonObject[] {
  const [, form = '', template = ''] = /^([\w-]+)=(.*)$/s.exec(outputOf(command)) ?? [];
  if (form === 'custom-columns') return ofColumns(asked, template, output);
  if (command.jqPath !== '') return ofJq(asked, command.jqPath, output);
  if (form !== 'jsonpath') return [];
  const each = RANGE.exec(template.trim())?.groups?.['each'];
  if (each !== undefined) return ofRange(asked, each, output);
  const one = ofJsonpath(asked, template, output);
  return one === null ? [] : [one];
}

/** Leaves an object from its spec or its status on to the end, or one of them with all that it has. */
const HALF =
  /^(?:sed\s+-n\s+['"]\/\^?(?:spec|status):?\/,(?:\$|\/\^?status:?\/)\s?p['"]|yq\s+(?:e(?:val)?\s+)?['"]?\.(?<member>spec|status)['"]?(?:\s+-)?)$/;

/** The spec or the status of an object of which kubectl printed all; null for any other output. */
export function halfOf(
  command: Command,
  asked: Asked,
  output: readonly string[],
): JsonObject | null {
  const half = HALF.exec(command.filter);
  if (half === null || asked.name === null || outputOf(command) !== 'yaml') return null;
  const value = yamlAhead(output);
  if (!isObject(value)) return null;
  const member = half.groups?.['member'];
  return { ...emptyObject(asked), ...(member === undefined ? value : { [member]: value }) };
}
