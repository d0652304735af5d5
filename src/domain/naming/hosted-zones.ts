import type { RecordSets, VpcHostedZones } from '../../evidence/aws/network.ts';
import type { Told } from '../../evidence/shape.ts';

/** A private hosted zone of a VPC. */
export interface HostedZone {
  readonly id: string;
  /** Without its last dot. */
  readonly domain: string;
}

function bare(name: Told<string>): string {
  return (name ?? '').replace(/\.$/, '').toLowerCase();
}

/** The zones in answers of `ListHostedZonesByVPC`. */
export function zonesIn(answers: readonly VpcHostedZones[]): readonly HostedZone[] {
  return answers
    .flatMap((answer) => answer.HostedZoneSummaries ?? [])
    .map((zone) => ({ id: zone.HostedZoneId ?? '', domain: bare(zone.Name) }))
    .filter(({ id, domain }) => id !== '' && domain !== '');
}

/** The zone that answers for a name: the one with the longest domain of which the name is part. */
export function zoneOf(zones: readonly HostedZone[], name: string): HostedZone | null {
  const covering = zones.filter(({ domain }) => name === domain || name.endsWith(`.${domain}`));
  return covering.toSorted((a, b) => b.domain.length - a.domain.length)[0] ?? null;
}

/** The values of a name's records in answers of `ListResourceRecordSets`. */
export function recordValues(
  answers: readonly RecordSets[],
  name: string,
  type: 'A' | 'PTR',
): readonly string[] {
  const own = answers
    .flatMap((answer) => answer.ResourceRecordSets ?? [])
    .filter((record) => record.Type === type && bare(record.Name) === name);
  return own.flatMap((record) => (record.ResourceRecords ?? []).map((one) => one.Value ?? ''));
}

/** `1.2.0.10.in-addr.arpa` of 10.0.2.1. */
export function reverseName(privateIp: string | null): string | null {
  if (privateIp === null) return null;
  return `${privateIp.split('.').toReversed().join('.')}.in-addr.arpa`;
}
