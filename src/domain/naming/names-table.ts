import { instanceIdIn } from '../../evidence/names.ts';
import { shown } from '../words.ts';
import { firstDomain } from './ec2-names.ts';
import type { NamingInput } from './input.ts';

/** A name under which somebody knows a machine. */
export type NameOf =
  | 'node'
  | 'kubelet-override'
  | 'os-hostname'
  | 'os-fqdn'
  | 'imds-local-hostname'
  | 'dhcp-domain'
  | 'private-dns-name'
  | 'dns-a'
  | 'dns-ptr'
  | 'certificate'
  | 'user-name'
  | 'provider-id'
  | 'csi-node-id'
  | 'kubeadm-endpoint';

/**
 * Everything that a machine is called. A missing key was not looked at; null and an empty list
 * were looked for and are not there.
 */
export interface NamesSeen extends NamingInput {
  readonly nodeName?: string | null;
  /** `hostname -f`. */
  readonly osFqdn?: string | null;
  /** Addresses to which the expected name resolves inside the VPC. */
  readonly dnsA?: readonly string[];
  /** Names to which the machine's address resolves. */
  readonly dnsPtr?: readonly string[];
  /** Common name of the kubelet's client certificate, `system:node:…`. */
  readonly certificateName?: string | null;
  /** User name that aws-auth or the access entry gives, templates such as {{SessionName}} kept. */
  readonly userName?: string | null;
  /** Node id of `ebs.csi.aws.com` in the CSINode. */
  readonly csiNodeId?: string | null;
  /** Names in `apiEndpoints` of the ClusterStatus of kubeadm (up to 1.21). */
  readonly kubeadmEndpoints?: readonly string[];
}

export interface NameRow {
  readonly name: NameOf;
  readonly title: string;
  readonly value: string | null;
  /** What it would have to be; null when it need not be anything. */
  readonly expected: string | null;
  readonly verdict: 'agrees' | 'disagrees' | 'unknown';
  /** True when the machine is no usable node while it disagrees. */
  readonly matters: boolean;
  readonly because: string;
}

interface RowRule {
  readonly name: NameOf;
  readonly title: string;
  readonly value: string | null | undefined;
  readonly expected: string | null;
  readonly agrees: (value: string) => boolean;
  readonly matters: boolean;
  readonly because: string;
  /** Why there is none, when that is known. */
  readonly noneBecause?: string;
}

function rowOf(rule: RowRule): NameRow {
  const { name, title, expected, matters, because } = rule;
  const value = rule.value ?? null;
  const row = { name, title, value: value === null ? null : shown(value), expected, matters };
  if (rule.value === undefined) return { ...row, verdict: 'unknown', because: 'not checked' };
  if (value === null || value === '')
    return {
      ...row,
      value: null,
      verdict: 'unknown',
      because: rule.noneBecause ?? 'none',
    };
  if (expected === null) return { ...row, verdict: 'unknown', because: 'nothing to compare with' };
  const agrees = rule.agrees(value);
  return { ...row, verdict: agrees ? 'agrees' : 'disagrees', because: agrees ? '' : because };
}

type Rule = (seen: NamesSeen, expected: string) => RowRule;

function same(expected: string): (value: string) => boolean {
  return (value) => value.trim().toLowerCase() === expected;
}

function ownName(
  name: NameOf,
  title: string,
  value: (seen: NamesSeen) => string | null | undefined,
  matters: boolean,
  because: string,
): Rule {
  return (seen, expected) => ({
    name,
    title,
    value: value(seen),
    expected,
    agrees: same(expected),
    matters,
    because,
  });
}

function domainOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}

const dhcpDomain: Rule = (seen, expected) => ({
  name: 'dhcp-domain',
  title: 'domain of the DHCP option set',
  value: seen.dhcpDomain,
  expected: domainOf(expected) === '' ? null : domainOf(expected),
  agrees: (value) => firstDomain(value) === domainOf(expected) && !/\s|\.$/.test(value.trim()),
  matters: false,
  because: 'the hostname of the machine gets this domain, the EC2 name does not',
});

/** A user name with its template filled in; null when the template needs what is not known. */
function filled(template: string, seen: NamesSeen): string | null {
  const values: Readonly<Record<string, string | null | undefined>> = {
    '{{EC2PrivateDNSName}}': seen.privateDnsName,
    '{{SessionName}}': seen.instanceId,
  };
  const found = Object.keys(values).find((key) => template.includes(key));
  if (found === undefined) return template;
  const value = values[found];
  if (value === undefined) return null;
  return template.replace(found, value ?? '');
}

const userName: Rule = (seen, expected) => {
  const template = seen.userName;
  const user = typeof template === 'string' ? filled(template, seen) : template;
  return {
    name: 'user-name',
    title: 'user name by aws-auth or access entry',
    value: user === null && typeof template === 'string' ? undefined : user,
    expected: `system:node:${expected}`,
    agrees: (value) => value === `system:node:${expected}`,
    matters: true,
    because: 'the Node authorizer limits a user to the Node named in its user name',
  };
};

const certificate: Rule = (seen, expected) => ({
  name: 'certificate',
  title: 'client certificate of the kubelet',
  value: seen.certificateName,
  expected: `system:node:${expected}`,
  agrees: (value) => value === `system:node:${expected}`,
  matters: true,
  because: 'the Node authorizer limits a user to the Node named in its user name',
});

const dnsA: Rule = (seen, expected) => ({
  name: 'dns-a',
  title: `address of ${expected === '' ? 'that name' : shown(expected)}`,
  value: listed(seen.dnsA),
  expected: seen.privateIp ?? null,
  agrees: () => seen.dnsA?.includes(seen.privateIp ?? '') === true,
  matters: false,
  because: 'the API server finds the kubelet by this name when InternalDNS comes first',
  ...(seen.dnsSupport === false ? { noneBecause: 'enableDnsSupport of the VPC is off' } : {}),
});

const dnsPtr: Rule = (seen, expected) => ({
  name: 'dns-ptr',
  title: 'name of the address (PTR)',
  value: listed(seen.dnsPtr),
  expected,
  agrees: () => seen.dnsPtr?.some((name) => same(expected)(name.replace(/\.$/, ''))) === true,
  matters: false,
  because: 'images that ask DNS for their name get this one',
});

function listed(values: readonly string[] | undefined): string | null | undefined {
  if (values === undefined) return undefined;
  return values.length === 0 ? null : values.join(' ');
}

const providerId: Rule = (seen) => ({
  name: 'provider-id',
  title: 'spec.providerID',
  value: seen.providerId,
  expected: seen.instanceId ?? null,
  agrees: (value) => instanceIdIn(value) === seen.instanceId,
  matters: true,
  because: 'the cloud controller matches another machine to this Node',
});

const csiNodeId: Rule = (seen) => ({
  name: 'csi-node-id',
  title: 'node id of the EBS driver (CSINode)',
  value: seen.csiNodeId,
  expected: seen.instanceId ?? null,
  agrees: (value) => value === seen.instanceId,
  matters: true,
  because: 'volumes attach to the instance with this id',
});

const kubeadmEndpoint: Rule = (seen, expected) => ({
  name: 'kubeadm-endpoint',
  title: 'API endpoint in kubeadm-config',
  value: listed(seen.kubeadmEndpoints),
  expected,
  agrees: () => seen.kubeadmEndpoints?.includes(expected) === true,
  matters: false,
  because: 'kubeadm upgrade and reset look up the control plane by this name',
});

const RULES: readonly Rule[] = [
  ownName('node', 'Node', (seen) => seen.nodeName, true, 'the machine registered as another Node'),
  ownName(
    'kubelet-override',
    'kubelet --hostname-override',
    (seen) => seen.hostnameOverride,
    false,
    'it is ignored or not yet in effect; the label kubernetes.io/hostname follows it',
  ),
  ownName(
    'os-hostname',
    'hostname of the system',
    (seen) => seen.osHostname,
    false,
    'a kubelet without override or provider would take this one',
  ),
  ownName(
    'os-fqdn',
    'hostname -f',
    (seen) => seen.osFqdn,
    false,
    'kubeadm and TLS clients may take this one',
  ),
  ownName(
    'imds-local-hostname',
    'local-hostname of IMDS',
    (seen) => seen.imdsLocalHostname,
    false,
    'it follows the DHCP domain, the EC2 name does not',
  ),
  dhcpDomain,
  ownName(
    'private-dns-name',
    'private DNS name of EC2',
    (seen) => seen.privateDnsName,
    true,
    'without spec.providerID the cloud controller finds the instance by this name only',
  ),
  dnsA,
  dnsPtr,
  certificate,
  userName,
  providerId,
  csiNodeId,
  kubeadmEndpoint,
];

/** True for names that need not equal the Node's: EC2's own, once something else ties the two. */
function isTied(row: NameRow, seen: NamesSeen, expected: string): boolean {
  if (row.name !== 'private-dns-name') return false;
  if (seen.cloudProvider?.kind === 'in-tree') return false;
  if (seen.cloudProvider?.kind === 'none') return true;
  const byProviderId = instanceIdIn(seen.providerId ?? '');
  const id = seen.instanceId;
  return id !== undefined && (byProviderId === id || expected.split('.')[0] === id);
}

/**
 * Every name that a machine goes by against the one under which its kubelet registers; null when
 * that one is not known, and then no name agrees or disagrees with it.
 */
export function namesTable(seen: NamesSeen, expected: string | null): readonly NameRow[] {
  const wanted = expected?.toLowerCase() ?? null;
  return RULES.map((rule) => {
    const made = rule(seen, wanted ?? '');
    // Instance ids and addresses are compared with the machine's own, not with its name.
    const ownExpected = ['provider-id', 'csi-node-id'].includes(made.name);
    const row = rowOf(wanted === null && !ownExpected ? { ...made, expected: null } : made);
    return wanted !== null && isTied(row, seen, wanted) ? { ...row, matters: false } : row;
  });
}

/** The rows for which the machine is no usable node. */
export function namesThatMatter(rows: readonly NameRow[]): readonly NameRow[] {
  return rows.filter(({ verdict, matters }) => verdict === 'disagrees' && matters);
}
