import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../evidence/json.ts';
import { AWS_WRITES, failureOfAwsWrite, writeInput } from './aws-writes.ts';

const NOW = { isDryRun: false, token: 't' };

test('the list of writes is these and no others', () => {
  assert.deepEqual(Object.keys(AWS_WRITES).toSorted(), [
    'autoscaling:CompleteLifecycleAction',
    'autoscaling:TerminateInstanceInAutoScalingGroup',
    'ec2:CreateTags',
    'ec2:DeleteNetworkInterface',
    'ec2:ModifyInstanceMetadataOptions',
    'eks:AssociateAccessPolicy',
    'eks:CreateAccessEntry',
    'eks:DeleteAccessEntry',
    'eks:DisassociateAccessPolicy',
    'eks:UpdateAccessEntry',
    'ssm:SendCommand',
  ]);
});

test('a dry run and a token of the caller win over those in an input', () => {
  const ec2 = { service: 'ec2', operation: 'CreateTags', input: { DryRun: false } } as const;
  assert.deepEqual(writeInput(ec2, { ...NOW, isDryRun: true }), { DryRun: true });
  const input = { clientRequestToken: 'other' };
  const eks = { service: 'eks', operation: 'CreateAccessEntry', input } as const;
  assert.deepEqual(writeInput(eks, NOW), { clientRequestToken: 't' });
});

test('an operation of the list is one of its service alone', () => {
  for (const operation of ['DeleteNetworkInterface', 'constructor', ''])
    assert.throws(() => writeInput({ service: 'eks', operation, input: {} }, NOW), TypeError);
});

test('a command is one fixed document, in one version, on one machine', () => {
  const only = {
    DocumentName: 'Rollcall-RestartKubelet',
    DocumentVersion: '1',
    InstanceIds: ['i-0123456789abcdef0'],
  };
  const send = (input: JsonObject): JsonObject =>
    writeInput({ service: 'ssm', operation: 'SendCommand', input }, NOW);
  assert.deepEqual(send(only), only);
  for (const change of [
    { DocumentName: 'AWS-RunShellScript' },
    { DocumentVersion: '$LATEST' },
    { DocumentVersion: '$DEFAULT' },
    { InstanceIds: [] },
    { InstanceIds: ['i-0123456789abcdef0', 'i-0fedcba9876543210'] },
    { Parameters: { commands: ['id'] } },
    { Targets: [{ Key: 'tag:a', Values: ['b'] }] },
  ] as const)
    assert.throws(() => send({ ...only, ...change }), TypeError, JSON.stringify(change));
});

for (const [operation, code, message, failure] of [
  ['CreateAccessEntry', 'ResourceInUseException', '', 'already-exists'],
  ['UpdateAccessEntry', 'ResourceInUseException', '', 'conflict'],
  ['DeleteNetworkInterface', 'InvalidNetworkInterface.InUse', '', 'conflict'],
  ['DeleteNetworkInterface', 'InvalidParameterValue', 'x is currently in use.', 'conflict'],
  ['DeleteNetworkInterface', 'InvalidParameterValue', 'bad id', null],
  ['CompleteLifecycleAction', 'ResourceContentionFault', '', 'conflict'],
  ['CreateTags', 'UnauthorizedOperation', '', null],
] as const)
  test(`${code} of ${operation} is ${failure ?? 'what it is of a question'}`, () => {
    assert.equal(failureOfAwsWrite({ operation, code, message }), failure);
  });
