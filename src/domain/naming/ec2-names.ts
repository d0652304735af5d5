import { addressOf } from '../network/cidr.ts';
import { shellWord } from '../words.ts';
import type { Collect, NamingInput } from './input.ts';

/** The domain that EC2 gives by region, also in China and GovCloud (EC2 user guide, naming). */
export function ec2Domain(region: string): string {
  return region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
}

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** `ip-10-0-1-2`, null for what is no address. */
export function ipHost(privateIp: string): string | null {
  return addressOf(privateIp) === null ? null : `ip-${privateIp.replaceAll('.', '-')}`;
}

/** EC2's IP name: `ip-10-0-1-2.eu-west-1.compute.internal`; null without address or region. */
export function ipName(input: NamingInput): string | null {
  const host = input.privateIp === undefined ? null : ipHost(input.privateIp);
  if (host === null || input.region === undefined || !REGION.test(input.region)) return null;
  return `${host}.${ec2Domain(input.region)}`;
}

/** The private DNS name that DescribeInstances would show. */
export type PrivateDnsName =
  | { readonly state: 'known'; readonly name: string; readonly computed: boolean }
  | { readonly state: 'none' }
  | { readonly state: 'unknown'; readonly candidate: string | null };

/**
 * EC2's private DNS name as seen, or computed where that is safe: an IP name in a VPC with DNS
 * hostnames. For resource names it is never computed. (EC2 user guide; cloud-provider-aws
 * docs/prerequisites.md; kOps nodeup/pkg/model/kubelet.go)
 */
export function privateDnsName(input: NamingInput): PrivateDnsName {
  const seen = input.privateDnsName;
  if (seen !== undefined && seen !== null && seen !== '')
    return { state: 'known', name: seen.toLowerCase(), computed: false };
  if (seen === null || seen === '' || input.dnsHostnames === false) return { state: 'none' };
  const name = input.hostnameType === 'resource-name' ? null : ipName(input);
  const isSafe = input.hostnameType === 'ip-name' && input.dnsHostnames === true;
  if (name !== null && isSafe) return { state: 'known', name, computed: true };
  return { state: 'unknown', candidate: name };
}

/** The read-only call that shows EC2's private DNS name. */
export function collectPrivateDnsName(input: NamingInput): Collect {
  const id = shellWord(input.instanceId ?? 'INSTANCE_ID');
  return {
    text: 'the private DNS name that EC2 has for the instance',
    command: `aws ec2 describe-instances --instance-ids ${id} --query 'Reservations[].Instances[].[PrivateDnsName,PrivateDnsNameOptions]'`,
  };
}

/** The first of several domains, without a trailing dot. */
export function firstDomain(dhcpDomain: string): string {
  return (dhcpDomain.trim().split(/\s+/)[0] ?? '').replace(/\.$/, '').toLowerCase();
}

/**
 * The names that DHCP can lead to: host part and domain of the option set, and the host part
 * alone, as some images cut it.
 */
export function dhcpNames(input: NamingInput): readonly string[] {
  const byId = input.hostnameType === 'resource-name' ? (input.instanceId ?? null) : null;
  const byIp = input.privateIp === undefined ? null : ipHost(input.privateIp);
  const host = input.hostnameType === 'resource-name' ? byId : byIp;
  if (host === null) return [];
  const domain = firstDomain(input.dhcpDomain ?? '');
  return domain === '' ? [host] : [`${host}.${domain}`, host];
}
