/** Instances and interfaces as DescribeInstances and DescribeNetworkInterfaces show them. */
import type { JsonObject } from '../../../evidence/json.ts';
import { ec2Domain } from '../../../domain/naming/ec2-names.ts';
import { type Account, isoMoment } from '../account.ts';
import { textAt } from '../../../evidence/json.ts';
import { withValues } from '../operation.ts';
import type { Attachment, Instance, NetworkInterface, Subnet } from '../state.ts';
import { interfacesAt } from './interfaces.ts';
import { architectureOf, typeLimits } from './types.ts';

/** Codes of the API reference, "InstanceState". */
export const STATE_CODES: Readonly<Record<Instance['state'], number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

export function stateOf({ state }: Instance): JsonObject {
  return { Code: STATE_CODES[state], Name: state };
}

/** The tags of a thing as the API lists them. */
export function tagList(account: Account, resourceId: string, atMs: number): readonly JsonObject[] {
  const tags = account.tags.at(resourceId, atMs) ?? {};
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** The subnet of something that exists. */
export function subnetIn(account: Account, subnetId: string): Subnet {
  const subnet = account.subnets.get(subnetId);
  if (subnet === undefined) throw new Error(`${subnetId} is gone`);
  return subnet;
}

/** `ip-10-0-1-2.us-west-2.compute.internal`; empty where the VPC has no DNS hostnames. */
export function privateDnsName(
  account: Account,
  subnet: Subnet,
  host: { readonly address: string; readonly instanceId: string | null },
): string {
  if (!hasHostnames(account, subnet.vpcId)) return '';
  const name = host.instanceId ?? `ip-${host.address.replaceAll('.', '-')}`;
  return `${name}.${ec2Domain(account.region)}`;
}

function hasHostnames(account: Account, vpcId: string): boolean {
  return account.vpcAttributes.get(`${vpcId} enableDnsHostnames`) !== false;
}

/** The private DNS name that an instance has in EC2, whatever the API shows of it. */
export function instanceDnsName(account: Account, instance: Instance, address: string): string {
  const { hostnameType, instanceId } = instance;
  const byId = hostnameType === 'resource-name' ? instanceId : null;
  return privateDnsName(account, subnetIn(account, instance.subnetId), {
    address,
    instanceId: byId,
  });
}

function groupsOf(account: Account, ids: readonly string[]): readonly JsonObject[] {
  return ids.map((GroupId) => ({
    GroupId,
    GroupName: textAt(account.plain['security-group'].get(GroupId), 'GroupName') ?? GroupId,
  }));
}

function addressList(
  account: Account,
  one: NetworkInterface,
  nameOf: (address: string) => string,
): readonly JsonObject[] {
  return one.addresses.map((address, index) =>
    withValues({
      Primary: index === 0,
      PrivateDnsName: nameOf(address),
      PrivateIpAddress: address,
      ...(index === 0 && one.publicIp !== null
        ? { Association: associationOf(account, one.publicIp) }
        : {}),
    }),
  );
}

function associationOf(account: Account, publicIp: string): JsonObject {
  return {
    IpOwnerId: 'amazon',
    PublicDnsName: publicDnsName(account, publicIp),
    PublicIp: publicIp,
  };
}

/** `ec2-54-68-1-2.us-west-2.compute.amazonaws.com` */
function publicDnsName({ region }: Account, publicIp: string): string {
  const domain = region === 'us-east-1' ? 'compute-1' : `${region}.compute`;
  return `ec2-${publicIp.replaceAll('.', '-')}.${domain}.amazonaws.com`;
}

function attachmentOf(one: NetworkInterface, attachment: Attachment): JsonObject {
  const status = one.status === 'in-use' ? 'attached' : one.status;
  return {
    AttachTime: isoMoment(attachment.attachedMs),
    AttachmentId: attachment.attachmentId,
    DeleteOnTermination: attachment.deleteOnTermination,
    DeviceIndex: attachment.deviceIndex,
    Status: status,
    NetworkCardIndex: 0,
  };
}

function prefixesOf({ prefixes }: NetworkInterface): JsonObject {
  if (prefixes.length === 0) return {};
  return { Ipv4Prefixes: prefixes.map((Ipv4Prefix) => ({ Ipv4Prefix })) };
}

function shared(account: Account, one: NetworkInterface, subnet: Subnet): JsonObject {
  const nameOf = (address: string): string =>
    privateDnsName(account, subnet, { address, instanceId: null });
  return withValues({
    ...(one.publicIp === null ? {} : { Association: associationOf(account, one.publicIp) }),
    Description: one.description,
    Groups: [...groupsOf(account, one.groupIds)],
    Ipv6Addresses: [],
    MacAddress: one.macAddress,
    NetworkInterfaceId: one.networkInterfaceId,
    OwnerId: account.accountId,
    PrivateDnsName: nameOf(one.addresses[0] ?? ''),
    PrivateIpAddress: one.addresses[0],
    PrivateIpAddresses: [...addressList(account, one, nameOf)],
    SourceDestCheck: one.sourceDestCheck,
    Status:
      one.status === 'attaching' ? 'in-use' : one.status === 'detaching' ? 'in-use' : one.status,
    SubnetId: one.subnetId,
    VpcId: subnet.vpcId,
    InterfaceType: one.interfaceType,
    ...prefixesOf(one),
  });
}

export function showInterface(account: Account, one: NetworkInterface, atMs: number): JsonObject {
  const subnet = subnetIn(account, one.subnetId);
  const { attachment } = one;
  const ofInstance =
    attachment === null
      ? {}
      : {
          Attachment: {
            ...attachmentOf(one, attachment),
            InstanceId: attachment.instanceId,
            InstanceOwnerId: account.accountId,
          },
        };
  return {
    ...ofInstance,
    ...shared(account, one, subnet),
    AvailabilityZone: subnet.zone.name,
    RequesterManaged: false,
    TagSet: [...tagList(account, one.networkInterfaceId, atMs)],
  };
}

/** The interface as a part of its instance, where it has no tags of its own. */
function ownInterface(account: Account, one: NetworkInterface): JsonObject {
  const attachment =
    one.attachment === null ? {} : { Attachment: attachmentOf(one, one.attachment) };
  return { ...attachment, ...shared(account, one, subnetIn(account, one.subnetId)) };
}

function profileOf(account: Account, { profileArn }: Instance): JsonObject {
  if (profileArn === null) return {};
  const name = profileArn.slice(profileArn.lastIndexOf('/') + 1);
  const Id = textAt(account.plain['instance-profile'].get(name), 'InstanceProfileId') ?? '';
  return { IamInstanceProfile: { Arn: profileArn, Id } };
}

function blockDevices(instance: Instance): readonly JsonObject[] {
  if (instance.state === 'terminated') return [];
  const Ebs = {
    AttachTime: isoMoment(instance.launchedMs + 1000),
    DeleteOnTermination: true,
    Status: 'attached',
    VolumeId: instance.rootVolumeId,
  };
  return [{ DeviceName: '/dev/xvda', Ebs }];
}

function metadataOf({ metadataOptions, state }: Instance): JsonObject {
  return {
    State: state === 'pending' ? 'pending' : 'applied',
    HttpTokens: metadataOptions.httpTokens,
    HttpPutResponseHopLimit: metadataOptions.httpPutResponseHopLimit,
    HttpEndpoint: metadataOptions.httpEndpoint,
    HttpProtocolIpv6: 'disabled',
    InstanceMetadataTags: metadataOptions.instanceMetadataTags,
  };
}

/** From when on the private DNS name of an instance shows, ms. */
function namedFromMs({ options, namelessUntilMs }: Account, instance: Instance): number {
  const hiddenMs = namelessUntilMs.get(instance.instanceId) ?? 0;
  return Math.max(hiddenMs, instance.launchedMs + (options.nameDelayMs ?? 0));
}

/** What the network gives an instance; nothing once it is terminated. */
function networkOf(account: Account, instance: Instance, atMs: number): JsonObject {
  const interfaces = interfacesAt(account, instance.instanceId, atMs);
  const [primary] = interfaces;
  const address = primary?.addresses[0];
  if (primary === undefined || address === undefined)
    return { NetworkInterfaces: [], PrivateDnsName: '', PublicDnsName: '', SecurityGroups: [] };
  const isNamed = atMs >= namedFromMs(account, instance);
  return withValues({
    NetworkInterfaces: interfaces.map((one) => ownInterface(account, one)),
    PrivateDnsName: isNamed ? instanceDnsName(account, instance, address) : '',
    PrivateIpAddress: address,
    PublicDnsName: primary.publicIp === null ? '' : publicDnsName(account, primary.publicIp),
    PublicIpAddress: primary.publicIp ?? undefined,
    SecurityGroups: [...groupsOf(account, instance.groupIds)],
    SourceDestCheck: true,
    SubnetId: instance.subnetId,
    VpcId: subnetIn(account, instance.subnetId).vpcId,
  });
}

/** What a row was made of, beside the instance; the same things make the same row. */
interface Shown {
  readonly sources: readonly unknown[];
  readonly row: JsonObject;
}

const SHOWN = new WeakMap<Instance, Shown>();

/** @param atMs the moment that is shown; `tagsMs` that of its tags, which may be older */
export function showInstance(
  account: Account,
  instance: Instance,
  { atMs, tagsMs }: { readonly atMs: number; readonly tagsMs: number },
): JsonObject {
  const interfaces = interfacesAt(account, instance.instanceId, atMs);
  const sources = [
    account.tags.at(instance.instanceId, tagsMs),
    atMs >= namedFromMs(account, instance),
    ...interfaces,
  ];
  const known = SHOWN.get(instance);
  if (known !== undefined && areSame(known.sources, sources)) return known.row;
  const row = instanceRow(account, instance, { atMs, tagsMs });
  SHOWN.set(instance, { sources, row });
  return row;
}

function areSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((one, index) => one === now[index]);
}

function instanceRow(
  account: Account,
  instance: Instance,
  { atMs, tagsMs }: { readonly atMs: number; readonly tagsMs: number },
): JsonObject {
  const { instanceId, stateReason, spotRequestId } = instance;
  const type = typeLimits(account, instance.instanceType);
  const image = account.plain.image.get(instance.imageId);
  return withValues({
    AmiLaunchIndex: 0,
    Architecture: architectureOf(type),
    BlockDeviceMappings: [...blockDevices(instance)],
    ClientToken: instance.clientToken,
    CpuOptions: { CoreCount: Math.max(1, (type.vcpus ?? 2) / 2), ThreadsPerCore: 2 },
    EbsOptimized: true,
    EnaSupport: true,
    Hypervisor: type.hypervisor === 'xen' ? 'xen' : 'nitro',
    ...profileOf(account, instance),
    ImageId: instance.imageId,
    InstanceId: instanceId,
    InstanceLifecycle: spotRequestId === null ? undefined : 'spot',
    InstanceType: instance.instanceType,
    KeyName: instance.keyName ?? undefined,
    LaunchTime: isoMoment(instance.launchedMs),
    MetadataOptions: metadataOf(instance),
    Monitoring: { State: 'disabled' },
    ...networkOf(account, instance, atMs),
    Placement: {
      AvailabilityZone: subnetIn(account, instance.subnetId).zone.name,
      GroupName: '',
      Tenancy: 'default',
    },
    PlatformDetails: textAt(image, 'PlatformDetails') ?? 'Linux/UNIX',
    PrivateDnsNameOptions: {
      HostnameType: instance.hostnameType,
      EnableResourceNameDnsARecord: instance.hostnameType === 'resource-name',
      EnableResourceNameDnsAAAARecord: false,
    },
    ProductCodes: [],
    RootDeviceName: '/dev/xvda',
    RootDeviceType: 'ebs',
    SpotInstanceRequestId: spotRequestId ?? undefined,
    State: stateOf(instance),
    StateReason: stateReason === null ? undefined : { ...stateReason },
    StateTransitionReason: instance.transition,
    Tags: [...tagList(account, instanceId, tagsMs)],
    VirtualizationType: 'hvm',
  });
}
