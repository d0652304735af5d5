import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { gather } from '../../src/collection/capacity-calls.ts';
import { askRecords, type NameRecords } from '../../src/collection/naming-calls.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { fakeAws } from '../ports/fake/aws-api.ts';

const NAME = 'node00.k8s.internal';

function record(Name: string, Type: string, Value: string): JsonObject {
  return { Name, Type, ResourceRecords: [{ Value }] };
}

function zone(HostedZoneId: string, Name: string): JsonObject {
  return { HostedZoneId, Name };
}

/** Asks for the records of one machine among the given zones and their records. */
async function recordsIn(
  zones: readonly JsonObject[],
  records: Readonly<Record<string, readonly JsonObject[]>>,
) {
  const aws = fakeAws({ clock: systemClock, region: 'eu-west-1' });
  aws.answer('route53:ListHostedZonesByVPC', () => [{ HostedZoneSummaries: [...zones] }]);
  aws.answer('route53:ListResourceRecordSets', ({ HostedZoneId }) => [
    { ResourceRecordSets: [...(records[HostedZoneId as string] ?? [])] },
  ]);
  let found: NameRecords = {};
  await gather({ aws, clock: systemClock }, async (ask) => {
    const place = { vpcId: 'vpc-0aaaaaaaaaaaaaaa1', region: 'eu-west-1' };
    found = await askRecords(ask, { ...place, name: NAME, privateIp: '10.20.1.50' });
  });
  return { found, requests: aws.requests() };
}

test('uses the records of the zone that covers the name', async () => {
  const { found } = await recordsIn(
    [zone('Z1', 'internal.'), zone('Z2', 'k8s.internal.'), zone('Z3', '20.10.in-addr.arpa.')],
    {
      Z1: [record(`${NAME}.`, 'A', '10.9.9.9')],
      Z2: [
        record(`${NAME}.`, 'A', '10.20.1.50'),
        record('node01.k8s.internal.', 'A', '10.20.1.51'),
      ],
      Z3: [record('50.1.20.10.in-addr.arpa.', 'PTR', `${NAME}.`)],
    },
  );
  assert.deepEqual(found, { dnsA: ['10.20.1.50'], dnsPtr: [`${NAME}.`] });
});

test('a zone without the name proves that the name is missing', async () => {
  const { found } = await recordsIn([zone('Z2', 'k8s.internal.')], { Z2: [] });
  assert.deepEqual(found, { dnsA: [] });
});

test('without a zone that covers the name nothing was looked at', async () => {
  const { found, requests } = await recordsIn([zone('Z2', 'other.internal.')], {});
  assert.deepEqual(found, {});
  assert.equal(requests.get('route53:ListResourceRecordSets') ?? 0, 0);
});
