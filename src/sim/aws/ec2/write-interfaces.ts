/** Calls of EC2 that change network interfaces. */
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Account } from '../account.ts';
import {
  flagIn,
  listIn,
  needed,
  numberIn,
  objectIn,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { refused } from '../refusal.ts';
import {
  assignAddresses,
  attach,
  change,
  createInterface,
  deleteInterface,
  detach,
  interfaceOf,
  interfacesOf,
  unassignAddresses,
} from './interfaces.ts';
import { instanceOf } from './instances.ts';
import { setTags } from './network.ts';
import { showInterface, subnetIn } from './show.ts';
import { typeLimits } from './types.ts';
import { tagsFor } from './write-instances.ts';

function create({ account, input }: Request): JsonObject {
  const type = textIn(input, 'InterfaceType');
  const made = createInterface(account, {
    subnetId: needed(input, 'SubnetId'),
    description: textIn(input, 'Description') ?? '',
    groupIds: textsIn(input, 'Groups'),
    address: textIn(input, 'PrivateIpAddress'),
    addressCount: numberIn(input, 'SecondaryPrivateIpAddressCount') ?? 0,
    prefixCount: numberIn(input, 'Ipv4PrefixCount') ?? 0,
    interfaceType: type === 'trunk' || type === 'branch' ? type : 'interface',
  });
  setTags(account, made.networkInterfaceId, tagsFor(input, 'network-interface'));
  const NetworkInterface = showInterface(account, made, account.kernel.nowMs());
  return { NetworkInterface: { ...NetworkInterface, Status: 'pending' } };
}

function attachOne({ account, input }: Request): JsonObject {
  const networkInterfaceId = needed(input, 'NetworkInterfaceId');
  const instanceId = needed(input, 'InstanceId');
  const deviceIndex = numberIn(input, 'DeviceIndex') ?? 1;
  checkAttach(account, { networkInterfaceId, instanceId, deviceIndex });
  const { attachmentId } = attach(account, {
    networkInterfaceId,
    instanceId,
    deviceIndex,
    deleteOnTermination: false,
    isSlow: true,
  });
  return { AttachmentId: attachmentId, NetworkCardIndex: 0 };
}

interface Wanted {
  readonly networkInterfaceId: string;
  readonly instanceId: string;
  readonly deviceIndex: number;
}

/** @throws RefusedError for what EC2 does not attach: in use, too many, another zone, a slot taken */
function checkAttach(
  account: Account,
  { networkInterfaceId, instanceId, deviceIndex }: Wanted,
): void {
  const one = interfaceOf(account, networkInterfaceId);
  const instance = instanceOf(account, instanceId);
  if (one.status !== 'available') {
    const message = `Interface: [${networkInterfaceId}] in use.`;
    throw refused('InvalidNetworkInterface.InUse', message);
  }
  if (instance.state !== 'running' && instance.state !== 'stopped') {
    const message = `The instance '${instanceId}' is not in a state from which it can be modified.`;
    throw refused('IncorrectState', message);
  }
  const others = interfacesOf(account, instanceId);
  const { enisAllCards, enis } = typeLimits(account, instance.instanceType);
  if (others.length >= (enisAllCards ?? enis)) {
    const message = `Interface count ${others.length + 1} exceeds the limit for ${instance.instanceType}`;
    throw refused('AttachmentLimitExceeded', message);
  }
  if (others.some(({ attachment }) => attachment?.deviceIndex === deviceIndex)) {
    const message = `Instance '${instanceId}' already has an interface attached at device index '${deviceIndex}'.`;
    throw refused('InvalidParameterValue', message);
  }
  const zones = [one.subnetId, instance.subnetId].map((id) => subnetIn(account, id).zone.name);
  if (zones[0] !== zones[1]) {
    const message = `You may not attach a network interface to an instance if they are not in the same availability zone`;
    throw refused('InvalidParameterCombination', message);
  }
}

function detachOne({ account, input }: Request): JsonObject {
  const attachmentId = needed(input, 'AttachmentId');
  const found = account.interfaces
    .values()
    .find(({ attachment }) => attachment?.attachmentId === attachmentId);
  if (found === undefined) {
    const message = `The interface attachment '${attachmentId}' does not exist.`;
    throw refused('InvalidAttachmentID.NotFound', message);
  }
  if (found.attachment?.deviceIndex === 0) {
    const message = 'The network interface at device index 0 cannot be detached.';
    throw refused('OperationNotPermitted', message);
  }
  detach(account, found.networkInterfaceId);
  return {};
}

function assign({ account, input }: Request): JsonObject {
  const networkInterfaceId = needed(input, 'NetworkInterfaceId');
  const given = assignAddresses(account, networkInterfaceId, {
    addressCount: numberIn(input, 'SecondaryPrivateIpAddressCount') ?? 0,
    prefixCount: numberIn(input, 'Ipv4PrefixCount') ?? 0,
  });
  return {
    NetworkInterfaceId: networkInterfaceId,
    AssignedPrivateIpAddresses: given.addresses.map((PrivateIpAddress) => ({ PrivateIpAddress })),
    AssignedIpv4Prefixes: given.prefixes.map((Ipv4Prefix) => ({ Ipv4Prefix })),
  };
}

function unassign({ account, input }: Request): JsonObject {
  const networkInterfaceId = needed(input, 'NetworkInterfaceId');
  const { addresses, prefixes } = interfaceOf(account, networkInterfaceId);
  const gone = {
    addresses: textsIn(input, 'PrivateIpAddresses'),
    prefixes: textsIn(input, 'Ipv4Prefixes'),
  };
  const foreign = [
    ...gone.addresses.filter((one) => !addresses.slice(1).includes(one)),
    ...gone.prefixes.filter((one) => !prefixes.includes(one)),
  ];
  if (foreign.length > 0) {
    const message = `Some of the specified addresses are not assigned to interface ${networkInterfaceId}`;
    throw refused('InvalidParameterValue', message);
  }
  unassignAddresses(account, networkInterfaceId, gone);
  return {};
}

function modify({ account, input }: Request): JsonObject {
  const id = needed(input, 'NetworkInterfaceId');
  const { attachment } = interfaceOf(account, id);
  const groups = textsIn(input, 'Groups');
  if (groups.length > 0) change(account, id, { groupIds: groups });
  const ends = flagIn(objectIn(input, 'Attachment'), 'DeleteOnTermination');
  if (ends !== undefined && attachment !== null)
    change(account, id, { attachment: { ...attachment, deleteOnTermination: ends } });
  const checks = flagIn(objectIn(input, 'SourceDestCheck'), 'Value');
  if (checks !== undefined) change(account, id, { sourceDestCheck: checks });
  return {};
}

/** Adds rules to a security group or takes them away. */
function rules(member: 'IpPermissions' | 'IpPermissionsEgress', isAdded: boolean) {
  return reads(({ account, input }) => {
    const groups = account.plain['security-group'];
    const id = needed(input, 'GroupId');
    if (groups.get(id) === undefined)
      throw refused('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
    const given = listIn(input, 'IpPermissions');
    const texts = given.map(ruleText);
    groups.change(id, account.kernel.nowMs(), (group) => {
      const kept = listIn(group, member).filter((one) => !texts.includes(ruleText(one)));
      return { ...group, [member]: isAdded ? [...kept, ...given] : kept };
    });
    return { Return: true };
  });
}

/** A rule by what it lets through, whatever members were left out. */
function ruleText(rule: Parameters<typeof textAt>[0]): string {
  const parts = ['IpProtocol', 'FromPort', 'ToPort'].map((name) => textAt(rule, name) ?? '');
  const whom = JSON.stringify(rule).match(/"(?:sg-[0-9a-f]+|[0-9.]+\/\d+)"/g) ?? [];
  return [...parts, ...whom].join(' ');
}

export const WRITE_INTERFACES: Operations = {
  CreateNetworkInterface: reads(create),
  AttachNetworkInterface: reads(attachOne),
  DetachNetworkInterface: reads(detachOne),
  DeleteNetworkInterface: reads(({ account, input }) => {
    deleteInterface(account, needed(input, 'NetworkInterfaceId'));
    return {};
  }),
  AssignPrivateIpAddresses: reads(assign),
  UnassignPrivateIpAddresses: reads(unassign),
  ModifyNetworkInterfaceAttribute: reads(modify),
  AuthorizeSecurityGroupIngress: rules('IpPermissions', true),
  RevokeSecurityGroupIngress: rules('IpPermissions', false),
  AuthorizeSecurityGroupEgress: rules('IpPermissionsEgress', true),
  RevokeSecurityGroupEgress: rules('IpPermissionsEgress', false),
};
