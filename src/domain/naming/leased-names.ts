import type { Seen } from '../../evidence/fact.ts';
import type { DhcpLease } from '../../evidence/kinds.ts';

/**
 * The lease of the interface with this address: a machine has others for further interfaces, and an
 * image may keep one of the machine that it was made on. null when it was not seen, or shows no options.
 */
export function leaseAt(
  leases: readonly Seen<DhcpLease>[],
  address: string | null,
): Seen<DhcpLease> | null {
  const own = leases.filter(({ value }) => value.address === address && value.domainName !== null);
  return own.at(-1) ?? null;
}

/** The domains that a lease gave; DHCP hands out the text of `domain-name` as it is. */
export function leasedDomains(lease: Seen<DhcpLease>): readonly string[] {
  return (lease.value.domainName ?? '').split(/\s+/).filter((domain) => domain !== '');
}

/** A lease as it is quoted for the domain that it gave. */
export function domainWords({ value, by }: Seen<DhcpLease>): string {
  const at = value.interface === null ? '' : ` on ${value.interface}`;
  const domain = value.domainName === '' ? 'no domain-name' : `domain-name ${value.domainName}`;
  return `${by}${at}: ${value.address}, ${domain}`;
}

/** The lease that gave this DNS server, null when none of those seen did. */
export function leaseWithServer(
  leases: readonly Seen<DhcpLease>[],
  server: string,
): Seen<DhcpLease> | null {
  return leases.find(({ value }) => value.dnsServers.includes(server)) ?? null;
}

/** A lease as it is quoted for its DNS servers. */
export function serverWords({ value, by }: Seen<DhcpLease>): string {
  const at = value.interface === null ? '' : ` on ${value.interface}`;
  return `${by}${at}: ${value.address}, domain-name-servers ${value.dnsServers.join(' ')}`;
}
