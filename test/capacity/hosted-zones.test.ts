import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECORD_SETS, VPC_HOSTED_ZONES } from '../../src/evidence/aws/network.ts';
import { projected } from '../../src/collection/answered.ts';
import {
  recordValues,
  reverseName,
  zoneOf,
  zonesIn,
} from '../../src/domain/naming/hosted-zones.ts';

const ANSWERS = [
  {
    HostedZoneSummaries: [
      { HostedZoneId: 'Z1', Name: 'Internal.' },
      { HostedZoneId: 'Z2', Name: 'eu.internal.' },
      { HostedZoneId: 'Z3' },
      { Name: 'lost.' },
    ],
  },
  {},
];
const ZONES = zonesIn(projected(VPC_HOSTED_ZONES, ANSWERS));

test('zones are those with an id and a domain', () => {
  assert.deepEqual(ZONES, [
    { id: 'Z1', domain: 'internal' },
    { id: 'Z2', domain: 'eu.internal' },
  ]);
});

for (const [name, id] of [
  ['node00.eu.internal', 'Z2'],
  ['eu.internal', 'Z2'],
  ['node00.neu.internal', 'Z1'],
  ['node00.example', undefined],
] as const)
  test(`${name} is looked up in ${id ?? 'no zone'}`, () => {
    assert.equal(zoneOf(ZONES, name)?.id, id);
  });

test('records are those of the very name and type', () => {
  const ResourceRecords = [{ Value: '10.0.0.1' }, { Value: '10.0.0.2' }];
  const sets = [
    { Name: 'Node00.Internal.', Type: 'A', ResourceRecords },
    { Name: 'node00.internal.', Type: 'TXT', ResourceRecords: [{ Value: 'x' }] },
    { Name: 'node01.internal.', Type: 'A', ResourceRecords: [{ Value: '10.0.0.9' }] },
  ];
  const answers = projected(RECORD_SETS, [{ ResourceRecordSets: sets }]);
  assert.deepEqual(recordValues(answers, 'node00.internal', 'A'), ['10.0.0.1', '10.0.0.2']);
  assert.deepEqual(recordValues(answers, 'node00.internal', 'PTR'), []);
});

test('an address is reversed for its PTR record', () => {
  assert.equal(reverseName('10.0.2.1'), '1.2.0.10.in-addr.arpa');
  assert.equal(reverseName(null), null);
});
