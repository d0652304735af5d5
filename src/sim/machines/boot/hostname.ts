import type { TrueInstance } from '../../aws/contract.ts';
import type { HypervisorSettings } from '../settings.ts';

/** The domain that EC2 gives to names of a region. */
export function ec2Domain(region: string): string {
  return region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
}

/**
 * The name a machine has after its first boot, when nobody gave it another one: the first label of
 * its private DNS name under the domain of the DHCP options, which Ubuntu leaves out.
 */
export function firstHostname(instance: TrueInstance, settings: HypervisorSettings): string {
  if (settings.hostname !== null) return settings.hostname;
  const region = instance.zone.replace(/[a-z]$/, '');
  const label =
    instance.privateDnsName.split('.')[0] || `ip-${instance.privateIp.replaceAll('.', '-')}`;
  if (settings.image === 'ubuntu') return label;
  return `${label}.${settings.dhcpDomain ?? ec2Domain(region)}`;
}
