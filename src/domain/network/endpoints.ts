import type { Seen } from '../../evidence/fact.ts';
import type { Told } from '../../evidence/shape.ts';
import { endpointOf } from './routes.ts';
import { blockOf, mayPass } from './security.ts';
import type { VpcEndpoint, SecurityGroup } from '../../evidence/aws/network.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

const HTTPS_PORT = 443;

/** What is compared of an instance and the interface endpoint of a service in its VPC. */
export interface EndpointPath {
  readonly endpoint: Seen<VpcEndpoint>;
  readonly endpointId: string;
  readonly serviceName: string;
  /** Security groups of the endpoint's interfaces. */
  readonly groups: readonly Seen<SecurityGroup>[];
  readonly groupIds: readonly string[];
  readonly nodeGroupIds: readonly string[];
  /** True when a rule lets tcp/443 in from the instance. */
  readonly isOpen: boolean;
}

function idsOf(list: readonly { readonly GroupId: Told<string> }[]): readonly string[] {
  return list.map((group) => group.GroupId ?? '').filter((id) => id !== '');
}

/**
 * The interface endpoint to which the usual name of a service (`ec2`, `sts`, …) resolves in the
 * VPC of an instance; null without one, or where not all of its security groups are described.
 */
export function endpointPath(
  endpoints: readonly Seen<VpcEndpoint>[],
  groups: readonly Seen<SecurityGroup>[],
  instance: Instance,
  service: string,
): EndpointPath | null {
  const endpoint = endpointOf(endpoints, instance.VpcId ?? '', service);
  if (endpoint === null || endpoint.value.VpcEndpointType !== 'Interface') return null;
  const groupIds = idsOf(endpoint.value.Groups ?? []);
  const own = groups.filter(({ value }) => groupIds.includes(value.GroupId ?? ''));
  if (groupIds.length === 0 || own.length !== groupIds.length) return null;
  const nodeGroupIds = idsOf(instance.SecurityGroups ?? []);
  const address = blockOf(instance.PrivateIpAddress ?? '');
  const peer = { groups: nodeGroupIds, addresses: address === null ? [] : [address] };
  return {
    endpoint,
    endpointId: endpoint.value.VpcEndpointId ?? '',
    serviceName: endpoint.value.ServiceName ?? service,
    groups: own,
    groupIds,
    nodeGroupIds,
    isOpen: mayPass(
      own.flatMap(({ value }) => value.IpPermissions ?? []),
      HTTPS_PORT,
      peer,
    ),
  };
}
