import { unseenOf } from '../../../capacity/cluster/cluster-capacity.ts';
import type { Unseen } from '../../../capacity/cluster/document.ts';
import { namingInPlace } from '../../../capacity/naming/before-launch.ts';
import type { LaunchPlace } from '../../../domain/naming/input.ts';
import {
  expectedName,
  type GivenNames,
  namedMachine,
  type NamedMachine,
  namingDocument,
  type NamingDocument,
} from '../../../capacity/naming/document.ts';
import { type NamingMachine, machineNamed, machinesOf } from '../../../domain/naming/machines.ts';
import { nodeNameOf } from '../../../domain/naming/node-name.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { kubeadmEndpoints } from '../../../readers/kube/kubeadm-status.ts';
import { createReading } from '../../../readers/reading.ts';
import { compileSigns } from '../../../readers/sign-table.ts';
import { type CliContext, UsageError } from '../context.ts';
import { readGiven } from '../given-files.ts';
import type { Ask } from '../../../collection/asking.ts';
import { gather } from '../../../collection/capacity-calls.ts';
import { lookWith, wholeQuestion } from './diagnose-cluster.ts';
import type { LiveFlags } from './flags.ts';
import { askPlace, askRecords, type NameRecords } from '../../../collection/naming-calls.ts';
import { openClients } from './open-clients.ts';
import type { LookClients } from '../../../collection/look-clients.ts';

const MATTERS = /Instances|Vpc|Dhcp|route53|nodes|csinodes|configmaps|Image|kubernetes|^aws/;

function unseenIn({ collection }: Observations): readonly Unseen[] {
  return unseenOf((collection?.refusals ?? []).filter(({ call }) => MATTERS.test(call)));
}

const NAME_MAX = 100;

function mustBeNamed(observations: Observations, name: string): NamingMachine {
  const machine = machineNamed(observations, name);
  if (machine !== null) return machine;
  throw new UsageError(
    `No instance, Node or address is called ${JSON.stringify(excerptOf(name, NAME_MAX))}; list them: rollcall name`,
  );
}

function named(
  observations: Observations,
  machine: NamingMachine,
  given: GivenNames,
): NamedMachine {
  return namedMachine(observations, machine, given, kubeadmEndpoints(observations));
}

/** Records of private hosted zones, which only the live AWS has. */
async function recordsOf(
  { aws, clock }: LookClients,
  { seen, machine }: NamedMachine,
  ending?: AbortSignal,
): Promise<NameRecords> {
  const vpcId = (machine.instance ?? {}).VpcId ?? null;
  if (aws === null || vpcId === null || seen.region === undefined) return {};
  const question = {
    vpcId,
    region: seen.region,
    name: expectedName(nodeNameOf(seen), machine.node),
    privateIp: seen.privateIp ?? null,
  };
  let records: NameRecords = {};
  const ask = async (one: Ask): Promise<void> => {
    records = await askRecords(one, question);
  };
  await gather({ aws, clock }, ask, ending);
  return records;
}

/** Names of one machine, or of all when none is named, of a live cluster. */
export async function namingOfCluster(
  asked: string | null,
  given: GivenNames,
  flags: LiveFlags,
  context: CliContext,
): Promise<readonly NamingDocument[]> {
  const clients = await openClients(flags);
  try {
    const question = wholeQuestion(asked === null ? [] : [asked], flags);
    const { observations } = await lookWith(clients, question, context);
    if (asked === null) return documentsOf(observations, given);
    const machine = named(observations, mustBeNamed(observations, asked), given);
    const records = await recordsOf(clients, machine, context.ending);
    const seen = { ...records, ...machine.seen };
    return [namingDocument({ ...machine, seen }, unseenIn(observations))];
  } finally {
    await clients.close();
  }
}

function documentsOf(observations: Observations, given: GivenNames): readonly NamingDocument[] {
  return machinesOf(observations).map((machine) =>
    namingDocument(named(observations, machine, given), unseenIn(observations)),
  );
}

/** The same of files. */
export async function namingOfFiles(
  paths: readonly string[],
  asked: string | null,
  given: GivenNames,
  context: CliContext,
): Promise<readonly NamingDocument[]> {
  const observations = await readGiven(paths, context);
  if (asked === null) return documentsOf(observations, given);
  const machine = named(observations, mustBeNamed(observations, asked), given);
  return [namingDocument(machine, unseenIn(observations))];
}

/** A machine that is not there yet; without AWS the command line says all. */
export async function namingBeforeLaunch(
  place: LaunchPlace,
  given: GivenNames,
  flags: LiveFlags,
  ending?: AbortSignal,
): Promise<NamingDocument> {
  const { observations, unseen } = await placeEvidence(place, flags, ending);
  return namingInPlace(observations, place, given, unseen);
}

interface PlaceAnswers {
  readonly observations: Observations;
  /** Calls that were not answered. */
  readonly calls: readonly string[];
  readonly region: string | null;
}

/** A subnet or image that the region has not is mistyped, or of another region. */
function mustBeThere(
  { subnetId, imageId }: LaunchPlace,
  { observations, calls, region }: PlaceAnswers,
): void {
  const isMissing = (kind: 'aws/subnet' | 'aws/image', call: string): boolean =>
    !calls.includes(call) && !observations.facts.some((fact) => fact.kind === kind);
  const missing = [
    ...(subnetId !== null && isMissing('aws/subnet', 'ec2:DescribeSubnets')
      ? [`subnet ${JSON.stringify(subnetId)}`]
      : []),
    ...(imageId !== null && isMissing('aws/image', 'ec2:DescribeImages')
      ? [`image ${JSON.stringify(imageId)}`]
      : []),
  ];
  if (missing.length === 0) return;
  const where = region === null ? '' : ` in ${region}`;
  throw new UsageError(
    `EC2${where} has no ${missing.join(' and no ')}; check the id, or name its region: --region R`,
  );
}

async function placeEvidence(
  place: LaunchPlace,
  flags: LiveFlags,
  ending?: AbortSignal,
): Promise<{ readonly observations: Observations; readonly unseen: readonly Unseen[] }> {
  const nothing = createReading(compileSigns([])).finish();
  if (place.subnetId === null && place.imageId === null)
    return { observations: nothing, unseen: [] };
  const clients = await openClients(flags);
  try {
    const { aws, clock, refusals } = clients;
    const unopened = unseenOf(refusals.filter(({ call }) => call === 'aws'));
    if (aws === null) return { observations: nothing, unseen: unopened };
    const ask = async (one: Ask): Promise<void> => askPlace(one, place);
    const { observations, refusals: refused } = await gather({ aws, clock }, ask, ending);
    const calls = refused.map(({ call }) => call);
    mustBeThere(place, { observations, calls, region: aws.region });
    return { observations, unseen: unseenOf(refused) };
  } finally {
    await clients.close();
  }
}
