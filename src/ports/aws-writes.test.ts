import assert from 'node:assert/strict';
import { test } from 'node:test';
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
