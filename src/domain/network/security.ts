import { addressOf, type Cidr, cidrOf, isInside, sizeOf } from './cidr.ts';
import type { NetworkAcl, NetworkAclEntry, SecurityRule } from '../../evidence/aws/network.ts';

/** The other end of a connection, as rules may name it. */
export interface Peer {
  readonly groups: readonly string[];
  /** Its addresses; empty when they are not known, so that any range may contain them. */
  readonly addresses: readonly Cidr[];
}

const PROTOCOLS = {
  tcp: new Set(['-1', 'tcp', '6']),
  udp: new Set(['-1', 'udp', '17']),
} as const;

type Protocol = keyof typeof PROTOCOLS;

function coversPort(rule: SecurityRule, port: number, protocol: Protocol): boolean {
  if (!PROTOCOLS[protocol].has(rule.IpProtocol ?? '')) return false;
  if (rule.IpProtocol === '-1') return true;
  return (rule.FromPort ?? 0) <= port && port <= (rule.ToPort ?? 65_535);
}

function overlaps(a: Cidr, b: Cidr): boolean {
  return isInside(a.first, b) || isInside(b.first, a);
}

/** Ranges that cannot be read, IPv6 and prefix lists are taken to contain the peer. */
function mayMean(rule: SecurityRule, peer: Peer): boolean {
  if ([...(rule.Ipv6Ranges ?? []), ...(rule.PrefixListIds ?? [])].length > 0) return true;
  const ranges = (rule.IpRanges ?? []).map((range) => cidrOf(range.CidrIp ?? ''));
  const hits = ranges.some(
    (range) =>
      range === null ||
      peer.addresses.length === 0 ||
      peer.addresses.some((block) => overlaps(block, range)),
  );
  return (
    hits || (rule.UserIdGroupPairs ?? []).some((pair) => peer.groups.includes(pair.GroupId ?? ''))
  );
}

/** True when one of the rules of a security group may let a connection through. */
export function mayPass(
  rules: readonly SecurityRule[],
  port: number,
  peer: Peer,
  protocol: Protocol = 'tcp',
): boolean {
  return rules.some((rule) => coversPort(rule, port, protocol) && mayMean(rule, peer));
}

/** Ports of one direction of a connection, both ends included. */
export interface Ports {
  readonly from: number;
  readonly to: number;
}

/** Ports from which Linux opens connections (net.ipv4.ip_local_port_range). */
export const EPHEMERAL: Ports = { from: 32_768, to: 60_999 };

export interface AclQuestion {
  readonly isEgress: boolean;
  readonly ports: Ports;
  readonly peer: Cidr;
}

/** The rule of a network ACL that stops every packet of a kind; null when some may pass. */
export function stoppedBy(acl: NetworkAcl, question: AclQuestion): string | null {
  const { isEgress, ports, peer } = question;
  const rules = (acl.Entries ?? [])
    .filter((entry) => entry.Egress === isEgress)
    .filter((entry) => ['-1', '6'].includes(entry.Protocol ?? ''))
    .toSorted((a, b) => numberOf(a) - numberOf(b));
  for (const rule of rules) {
    const range = cidrOf(rule.CidrBlock ?? '');
    if (range === null || !overlaps(range, peer) || !meets(rule, ports)) continue;
    if (rule.RuleAction === 'allow') return null;
    if (contains(range, peer) && coversAll(rule, ports)) return nameOf(rule);
  }
  return 'no rule that allows it';
}

function numberOf(rule: NetworkAclEntry): number {
  return rule.RuleNumber ?? 0;
}

/** Every ACL ends with this rule, which EC2 numbers so. */
const LAST_RULE = 32_767;

function nameOf(rule: NetworkAclEntry): string {
  const number = numberOf(rule);
  return number === LAST_RULE ? 'no rule that allows it' : `rule ${number}, which denies it`;
}

function portsOf(rule: NetworkAclEntry): Ports {
  if (rule.Protocol === '-1') return { from: 0, to: 65_535 };
  return { from: rule.PortRange?.From ?? 0, to: rule.PortRange?.To ?? 65_535 };
}

function meets(rule: NetworkAclEntry, ports: Ports): boolean {
  const own = portsOf(rule);
  return own.from <= ports.to && ports.from <= own.to;
}

function coversAll(rule: NetworkAclEntry, ports: Ports): boolean {
  const own = portsOf(rule);
  return own.from <= ports.from && ports.to <= own.to;
}

function contains(outer: Cidr, inner: Cidr): boolean {
  return isInside(inner.first, outer) && sizeOf(inner) <= sizeOf(outer);
}

/** One address as a block. */
export function blockOf(address: string): Cidr | null {
  const first = addressOf(address);
  return first === null ? null : { first, prefixLength: 32 };
}
