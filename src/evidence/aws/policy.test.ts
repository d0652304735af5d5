import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../json.ts';
import { policy } from './policy.ts';

const GIVEN = {
  Statement: [
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: ['ec2.amazonaws.com'], AWS: 'arn:aws:iam::1:root' },
      Condition: { StringEquals: { 'a:sub': 'x', 'a:aud': ['y', 'z'] } },
    },
  ],
};
const READ = {
  Statement: [
    {
      Effect: 'Allow',
      Action: ['sts:AssumeRole'],
      hasNotAction: false,
      Principal: { Service: ['ec2.amazonaws.com'], AWS: ['arn:aws:iam::1:root'] },
      Condition: { StringEquals: { 'a:sub': ['x'], 'a:aud': ['y', 'z'] } },
    },
  ],
};

test('a policy is read as an object, as text and percent-encoded', () => {
  const text = JSON.stringify(GIVEN);
  for (const given of [GIVEN, text, encodeURIComponent(text)])
    assert.deepEqual(policy.take(given), READ);
});

test('one statement is a list of one, and principals may be a text', () => {
  const statement = { Effect: 'Deny', NotAction: 'iam:*', Principal: '*' };
  const read = policy.take({ Statement: statement });
  assert.deepEqual(read?.Statement, [
    { Effect: 'Deny', Action: [], hasNotAction: true, Principal: { '*': ['*'] }, Condition: {} },
  ]);
});

test('treats an invalid policy as unknown, not empty', () => {
  const others: readonly Json[] = ['%', 'no', '', 7, null, [], {}, { Statement: 'x' }];
  for (const given of others) assert.equal(policy.take(given), undefined, JSON.stringify(given));
});

test('of a list only texts are kept', () => {
  const Action: Json = ['ec2:*', { toString: 'x' }, null, ['y'], 7];
  const read = policy.take({ Statement: [{ Effect: 'Allow', Action }] });
  assert.deepEqual(read?.Statement[0]?.Action, ['ec2:*', '7']);
});

test('a policy is read up to forty thousand characters', () => {
  const padded = (length: number): string => JSON.stringify(GIVEN).padEnd(length, ' ');
  assert.deepEqual(policy.take(padded(40_000)), READ);
  assert.equal(policy.take(padded(40_001)), undefined);
});
