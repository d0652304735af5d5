/** The ways a machine is called; a `pod` (`namespace/name`) stands for the Node that it is on. */
export type NameKind =
  | 'instance-id'
  | 'node'
  | 'host'
  | 'private-dns'
  | 'ip'
  | 'provider-id'
  | 'node-claim'
  | 'certificate'
  | 'network-interface'
  | 'pod'
  | 'bundle';

export interface MachineName {
  readonly kind: NameKind;
  readonly value: string;
}

/** As long as EC2 makes them, or shorter by the hand of who pasted them. */
const INSTANCE_ID = /\bi-[0-9a-f]{8,17}\b/;
const IP_NAME = /^ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?=\.|$)/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const RESERVED_HOSTS = new Set(['localhost', 'localhost.localdomain', 'ip-xx', '-', '(none)']);
const EC2_DOMAIN =
  /\.(?:ec2\.internal|[a-z]{2}(?:-[a-z]+)+-\d\.compute\.(?:internal|amazonaws\.com(?:\.cn)?))$/;

/** The instance id inside a name, a providerID (`aws:///zone/i-…`) or an ARN, null without one. */
export function instanceIdIn(text: string): string | null {
  return INSTANCE_ID.exec(text)?.[0] ?? null;
}

/** The private address that an `ip-10-0-1-2…` name spells, null for other names. */
export function ipInName(name: string): string | null {
  const match = IP_NAME.exec(name);
  return match === null ? null : match.slice(1, 5).join('.');
}

/** True for domains that EC2 itself hands out (`ec2.internal`, `eu-west-1.compute.internal`). */
export function hasEc2Domain(name: string): boolean {
  return EC2_DOMAIN.test(name);
}

/** Says what kind of name a bare text is, null when it names no machine (`localhost`). */
export function classifyName(text: string, otherwise: NameKind = 'node'): MachineName | null {
  const value = text.trim().toLowerCase();
  if (value === '' || RESERVED_HOSTS.has(value) || !/^[a-z0-9]/.test(value)) return null;
  if (value.startsWith('aws:///')) return { kind: 'provider-id', value: text.trim() };
  if (/^i-[0-9a-f]{8,17}$/.test(value)) return { kind: 'instance-id', value };
  if (/^eni-[0-9a-f]{8,17}$/.test(value)) return { kind: 'network-interface', value };
  if (IPV4.test(value)) return { kind: 'ip', value };
  if (value.startsWith('system:node:')) return { kind: 'certificate', value };
  return /^[a-z0-9][a-z0-9._-]*$/.test(value) ? { kind: otherwise, value } : null;
}

/** The name itself, without what a certificate puts before it. */
export function plainName({ kind, value }: MachineName): string {
  return kind === 'certificate' ? value.slice('system:node:'.length) : value;
}

/** Keys by which two names are known to be one machine's, whatever domain they carry. */
function ownKey({ kind }: MachineName, value: string): string | null {
  const instanceId = instanceIdIn(value);
  if (instanceId !== null) return instanceId;
  const ip = IPV4.test(value) ? value : ipInName(value);
  if (ip !== null) return `ip:${ip}`;
  return kind === 'bundle' || kind === 'node-claim' ? `${kind}:${value}` : null;
}

/** What stands before the domain of a name that links by nothing else, null for other names. */
export function hostPart(name: MachineName): string | null {
  const value = plainName(name);
  if (value === '' || name.kind === 'pod' || ownKey(name, value) !== null) return null;
  return beforeDomain(value);
}

function beforeDomain(value: string): string {
  return value.split('.')[0] ?? value;
}

/** Names remembered with their keys; a pile asks for the same ones again and again. */
const KEYS_MAX = 50_000;
const KEYS = new Map<NameKind, Map<string, readonly string[]>>();

function readKeys(name: MachineName): readonly string[] {
  const value = plainName(name);
  if (value === '' || name.kind === 'pod') return [];
  return [ownKey(name, value) ?? `name:${beforeDomain(value)}`];
}

function rememberedKeys(name: MachineName): readonly string[] {
  const known = KEYS.get(name.kind) ?? new Map<string, readonly string[]>();
  const keys = readKeys(name);
  if (known.size >= KEYS_MAX) known.clear();
  KEYS.set(name.kind, known.set(name.value, keys));
  return keys;
}

/**
 * Keys by which two names are known to be one machine's: the instance id, the address an
 * `ip-…` name spells, and else the name itself.
 */
export function linkKeys(name: MachineName): readonly string[] {
  const keys = KEYS.get(name.kind)?.get(name.value);
  return keys ?? rememberedKeys(name);
}
