import type { Instance } from '../../evidence/aws/instance.ts';
import { addressOf, type Cidr, isInside, sizeOf } from '../network/cidr.ts';
import { ipInName } from '../../evidence/names.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { KubeNode } from '../../evidence/kinds.ts';

/** A Node whose address is not the primary one of its instance. */
export interface Misannounced {
  readonly node: Seen<KubeNode>;
  readonly instance: Seen<Instance>;
  readonly address: string;
  readonly primary: string;
}

/** The Node that has this address although EC2 knows its instance by another; null when there is none. */
export function misannounced(
  address: string | undefined,
  nodes: readonly Seen<KubeNode>[],
  instances: readonly Seen<Instance>[],
): Misannounced | null {
  // Every machine is asked, and few name an address: the lists are not searched for the others.
  if (address === undefined) return null;
  const node = nodes.find(({ value }) => value.internalIp === address);
  const id = node?.value.providerId?.split('/').at(-1);
  const instance = instances.find(({ value }) => value.InstanceId === id);
  const primary = instance?.value.PrivateIpAddress ?? null;
  // Nodes of IPv6 clusters have an address of the other family.
  if (node === undefined || instance === undefined) return null;
  if (primary === null || address.includes(':') || address === primary) return null;
  return { node, instance, address, primary };
}

/** True where a Node has this address and EC2's answer was cut, so that nobody can compare the two. */
export function isAnnouncementUnknown(
  address: string | undefined,
  nodes: readonly Seen<KubeNode>[],
  instances: readonly Seen<Instance>[],
): boolean {
  const isNode = nodes.some(({ value }) => value.internalIp === (address ?? null));
  return (
    isNode &&
    instances.some(
      ({ value }) => value.InstanceId === undefined || value.PrivateIpAddress === undefined,
    )
  );
}

/** An address of a machine with the network that it is in, of `10.0.0.9/24`. */
function networkOf(text: string): Cidr | null {
  const [address = '', bits = ''] = text.split('/');
  const value = addressOf(address);
  const prefixLength = Number(bits);
  if (value === null || !(prefixLength >= 8 && prefixLength <= 30)) return null;
  const size = sizeOf({ first: 0, prefixLength });
  return { first: value - (value % size), prefixLength };
}

/** A Node alone in a network, although its machine has an address in that of all others. */
export interface Apart {
  readonly node: Seen<KubeNode>;
  readonly primary: string;
}

/**
 * The Node of this address, if the other Nodes have theirs in one network in which this machine has
 * another; `addresses` are those of one machine, as `10.0.0.9/24 192.168.0.9/24`.
 */
export function apartFromOthers(
  address: string | undefined,
  nodes: readonly Seen<KubeNode>[],
  addresses: string,
): Apart | null {
  const own = addresses.split(' ');
  const announced = own.find((text) => text.startsWith(`${address ?? ''}/`));
  const node = nodes.find(({ value }) => value.internalIp === (address ?? ''));
  const apart = announced === undefined ? null : networkOf(announced);
  // EC2 names machines by their primary address, which is then the right one.
  if (node === undefined || apart === null || ipInName(node.value.name) === address) return null;
  const others = nodes
    .map(({ value }) => addressOf(value.internalIp ?? ''))
    .filter((value) => value !== null && value !== addressOf(address ?? ''));
  if (others.length === 0 || others.some((other) => isInside(other ?? 0, apart))) return null;
  const shared = own.find((text) => {
    const network = networkOf(text);
    return network !== null && others.every((other) => isInside(other ?? 0, network));
  });
  return shared === undefined ? null : { node, primary: shared.split('/')[0] ?? '' };
}

/** How a kubelet's address stands to a second interface that people tell of. */
export interface SecondInterface {
  /** The network of that interface, as `172.16.200.0/24`, where they tell it. */
  readonly network: string | undefined;
}

/**
 * True where the address is in the network of the second interface, or, where nobody tells that
 * network, where at least half of the other Nodes share none of its first two octets.
 */
export function isOfSecondInterface(
  address: string,
  nodes: readonly Seen<KubeNode>[],
  { network }: SecondInterface,
): boolean {
  if (nodes.some(({ value }) => ipInName(value.name) === address)) return false;
  const second = networkOf(network ?? `${address}/16`);
  const own = addressOf(address);
  if (second === null || own === null || !isInside(own, second)) return false;
  const others = nodes
    .map(({ value }) => addressOf(value.internalIp ?? ''))
    .filter((other) => other !== null && other !== own);
  const outside = others.filter((other) => !isInside(other ?? 0, second)).length;
  return outside * 2 >= others.length && (network !== undefined || outside > 0);
}
