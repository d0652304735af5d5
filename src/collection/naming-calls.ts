import { projected } from './answered.ts';
import { RECORD_SETS, VPC_HOSTED_ZONES } from '../evidence/aws/network.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';
import type { LaunchPlace } from '../domain/naming/input.ts';
import {
  type HostedZone,
  recordValues,
  reverseName,
  zoneOf,
  zonesIn,
} from '../domain/naming/hosted-zones.ts';
import { listAt, textAt } from '../evidence/json.ts';

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

async function askRecord(
  ask: Ask,
  zones: readonly HostedZone[],
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
  return recordValues(projected(RECORD_SETS, answers), name ?? '', type);
}

/** A and PTR records of the private hosted zones that the VPC has; nothing without such a zone. */
export async function askRecords(ask: Ask, question: RecordQuestion): Promise<NameRecords> {
  const { vpcId, region, name, privateIp } = question;
  const answers = await ask({
    service: 'route53',
    operation: 'ListHostedZonesByVPC',
    input: { VPCId: vpcId, VPCRegion: region },
    isOptional: true,
  });
  const zones = zonesIn(projected(VPC_HOSTED_ZONES, answers));
  const [dnsA, dnsPtr] = await Promise.all([
    askRecord(ask, zones, name?.toLowerCase() ?? null, 'A'),
    askRecord(ask, zones, reverseName(privateIp), 'PTR'),
  ]);
  return {
    ...(dnsA === undefined ? {} : { dnsA }),
    ...(dnsPtr === undefined ? {} : { dnsPtr }),
  };
}
