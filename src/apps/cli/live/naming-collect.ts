import type { NodeName } from '../../../capacity/naming/answer.ts';
import type { ImageFamily } from '../../../capacity/naming/input.ts';
import type { NamesSeen } from '../../../capacity/naming/names-table.ts';
import { nodeNameOf } from '../../../capacity/naming/node-name.ts';
import { addressText, cidrOf } from '../../../capacity/cidr.ts';
import { freeAddress, subnetOf, usedAddresses } from '../../../capacity/subnet.ts';
import { type Json, textAt } from '../../../evidence/json.ts';
import type { Observations } from '../../../evidence/observations.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import { createReading } from '../../../readers/reading.ts';
import { compileSigns } from '../../../readers/sign-table.ts';
import { type CliContext, UsageError } from '../context.ts';
import { gather } from './capacity-calls.ts';
import { mustHaveAnswered, observationsOf } from './capacity-collect.ts';
import type { Unseen } from './capacity-document.ts';
import { unseenOf } from './capacity-report.ts';
import type { LiveFlags } from './flags.ts';
import { askPlace, askRecords, type LaunchPlace, type NameRecords } from './naming-calls.ts';
import {
  familyOf,
  type Machine,
  machineNamed,
  machinesOf,
  namingTypeAt,
  namingValues,
  regionOfZone,
  vpcNames,
} from './naming-facts.ts';
import {
  expectedName,
  type GivenNames,
  namedMachine,
  type NamedMachine,
  namingDocument,
  type NamingDocument,
} from './naming-report.ts';
import { observe } from './observe.ts';
import { openClients } from './open-clients.ts';
import { timeLimitMs } from './time-limit.ts';

const MATTERS = /Instances|Vpc|Dhcp|route53|nodes|csinodes|configmaps|Image|kubernetes|^aws/;

function unseenIn({ collection }: Observations): readonly Unseen[] {
  return unseenOf((collection?.refusals ?? []).filter(({ call }) => MATTERS.test(call)));
}

function mustBeNamed(observations: Observations, name: string): Machine {
  const machine = machineNamed(observations, name);
  if (machine !== null) return machine;
  throw new UsageError(
    `No instance, Node or address is called ${JSON.stringify(name)}; all of them: rollcall name`,
  );
}

/** Records of private hosted zones, which only the live AWS has. */
async function recordsOf(aws: AwsApi | null, named: NamedMachine): Promise<NameRecords> {
  const { seen, machine } = named;
  const vpcId = textAt(machine.instance ?? {}, 'VpcId');
  if (aws === null || vpcId === null || seen.region === undefined) return {};
  const question = {
    vpcId,
    region: seen.region,
    name: expectedName(nodeNameOf(seen), machine.node),
    privateIp: seen.privateIp ?? null,
  };
  let records: NameRecords = {};
  await gather(aws, async (ask) => {
    records = await askRecords(ask, question);
  });
  return records;
}

/** Names of one machine, or of all when none is named, of a live cluster. */
export async function namingOfCluster(
  asked: string | null,
  given: GivenNames,
  flags: LiveFlags,
  context: CliContext,
): Promise<readonly NamingDocument[]> {
  const timeoutMs = timeLimitMs(flags.timeout);
  const clients = await openClients(flags);
  try {
    const { observations } = await observe(clients, {
      cluster: flags.cluster ?? null,
      asked: asked === null ? [] : [asked],
      isDeep: false,
      timeoutMs,
      sinceMs: null,
      progress: context.progress,
    });
    context.progress('');
    mustHaveAnswered(observations);
    if (asked === null) return documentsOf(observations, given);
    const named = namedMachine(observations, mustBeNamed(observations, asked), given);
    const records = await recordsOf(clients.aws, named);
    const seen = { ...records, ...named.seen };
    return [namingDocument({ ...named, seen }, unseenIn(observations))];
  } finally {
    await clients.close();
  }
}

function documentsOf(observations: Observations, given: GivenNames): readonly NamingDocument[] {
  return machinesOf(observations).map((machine) =>
    namingDocument(namedMachine(observations, machine, given), unseenIn(observations)),
  );
}

/** The same of files. */
export async function namingOfFiles(
  paths: readonly string[],
  asked: string | null,
  given: GivenNames,
  context: CliContext,
): Promise<readonly NamingDocument[]> {
  const observations = await observationsOf(paths, context);
  if (asked === null) return documentsOf(observations, given);
  const named = namedMachine(observations, mustBeNamed(observations, asked), given);
  return [namingDocument(named, unseenIn(observations))];
}

const EXAMPLE_INSTANCE = 'i-0123456789abcdef0';
/** Beyond the four addresses that EC2 keeps, where subnets seldom hold load balancers. */
const EXAMPLE_OFFSET = 10;

/** A free address of a subnet; where all are taken, or who takes them was not told, its tenth. */
function exampleAddress(observations: Observations, item: Json): string | null {
  const subnet = subnetOf(item);
  const block = subnet?.cidr ?? cidrOf(textAt(item, 'CidrBlock') ?? '');
  if (block === null) return null;
  const interfaces = namingValues(observations, 'aws/network-interface');
  const free =
    subnet === null ? null : freeAddress(block, usedAddresses(subnet, interfaces), EXAMPLE_OFFSET);
  return addressText(free ?? block.first + EXAMPLE_OFFSET);
}

/** What a subnet gives to the machines in it, an address among them as an example. */
function placeNames(observations: Observations, subnetId: string | null): Partial<NamesSeen> {
  const subnet = namingValues(observations, 'aws/subnet').find(
    (one) => textAt(one, 'SubnetId') === subnetId,
  );
  if (subnet === undefined) return {};
  const privateIp = exampleAddress(observations, subnet);
  const region = regionOfZone(textAt(subnet, 'AvailabilityZone'));
  const hostnameType = namingTypeAt(subnet, 'PrivateDnsNameOptionsOnLaunch.HostnameType');
  return {
    ...(privateIp === null ? {} : { privateIp }),
    ...(region === null ? {} : { region }),
    ...(hostnameType === undefined ? {} : { hostnameType }),
    ...vpcNames(observations, textAt(subnet, 'VpcId')),
  };
}

function imageFamily(observations: Observations, imageId: string | null): ImageFamily | null {
  const image = namingValues(observations, 'aws/image').find(
    (one) => textAt(one, 'ImageId') === imageId,
  );
  return familyOf(textAt(image, 'Name'), true);
}

/** A machine that is not there yet; without AWS the command line says all. */
export async function namingBeforeLaunch(
  place: LaunchPlace,
  given: GivenNames,
  flags: LiveFlags,
): Promise<NamingDocument> {
  const { observations, unseen } = await placeEvidence(place, flags);
  return namingInPlace(observations, place, given, unseen);
}

/** The same of what was seen of the place. */
export function namingInPlace(
  observations: Observations,
  place: LaunchPlace,
  given: GivenNames,
  unseen: readonly Unseen[],
): NamingDocument {
  const image = imageFamily(observations, place.imageId);
  const seen: NamesSeen = {
    image,
    cloudProvider: null,
    kubeletVersion: null,
    options: given.options,
    instanceId: EXAMPLE_INSTANCE,
    ...placeNames(observations, place.subnetId),
    ...given.seen,
  };
  const machine = { instance: null, node: null };
  const document = namingDocument({ observations, machine, seen }, unseen);
  return { ...document, instanceId: null, name: withExample(document.name, seen, given) };
}

/** Says that address and instance id of the name, or of what it may be, are examples. */
function withExample(name: NodeName, seen: NamesSeen, given: GivenNames): NodeName {
  if (name.state === 'none') return name;
  const names = name.state === 'known' ? [name.name] : name.candidates;
  const has = (part: string): boolean => names.some((one) => one.includes(part));
  const isId = has(EXAMPLE_INSTANCE) && given.seen.instanceId === undefined;
  const host = seen.privateIp?.replaceAll('.', '-');
  const isIp = host !== undefined && has(host) && given.seen.privateIp === undefined;
  if (!isId && !isIp) return name;
  const what = isId
    ? `the instance gets the id ${EXAMPLE_INSTANCE}, an example`
    : `the instance gets the address ${seen.privateIp ?? ''}, an example`;
  return { ...name, provided: [...(name.provided ?? []), what] };
}

async function placeEvidence(
  place: LaunchPlace,
  flags: LiveFlags,
): Promise<{ readonly observations: Observations; readonly unseen: readonly Unseen[] }> {
  const nothing = createReading(compileSigns([])).finish();
  if (place.subnetId === null && place.imageId === null)
    return { observations: nothing, unseen: [] };
  const clients = await openClients(flags);
  try {
    const { aws, refusals } = clients;
    const unopened = unseenOf(refusals.filter(({ call }) => call === 'aws'));
    if (aws === null) return { observations: nothing, unseen: unopened };
    const { observations, refusals: refused } = await gather(aws, async (ask) =>
      askPlace(ask, place),
    );
    return { observations, unseen: unseenOf(refused) };
  } finally {
    await clients.close();
  }
}
