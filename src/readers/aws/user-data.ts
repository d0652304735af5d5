import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { authoritySumOf } from '../../evidence/checksum.ts';
import { isObject, type Json, textAt } from '../../evidence/json.ts';
import type {
  BootstrapCall,
  ClusterGiven,
  NodeConfigGiven,
  UserData,
  UserDataForm,
} from '../../evidence/user-data.ts';
import { looksLikeMime, type MimePart, readMime } from './mime.ts';
import { kubeletArgumentsOf } from './kubelet-arguments.ts';
import { reservedLabelsOf } from './kubelet-labels.ts';

/** EC2 takes 16 kB; compressed data grows beyond it. */
const BYTES_MAX = 256 * 1024;
const VALUE_MAX = 8192;
const WORDS_MAX = 160;
const NODE_CONFIG_TYPE = 'application/node.eks.aws';

/** Reads the user data of one instance; `encoded` is null where the instance has none. */
export function readUserData(instanceId: string, encoded: string | null): UserData {
  const binary = decode(encoded ?? '');
  if (binary === null || binary.startsWith('\u001f\u008b'))
    return { ...EMPTY, instanceId, form: 'compressed', bytes: binary?.length ?? 0 };
  const text = utf8(binary.slice(0, BYTES_MAX));
  return { ...projected(text), instanceId, bytes: binary.length };
}

/** User data as text; empty where it is no base64. */
export function decodedUserData(encoded: string): string {
  const binary = decode(encoded);
  return binary === null ? '' : utf8(binary);
}

const EMPTY: Omit<UserData, 'instanceId'> = {
  form: 'empty',
  bytes: 0,
  mimeFault: null,
  nodeConfigs: [],
  bootstrapCall: null,
  settings: null,
  namesNodeadm: false,
  joinTokenId: null,
  reservedLabels: [],
  kubeletFlags: [],
  maxPods: null,
};

function decode(encoded: string): string | null {
  try {
    return atob(encoded.replaceAll(/\s/g, ''));
  } catch {
    return null;
  }
}

function utf8(binary: string): string {
  return new TextDecoder().decode(Uint8Array.from(binary, (sign) => sign.charCodeAt(0)));
}

function projected(text: string): Omit<UserData, 'instanceId' | 'bytes'> {
  const form = formOf(text);
  if (form === 'mime') return ofMime(text);
  return {
    ...EMPTY,
    form,
    nodeConfigs: form === 'node-config' ? [nodeConfigOf(text)] : [],
    bootstrapCall: bootstrapCallOf(text),
    settings: form === 'toml' ? settingsOf(text) : null,
    namesNodeadm: /\bnodeadm\b/.test(text),
    joinTokenId: joinTokenOf(text),
    reservedLabels: reservedLabelsOf(text),
    ...kubeletArgumentsOf(text),
  };
}

function ofMime(text: string): Omit<UserData, 'instanceId' | 'bytes'> {
  const { parts, fault } = readMime(text);
  const bodies = parts.map(bodyOf);
  const configs = parts.filter(({ type }) => type === NODE_CONFIG_TYPE);
  const joined = fault === null ? bodies.join('\n') : text;
  return {
    ...EMPTY,
    form: 'mime',
    mimeFault: fault,
    nodeConfigs: configs.map((part) => nodeConfigOf(bodyOf(part))),
    bootstrapCall: bootstrapCallOf(joined),
    namesNodeadm: /\bnodeadm\b/.test(joined),
    joinTokenId: joinTokenOf(joined),
    reservedLabels: reservedLabelsOf(joined),
    ...kubeletArgumentsOf(joined),
  };
}

function bodyOf({ body, isBase64 }: MimePart): string {
  if (!isBase64) return body;
  const binary = decode(body);
  return binary === null ? body : utf8(binary);
}

function formOf(text: string): UserDataForm {
  const head = text.trimStart();
  if (head === '') return 'empty';
  if (looksLikeMime(head)) return 'mime';
  if (head.startsWith('#!')) return 'script';
  if (head.startsWith('#cloud-config')) return 'cloud-config';
  if (/^(?:---\s*\n)?(?:kind: NodeConfig|apiVersion: node\.eks\.aws\/)/.test(head))
    return 'node-config';
  return /^[^\S\r\n\u2028\u2029]*\[settings\b/m.test(head) ? 'toml' : 'other';
}

function given(value: Json, path: string): string | null {
  const text = textAt(value, path);
  return text === null || text.trim() === '' ? null : text.slice(0, VALUE_MAX);
}

/** A placeholder or what a collector left out stays as it is, so that it equals no checksum. */
function sumOf(authority: string | null): string | null {
  return authority === null ? null : (authoritySumOf(authority) ?? authority);
}

const NO_CLUSTER: ClusterGiven = { name: null, endpoint: null, authority: null, cidr: null };

function nodeConfigOf(text: string): NodeConfigGiven {
  const [unreadable, value] = parseYaml(text);
  if (!isObject(value))
    return { ...NO_CLUSTER, unreadable: unreadable ?? 'it is not a YAML mapping' };
  return {
    name: given(value, 'spec.cluster.name'),
    endpoint: given(value, 'spec.cluster.apiServerEndpoint'),
    authority: sumOf(given(value, 'spec.cluster.certificateAuthority')),
    cidr: given(value, 'spec.cluster.cidr'),
    unreadable: unknownKind(value),
  };
}

/** The reason of a syntax error is the parser's own; the text around it is left out. */
function parseYaml(text: string): readonly [fault: string | null, value: Json] {
  try {
    return [null, load(text, { schema: CORE_SCHEMA }) as Json];
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = (error.mark?.line ?? 0) + 1;
    return [`line ${line} of the NodeConfig: ${error.reason.slice(0, WORDS_MAX)}`, null];
  }
}

function unknownKind(value: Json): string | null {
  const version = textAt(value, 'apiVersion') ?? '';
  const kind = textAt(value, 'kind') ?? '';
  if (kind !== 'NodeConfig') return `its kind is “${kind.slice(0, 60)}”, not NodeConfig`;
  if (/^node\.eks\.aws\/v1(?:alpha|beta)\d$/.test(version)) return null;
  return `its apiVersion is “${version.slice(0, 60)}”, not node.eks.aws/v1alpha1`;
}

const BOOTSTRAP = /^[^#\n]*\/etc\/eks\/bootstrap\.sh\b((?:[^\\\n]|\\[^])*)/m;
const FLAG_WITH_VALUE = /(?<![\w-])--[\w-]+(?:=|\s+)(?:'[^']*'|"[^"]*"|\S+)/g;

function bootstrapCallOf(text: string): BootstrapCall | null {
  const call = BOOTSTRAP.exec(text);
  if (call === null) return null;
  const args = (call[1] ?? '').replaceAll('\\\n', ' ').slice(0, VALUE_MAX);
  const [first = ''] = args
    .replaceAll(FLAG_WITH_VALUE, ' ')
    .trim()
    .split(/[\s;&|]+/);
  const cluster = /^(['"]?)([A-Za-z0-9][\w-]{0,99})\1$/.exec(first)?.[2] ?? null;
  return {
    cluster,
    isExplicit: args.includes('--apiserver-endpoint') && args.includes('--b64-cluster-ca'),
    words: `/etc/eks/bootstrap.sh ${cluster ?? ''}`.trim(),
  };
}

const JOIN = /kubeadm join\b|\bJoinConfiguration\b/;
const TOKEN = /(?<![A-Za-z0-9.])([a-z0-9]{6})\.[a-z0-9]{16}(?![A-Za-z0-9.])/g;
/** What saved evidence keeps of a token. */
const TOKEN_MARK = /‹token ([a-z0-9]{6})›/g;

/** The id of the token that kubeadm is given; several tokens say nothing. */
function joinTokenOf(text: string): string | null {
  if (!JOIN.test(text)) return null;
  const ids = new Set(
    [TOKEN, TOKEN_MARK].flatMap((form) => [...text.matchAll(form)].map(([, id = '']) => id)),
  );
  const [only = null] = ids;
  return ids.size === 1 ? only : null;
}

/** `[settings.kubernetes]` of Bottlerocket, by the lines that hold its cluster. */
function settingsOf(text: string): ClusterGiven | null {
  const start = /^[^\S\r\n\u2028\u2029]*\[\s*settings\.kubernetes\s*\]\s*$/m.exec(text);
  if (start === null) return null;
  const table =
    text.slice(start.index + start[0].length).split(/^[^\S\r\n\u2028\u2029]*\[/m)[0] ?? '';
  const entries = [
    ...table.matchAll(/^[^\S\r\n\u2028\u2029]*"?([\w-]+)"?\s*=\s*["']([^"'\n]{1,8192})["']/gm),
  ];
  const values = new Map(entries.map(([, key, value]) => [key, value ?? null] as const));
  return {
    name: values.get('cluster-name') ?? null,
    endpoint: values.get('api-server') ?? null,
    authority: sumOf(values.get('cluster-certificate') ?? null),
    cidr: null,
  };
}
