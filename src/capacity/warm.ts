import { type EniBudget, HOST_NETWORK_PODS } from './eni.ts';
import type { WarmTargets } from './mode.ts';
import { counted } from '../domain/words.ts';

/** What one node holds of its subnet when that many of its pods have addresses. */
export interface HeldAddresses {
  /** Attached interfaces, the primary one included. */
  readonly enis: number;
  /** Addresses taken from the subnet, those of /28 blocks and the primary ones included. */
  readonly addresses: number;
  /** /28 blocks among them; 0 without prefixes. */
  readonly blocks: number;
  /** Addresses for pods that no pod uses. */
  readonly warm: number;
  readonly because: string;
}

interface Pool {
  /** Addresses or blocks for pods. */
  readonly slots: number;
  /** How many slots come at once: those of an interface, or one. */
  readonly step: number;
  readonly because: string;
}

/** WARM_IP_TARGET and MINIMUM_IP_TARGET, which override the other two targets. */
function addressPool(budget: EniBudget, targets: WarmTargets, pods: number): Pool {
  const each = budget.addressesPerSlot;
  const warm = Math.max(0, targets.warmIpTarget ?? 0);
  const minimum = Math.max(0, targets.minimumIpTarget ?? 0);
  const rounded = each === 1 ? '' : ', in whole /28 prefixes';
  const because = `the larger of ${pods} pods + ${warm} warm and the minimum ${minimum}${rounded}`;
  return { slots: Math.ceil(Math.max(pods + warm, minimum) / each), step: 1, because };
}

/**
 * Units of `size` addresses that leave `target` of them free; with no target one more is fetched
 * as soon as no address is free.
 */
function unitsFor(pods: number, size: number, target: number): number {
  const each = Math.max(1, size);
  return target > 0 ? Math.ceil(pods / each) + target : Math.floor(pods / each) + 1;
}

function prefixPool(budget: EniBudget, targets: WarmTargets, pods: number): Pool {
  const target = Math.max(0, targets.warmPrefixTarget);
  const slots = unitsFor(pods, budget.addressesPerSlot, target);
  const because = `prefixes for ${pods} pods + ${counted(target, 'whole prefix')} free`;
  return { slots, step: 1, because };
}

function interfacePool(budget: EniBudget, targets: WarmTargets, pods: number): Pool {
  const target = Math.max(0, targets.warmEniTarget);
  const step = budget.slotsPerEni;
  const because = `interfaces for ${pods} pods + ${counted(target, 'whole interface')} free`;
  return { slots: unitsFor(pods, step, target) * step, step, because };
}

/** What ipamd wants for these pods, before what the instance can hold limits it. */
function wantedPool(budget: EniBudget, targets: WarmTargets, pods: number): Pool {
  if (targets.warmIpTarget !== null || targets.minimumIpTarget !== null)
    return addressPool(budget, targets, pods);
  return budget.addressesPerSlot > 1
    ? prefixPool(budget, targets, pods)
    : interfacePool(budget, targets, pods);
}

/** Growth ends with the pool that covers max-pods, after a whole step. */
function limitedByMaxPods(budget: EniBudget, pool: Pool, maxPods: number | null): number {
  if (maxPods === null) return pool.slots;
  const enough = Math.max(1, Math.ceil(maxPods / budget.addressesPerSlot));
  return Math.min(pool.slots, Math.ceil(enough / Math.max(1, pool.step)) * pool.step);
}

/**
 * Addresses that ipamd holds for a node with so many pods outside the host network.
 * Rules of amazon-vpc-cni-k8s v1.23.0 (pkg/ipamd, docs/eni-and-ip-target.md): the pool is too low
 * while free addresses are under the target; WARM_IP_TARGET and MINIMUM_IP_TARGET override the
 * other two; growth ends when the pool covers max-pods.
 */
export function heldAddresses(
  budget: EniBudget,
  targets: WarmTargets,
  pods: number,
  maxPods: number | null,
): HeldAddresses {
  // An IPv6 cluster takes one IPv4 address per node, its primary one.
  if (budget.addressing === 'ipv6')
    return { enis: 1, addresses: 1, blocks: 0, warm: 0, because: 'pods have IPv6 addresses' };
  const wanted = wantedPool(budget, targets, pods);
  const capacity = budget.podEnis * budget.slotsPerEni;
  const slots = Math.min(limitedByMaxPods(budget, wanted, maxPods), capacity);
  const podEnis = Math.min(budget.podEnis, Math.ceil(slots / Math.max(1, budget.slotsPerEni)));
  const enis = Math.max(1, podEnis + budget.enisWithoutPods);
  const pool = slots * budget.addressesPerSlot;
  return {
    enis,
    addresses: enis + pool,
    blocks: budget.addressesPerSlot > 1 ? slots : 0,
    warm: Math.max(0, pool - pods),
    because: wanted.because,
  };
}

/** Pods outside the host network when a node runs as many pods as it may. */
export function networkPods(maxPods: number): number {
  return Math.max(0, maxPods - HOST_NETWORK_PODS);
}
