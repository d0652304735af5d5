import type { Observations } from '../../evidence/observations.ts';
import { addressText, cidrOf } from '../../domain/network/cidr.ts';
import type { Unseen } from '../cluster/document.ts';
import { freeAddress, subnetOf, usedAddresses } from '../subnet.ts';
import type { NodeName } from '../../domain/naming/answer.ts';
import { type GivenNames, namingDocument, type NamingDocument } from './document.ts';
import { familyOf } from '../../domain/naming/image-family.ts';
import type { ImageFamily, LaunchPlace } from '../../domain/naming/input.ts';
import { namingValues } from '../../domain/naming/machines.ts';
import type { NamesSeen } from '../../domain/naming/names-table.ts';
import { namingTypeOf, regionOfZone, vpcNames } from '../../domain/naming/vpc-names.ts';
import type { Subnet } from '../../evidence/aws/network.ts';

const EXAMPLE_INSTANCE = 'i-0123456789abcdef0';
/** Beyond the four addresses that EC2 keeps, where subnets seldom hold load balancers. */
const EXAMPLE_OFFSET = 10;

/** A free address of a subnet; where all are taken, or who takes them was not told, its tenth. */
function exampleAddress(observations: Observations, item: Subnet): string | null {
  const subnet = subnetOf(item);
  const block = subnet?.cidr ?? cidrOf(item.CidrBlock ?? '');
  if (block === null) return null;
  const interfaces = namingValues(observations, 'aws/network-interface');
  const free =
    subnet === null ? null : freeAddress(block, usedAddresses(subnet, interfaces), EXAMPLE_OFFSET);
  return addressText(free ?? block.first + EXAMPLE_OFFSET);
}

/** What a subnet gives to the machines in it, an address among them as an example. */
function placeNames(observations: Observations, subnetId: string | null): Partial<NamesSeen> {
  const subnet = namingValues(observations, 'aws/subnet').find(
    (one) => (one.SubnetId ?? null) === subnetId,
  );
  if (subnet === undefined) return {};
  const privateIp = exampleAddress(observations, subnet);
  const region = regionOfZone(subnet.AvailabilityZone ?? null);
  const hostnameType = namingTypeOf(subnet.PrivateDnsNameOptionsOnLaunch?.HostnameType);
  return {
    ...(privateIp === null ? {} : { privateIp }),
    ...(region === null ? {} : { region }),
    ...(hostnameType === undefined ? {} : { hostnameType }),
    ...vpcNames(observations, subnet.VpcId ?? null),
  };
}

function imageFamily(observations: Observations, imageId: string | null): ImageFamily | null {
  const image = namingValues(observations, 'aws/image').find(
    (one) => (one.ImageId ?? null) === imageId,
  );
  return familyOf(image?.Name ?? null, true);
}

/** The name of a machine that is not there yet, by what was seen of its place. */
export function namingInPlace(
  observations: Observations,
  place: LaunchPlace,
  given: GivenNames,
  unseen: readonly Unseen[],
): NamingDocument {
  const image = imageFamily(observations, place.imageId);
  const seen: NamesSeen = {
    image,
    cloudProvider: null,
    kubeletVersion: null,
    options: given.options,
    instanceId: EXAMPLE_INSTANCE,
    ...placeNames(observations, place.subnetId),
    ...given.seen,
  };
  const machine = { instance: null, node: null };
  const document = namingDocument({ observations, machine, seen }, unseen);
  return { ...document, instanceId: null, name: withExample(document.name, seen, given) };
}

/** Says that address and instance id of the name, or of what it may be, are examples. */
function withExample(name: NodeName, seen: NamesSeen, given: GivenNames): NodeName {
  if (name.state === 'none') return name;
  const names = name.state === 'known' ? [name.name] : name.candidates;
  const has = (part: string): boolean => names.some((one) => one.includes(part));
  const isId = has(EXAMPLE_INSTANCE) && given.seen.instanceId === undefined;
  const host = seen.privateIp?.replaceAll('.', '-');
  const isIp = host !== undefined && has(host) && given.seen.privateIp === undefined;
  if (!isId && !isIp) return name;
  const what = isId
    ? `the instance gets the id ${EXAMPLE_INSTANCE}, an example`
    : `the instance gets the address ${seen.privateIp ?? ''}, an example`;
  return { ...name, provided: [...(name.provided ?? []), what] };
}
