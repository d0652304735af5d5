import { addressOf, type Cidr, cidrOf, isInside, sizeOf } from '../domain/network/cidr.ts';
import { PREFIX_ADDRESSES } from './eni.ts';
import type { NetworkInterface } from '../evidence/aws/instance.ts';
import type { Subnet } from '../evidence/aws/network.ts';

/** EC2 keeps the first four addresses and the last one of each subnet (Amazon VPC user guide). */
const RESERVED_FIRST = 4;
const RESERVED = RESERVED_FIRST + 1;
/** Largest and smallest subnet that a VPC can have (Amazon VPC user guide). */
const PREFIX_LENGTH_MIN = 16;
const PREFIX_LENGTH_MAX = 28;
const BLOCK_LENGTH = 28;

/** A subnet and the addresses in it. */
export interface SubnetRange {
  readonly id: string;
  readonly zone: string | null;
  readonly cidr: Cidr;
  /** Free addresses as EC2 counts them, null when it was not asked. */
  readonly available: number | null;
}

/** What holds addresses of a subnet. */
export interface UsedAddresses {
  readonly addresses: readonly number[];
  readonly blocks: readonly Cidr[];
}

export interface SubnetState {
  readonly subnet: SubnetRange;
  /** Addresses that machines and pods can have: the size less 5. */
  readonly usable: number;
  /** Free addresses by EC2's count, else by the list of interfaces; null when neither is known. */
  readonly free: number | null;
  /** Aligned /28 blocks without any used address; null when no list of interfaces is known. */
  readonly freeBlocks: number | null;
  /** Addresses that EC2 counts as used and no listed interface explains. */
  readonly unexplained: number;
  /** Share of the free addresses, 0 to 1, that lie in no free /28 block; null when not known. */
  readonly fragmentation: number | null;
}

/** A subnet as DescribeSubnets gives it; null when its IPv4 block cannot be read. */
export function subnetOf(item: Subnet): SubnetRange | null {
  const cidr = cidrOf(item.CidrBlock ?? '');
  const id = item.SubnetId;
  if (cidr === null || id === undefined || !isSubnetSize(cidr)) return null;
  const count = item.AvailableIpAddressCount ?? Number.NaN;
  const available = Number.isInteger(count) && count >= 0 ? count : null;
  return { id, zone: item.AvailabilityZone ?? null, cidr, available };
}

function isSubnetSize({ prefixLength }: Cidr): boolean {
  return prefixLength >= PREFIX_LENGTH_MIN && prefixLength <= PREFIX_LENGTH_MAX;
}

/** Addresses that can be given out: 251 of a /24. */
export function usableAddresses(block: Cidr): number {
  return Math.max(0, sizeOf(block) - RESERVED);
}

function addressesOf(item: NetworkInterface): readonly number[] {
  const listed = (item.PrivateIpAddresses ?? []).map((one) => one.PrivateIpAddress);
  const texts = [item.PrivateIpAddress, ...listed];
  return texts.map((text) => addressOf(text ?? '')).filter((address) => address !== null);
}

function blocksOf(item: NetworkInterface): readonly Cidr[] {
  const texts = (item.Ipv4Prefixes ?? []).map((one) => one.Ipv4Prefix);
  return texts.map((text) => cidrOf(text ?? '')).filter((block) => block !== null);
}

/** What the interfaces of a subnet hold, as DescribeNetworkInterfaces lists them. */
export function usedAddresses(
  subnet: SubnetRange,
  interfaces: readonly NetworkInterface[],
): UsedAddresses {
  const own = interfaces.filter((item) => item.SubnetId === subnet.id);
  return { addresses: own.flatMap(addressesOf), blocks: own.flatMap(blocksOf) };
}

function reservedOf(block: Cidr): readonly number[] {
  const first = Array.from({ length: RESERVED_FIRST }, (_, index) => block.first + index);
  return [...first, block.first + sizeOf(block) - 1];
}

/** Every address in use, the reserved ones included; a block counts with all of its addresses. */
function takenOf(block: Cidr, used: UsedAddresses): ReadonlySet<number> {
  const taken = new Set(reservedOf(block));
  for (const address of used.addresses) if (isInside(address, block)) taken.add(address);
  const end = block.first + sizeOf(block);
  for (const held of used.blocks) {
    const last = Math.min(end, held.first + sizeOf(held));
    for (let address = Math.max(block.first, held.first); address < last; address++)
      taken.add(address);
  }
  return taken;
}

/** The first free address from an offset into a subnet on, null when there is none. */
export function freeAddress(block: Cidr, used: UsedAddresses, offset: number): number | null {
  const taken = takenOf(block, used);
  const end = block.first + sizeOf(block);
  for (let address = block.first + offset; address < end; address++)
    if (!taken.has(address)) return address;
  return null;
}

/** Aligned /28 blocks of a subnet that hold no used and no reserved address. */
export function freeBlocksOf(block: Cidr, used: UsedAddresses): number {
  const touched = new Set<number>();
  for (const address of takenOf(block, used)) touched.add(Math.floor(address / PREFIX_ADDRESSES));
  return 2 ** (BLOCK_LENGTH - block.prefixLength) - touched.size;
}

/**
 * Free addresses and free /28 blocks. A prefix needs 16 contiguous, aligned addresses, so a subnet
 * with hundreds of free addresses can be without one (amazon-vpc-cni-k8s
 * docs/prefix-and-ip-target.md). `used` is null when no list of interfaces is known.
 */
export function subnetState(subnet: SubnetRange, used: UsedAddresses | null): SubnetState {
  const usable = usableAddresses(subnet.cidr);
  if (used === null) {
    const free = subnet.available;
    return { subnet, usable, free, freeBlocks: null, unexplained: 0, fragmentation: null };
  }
  const listed = sizeOf(subnet.cidr) - takenOf(subnet.cidr, used).size;
  const free = subnet.available ?? listed;
  // Addresses that no listed interface explains lie somewhere, so the count is an upper bound.
  const freeBlocks = Math.min(freeBlocksOf(subnet.cidr, used), Math.floor(free / PREFIX_ADDRESSES));
  return {
    subnet,
    usable,
    free,
    freeBlocks,
    unexplained: Math.max(0, listed - free),
    fragmentation: free === 0 ? 0 : 1 - (freeBlocks * PREFIX_ADDRESSES) / free,
  };
}
