import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord, Observations } from '../evidence/observations.ts';
import { awsOf, nodeOf } from '../evidence/testing.ts';
import { answeredCommands } from './answered.ts';
import { factOf, observationsOf, reportOf } from './testing.ts';

const ID = 'i-0123456789abcdef0';
const NODE = factOf('kube/Node', nodeOf('node00'));
const INSTANCE = factOf('aws/instance', awsOf('aws/instance', { InstanceId: ID }));
const LISTED = [
  { kind: 'kube/Node', by: 'test', locator: 'test' },
  { kind: 'aws/instance', by: 'test', locator: 'test' },
] as const;
const FAILED = reportOf('node00', { node: 'node00', instanceId: ID, verdict: 'not-usable' });

function answered(
  facts: readonly FactRecord[],
  change: Partial<Observations> = {},
): readonly string[] {
  return answeredCommands([FAILED], observationsOf({ facts, ...change }));
}

describe('commands that need not be run again', () => {
  test('are those whose objects the evidence holds as a whole', () => {
    assert.deepEqual(answered([NODE, INSTANCE]), [
      'kubectl get node node00 -o json',
      `aws ec2 describe-instances --instance-ids ${ID}`,
    ]);
    assert.deepEqual(answered([{ ...NODE, extent: 'part' }]), []);
    assert.deepEqual(answered([factOf('kube/Node', nodeOf('node01'))]), []);
  });

  test('are not told of machines that are usable', () => {
    const fine = { ...FAILED, verdict: 'usable' } as const;
    assert.deepEqual(answeredCommands([fine], observationsOf({ facts: [NODE] })), []);
  });

  test('are lists that are complete, and not tables', () => {
    const list = 'kubectl get nodes -o json';
    assert.ok(answered([NODE], { listings: LISTED }).includes(list));
    assert.ok(!answered([{ ...NODE, extent: 'row' }], { listings: LISTED }).includes(list));
    assert.ok(!answered([NODE]).includes(list));
  });

  test('are the lists of a live look', () => {
    const collection = { atMs: 0, cluster: null, asked: [], refusals: [], shortened: [] };
    assert.deepEqual(answered([NODE], { listings: LISTED, collection }), [
      'kubectl get nodes -o json',
      'aws ec2 describe-instances',
    ]);
    assert.deepEqual(answered([NODE], { collection }), []);
  });
});
