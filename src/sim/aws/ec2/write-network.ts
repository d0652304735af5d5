/** Calls of EC2 that change what is laid out. */
import { type Cidr, cidrOf, isInside, sizeOf } from '../../../domain/network/cidr.ts';
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import {
  flagIn,
  listIn,
  needed,
  objectIn,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from '../operation.ts';
import { refused } from '../refusal.ts';
import { changeInstance } from './instances.ts';
import { subnetOf } from './interfaces.ts';
import {
  createDhcpOptions,
  createSecurityGroup,
  createSubnet,
  createVpc,
  put,
  setTags,
} from './network.ts';
import { showSubnet } from './read-network.ts';
import { tagList } from './show.ts';
import { tagsFor } from './write-instances.ts';

/** Blocks that a VPC or subnet can have (Amazon VPC user guide). */
const LENGTH_MIN = 16;
const LENGTH_MAX = 28;

/** @throws RefusedError for a block that is none, or is too large or too small */
function blockOf(text: string, code: string): Cidr {
  const block = cidrOf(text);
  if (block !== null && block.prefixLength >= LENGTH_MIN && block.prefixLength <= LENGTH_MAX)
    return block;
  throw refused(code, `The CIDR '${text}' is invalid.`);
}

/** @throws RefusedError InvalidVpcID.NotFound */
function vpcOf(account: Account, vpcId: string): JsonObject {
  const found = account.plain.vpc.get(vpcId);
  if (found !== undefined) return found;
  throw refused('InvalidVpcID.NotFound', `The vpc ID '${vpcId}' does not exist`);
}

function shownVpc(account: Account, vpcId: string): JsonObject {
  return { ...vpcOf(account, vpcId), Tags: [...tagList(account, vpcId, Infinity)] };
}

function makeVpc({ account, input }: Request): JsonObject {
  const cidr = needed(input, 'CidrBlock');
  blockOf(cidr, 'InvalidVpc.Range');
  // Only the default VPC has DNS hostnames unless somebody turns them on (Amazon VPC user guide).
  const vpcId = createVpc(account, { cidr, hasHostnames: false, tags: tagsFor(input, 'vpc') });
  return { Vpc: { ...shownVpc(account, vpcId), State: 'pending' } };
}

function overlap(one: Cidr, other: Cidr): boolean {
  return isInside(one.first, other) || isInside(other.first, one);
}

function makeSubnet({ account, input }: Request): JsonObject {
  const vpcId = needed(input, 'VpcId');
  const cidr = needed(input, 'CidrBlock');
  const block = blockOf(cidr, 'InvalidSubnet.Range');
  const whole = cidrOf(textAt(vpcOf(account, vpcId), 'CidrBlock') ?? '');
  const last = block.first + sizeOf(block) - 1;
  if (whole === null || !isInside(block.first, whole) || !isInside(last, whole))
    throw refused('InvalidSubnet.Range', `The CIDR '${cidr}' is invalid.`);
  const others = account.subnets.values().filter((subnet) => subnet.vpcId === vpcId);
  if (others.some((subnet) => overlap(block, blockOf(subnet.cidr, 'InvalidSubnet.Range')))) {
    const message = `The CIDR '${cidr}' conflicts with another subnet`;
    throw refused('InvalidSubnet.Conflict', message);
  }
  const zone = zoneIn(account, textIn(input, 'AvailabilityZone'));
  const subnetId = createSubnet(account, { vpcId, zone, cidr, tags: tagsFor(input, 'subnet') });
  return { Subnet: showSubnet(account, subnetOf(account, subnetId), account.kernel.nowMs()) };
}

/** @throws RefusedError for a zone that the region has not */
function zoneIn({ zones }: Account, asked: string | undefined): string {
  const found = zones.find(({ name }) => asked === undefined || name === asked);
  if (found !== undefined) return found.name;
  const names = zones.map(({ name }) => name).join(', ');
  const message = `Value (${asked ?? ''}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${names}.`;
  throw refused('InvalidParameterValue', message);
}

function modifySubnet({ account, input }: Request): JsonObject {
  const subnetId = needed(input, 'SubnetId');
  const before = subnetOf(account, subnetId);
  const mapPublicIp = flagIn(objectIn(input, 'MapPublicIpOnLaunch'), 'Value');
  const type = textIn(input, 'PrivateDnsHostnameTypeOnLaunch');
  const hostnameType = type === 'ip-name' || type === 'resource-name' ? type : before.hostnameType;
  const after = { ...before, hostnameType, mapPublicIp: mapPublicIp ?? before.mapPublicIp };
  account.subnets.set(subnetId, after, account.kernel.nowMs());
  return {};
}

function modifyVpc({ account, input }: Request): JsonObject {
  const vpcId = needed(input, 'VpcId');
  vpcOf(account, vpcId);
  for (const name of ['EnableDnsHostnames', 'EnableDnsSupport']) {
    const value = flagIn(objectIn(input, name), 'Value');
    const attribute = name.charAt(0).toLowerCase() + name.slice(1);
    if (value !== undefined) account.vpcAttributes.set(`${vpcId} ${attribute}`, value);
  }
  renewInstances(account, vpcId);
  return {};
}

/** What was made of the instances of a VPC before is made again. */
function renewInstances(account: Account, vpcId: string): void {
  for (const { instanceId, subnetId } of account.instances.values()) {
    if (account.subnets.get(subnetId)?.vpcId !== vpcId) continue;
    changeInstance(account, instanceId, {});
  }
}

function makeDhcpOptions({ account, input }: Request): JsonObject {
  const configurations = listIn(input, 'DhcpConfigurations');
  const valuesOf = (key: string): readonly string[] | undefined => {
    const found = configurations.find((one) => textAt(one, 'Key') === key);
    return found === undefined ? undefined : textsIn(found as JsonObject, 'Values');
  };
  const id = createDhcpOptions(account, {
    domainName: valuesOf('domain-name')?.join(' ') ?? null,
    domainNameServers: valuesOf('domain-name-servers') ?? [],
  });
  setTags(account, id, tagsFor(input, 'dhcp-options'));
  return { DhcpOptions: account.plain['dhcp-options'].get(id) ?? {} };
}

/** Machines learn it when they renew their lease; names that EC2 gives stay as they are. */
function associateDhcpOptions({ account, input }: Request): JsonObject {
  const vpcId = needed(input, 'VpcId');
  const DhcpOptionsId = needed(input, 'DhcpOptionsId');
  if (
    DhcpOptionsId !== 'default' &&
    account.plain['dhcp-options'].get(DhcpOptionsId) === undefined
  ) {
    const message = `The dhcpOption ID '${DhcpOptionsId}' does not exist`;
    throw refused('InvalidDhcpOptionID.NotFound', message);
  }
  put(account, 'vpc', vpcId, { ...vpcOf(account, vpcId), DhcpOptionsId });
  return {};
}

function makeSecurityGroup({ account, input }: Request): JsonObject {
  const vpcId = needed(input, 'VpcId');
  vpcOf(account, vpcId);
  const GroupId = createSecurityGroup(account, {
    vpcId,
    name: needed(input, 'GroupName'),
    description: needed(input, 'Description'),
    ingress: [],
    tags: tagsFor(input, 'security-group'),
  });
  return { GroupId, Tags: [...tagList(account, GroupId, Infinity)] };
}

function makeKeyPair({ account, input }: Request): JsonObject {
  const KeyName = needed(input, 'KeyName');
  const KeyPairId = account.ids.resource('key');
  const KeyFingerprint = account.ids.uuid().replaceAll('-', '');
  const CreateTime = isoMoment(account.kernel.nowMs());
  put(account, 'key-pair', KeyPairId, {
    KeyPairId,
    KeyFingerprint,
    KeyName,
    KeyType: 'rsa',
    CreateTime,
  });
  return { KeyFingerprint, KeyName, KeyPairId };
}

export const WRITE_NETWORK: Operations = {
  CreateVpc: reads(makeVpc),
  CreateSubnet: reads(makeSubnet),
  ModifySubnetAttribute: reads(modifySubnet),
  ModifyVpcAttribute: reads(modifyVpc),
  CreateDhcpOptions: reads(makeDhcpOptions),
  AssociateDhcpOptions: reads(associateDhcpOptions),
  CreateSecurityGroup: reads(makeSecurityGroup),
  ImportKeyPair: reads(makeKeyPair),
};
