import type { InstanceType } from './instance-type.ts';
import type { NetworkMode } from './mode.ts';
import { counted, grouped } from '../domain/words.ts';
import { isAtLeast } from '../domain/version.ts';

/** Addresses of a /28 block. */
export const PREFIX_ADDRESSES = 16;
/** aws-node and kube-proxy run in the host network and take no pod address. */
export const HOST_NETWORK_PODS = 2;
/** First release of amazon-vpc-cni-k8s that can assign prefixes (its release notes). */
const PREFIX_SINCE = '1.9.0';
/** First release that asks EC2 about a type which its table lacks (its tag history). */
const ASKS_EC2_SINCE = '1.6.0';

/** What one instance offers to pods, and why. */
export interface EniBudget {
  /** Interfaces as the CNI counts them, null when it does not know the type and does not ask. */
  readonly enis: number | null;
  /** Interfaces from which pods get addresses. */
  readonly podEnis: number;
  /** Interfaces that hold their own address only: the trunk, the primary of custom networking. */
  readonly enisWithoutPods: number;
  /** Addresses or blocks that one interface can hold besides its primary address. */
  readonly slotsPerEni: number;
  /** Addresses that one slot gives: 1, or 16 with prefixes. */
  readonly addressesPerSlot: number;
  readonly addressing: 'secondary' | 'prefix' | 'ipv6';
  /** Why the arithmetic departs from the plain rule, one sentence each. */
  readonly notes: readonly string[];
}

/** Interfaces and addresses per interface in the eyes of that release of the CNI. */
interface SeenLimits {
  readonly enis: number | null;
  readonly ipv4PerEni: number;
  readonly note: string | null;
}

function changedLimits(type: InstanceType, cniVersion: string): SeenLimits | null {
  const said = type.tables.cniChanges.findLast((one) => isAtLeast(cniVersion, one.since) === true);
  if (said === undefined) return null;
  if (said.enis === type.enis && said.ipv4PerEni === type.ipv4PerEni) return null;
  const { enis, ipv4PerEni } = said;
  if (ipv4PerEni === null) return unknownToCni(type, cniVersion);
  const note =
    `CNI ${cniVersion} counts on ${counted(enis, 'interface')} x ${counted(ipv4PerEni, 'address')}` +
    ` for ${type.name}, where EC2 has ${type.enis} x ${type.ipv4PerEni}.`;
  // A table that promises more than EC2 gives changes what is tried, not what is had.
  return {
    enis: Math.min(enis, type.enis),
    ipv4PerEni: Math.min(ipv4PerEni, type.ipv4PerEni),
    note,
  };
}

function unknownToCni(type: InstanceType, cniVersion: string): SeenLimits {
  const { enis, ipv4PerEni } = type;
  if (isAtLeast(cniVersion, ASKS_EC2_SINCE) === true) {
    const more = (type.enisAllCards ?? enis) > enis ? '; it then counts all network cards' : '';
    const note =
      `CNI ${cniVersion} has no limits for ${type.name} and asks EC2, which needs aws-node to have` +
      ` ec2:DescribeInstanceTypes${more}.`;
    return { enis, ipv4PerEni, note };
  }
  const note = `CNI ${cniVersion} does not know ${type.name} and does not ask EC2: no pod gets an address.`;
  return { enis: null, ipv4PerEni, note };
}

function isInTable(type: InstanceType, cniVersion: string): boolean {
  const { firstCni, known } = type.tables;
  if (!known || firstCni === null || firstCni === 'unreleased') return false;
  return isAtLeast(cniVersion, firstCni) === true;
}

function seenLimits(type: InstanceType, cniVersion: string | null): SeenLimits {
  const plain = { enis: type.enis, ipv4PerEni: type.ipv4PerEni, note: null };
  if (cniVersion === null || isAtLeast(cniVersion, '0.0.0') === null) return plain;
  if (!isInTable(type, cniVersion)) return unknownToCni(type, cniVersion);
  return changedLimits(type, cniVersion) ?? plain;
}

/** Whether the type can hold prefixes: Nitro and bare metal can; null when that is not known. */
export function canHoldPrefixes(type: InstanceType): boolean | null {
  if (type.hypervisor === 'nitro' || type.bareMetal === true) return true;
  return type.hypervisor === 'xen' ? false : null;
}

interface Addressing {
  readonly addressing: EniBudget['addressing'];
  readonly note: string | null;
}

function addressingOf(type: InstanceType, mode: NetworkMode): Addressing {
  const wanted = mode.addressing;
  if (wanted === 'secondary') return { addressing: wanted, note: null };
  if (wanted === 'prefix' && isAtLeast(mode.cniVersion, PREFIX_SINCE) === false) {
    const note = `CNI ${mode.cniVersion} does not support prefixes (they need v${PREFIX_SINCE}): single addresses.`;
    return { addressing: 'secondary', note };
  }
  const can = canHoldPrefixes(type);
  if (can === true) return { addressing: wanted, note: null };
  const why = can === false ? 'runs on Xen' : 'may not run on Nitro';
  const pods = wanted === 'ipv6' ? ', so no pod gets an IPv6 address' : '';
  const note = `${type.name} ${why}; prefixes need Nitro or bare metal${pods}: single addresses.`;
  return { addressing: 'secondary', note };
}

function maxEniNote(mode: NetworkMode, enis: number): string | null {
  if (mode.maxEni === null || mode.maxEni >= enis) return null;
  return `MAX_ENI=${mode.maxEni} leaves ${counted(Math.max(0, mode.maxEni), 'interface')} of ${enis}.`;
}

function trunkNote(type: InstanceType, mode: NetworkMode): string | null {
  if (!mode.podEni) return null;
  if (type.trunk === true) return 'The trunk ENI for pod security groups takes 1 interface.';
  if (type.trunk === false)
    return `${type.name} does not support a trunk ENI: no pod gets its own security group.`;
  return `Unknown whether ${type.name} supports a trunk ENI; the CNI assumes it does.`;
}

/**
 * Interfaces and addresses that one instance has for pods.
 * Rules: `max-pods-calculator.sh` of amazon-eks-ami v20251217 (custom networking, MAX_ENI) and
 * ipamd of amazon-vpc-cni-k8s v1.23.0 (trunk, limits by table, prefixes).
 */
export function eniBudget(type: InstanceType, mode: NetworkMode): EniBudget {
  const limits = seenLimits(type, mode.cniVersion);
  const { addressing, note } = addressingOf(type, mode);
  const attachable = Math.max(
    0,
    Math.min(limits.enis ?? 0, mode.maxEni ?? Number.MAX_SAFE_INTEGER),
  );
  const custom = mode.customNetworking && addressing !== 'ipv6' ? 1 : 0;
  const trunk = mode.podEni && type.trunk !== false ? 1 : 0;
  const notes = [
    limits.note,
    note,
    limits.enis === null ? null : maxEniNote(mode, limits.enis),
    custom === 1 ? 'Custom networking leaves the primary interface without pod addresses.' : null,
    mode.customNetworking && addressing === 'ipv6'
      ? 'Custom networking has no effect in an IPv6 cluster.'
      : null,
    addressing === 'ipv6'
      ? 'One /80 block per interface holds more addresses than pods; AWS counts as for /28 prefixes.'
      : null,
    trunkNote(type, mode),
  ];
  return {
    enis: limits.enis,
    podEnis: Math.max(0, attachable - custom - trunk),
    enisWithoutPods: Math.min(attachable, custom + trunk),
    slotsPerEni: Math.max(0, limits.ipv4PerEni - 1),
    addressesPerSlot: addressing === 'secondary' ? 1 : PREFIX_ADDRESSES,
    addressing,
    notes: notes.filter((one) => one !== null),
  };
}

/** Addresses that pods of one instance can have at once. */
export function podAddresses(budget: EniBudget): number {
  return budget.podEnis * budget.slotsPerEni * budget.addressesPerSlot;
}

/** The sum as a line: `3 interfaces x (4 addresses - 1 primary) + 2 host-network pods = 11`. */
export function arithmeticLine(budget: EniBudget): string {
  const { podEnis, slotsPerEni, addressesPerSlot } = budget;
  const slots = `(${counted(slotsPerEni + 1, 'address')} - 1 primary)`;
  const each = addressesPerSlot === 1 ? slots : `${slots} x ${addressesPerSlot} per /28 prefix`;
  const sum = grouped(podAddresses(budget) + HOST_NETWORK_PODS);
  return `${counted(podEnis, 'interface')} x ${each} + ${HOST_NETWORK_PODS} host-network pods = ${sum}`;
}
