import { type Json, listAt, textAt } from '../../evidence/json.ts';

/** A private hosted zone of a VPC. */
export interface HostedZone {
  readonly id: string;
  /** Without its last dot. */
  readonly domain: string;
}

function bare(name: string | null): string {
  return (name ?? '').replace(/\.$/, '').toLowerCase();
}

/** The zones in answers of `ListHostedZonesByVPC`. */
export function zonesIn(answers: readonly Json[]): readonly HostedZone[] {
  return answers
    .flatMap((answer) => listAt(answer, 'HostedZoneSummaries'))
    .map((zone) => ({
      id: textAt(zone, 'HostedZoneId') ?? '',
      domain: bare(textAt(zone, 'Name')),
    }))
    .filter(({ id, domain }) => id !== '' && domain !== '');
}

/** The zone that answers for a name: the one with the longest domain of which the name is part. */
export function zoneOf(zones: readonly HostedZone[], name: string): HostedZone | null {
  const covering = zones.filter(({ domain }) => name === domain || name.endsWith(`.${domain}`));
  return covering.toSorted((a, b) => b.domain.length - a.domain.length)[0] ?? null;
}

/** The values of a name's records in answers of `ListResourceRecordSets`. */
export function recordValues(
  answers: readonly Json[],
  name: string,
  type: 'A' | 'PTR',
): readonly string[] {
  const own = answers
    .flatMap((answer) => listAt(answer, 'ResourceRecordSets'))
    .filter((record) => textAt(record, 'Type') === type && bare(textAt(record, 'Name')) === name);
  return own.flatMap((record) =>
    listAt(record, 'ResourceRecords').map((one) => textAt(one, 'Value') ?? ''),
  );
}

/** `1.2.0.10.in-addr.arpa` of 10.0.2.1. */
export function reverseName(privateIp: string | null): string | null {
  if (privateIp === null) return null;
  return `${privateIp.split('.').toReversed().join('.')}.in-addr.arpa`;
}
