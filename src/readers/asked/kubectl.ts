import { goValue } from './go-value.ts';
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { Command } from './command.ts';
import { listPrinted } from './listed.ts';
import { jsonAhead } from './printed.ts';

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
  const paths = (template.match(/\{[^{}]*\}/g) ?? [template]).map(membersOf);
  const text = output.join('\n').trimEnd();
  const values =
    paths.length === 1 ? [/^[[{]/.test(text) ? text : (output[0] ?? '').trim()] : text.split(/\s+/);
  if (asked.name === null || values.length !== paths.length) return null;
  const object = emptyObject(asked);
  for (const [index, members] of paths.entries()) {
    if (members === null) return null;
    // kubectl prints nothing for what is not there.
    const value = values[index] ?? '';
    put(object, members, value === '' ? null : valueIn(value));
  }
  return object;
}

/** kubectl prints lists and maps as JSON, older ones as Go does. */
function valueIn(text: string): Json {
  return (/^[[{]/.test(text) ? jsonAhead(text.split('\n')) : undefined) ?? goValue(text);
}

/** A list of which a template prints the items. */
function ofList(asked: Asked, template: string, output: readonly string[]): JsonObject | null {
  const list = asked.name === null ? null : listPrinted(template.trim(), output);
  const members = list === null ? null : membersOf(list.path);
  if (list === null || members === null) return null;
  const object = emptyObject(asked);
  put(object, members, list.items);
  return object;
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
  const one = ofList(asked, template, output) ?? ofJsonpath(asked, template, output);
  return one === null ? [] : [one];
}
