import { type InstanceType, isUnknownType, type UnknownType } from './instance-type.ts';
import { type MaxPods, maxPodsOf } from './max-pods.ts';
import type { NetworkMode, WarmTargets } from './mode.ts';
import type { SubnetState } from './subnet.ts';
import { HOST_NETWORK_PODS, podAddresses } from './eni.ts';
import { type HeldAddresses, heldAddresses, networkPods } from './warm.ts';
import { counted, grouped, shown } from '../domain/words.ts';

export interface CapacityInput {
  readonly type: InstanceType | UnknownType;
  readonly mode: NetworkMode;
  readonly targets: WarmTargets;
  /** The subnets that give pods their addresses; null when none was looked at. */
  readonly subnets: readonly SubnetState[] | null;
  /** max-pods of the kubelet, null when it is not known. */
  readonly maxPodsConfigured: number | null;
}

export type LimitingFactor =
  | 'unknown-type'
  | 'unknown-to-cni'
  | 'interfaces'
  | 'ceiling'
  | 'max-pods'
  | 'subnet-addresses'
  | 'subnet-blocks';

/** A max-pods that does not fit the addresses. */
export interface MaxPodsMismatch {
  readonly kind: 'above-addresses' | 'above-recommended' | 'below-recommended';
  readonly sentence: string;
}

export interface NodesThatFit {
  /** Further nodes of this type, each full of pods, that the subnets can feed. */
  readonly nodes: number;
  readonly factor: 'subnet-addresses' | 'subnet-blocks';
}

export interface Capacity {
  readonly type: InstanceType | UnknownType;
  /** Addresses that pods of one instance can have; null for an unknown type. */
  readonly addresses: number | null;
  readonly maxPods: MaxPods | null;
  /** What one node holds of its subnet: with no pods, with one, and with as many as it may run. */
  readonly held: {
    readonly empty: HeldAddresses;
    readonly first: HeldAddresses;
    readonly full: HeldAddresses;
  } | null;
  readonly factor: LimitingFactor;
  readonly sentence: string;
  readonly mismatch: MaxPodsMismatch | null;
  readonly fit: NodesThatFit | null;
}

function unknownCapacity(type: UnknownType): Capacity {
  const sentence = `Limits of ${shown(type.unknown)} are unknown; ask EC2: ${type.command}`;
  return {
    type,
    addresses: null,
    maxPods: null,
    held: null,
    factor: 'unknown-type',
    sentence,
    mismatch: null,
    fit: null,
  };
}

function mismatchOf(configured: number | null, maxPods: MaxPods): MaxPodsMismatch | null {
  if (configured === null) return null;
  const { allowed, recommended } = maxPods;
  if (configured > allowed) {
    const short = counted(configured - allowed, 'pod');
    const sentence = `max-pods is ${configured}, but only ${allowed} pods get addresses: up to ${short} would hang in ContainerCreating, "failed to assign an IP address to container".`;
    return { kind: 'above-addresses', sentence };
  }
  if (recommended !== null && configured > recommended) {
    const sentence = `max-pods is ${configured}; AWS recommends ${recommended} here.`;
    return { kind: 'above-recommended', sentence };
  }
  if (recommended === null || configured >= recommended) return null;
  const spare = counted(recommended - configured, 'pod');
  const sentence = `max-pods is ${configured}; ${spare} more would fit (${recommended}).`;
  return { kind: 'below-recommended', sentence };
}

/** Nodes that each subnet can still feed; the scarcer of addresses and blocks decides. */
function fitOf(subnets: readonly SubnetState[] | null, full: HeldAddresses): NodesThatFit | null {
  const known = subnets?.filter(({ free }) => free !== null) ?? [];
  if (known.length === 0 || known.length !== subnets?.length) return null;
  const byAddresses = known.map(({ free }) => Math.floor((free ?? 0) / full.addresses));
  const byBlocks = known.map(({ freeBlocks }) =>
    full.blocks === 0 || freeBlocks === null ? Infinity : Math.floor(freeBlocks / full.blocks),
  );
  const nodes = byAddresses.map((count, index) => Math.min(count, byBlocks[index] ?? Infinity));
  const total = nodes.reduce((sum, count) => sum + count, 0);
  const unblocked = byAddresses.reduce((sum, count) => sum + count, 0);
  return { nodes: total, factor: total < unblocked ? 'subnet-blocks' : 'subnet-addresses' };
}

interface Limit {
  readonly factor: LimitingFactor;
  readonly sentence: string;
}

function subnetFactor(
  fit: NodesThatFit | null,
  subnets: readonly SubnetState[] | null,
  full: HeldAddresses,
): Limit | null {
  if (fit === null || fit.nodes > 0 || subnets === null) return null;
  const free = subnets.reduce((sum, one) => sum + (one.free ?? 0), 0);
  const blocks = subnets.reduce((sum, one) => sum + (one.freeBlocks ?? 0), 0);
  const sentence =
    fit.factor === 'subnet-blocks'
      ? `No subnet can feed one more full node: ${grouped(free)} addresses are free, but a node needs ${counted(full.blocks, 'whole /28 block')} and ${grouped(blocks)} are free.`
      : `No subnet can feed one more full node: a node needs ${counted(full.addresses, 'address')} and ${grouped(free)} are free.`;
  return { factor: fit.factor, sentence };
}

function instanceLimit(name: string, maxPods: MaxPods, configured: number | null): Limit {
  const { allowed, recommended, ceiling, budget } = maxPods;
  if (budget.enis === null)
    return {
      factor: 'unknown-to-cni',
      sentence: `The CNI does not know ${name}: no pod gets an address.`,
    };
  if (configured !== null && configured < Math.min(allowed, recommended ?? allowed))
    return { factor: 'max-pods', sentence: `Limited by max-pods: ${configured} pods.` };
  if (recommended !== null && recommended < allowed && (configured ?? 0) <= recommended) {
    const sentence = `Limited by the ${ceiling} pods that AWS recommends; addresses allow ${grouped(allowed)}.`;
    return { factor: 'ceiling', sentence };
  }
  const each = counted(budget.slotsPerEni, budget.addressesPerSlot > 1 ? 'prefix' : 'pod address');
  const sentence = `Limited by ENIs: ${counted(budget.podEnis, 'interface')} with ${each} each.`;
  return { factor: 'interfaces', sentence };
}

/** How many pods an instance can hold, what ends it, and how many nodes its subnets can feed. */
export function capacityOf(input: CapacityInput): Capacity {
  const { type, mode, targets, subnets, maxPodsConfigured } = input;
  if (isUnknownType(type)) return unknownCapacity(type);
  const maxPods = maxPodsOf(type, mode);
  const planned = maxPodsConfigured ?? maxPods.recommended ?? maxPods.allowed;
  const pods = Math.min(networkPods(planned), podAddresses(maxPods.budget));
  const heldBy = (count: number) => heldAddresses(maxPods.budget, targets, count, planned);
  const held = { empty: heldBy(0), first: heldBy(Math.min(1, pods)), full: heldBy(pods) };
  const fit = fitOf(subnets, held.full);
  const limit =
    subnetFactor(fit, subnets, held.full) ?? instanceLimit(type.name, maxPods, maxPodsConfigured);
  return {
    type,
    addresses: maxPods.allowed - HOST_NETWORK_PODS,
    maxPods,
    held,
    ...limit,
    mismatch: mismatchOf(maxPodsConfigured, maxPods),
    fit,
  };
}
