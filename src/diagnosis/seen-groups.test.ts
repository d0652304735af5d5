import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../evidence/json.ts';
import { ago, awsOf } from '../evidence/testing.ts';
import { groupSymptoms } from './seen-groups.ts';
import { seenHit } from './seen-hit.ts';
import { factOf, observationsOf } from './testing.ts';

const COLLECTED = { atMs: 0, cluster: null, asked: [], refusals: [], shortened: [] };

function wordsOf(
  lists: Readonly<Record<string, readonly Json[]>>,
  listed: readonly string[] = ['aws/instance'],
): readonly string[] {
  const facts = Object.entries(lists).flatMap(([kind, values]) =>
    values.map((value) => factOf(kind as 'aws/vpc', awsOf(kind as 'aws/vpc', value))),
  );
  const listings = listed.map((kind) => ({ kind: kind as 'aws/vpc', by: '', locator: '' }));
  const seen = groupSymptoms(observationsOf({ facts, listings, collection: COLLECTED }));
  assert.ok(seen.every(({ owner }) => owner === 'symptom:group-cannot-launch'));
  return seen.map(({ first }) => first.excerpt);
}

function scaling(change: JsonObject = {}): JsonObject {
  const Instances = [{ LifecycleState: 'InService' }, { LifecycleState: 'Pending:Wait' }];
  return { AutoScalingGroupName: 'asg', DesiredCapacity: 3, Instances, ...change };
}

function activity(StatusCode: string, change: JsonObject = {}): JsonObject {
  const when = { AutoScalingGroupName: 'asg', StartTime: ago(60) };
  return { ...when, StatusCode, StatusMessage: `why ${StatusCode}`, ...change };
}

const GAP = 'Auto Scaling group asg has 2 of 3 machines; ';

describe('an Auto Scaling group that lacks machines', () => {
  test('says what its last activity failed with', () => {
    const early = activity('Successful', { StartTime: ago(90) });
    const gap = (...activities: readonly Json[]): readonly string[] =>
      wordsOf({ 'aws/auto-scaling-group': [scaling()], 'aws/scaling-activity': activities });
    assert.deepEqual(gap(early, activity('Failed')), [
      `${GAP}its last activity Failed: why Failed`,
    ]);
    assert.deepEqual(gap(activity('Cancelled'), early), [
      `${GAP}its last activity Cancelled: why Cancelled`,
    ]);
    const none = `${GAP}none of its activities gives a reason`;
    assert.deepEqual(gap(), [none]);
    assert.deepEqual(gap(activity('Failed', { StartTime: ago(99) }), early), [none]);
    assert.deepEqual(gap(activity('Failed', { AutoScalingGroupName: 'other' })), [none]);
    const { StatusMessage: _, ...bare } = activity('Failed', { Description: 'launching' });
    assert.deepEqual(gap(bare), [`${GAP}its last activity Failed: launching`]);
  });

  test('reports no gap during a launch, for a deleted group or when nothing is missing', () => {
    for (const status of [
      'PendingSpotBidPlacement',
      'WaitingForInstanceId',
      'PreInService',
      'InProgress',
    ]) {
      const lists = {
        'aws/auto-scaling-group': [scaling()],
        'aws/scaling-activity': [activity(status)],
      };
      assert.deepEqual(wordsOf(lists), [], status);
    }
    for (const change of [
      { Status: 'Delete in progress' },
      { DesiredCapacity: 2 },
      { DesiredCapacity: 1 },
    ])
      assert.deepEqual(wordsOf({ 'aws/auto-scaling-group': [scaling(change)] }), []);
    const vcpus = scaling({ DesiredCapacityType: 'vcpu' });
    assert.deepEqual(wordsOf({ 'aws/auto-scaling-group': [vcpus] }), []);
  });
});

describe('what is reported of an Auto Scaling group', () => {
  test('is reported once, in its newest state, with its node group and what EKS reports', () => {
    const Tags = [
      { Key: 'other', Value: 'x' },
      { Key: 'eks:nodegroup-name', Value: 'ng' },
    ];
    const lists = {
      'aws/auto-scaling-group': [scaling({ DesiredCapacity: 9 }), scaling({ Tags })],
    };
    const who = 'Auto Scaling group asg (node group ng) has 2 of 3 machines; ';
    assert.deepEqual(wordsOf(lists), [`${who}none of its activities gives a reason`]);
    const issues = [{ code: 'AsgInstanceLaunchFailures', message: 'no' }, { code: 'second' }];
    const nodeGroup = {
      nodegroupName: 'ng',
      health: { issues },
      scalingConfig: { desiredSize: 3 },
    };
    const told = [`${who}EKS says AsgInstanceLaunchFailures: no`];
    assert.deepEqual(
      wordsOf({ ...lists, 'aws/node-group': [{ ...nodeGroup, status: 'ACTIVE' }] }),
      told,
    );
    const resources = { autoScalingGroups: [{ name: 'other' }, { name: 'asg' }] };
    const byName = {
      'aws/auto-scaling-group': [scaling()],
      'aws/node-group': [{ ...nodeGroup, resources }],
    };
    assert.deepEqual(wordsOf(byName), told);
  });

  test('is not looked for in evidence of others', () => {
    const facts = [factOf('aws/auto-scaling-group', awsOf('aws/auto-scaling-group', scaling()))];
    assert.deepEqual(groupSymptoms(observationsOf({ facts })), []);
  });
});

describe('a node group whose Auto Scaling group was not read', () => {
  const own = (id: string, State: string, name = 'ng'): Json => ({
    InstanceId: id,
    State: { Name: State },
    Tags: [{ Key: 'eks:nodegroup-name', Value: name }],
  });
  const group = (status: string, desiredSize = 3): Json => ({
    nodegroupName: 'ng',
    status,
    scalingConfig: { desiredSize },
  });
  const instances = [
    own('i-1', 'running'),
    own('i-1', 'running'),
    own('i-2', 'pending'),
    own('i-3', 'stopped'),
    own('i-4', 'running', 'other'),
  ];
  const gap = (one: Json, listed?: readonly string[]): readonly string[] =>
    wordsOf({ 'aws/node-group': [one], 'aws/instance': instances }, listed);

  test('is counted by its instances, each once', () => {
    const words = ['node group ng has 2 of 3 machines; its health does not mention it'];
    for (const status of ['ACTIVE', 'DEGRADED', 'CREATE_FAILED'])
      assert.deepEqual(gap(group(status)), words, status);
  });

  test('is not reported while it changes, is complete, or instances were not listed', () => {
    for (const status of ['CREATING', 'UPDATING', 'DELETING'])
      assert.deepEqual(gap(group(status)), [], status);
    assert.deepEqual(gap(group('ACTIVE', 2)), []);
    assert.deepEqual(gap(group('ACTIVE'), []), []);
    assert.deepEqual(gap({ nodegroupName: 'ng', status: 'ACTIVE' }), []);
  });
});

test('gives a symptom that a fact shows a separate line with the time of the fact', () => {
  const record = factOf('aws/vpc', awsOf('aws/vpc', {}), [{ kind: 'node', value: 'node00' }]);
  const hit = seenHit(record, 'symptom:x', 'words', 5);
  assert.deepEqual(
    [hit.owner, hit.count, hit.onMachine, hit.about?.value],
    ['symptom:x', 1, false, 'node00'],
  );
  assert.deepEqual(hit.first.moment, { ...record.moment, when: null, sinceMs: 5 });
  assert.equal('sinceMs' in seenHit(record, 'symptom:x', 'words').first.moment, false);
  assert.equal(seenHit(factOf('aws/vpc', awsOf('aws/vpc', {})), 'symptom:x', 'w').about, null);
});
