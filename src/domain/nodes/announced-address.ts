import type { Instance } from '../../evidence/aws/instance.ts';
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
