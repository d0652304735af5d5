import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import { type Policy, policy as policyLeaf } from '../../evidence/aws/policy.ts';
import { awsOf, fact } from '../../evidence/testing.ts';
import { allowing, allowsAllBut, isLike } from './policies.ts';
import { type RightsFacts, rightOf, type WantedRight } from './role-rights.ts';
import type { AwsKind } from '../../evidence/aws/shapes.ts';

describe('wildcards of IAM', () => {
  for (const [pattern, text, holds] of [
    ['ec2:CreateTags', 'ec2:CreateTags', true],
    ['ec2:CreateTags', 'ec2:CreateTagsNow', false],
    ['ec2:*Interface*', 'ec2:CreateNetworkInterface', true],
    ['ec2:*Interface', 'ec2:CreateNetworkInterfaces', false],
    ['*', 'ec2:CreateTags', true],
    ['ec?:CreateTags', 'ec2:CreateTags', true],
    ['ec2:Create*Tags*', 'ec2:CreateTag', false],
    ['', 'ec2:CreateTags', false],
  ] as const) {
    test(`${pattern} ${holds ? 'is like' : 'is not like'} ${text}`, () => {
      assert.equal(isLike(pattern, text), holds);
    });
  }
});

const ALLOWS = { Statement: [{ Effect: 'Allow', Action: 'ec2:createnetworkinterface' }] };
const DENIES = { Statement: { Effect: 'Deny', Action: ['ec2:*'] } };

const WANTED: WantedRight = {
  action: 'ec2:CreateNetworkInterface',
  given: /^Enough$/,
  without: /^Little$/,
};
const OWN = 'arn:aws:iam::111122223333:policy/own';

function policy(PolicyName: string, own = false): Json {
  return { PolicyName, PolicyArn: own ? OWN : `arn:aws:iam::aws:policy/${PolicyName}` };
}

function held(attached: readonly Json[], others: Partial<Record<string, readonly Json[]>>) {
  const all: Partial<Record<string, readonly Json[]>> = {
    'aws/attached-policies': [{ RoleName: 'node', AttachedPolicies: attached }],
    ...others,
  };
  const facts: RightsFacts = {
    nowMs: 0,
    list: ((kind: AwsKind) =>
      (all[kind] ?? []).map((value) => fact(awsOf(kind, value)))) as RightsFacts['list'],
  };
  return rightOf(facts, 'node', WANTED);
}

const NO_INLINE = { 'aws/role-policies': [{ RoleName: 'node', PolicyNames: [] }] };
const INLINE = { 'aws/role-policies': [{ RoleName: 'node', PolicyNames: ['own'] }] };
const inline = (PolicyDocument: Json): Json => ({
  RoleName: 'node',
  PolicyName: 'own',
  PolicyDocument,
});
const version = (Document: Json): Json => ({ PolicyArn: OWN, PolicyVersion: { Document } });

const CASES = [
  ['AWS’s policy gives it', [policy('Enough')], NO_INLINE, 'given'],
  ['an administrator has it', [policy('AdministratorAccess')], NO_INLINE, 'given'],
  ['policies that lack it', [policy('Little')], NO_INLINE, 'missing'],
  ['a policy that nobody knows', [policy('Little'), policy('Other')], NO_INLINE, 'unknown'],
  ['inline policies that were not read', [policy('Little')], {}, 'unknown'],
  ['an inline policy that was not read', [policy('Little')], INLINE, 'unknown'],
  [
    'an inline policy that gives it',
    [policy('Little')],
    { ...INLINE, 'aws/role-policy': [inline(ALLOWS)] },
    'given',
  ],
  [
    'an inline policy that denies',
    [policy('Little')],
    { ...INLINE, 'aws/role-policy': [inline(DENIES)] },
    'missing',
  ],
  [
    'an inline policy of all but some actions',
    [policy('Little')],
    {
      ...INLINE,
      'aws/role-policy': [inline({ Statement: [{ Effect: 'Allow', NotAction: 'iam:*' }] })],
    },
    'unknown',
  ],
  ['an own policy by AWS’s name', [policy('Enough', true)], NO_INLINE, 'unknown'],
  [
    'an own policy that gives it',
    [policy('own', true)],
    { ...NO_INLINE, 'aws/policy-version': [version(ALLOWS)] },
    'given',
  ],
] as const;

describe('a right of a role', () => {
  for (const [title, attached, others, right] of CASES) {
    test(`${title}: ${right}`, () => {
      assert.equal(held(attached, others)?.right, right);
    });
  }

  test('unread attached policies leave the answer unknown', () => {
    assert.equal(held([], { 'aws/attached-policies': [] }), null);
  });
});

test('the answer names the role, its policies and what would decide', () => {
  const right = held([policy('Little'), policy('Other')], {
    ...INLINE,
    'aws/role-policies': [
      { RoleName: 'other', PolicyNames: ['no'] },
      { RoleName: 'node', PolicyNames: ['own'] },
    ],
  });
  assert.equal(right?.names, 'Little, Other, own');
  assert.deepEqual(right.why, {
    reason: 'not-collected',
    detail:
      'whether the inline or customer-managed policies of the role node allow ec2:CreateNetworkInterface',
    collect: 'aws iam list-role-policies --role-name node',
  });
  assert.equal(held([], NO_INLINE)?.names, 'none');
  assert.equal(held([], NO_INLINE)?.right, 'missing');
});

test('ignores policies of other roles, names and ARNs', () => {
  const foreign = { ...(inline(ALLOWS) as JsonObject), RoleName: 'other' };
  const renamed = { ...(inline(ALLOWS) as JsonObject), PolicyName: 'other' };
  for (const one of [foreign, renamed]) {
    const others = { ...INLINE, 'aws/role-policy': [one] };
    assert.equal(held([policy('Little')], others)?.right, 'unknown');
  }
  const version2 = { ...(version(ALLOWS) as JsonObject), PolicyArn: `${OWN}2` };
  const others = { ...NO_INLINE, 'aws/policy-version': [version2] };
  assert.equal(held([policy('own', true)], others)?.right, 'unknown');
});

test('evidence of others mentions the inline policies that there are', () => {
  const facts: RightsFacts = {
    nowMs: null,
    list: ((kind: AwsKind) => {
      const value = { RoleName: 'node', AttachedPolicies: [policy('Little')] };
      return kind === 'aws/attached-policies' ? [fact(awsOf(kind, value))] : [];
    }) as RightsFacts['list'],
  };
  assert.equal(rightOf(facts, 'node', WANTED)?.right, 'missing');
  assert.equal(rightOf(facts, 'other', WANTED), null);
});

describe('statements of a policy', () => {
  const read = (given: Json): Policy => policyLeaf.take(given) as Policy;
  const allow = (change: JsonObject): Policy => read({ Statement: { Effect: 'Allow', ...change } });

  test('allow by one action or by any of a list', () => {
    const allowed = (change: JsonObject): number =>
      allowing(allow(change), 'ec2:RunInstances').length;
    assert.equal(allowed({ Action: 'EC2:Run*' }), 1);
    assert.equal(allowed({ Action: ['ec2:Stop*', 'ec2:RunInstances'] }), 1);
    assert.equal(allowed({ Action: ['ec2:Stop*'] }), 0);
    assert.equal(allowed({}), 0);
  });

  test('may allow all but some actions, unless they deny', () => {
    assert.equal(allowsAllBut(allow({ NotAction: 'iam:*' })), true);
    assert.equal(allowsAllBut(allow({ NotAction: 'iam:*', Effect: 'Deny' })), false);
    assert.equal(allowsAllBut(allow({ Action: '*' })), false);
    const two = [{ Effect: 'Deny' }, { Effect: 'Allow', NotAction: [] }];
    assert.equal(allowsAllBut(read({ Statement: two })), true);
    assert.equal(allowsAllBut(read({ Statement: [] })), false);
  });
});

describe('more wildcards of IAM', () => {
  for (const [pattern, text, holds] of [
    ['', '', true],
    ['*', '', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['a*b*c', 'axbxc', true],
    ['a*b*c', 'axcxb', false],
    ['*b', 'ab', true],
    ['*b', 'ba', false],
    ['b*', 'ab', false],
    ['?', '', false],
    ['a?', 'a', false],
    ['*ab*ab', 'ab', false],
    ['*?', 'a', true],
  ] as const) {
    test(`${JSON.stringify(pattern)} ${holds ? 'is like' : 'is not like'} ${text}`, () => {
      assert.equal(isLike(pattern, text), holds);
    });
  }
});
