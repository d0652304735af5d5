import { factValues, isListed } from '../../evidence/fact-values.ts';
import type { FactTypes } from '../../evidence/kinds.ts';
import type { Observations } from '../../evidence/observations.ts';
import { typeFromAws } from '../aws-type.ts';
import type { InstanceType, UnknownType } from '../instance-type.ts';
import { INSTANCE_TYPES } from '../instance-types.generated.ts';
import { instanceTypes } from '../instance-types.ts';
import { interfaceOf, type OwnedInterface } from '../../domain/network/interfaces.ts';
import type { KnownInstances } from '../leaks.ts';
import { type SubnetState, subnetOf, subnetState, usedAddresses } from '../subnet.ts';
import type { NetworkInterface } from '../../evidence/aws/instance.ts';

/** What `rollcall capacity` reads; its permissions are those of the calls that show these. */
export const CAPACITY_KINDS = [
  'kube/Node',
  'kube/Pod',
  'kube/DaemonSet',
  'kube/ENIConfig',
  'aws/instance',
  'aws/subnet',
  'aws/network-interface',
  'aws/instance-type',
] as const;

type CapacityKind = (typeof CAPACITY_KINDS)[number];

/** The values of a kind for which permissions are listed. */
export function valuesOf<K extends CapacityKind>(
  observations: Observations,
  kind: K,
): readonly FactTypes[K][] {
  return factValues(observations, kind);
}

/** Items of AWS by their id; the last answer wins. */
export function byId<T>(
  items: readonly T[],
  idOf: (item: T) => string | undefined,
): Map<string, T> {
  return new Map(items.map((item) => [idOf(item) ?? '', item]));
}

const SHIPPED = instanceTypes(INSTANCE_TYPES);

/** A type as EC2 described it, else as shipped, else unknown. */
export function typeNamed(observations: Observations, name: string): InstanceType | UnknownType {
  const item = valuesOf(observations, 'aws/instance-type').find((one) => one.InstanceType === name);
  const described = item === undefined ? null : typeFromAws(item, SHIPPED);
  return described ?? SHIPPED.named(name);
}

/** Interfaces, or null when they were not listed. */
export function interfacesOf(observations: Observations): readonly NetworkInterface[] | null {
  if (!isListed(observations, 'aws/network-interface')) return null;
  const items = valuesOf(observations, 'aws/network-interface');
  return [...byId(items, (one) => one.NetworkInterfaceId).values()];
}

/** The same with who owns each. */
export function networkInterfaces(
  items: readonly NetworkInterface[] | null,
): readonly OwnedInterface[] {
  return (items ?? []).map(interfaceOf).filter((one) => one !== null);
}

/** Each subnet with what is free in it. */
export function subnetStates(observations: Observations): readonly SubnetState[] {
  const items = interfacesOf(observations);
  const subnets = byId(valuesOf(observations, 'aws/subnet'), (one) => one.SubnetId);
  return [...subnets.values()].flatMap((item) => {
    const subnet = subnetOf(item);
    if (subnet === null) return [];
    return [subnetState(subnet, items === null ? null : usedAddresses(subnet, items))];
  });
}

/** States of the instances; those of other clusters were not asked for. */
export function knownInstances(observations: Observations): KnownInstances {
  const items = valuesOf(observations, 'aws/instance');
  const states = items.map((item): [string, string] => [
    item.InstanceId ?? '',
    item.State?.Name ?? '',
  ]);
  return { states: new Map(states), isComplete: false };
}
