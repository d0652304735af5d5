import type { Planned } from '../../evidence/planned.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { OPTIONS, VPCS } from './lookups.ts';
import { machineOf } from './machine.ts';
import type { PlanFacts } from './plan-facts.ts';

/** The domain that DHCP will give the machines of a group, beside the one that EC2 names them by. */
export type PlannedDomain =
  | { readonly kind: 'named-by-ec2' }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'given';
      readonly options: Planned<'aws/dhcp-options'>;
      readonly domain: string;
      readonly ofRegion: string;
    };

/** The domain of the names that EC2 gives in a region. */
function domainOfRegion(zone: string): string | null {
  const region = /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/.exec(zone)?.[1];
  if (region === undefined) return null;
  return region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
}

/**
 * What DHCP will name the machines of a group. Images of EKS ask EC2 for the name of their Node; of
 * others only those that kubeadm joins are known to take the name that DHCP gives.
 */
export function plannedDomain(plan: PlanFacts, group: PlannedGroup): PlannedDomain {
  const { userData, subnets, vpc } = machineOf(plan, group);
  if (group.kind === 'NodeGroup' || group.cluster !== null) return { kind: 'named-by-ec2' };
  if ((userData?.value.joinTokenId ?? null) === null) return { kind: 'unknown' };
  const id = lookedUp(plan, VPCS, vpc)[0]?.value.DhcpOptionsId;
  const [options] = lookedUp(plan, OPTIONS, id);
  const named = options?.value.DhcpConfigurations?.find(({ Key }) => Key === 'domain-name');
  const domain = (named?.Values ?? [])[0] ?? null;
  const ofRegion = domainOfRegion(subnets[0]?.value.AvailabilityZone ?? '');
  if (options === undefined || domain === null || ofRegion === null) return { kind: 'unknown' };
  return { kind: 'given', options, domain, ofRegion };
}
