import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { ShortGroup } from './launch.ts';
import { fact, awsOf } from '../../evidence/testing.ts';
import { type KeyFacts, keyTroubles, launcherOf, missingActions } from './volume-keys.ts';
import type { KmsKeyPolicy } from '../../evidence/aws/iam.ts';
import type { AwsKind } from '../../evidence/aws/shapes.ts';

const ERROR = 'Client.InternalError: Client error on launch';
const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/one';
const GROUP = {
  AutoScalingGroupName: 'workers',
  AutoScalingGroupARN: 'arn:aws:autoscaling:eu-west-1:111122223333:group/workers',
  DesiredCapacity: 2,
  LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '1' },
};

function activity(change: JsonObject = {}): JsonObject {
  const name = { AutoScalingGroupName: 'workers', StartTime: '2026-05-01T11:00:00Z' };
  return { ...name, StatusCode: 'Failed', StatusMessage: ERROR, ...change };
}

function version(...ids: readonly (string | null)[]): Json {
  const BlockDeviceMappings = ids.map((id) => ({ Ebs: id === null ? {} : { KmsKeyId: id } }));
  return {
    LaunchTemplateId: 'lt-1',
    VersionNumber: 1,
    LaunchTemplateData: { BlockDeviceMappings },
  };
}

function factsOf(lists: Readonly<Record<string, readonly Json[]>>): KeyFacts {
  const all = { 'aws/auto-scaling-group': [GROUP], ...lists };
  return {
    list: ((kind: AwsKind) =>
      ((all as typeof lists)[kind] ?? []).map((item) =>
        fact(awsOf(kind, item)),
      )) as KeyFacts['list'],
  };
}

function wordsOf(lists: Readonly<Record<string, readonly Json[]>>): readonly string[] {
  return keyTroubles(factsOf(lists)).map(({ words }) => words);
}

describe('a launch that ends with the error of a key', () => {
  test('is reported from the last activity of the group', () => {
    const told = [`Auto Scaling group workers activity Failed ${ERROR}`];
    assert.deepEqual(wordsOf({ 'aws/scaling-activity': [activity()] }), told);
    const early = activity({ StartTime: '2026-05-01T10:00:00Z', StatusCode: 'Successful' });
    assert.deepEqual(wordsOf({ 'aws/scaling-activity': [early, activity()] }), told);
    const late = { ...early, StartTime: '2026-05-01T12:00:00Z' };
    assert.deepEqual(wordsOf({ 'aws/scaling-activity': [activity(), late] }), []);
    assert.deepEqual(wordsOf({ 'aws/scaling-activity': [late, activity()] }), []);
  });

  test('does not come from another group, from a running launch or for another reason', () => {
    for (const change of [
      { AutoScalingGroupName: 'other' },
      { StatusCode: 'InProgress' },
      { StatusCode: 'NotFailed' },
      { StatusCode: 'FailedNot' },
      { StatusMessage: 'no capacity' },
    ])
      assert.deepEqual(wordsOf({ 'aws/scaling-activity': [activity(change)] }), []);
    const Cancelled = activity({ StatusCode: 'Cancelled' });
    assert.equal(wordsOf({ 'aws/scaling-activity': [Cancelled] }).length, 1);
  });

  for (const message of [
    'Client error on launch',
    'InvalidKMSKey.InvalidState',
    'the KMS key provided is not enabled',
    'inaccessible AWS KMS key',
    'inaccessible KMS key',
  ])
    test(`is meant by ${message}`, () => {
      const failed = activity({ StatusMessage: message });
      assert.equal(wordsOf({ 'aws/scaling-activity': [failed] }).length, 1);
    });

  test('comes otherwise from an instance of the group that ended so', () => {
    const ended = {
      InstanceId: 'i-1',
      Tags: [{ Key: 'aws:autoscaling:groupName', Value: 'workers' }],
      State: { Name: 'terminated' },
      StateReason: { Code: 'Client.InternalError', Message: ERROR },
    };
    const words = [`Instance i-1 of workers terminated: ${ERROR}`];
    assert.deepEqual(wordsOf({ 'aws/instance': [ended] }), words);
    assert.deepEqual(wordsOf({ 'aws/instance': [{ ...ended, Tags: [] }] }), []);
    const other = { Code: 'Server.SpotInstanceTermination' };
    assert.deepEqual(wordsOf({ 'aws/instance': [{ ...ended, StateReason: other }] }), []);
  });

  test('is of no matter to a group that has what it wants', () => {
    const full = { ...GROUP, DesiredCapacity: 0 };
    assert.deepEqual(
      wordsOf({ 'aws/auto-scaling-group': [full], 'aws/scaling-activity': [activity()] }),
      [],
    );
  });
});

describe('the key behind it', () => {
  const keys = [
    { KeyId: 'two', Arn: `${KEY}2` },
    { KeyId: 'one', Arn: KEY },
  ];
  const policies = [
    { KeyId: 'two', Policy: '{}' },
    { KeyId: KEY, Policy: '{}' },
  ];

  function keyWith(template: Json, all: readonly Json[] = keys) {
    const [trouble] = keyTroubles(
      factsOf({
        'aws/scaling-activity': [activity()],
        'aws/launch-template-version': [template],
        'aws/kms-key': all,
        'aws/kms-key-policy': policies,
      }),
    );
    return [trouble?.key?.value.KeyId, trouble?.policy?.value.KeyId, trouble?.isNamed];
  }

  test('is the one that the template names by id or ARN, with its policy', () => {
    assert.deepEqual(keyWith(version(null, 'one')), ['one', KEY, true]);
    assert.deepEqual(keyWith(version(KEY)), ['one', KEY, true]);
    assert.deepEqual(keyWith(version('three')), [undefined, undefined, true]);
  });

  test('is the only one read where the template names none', () => {
    assert.deepEqual(keyWith(version(null)), [undefined, undefined, false]);
    assert.deepEqual(keyWith(version(null), keys.slice(1)), ['one', KEY, false]);
    assert.deepEqual(keyWith(version('two'), keys.slice(1)), [undefined, undefined, true]);
    assert.deepEqual(keyWith(version(null), []), [undefined, undefined, false]);
  });
});

test('the launcher is the group’s role, or the service-linked one of its account', () => {
  const short = (value: JsonObject): ShortGroup => ({
    group: fact(awsOf('aws/auto-scaling-group', value)),
    size: { name: 'workers', desired: 1, inService: 0 },
    template: null,
  });
  const own = 'arn:aws:iam::111122223333:role/own';
  assert.equal(launcherOf(short({ ServiceLinkedRoleARN: own }), awsOf('aws/kms-key', {})), own);
  const tail = 'role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling';
  assert.equal(
    launcherOf(short(GROUP), awsOf('aws/kms-key', { Arn: KEY })),
    `arn:aws:iam::111122223333:${tail}`,
  );
  const china = { Arn: KEY.replace('aws', 'aws-cn') };
  assert.equal(
    launcherOf(short(GROUP), awsOf('aws/kms-key', china)),
    `arn:aws-cn:iam::111122223333:${tail}`,
  );
  assert.equal(launcherOf(short({}), awsOf('aws/kms-key', {})), `arn:aws:iam::<account>:${tail}`);
});

describe('finds actions that a key policy denies to everybody', () => {
  const answerOf = (Policy: string): KmsKeyPolicy => awsOf('aws/kms-key-policy', { Policy });
  const [GENERATE, DECRYPT, GRANT] = [
    'kms:GenerateDataKeyWithoutPlaintext',
    'kms:Decrypt',
    'kms:CreateGrant',
  ];
  const statement = (Action: Json, change: JsonObject = {}): Json => ({
    Effect: 'Allow',
    Principal: { AWS: 'me' },
    Action,
    ...change,
  });
  const missing = (Statement: Json): readonly string[] | null =>
    missingActions(answerOf(JSON.stringify({ Statement })), 'me');

  test('are those that no statement allows the role', () => {
    assert.deepEqual(missing([statement([GENERATE, DECRYPT, GRANT])]), []);
    assert.deepEqual(missing(statement('kms:*')), []);
    assert.deepEqual(missing([statement('KMS:GenerateDataKey*'), statement('kms:decrypt')]), [
      GRANT,
    ]);
    assert.deepEqual(missing([statement(DECRYPT)]), [GENERATE, GRANT]);
    assert.deepEqual(missing([statement('kms:Dec')]), [GENERATE, DECRYPT, GRANT]);
    assert.deepEqual(missing([statement('*', { Effect: 'Deny' })]), [GENERATE, DECRYPT, GRANT]);
  });

  test('are granted by a statement for everybody, or for the role among others', () => {
    for (const Principal of ['*', { AWS: '*' }, { AWS: ['you', 'me'] }, 'me'])
      assert.deepEqual(missing([statement('*', { Principal })]), [], JSON.stringify(Principal));
    for (const Principal of [{ AWS: 'you' }, { Service: 'me' }, {}])
      assert.equal(missing([statement('*', { Principal })])?.length, 3, JSON.stringify(Principal));
  });

  test('are unknown where the policy cannot be read', () => {
    assert.equal(missing('none'), null);
    assert.equal(missingActions(answerOf('no JSON'), 'me'), null);
    assert.equal(missingActions(awsOf('aws/kms-key-policy', {}), 'me'), null);
    const padded = (length: number): Json => {
      const text = JSON.stringify({ Statement: [statement('*')] });
      return { Policy: text.padEnd(length, ' ') };
    };
    assert.deepEqual(missingActions(awsOf('aws/kms-key-policy', padded(40_000)), 'me'), []);
    assert.equal(missingActions(awsOf('aws/kms-key-policy', padded(40_001)), 'me'), null);
  });
});
