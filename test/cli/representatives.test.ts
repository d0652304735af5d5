import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { representatives } from '../../src/diagnosis/representatives.ts';

const GROUPS = ['blue', 'green'] as const;
const MACHINES_EACH = 5;

function instanceOf(group: string, rank: number): object {
  const octet = (group === 'blue' ? 10 : 20) + rank;
  return {
    InstanceId: `i-0abc0000000000${octet}0`,
    LaunchTime: '2026-11-22T04:00:00.000Z',
    PrivateDnsName: `ip-10-0-1-${octet}.ec2.internal`,
    PrivateIpAddress: `10.0.1.${octet}`,
    State: { Code: 16, Name: 'running' },
    Tags: [{ Key: 'aws:autoscaling:groupName', Value: group }],
  };
}

function filesOf(instances: readonly object[]): readonly { name: string; text: string }[] {
  const apiVersion = 'evidence.rollcall.dev/v1alpha1';
  const at = '2026-11-22T05:00:00.000Z';
  const documents = [
    { apiVersion, kind: 'Collection', at, cluster: 'lab', refusals: [] },
    {
      apiVersion: 'v1',
      kind: 'NodeList',
      metadata: { annotations: { rollcall: 'complete' } },
      items: [],
    },
    {
      apiVersion,
      kind: 'AwsAnswer',
      call: 'ec2:DescribeInstances',
      input: {},
      answer: { Reservations: [{ Instances: instances }] },
    },
  ];
  return documents.map((one, rank) => ({ name: `${rank}.json`, text: JSON.stringify(one) }));
}

test('three machines of each group that fails at a stage represent the others', async () => {
  const all = GROUPS.flatMap((group) =>
    Array.from({ length: MACHINES_EACH }, (_, rank) => instanceOf(group, rank)),
  );
  const observations = await readTexts(filesOf(all));
  const document = await diagnoseObservations(observations);
  const { instanceIds } = representatives(document, observations, false);
  const countOf = (first: string): number =>
    instanceIds.filter((id) => id.startsWith(`i-0abc0000000000${first}`)).length;
  assert.deepEqual([countOf('1'), countOf('2')], [3, 3]);
  const deep = representatives(document, observations, true);
  assert.equal(deep.instanceIds.length, GROUPS.length * MACHINES_EACH);
});
