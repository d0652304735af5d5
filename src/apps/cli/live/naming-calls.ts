import type { Ask } from '../../../adapters/collection/asking.ts';
import { filters } from '../../../adapters/collection/aws-calls.ts';
import { type Json, listAt, textAt } from '../../../evidence/json.ts';

/** Where a machine will be launched, and from which image. */
export interface LaunchPlace {
  readonly subnetId: string | null;
  readonly imageId: string | null;
}

/** Subnet, its interfaces, VPC, its DNS attributes and DHCP options, and the image. */
export async function askPlace(ask: Ask, { subnetId, imageId }: LaunchPlace): Promise<void> {
  const image =
    imageId === null
      ? []
      : [
          ask({
            service: 'ec2',
            operation: 'DescribeImages',
            input: { Filters: filters({ 'image-id': [imageId] }) },
          }),
        ];
  await Promise.all([...image, ...(subnetId === null ? [] : [askNetwork(ask, subnetId)])]);
}

async function askNetwork(ask: Ask, subnetId: string): Promise<void> {
  const answers = await ask({
    service: 'ec2',
    operation: 'DescribeSubnets',
    input: { Filters: filters({ 'subnet-id': [subnetId] }) },
  });
  const [subnet] = answers.flatMap((answer) => listAt(answer, 'Subnets'));
  const VpcId = textAt(subnet, 'VpcId');
  if (VpcId === null) return;
  const [vpcs] = await Promise.all([
    ask({
      service: 'ec2',
      operation: 'DescribeVpcs',
      input: { Filters: filters({ 'vpc-id': [VpcId] }) },
    }),
    ask({
      service: 'ec2',
      operation: 'DescribeNetworkInterfaces',
      input: { Filters: filters({ 'subnet-id': [subnetId] }) },
    }),
    ...['enableDnsHostnames', 'enableDnsSupport'].map((Attribute) =>
      ask({ service: 'ec2', operation: 'DescribeVpcAttribute', input: { VpcId, Attribute } }),
    ),
  ]);
  const [vpc] = vpcs.flatMap((answer) => listAt(answer, 'Vpcs'));
  const options = textAt(vpc, 'DhcpOptionsId');
  if (options?.startsWith('dopt-') !== true) return;
  const input = { DhcpOptionsIds: [options] };
  await ask({ service: 'ec2', operation: 'DescribeDhcpOptions', input });
}

/** What private hosted zones of a VPC say of a machine; a missing key was not looked at. */
export interface NameRecords {
  readonly dnsA?: readonly string[];
  readonly dnsPtr?: readonly string[];
}

interface RecordQuestion {
  readonly vpcId: string;
  readonly region: string;
  readonly name: string | null;
  readonly privateIp: string | null;
}

interface Zone {
  readonly id: string;
  /** Without its last dot. */
  readonly domain: string;
}

function zonesIn(answers: readonly Json[]): readonly Zone[] {
  return answers
    .flatMap((answer) => listAt(answer, 'HostedZoneSummaries'))
    .map((zone) => ({
      id: textAt(zone, 'HostedZoneId') ?? '',
      domain: (textAt(zone, 'Name') ?? '').replace(/\.$/, '').toLowerCase(),
    }))
    .filter(({ id, domain }) => id !== '' && domain !== '');
}

/** The zone that answers for a name: the one with the longest domain of which the name is part. */
function zoneOf(zones: readonly Zone[], name: string): Zone | null {
  const covering = zones.filter(({ domain }) => name === domain || name.endsWith(`.${domain}`));
  return covering.toSorted((a, b) => b.domain.length - a.domain.length)[0] ?? null;
}

async function askRecord(
  ask: Ask,
  zones: readonly Zone[],
  name: string | null,
  type: 'A' | 'PTR',
): Promise<readonly string[] | undefined> {
  const zone = name === null ? null : zoneOf(zones, name);
  if (zone === null) return undefined;
  const input = { HostedZoneId: zone.id, StartRecordName: name, StartRecordType: type };
  const answers = await ask({
    service: 'route53',
    operation: 'ListResourceRecordSets',
    input: { ...input, MaxItems: 5 },
    pagesMax: 1,
  });
  if (answers.length === 0) return undefined;
  const records = answers.flatMap((answer) => listAt(answer, 'ResourceRecordSets'));
  const own = records.filter(
    (record) => textAt(record, 'Type') === type && isNamed(record, name ?? ''),
  );
  return own.flatMap((record) =>
    listAt(record, 'ResourceRecords').map((one) => textAt(one, 'Value') ?? ''),
  );
}

function isNamed(record: Json, name: string): boolean {
  return (textAt(record, 'Name') ?? '').replace(/\.$/, '').toLowerCase() === name;
}

/** `1.2.0.10.in-addr.arpa` of 10.0.2.1. */
function reverseName(privateIp: string | null): string | null {
  if (privateIp === null) return null;
  return `${privateIp.split('.').toReversed().join('.')}.in-addr.arpa`;
}

/** A and PTR records of the private hosted zones that the VPC has; nothing without such a zone. */
export async function askRecords(ask: Ask, question: RecordQuestion): Promise<NameRecords> {
  const { vpcId, region, name, privateIp } = question;
  const zones = zonesIn(
    await ask({
      service: 'route53',
      operation: 'ListHostedZonesByVPC',
      input: { VPCId: vpcId, VPCRegion: region },
      isOptional: true,
    }),
  );
  const [dnsA, dnsPtr] = await Promise.all([
    askRecord(ask, zones, name?.toLowerCase() ?? null, 'A'),
    askRecord(ask, zones, reverseName(privateIp), 'PTR'),
  ]);
  return {
    ...(dnsA === undefined ? {} : { dnsA }),
    ...(dnsPtr === undefined ? {} : { dnsPtr }),
  };
}
