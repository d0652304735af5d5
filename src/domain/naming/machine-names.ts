import { isListed } from '../../evidence/fact-values.ts';
import type { Observations } from '../../evidence/observations.ts';
import { cloudProviderOf } from './cloud-provider.ts';
import { imageOf } from './image-family.ts';
import type { ImageOptions } from './input.ts';
import type { NamingMachine } from './machines.ts';
import type { NamesSeen } from './names-table.ts';
import { namingTypeOf, regionOfZone, vpcNames } from './vpc-names.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

function instanceNames(instance: Instance): Partial<NamesSeen> {
  const { InstanceId: instanceId, PrivateIpAddress: privateIp } = instance;
  const region = regionOfZone(instance.Placement?.AvailabilityZone ?? null);
  const hostnameType = namingTypeOf(instance.PrivateDnsNameOptions?.HostnameType);
  const tags = (instance.Tags ?? []).map((tag) => tag.Key ?? '');
  return {
    ...(instanceId === undefined ? {} : { instanceId }),
    ...(typeof privateIp === 'string' ? { privateIp } : {}),
    ...(region === null ? {} : { region }),
    ...(hostnameType === undefined ? {} : { hostnameType }),
    privateDnsName: instance.PrivateDnsName ?? null,
    clusterTag: tags.some((key) => key.startsWith('kubernetes.io/cluster/')),
  };
}

/** Everything that the APIs know of the names of a machine. */
export function namesSeen(
  observations: Observations,
  machine: NamingMachine,
  identity: Partial<NamesSeen>,
  options: ImageOptions,
): NamesSeen {
  const { instance, node } = machine;
  const own = instance === null ? {} : instanceNames(instance);
  return {
    image: imageOf(observations, machine),
    cloudProvider: cloudProviderOf(observations),
    kubeletVersion: node?.kubeletVersion ?? null,
    options,
    ...own,
    ...vpcNames(observations, instance?.VpcId ?? null),
    ...(node === null
      ? isListed(observations, 'kube/Node')
        ? { nodeName: null }
        : {}
      : { nodeName: node.name, providerId: node.providerId }),
    ...identity,
  };
}
