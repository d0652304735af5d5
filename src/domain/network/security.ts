import { type Json, listAt, textAt } from '../../evidence/json.ts';
import { addressOf, type Cidr, cidrOf, isInside, sizeOf } from './cidr.ts';
import type { NetworkAcl } from '../../evidence/aws/network.ts';

/** The other end of a connection, as rules may name it. */
export interface Peer {
  readonly groups: readonly string[];
  /** Its addresses; empty when they are not known, so that any range may contain them. */
  readonly addresses: readonly Cidr[];
}

const TCP = new Set(['-1', 'tcp', '6']);

function coversPort(rule: Json, port: number): boolean {
  if (!TCP.has(textAt(rule, 'IpProtocol') ?? '')) return false;
  if (textAt(rule, 'IpProtocol') === '-1') return true;
  const from = Number(textAt(rule, 'FromPort') ?? '0');
  const to = Number(textAt(rule, 'ToPort') ?? '65535');
  return from <= port && port <= to;
}

function overlaps(a: Cidr, b: Cidr): boolean {
  return isInside(a.first, b) || isInside(b.first, a);
}

/** Ranges that cannot be read, IPv6 and prefix lists are taken to contain the peer. */
function mayMean(rule: Json, peer: Peer): boolean {
  if (listAt(rule, 'Ipv6Ranges').length > 0 || listAt(rule, 'PrefixListIds').length > 0)
    return true;
  const ranges = listAt(rule, 'IpRanges').map((range) => cidrOf(textAt(range, 'CidrIp') ?? ''));
  const hits = ranges.some(
    (range) =>
      range === null ||
      peer.addresses.length === 0 ||
      peer.addresses.some((block) => overlaps(block, range)),
  );
  return (
    hits ||
    listAt(rule, 'UserIdGroupPairs').some((pair) =>
      peer.groups.includes(textAt(pair, 'GroupId') ?? ''),
    )
  );
}

/** True when one of the rules of a security group may let a connection through. */
export function mayPass(rules: readonly Json[], port: number, peer: Peer): boolean {
  return rules.some((rule) => coversPort(rule, port) && mayMean(rule, peer));
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
    .filter((entry) => (entry.Egress ?? null) === String(isEgress))
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

function numberOf(rule: Json): number {
  return Number(textAt(rule, 'RuleNumber') ?? '0');
}

/** Every ACL ends with this rule, which EC2 numbers so. */
const LAST_RULE = 32_767;

function nameOf(rule: Json): string {
  const number = numberOf(rule);
  return number === LAST_RULE ? 'no rule that allows it' : `rule ${number}, which denies it`;
}

function portsOf(rule: Json): Ports {
  if (textAt(rule, 'Protocol') === '-1') return { from: 0, to: 65_535 };
  return {
    from: Number(textAt(rule, 'PortRange.From') ?? '0'),
    to: Number(textAt(rule, 'PortRange.To') ?? '65535'),
  };
}

function meets(rule: Json, ports: Ports): boolean {
  const own = portsOf(rule);
  return own.from <= ports.to && ports.from <= own.to;
}

function coversAll(rule: Json, ports: Ports): boolean {
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
