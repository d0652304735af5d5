import type { DescribedType } from '../evidence/aws/instance.ts';
import type { Told } from '../evidence/shape.ts';
import { type InstanceType, isUnknownType, NO_TABLES } from './instance-type.ts';
import type { InstanceTypes } from './instance-types.ts';

/** More than any machine has; a larger number is damage, not data. */
const COUNT_MAX = 1_000_000_000;

function countOf(value: Told<number>): number | null {
  const count = value ?? Number.NaN;
  return Number.isInteger(count) && count >= 0 && count <= COUNT_MAX ? count : null;
}

function hypervisorOf({ Hypervisor: text }: DescribedType): InstanceType['hypervisor'] {
  return text === 'nitro' || text === 'xen' ? text : null;
}

/** EC2's words for processors, as Kubernetes has them. */
function archOf({ ProcessorInfo: processor }: DescribedType): string | null {
  const words = processor?.SupportedArchitectures ?? [];
  if (words.includes('arm64')) return 'arm64';
  return words.includes('x86_64') ? 'amd64' : null;
}

/** Interfaces of the default card; `MaximumNetworkInterfaces` sums over all cards. */
function defaultCardEnis({ NetworkInfo: network }: DescribedType): number | null {
  const wanted = countOf(network?.DefaultNetworkCardIndex) ?? 0;
  const card = network?.NetworkCards?.find((one) => countOf(one.NetworkCardIndex) === wanted);
  if (card !== undefined) return countOf(card.MaximumNetworkInterfaces);
  const isSingle = (countOf(network?.MaximumNetworkCards) ?? 1) === 1;
  return isSingle ? countOf(network?.MaximumNetworkInterfaces) : null;
}

/**
 * A type as EC2 itself describes it: one item of `DescribeInstanceTypes`, whose values win over the
 * shipped ones. EC2 says nothing of trunks, nor of the tables of other programs; these stay as
 * shipped. null when the item does not say which type it is, or how many interfaces it has.
 */
export function typeFromAws(item: DescribedType, shipped: InstanceTypes): InstanceType | null {
  const { InstanceType: name, NetworkInfo: network } = item;
  const enis = defaultCardEnis(item);
  const ipv4PerEni = countOf(network?.Ipv4AddressesPerInterface);
  if (name === undefined || enis === null || ipv4PerEni === null) return null;
  const known = shipped.named(name);
  const carried = isUnknownType(known)
    ? { trunk: null, branches: null, tables: NO_TABLES }
    : { trunk: known.trunk, branches: known.branches, tables: known.tables };
  return {
    name,
    enis,
    ipv4PerEni,
    hypervisor: hypervisorOf(item),
    bareMetal: item.BareMetal ?? null,
    ...carried,
    cards: countOf(network?.MaximumNetworkCards),
    enisAllCards: countOf(network?.MaximumNetworkInterfaces),
    vcpus: countOf(item.VCpuInfo?.DefaultVCpus),
    memoryMiB: countOf(item.MemoryInfo?.SizeInMiB),
    arch: archOf(item),
    source: 'aws',
  };
}
