import type { Told } from '../../evidence/shape.ts';
import type { Observations } from '../../evidence/observations.ts';
import { namingValues } from './machines.ts';
import type { NamesSeen } from './names-table.ts';

function attributeOf(
  observations: Observations,
  vpcId: string | null,
  name: 'EnableDnsHostnames' | 'EnableDnsSupport',
): boolean | undefined {
  const values = namingValues(observations, 'aws/vpc-attribute').filter(
    (item) => vpcId !== null && item.VpcId === vpcId,
  );
  return values.map((item) => item[name]?.Value).find((one) => typeof one === 'boolean');
}

/** `domain-name` of the options of a VPC; null without one, undefined when not looked at. */
function dhcpDomainOf(observations: Observations, vpcId: string | null): string | null | undefined {
  const vpc = namingValues(observations, 'aws/vpc').find((one) => (one.VpcId ?? null) === vpcId);
  const id = vpc?.DhcpOptionsId ?? null;
  const options = namingValues(observations, 'aws/dhcp-options').find(
    (one) => id !== null && one.DhcpOptionsId === id,
  );
  if (options === undefined) return undefined;
  const entry = (options.DhcpConfigurations ?? []).find((one) => one.Key === 'domain-name');
  const values = entry?.Values ?? [];
  return values.length === 0 ? null : values.join(' ');
}

/** What a VPC gives to the names of its machines. */
export function vpcNames(
  observations: Observations,
  vpcId: string | null,
): Pick<NamesSeen, 'dhcpDomain' | 'dnsHostnames' | 'dnsSupport'> {
  const dhcpDomain = dhcpDomainOf(observations, vpcId);
  const dnsHostnames = attributeOf(observations, vpcId, 'EnableDnsHostnames');
  const dnsSupport = attributeOf(observations, vpcId, 'EnableDnsSupport');
  return {
    ...(dhcpDomain === undefined ? {} : { dhcpDomain }),
    ...(dnsHostnames === undefined ? {} : { dnsHostnames }),
    ...(dnsSupport === undefined ? {} : { dnsSupport }),
  };
}

/** `eu-west-1` of the zone `eu-west-1a`. */
export function regionOfZone(zone: string | null): string | null {
  return /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/.exec(zone ?? '')?.[1] ?? null;
}

/** `ip-name` or `resource-name`, undefined for anything else. */
export function namingTypeOf(text: Told<string>): NamesSeen['hostnameType'] {
  return text === 'ip-name' || text === 'resource-name' ? text : undefined;
}
