import { isListed } from '../../evidence/fact-values.ts';
import { textAt } from '../../evidence/json.ts';
import type { Observations } from '../../evidence/observations.ts';
import { cloudProviderOf } from './cloud-provider.ts';
import { imageOf } from './image-family.ts';
import type { ImageOptions } from './input.ts';
import type { NamingMachine } from './machines.ts';
import type { NamesSeen } from './names-table.ts';
import { namingTypeAt, regionOfZone, vpcNames } from './vpc-names.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

function instanceNames(instance: Instance): Partial<NamesSeen> {
  const text = (path: string): string | null => textAt(instance, path);
  const region = regionOfZone(text('Placement.AvailabilityZone'));
  const hostnameType = namingTypeAt(instance, 'PrivateDnsNameOptions.HostnameType');
  const [instanceId, privateIp] = [text('InstanceId'), text('PrivateIpAddress')];
  const tags = (instance.Tags ?? []).map((tag) => tag.Key ?? '');
  return {
    ...(instanceId === null ? {} : { instanceId }),
    ...(privateIp === null ? {} : { privateIp }),
    ...(region === null ? {} : { region }),
    ...(hostnameType === undefined ? {} : { hostnameType }),
    privateDnsName: text('PrivateDnsName'),
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
    ...vpcNames(observations, (instance ?? {}).VpcId ?? null),
    ...(node === null
      ? isListed(observations, 'kube/Node')
        ? { nodeName: null }
        : {}
      : { nodeName: node.name, providerId: node.providerId }),
    ...identity,
  };
}
