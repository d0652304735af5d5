/** Instances as the machines of the world see themselves. */
import type { Account } from './account.ts';
import type { TrueInstance } from './contract.ts';
import { interfacesOf } from './ec2/interfaces.ts';
import { instanceDnsName, subnetIn } from './ec2/show.ts';
import { roleArnOf } from './iam/roles.ts';
import type { Instance, NetworkInterface } from './state.ts';

/** What was made of the same parts before. */
interface Made {
  readonly parts: readonly unknown[];
  readonly made: TrueInstance;
}

const MADE = new WeakMap<Instance, Made>();

export function trueInstance(account: Account, instance: Instance): TrueInstance {
  const interfaces = interfacesOf(account, instance.instanceId);
  const roleArn = roleArnOf(account, instance.profileArn);
  const parts = [roleArn, account.tags.get(instance.instanceId), ...interfaces];
  const known = MADE.get(instance);
  const isSame = known?.parts.length === parts.length;
  if (known !== undefined && isSame && parts.every((one, index) => one === known.parts[index]))
    return known.made;
  const made = { ...madeOf(account, instance, interfaces), roleArn };
  MADE.set(instance, { parts, made });
  return made;
}

function madeOf(
  account: Account,
  instance: Instance,
  interfaces: readonly NetworkInterface[],
): Omit<TrueInstance, 'roleArn'> {
  const subnet = subnetIn(account, instance.subnetId);
  const privateIp = interfaces[0]?.addresses[0] ?? '';
  const { httpTokens, httpPutResponseHopLimit } = instance.metadataOptions;
  return {
    instanceId: instance.instanceId,
    instanceType: instance.instanceType,
    zone: subnet.zone.name,
    subnetId: instance.subnetId,
    vpcId: subnet.vpcId,
    imageId: instance.imageId,
    privateIp,
    privateDnsName: privateIp === '' ? '' : instanceDnsName(account, instance, privateIp),
    state: instance.state,
    launchedMs: instance.launchedMs,
    userData: instance.userData,
    isSpot: instance.spotRequestId !== null,
    tags: account.tags.get(instance.instanceId) ?? {},
    interfaces: interfaces.map(
      ({ networkInterfaceId, subnetId, attachment, addresses, prefixes }) => ({
        networkInterfaceId,
        deviceIndex: attachment?.deviceIndex ?? 0,
        subnetId,
        addresses,
        prefixes,
      }),
    ),
    metadataOptions: { httpTokens, httpPutResponseHopLimit },
  };
}
