import { at, isObject, type Json, listAt, textAt } from '../evidence/json.ts';
import { type InstanceType, isUnknownType, NO_TABLES } from './instance-type.ts';
import type { InstanceTypes } from './instance-types.ts';

/** More than any machine has; a larger number is damage, not data. */
const COUNT_MAX = 1_000_000_000;

function countAt(item: Json, path: string): number | null {
  const value = at(item, path);
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= COUNT_MAX;
  return isCount ? Number(value) : null;
}

function hypervisorOf(item: Json): InstanceType['hypervisor'] {
  const text = textAt(item, 'Hypervisor');
  return text === 'nitro' || text === 'xen' ? text : null;
}

/** EC2's words for processors, as Kubernetes has them. */
function archOf(item: Json): string | null {
  const words = listAt(item, 'ProcessorInfo.SupportedArchitectures');
  if (words.includes('arm64')) return 'arm64';
  return words.includes('x86_64') ? 'amd64' : null;
}

/** Interfaces of the default card; `MaximumNetworkInterfaces` sums over all cards. */
function defaultCardEnis(item: InstanceType): number | null {
  const cards = listAt(item, 'NetworkInfo.NetworkCards');
  const wanted = countAt(item, 'NetworkInfo.DefaultNetworkCardIndex') ?? 0;
  const card = cards.find((one) => countAt(one, 'NetworkCardIndex') === wanted);
  if (card !== undefined) return countAt(card, 'MaximumNetworkInterfaces');
  const isSingle = (countAt(item, 'NetworkInfo.MaximumNetworkCards') ?? 1) === 1;
  return isSingle ? countAt(item, 'NetworkInfo.MaximumNetworkInterfaces') : null;
}

/**
 * A type as EC2 itself describes it: one item of `DescribeInstanceTypes`, whose values win over the
 * shipped ones. EC2 says nothing of trunks, nor of the tables of other programs; these stay as
 * shipped. null when the item does not say which type it is, or how many interfaces it has.
 */
export function typeFromAws(item: InstanceType, shipped: InstanceTypes): InstanceType | null {
  const name = textAt(item, 'InstanceType');
  const enis = defaultCardEnis(item);
  const ipv4PerEni = countAt(item, 'NetworkInfo.Ipv4AddressesPerInterface');
  if (!isObject(item) || name === null || enis === null || ipv4PerEni === null) return null;
  const known = shipped.named(name);
  const carried = isUnknownType(known)
    ? { trunk: null, branches: null, tables: NO_TABLES }
    : { trunk: known.trunk, branches: known.branches, tables: known.tables };
  const metal = at(item, 'BareMetal');
  return {
    name,
    enis,
    ipv4PerEni,
    hypervisor: hypervisorOf(item),
    bareMetal: typeof metal === 'boolean' ? metal : null,
    ...carried,
    cards: countAt(item, 'NetworkInfo.MaximumNetworkCards'),
    enisAllCards: countAt(item, 'NetworkInfo.MaximumNetworkInterfaces'),
    vcpus: countAt(item, 'VCpuInfo.DefaultVCpus'),
    memoryMiB: countAt(item, 'MemoryInfo.SizeInMiB'),
    arch: archOf(item),
    source: 'aws',
  };
}
