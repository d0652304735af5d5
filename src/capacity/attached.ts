import type { EniBudget } from './eni.ts';
import type { Instance, NetworkInterface } from '../evidence/aws/instance.ts';

/** What the interfaces of one instance hold, as DescribeInstances shows it. */
export interface Attached {
  /** Interfaces of the default network card. */
  readonly enis: number;
  /** Of these, the ones that the CNI fills: the first (unless told otherwise) and its own. */
  readonly podEnis: number;
  /** Addresses besides the primary ones of those interfaces. */
  readonly secondary: readonly string[];
  /** /28 blocks of those interfaces. */
  readonly prefixes: number;
  /** Interfaces that somebody else attached. */
  readonly foreign: readonly string[];
}

function isPrimary(network: NetworkInterface): boolean {
  return network.Attachment?.DeviceIndex === 0;
}

function isOfCni(network: NetworkInterface): boolean {
  return /^aws-K8S-|^aws-k8s-trunk/.test(network.Description ?? '');
}

function secondaryOf(network: NetworkInterface): readonly string[] {
  return (network.PrivateIpAddresses ?? [])
    .filter((entry) => entry.Primary !== true)
    .map((entry) => entry.PrivateIpAddress)
    .filter((address) => typeof address === 'string');
}

/** `withPrimary` is false with custom networking, whose first interface gives pods nothing. */
export function attachedOf(instance: Instance, withPrimary: boolean): Attached {
  const all = (instance.NetworkInterfaces ?? []).filter(
    (network) => (network.Attachment?.NetworkCardIndex ?? 0) === 0,
  );
  const filled = all.filter((network) => (isPrimary(network) ? withPrimary : isOfCni(network)));
  const foreign = all.filter((network) => !isPrimary(network) && !isOfCni(network));
  return {
    enis: all.length,
    podEnis: filled.length,
    secondary: filled.flatMap(secondaryOf),
    prefixes: filled.flatMap((network) => network.Ipv4Prefixes ?? []).length,
    foreign: foreign.map((network) => network.NetworkInterfaceId ?? ''),
  };
}

/** True when no further interface fits and those that pods use have no free slot. */
export function isFull(attached: Attached, budget: EniBudget, maxEni: number | null): boolean {
  if (budget.enis === null) return false;
  const attachable = Math.min(budget.enis, maxEni ?? budget.enis);
  const held = budget.addressing === 'secondary' ? attached.secondary.length : attached.prefixes;
  return attached.enis >= attachable && held >= attached.podEnis * budget.slotsPerEni;
}
