import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { NodeView } from '../objects/node.ts';
import { TAINT_UNINITIALIZED, taintObject } from '../objects/taints.ts';

export function isUninitialized(node: NodeView): boolean {
  return node.taints.some(({ key }) => key === TAINT_UNINITIALIZED);
}

/** Labels which the controller sets, in the order in which it logs them. */
export function cloudLabels(
  instance: JsonObject,
  region: string,
): Readonly<Record<string, string>> {
  const type = textAt(instance, 'InstanceType') ?? '';
  const zone = textAt(instance, 'Placement.AvailabilityZone') ?? '';
  const zoneId = textAt(instance, 'Placement.AvailabilityZoneId');
  return {
    'beta.kubernetes.io/instance-type': type,
    'node.kubernetes.io/instance-type': type,
    'failure-domain.beta.kubernetes.io/zone': zone,
    'topology.kubernetes.io/zone': zone,
    'failure-domain.beta.kubernetes.io/region': region,
    'topology.kubernetes.io/region': region,
    ...(zoneId === null ? {} : { 'topology.k8s.aws/zone-id': zoneId }),
  };
}

export interface Address {
  readonly type: string;
  readonly address: string;
}

/** The Hostname becomes the private DNS name, whatever the Node is called. */
export function cloudAddresses(instance: JsonObject): readonly Address[] {
  const found: readonly (readonly [string, string | null])[] = [
    ['InternalIP', textAt(instance, 'PrivateIpAddress')],
    ['ExternalIP', textAt(instance, 'PublicIpAddress')],
    ['InternalDNS', textAt(instance, 'PrivateDnsName')],
    ['Hostname', textAt(instance, 'PrivateDnsName')],
    ['ExternalDNS', textAt(instance, 'PublicDnsName')],
  ];
  return found.flatMap(([type, address]) =>
    address === null || address === '' ? [] : [{ type, address }],
  );
}

/** `aws:///us-west-2a/i-0abc` */
export function providerIdOf(instance: JsonObject): string {
  const zone = textAt(instance, 'Placement.AvailabilityZone') ?? '';
  return `aws:///${zone}/${textAt(instance, 'InstanceId') ?? ''}`;
}

/** What initialising a Node writes at once: labels, providerID and the taint's removal. */
export function initialisation(node: NodeView, instance: JsonObject, region: string): JsonObject {
  const taints = node.taints.filter(({ key }) => key !== TAINT_UNINITIALIZED);
  return {
    metadata: {
      resourceVersion: textAt(node.object, 'metadata.resourceVersion') ?? '',
      labels: cloudLabels(instance, region),
    },
    spec: {
      providerID: node.providerId === '' ? providerIdOf(instance) : node.providerId,
      taints: taints.length === 0 ? null : taints.map(taintObject),
    },
  };
}
