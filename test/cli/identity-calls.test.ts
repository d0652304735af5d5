import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askEks, askEntries } from '../../src/collection/aws-eks.ts';
import { askIdentities } from '../../src/collection/aws-identities.ts';
import { NO_IDENTITY } from '../../src/diagnosis/identity-target.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { FakeAws } from '../ports/fake/aws-api.ts';
import { asked } from './asked.ts';

/** Answers all that is asked of EKS about a cluster with one node group. */
function answerEks(aws: FakeAws, group: JsonObject, insights: readonly JsonObject[] = []): void {
  aws.answer('eks:ListNodegroups', () => [{ nodegroups: ['workers'] }]);
  aws.answer('eks:DescribeNodegroup', () => [{ nodegroup: group }]);
  aws.answer('eks:ListAddons', () => [{ addons: [] }]);
  aws.answer('eks:ListAccessEntries', () => [{ accessEntries: [] }]);
  aws.answer('eks:ListPodIdentityAssociations', () => [{ associations: [] }]);
  aws.answer('eks:ListInsights', () => [{ insights: [...insights] }]);
  aws.answer('eks:DescribeInsight', () => [{ insight: { id: 'a' } }]);
  aws.answer('eks:ListUpdates', () => [{ updateIds: ['u1', 'u2'] }]);
  aws.answer('eks:DescribeUpdate', () => [{ update: { id: 'u1', status: 'Failed' } }]);
}

const QUIET = [
  'eks:DescribeNodegroup 1',
  'eks:ListAccessEntries 1',
  'eks:ListAddons 1',
  'eks:ListInsights 1',
  'eks:ListNodegroups 1',
  'eks:ListPodIdentityAssociations 1',
];
const UPDATES = ['eks:DescribeUpdate 2', 'eks:ListUpdates 1'];
const version = Promise.resolve([{ cluster: { version: '1.34' } }]);

const groups = [
  { title: 'a group that is well', status: 'ACTIVE', version: '1.34', updates: [] },
  { title: 'a group that is degraded', status: 'DEGRADED', version: '1.34', updates: UPDATES },
  { title: 'a group behind its cluster', status: 'ACTIVE', version: '1.33', updates: UPDATES },
];

describe('what EKS is asked', () => {
  for (const { title, updates, ...group } of groups) {
    test(`updates: ${title}`, async () => {
      const { calls } = await asked(
        (aws) => answerEks(aws, { nodegroupName: 'workers', ...group }),
        async (ask) => askEks(ask, 'shop', version),
      );
      assert.deepEqual(calls, [...QUIET, ...updates].toSorted());
    });
  }

  test('insights are described that do not pass', async () => {
    const insight = (id: string, status: string): JsonObject => ({ id, insightStatus: { status } });
    const { calls } = await asked(
      (aws) =>
        answerEks(aws, { status: 'ACTIVE' }, [insight('a', 'ERROR'), insight('b', 'PASSING')]),
      async (ask) => askEks(ask, 'shop', version),
    );
    assert.ok(calls.includes('eks:DescribeInsight 1'), calls.join());
  });

  for (const [type, calls] of [
    ['EC2_LINUX', []],
    ['STANDARD', ['eks:ListAssociatedAccessPolicies 1']],
    ['EC2', ['eks:ListAssociatedAccessPolicies 1']],
  ] as const) {
    test(`access policies: an entry of type ${type}`, async () => {
      const told = await asked(
        (aws) => {
          aws.answer('eks:DescribeAccessEntry', () => [{ accessEntry: { type } }]);
          aws.answer('eks:ListAssociatedAccessPolicies', () => [{ associatedAccessPolicies: [] }]);
        },
        async (ask) => askEntries(ask, 'shop', ['arn:aws:iam::111122223333:role/node']),
      );
      assert.deepEqual(told.calls, ['eks:DescribeAccessEntry 1', ...calls]);
    });
  }
});

const ROLE = 'arn:aws:iam::111122223333:role/orders';

describe('calls about roles and associations', () => {
  test('nothing where everything is healthy', async () => {
    const { calls } = await asked(
      () => {},
      async (ask) => askIdentities(ask, NO_IDENTITY),
    );
    assert.deepEqual(calls, []);
  });

  test('reads inline policies and the default version of a customer-managed policy', async () => {
    const inputs: JsonObject[] = [];
    const { calls } = await asked(
      (aws) => {
        aws.answer('iam:ListRolePolicies', () => [{ PolicyNames: ['a', 'b'] }]);
        aws.answer('iam:GetRolePolicy', () => [{ PolicyDocument: {} }]);
        aws.answer('iam:GetPolicy', () => [{ Policy: { DefaultVersionId: 'v7' } }]);
        aws.answer('iam:GetPolicyVersion', (input) => {
          inputs.push(input);
          return [{ PolicyVersion: {} }];
        });
      },
      async (ask) =>
        askIdentities(ask, {
          ...NO_IDENTITY,
          roleNames: ['node'],
          policyArns: ['arn:aws:iam::111122223333:policy/own'],
        }),
    );
    assert.deepEqual(calls, [
      'iam:GetPolicy 1',
      'iam:GetPolicyVersion 1',
      'iam:GetRolePolicy 2',
      'iam:ListRolePolicies 1',
    ]);
    assert.equal(inputs[0]?.['VersionId'], 'v7');
  });

  test('reads the roles of an association only in its account', async () => {
    const names: unknown[] = [];
    const target = { clusterName: 'shop', associationId: 'a-1' };
    await asked(
      (aws) => {
        aws.answer('eks:DescribePodIdentityAssociation', () => [
          {
            association: {
              roleArn: ROLE,
              targetRoleArn: 'arn:aws:iam::444455556666:role/ledger',
            },
          },
        ]);
        aws.answer('iam:GetRole', ({ RoleName }) => {
          names.push(RoleName);
          return [{ Role: {} }];
        });
      },
      async (ask) => askIdentities(ask, { ...NO_IDENTITY, associations: [target] }),
    );
    assert.deepEqual(names, ['orders']);
  });
});

describe('calls about machines and registries', () => {
  test('profiles of many machines are asked by few requests', async () => {
    const instanceIds = Array.from({ length: 401 }, (_, rank) => `i-${rank}`);
    const { calls } = await asked(
      (aws) =>
        aws.answer('ec2:DescribeIamInstanceProfileAssociations', () => [
          { IamInstanceProfileAssociations: [] },
        ]),
      async (ask) => askIdentities(ask, { ...NO_IDENTITY, instanceIds }),
    );
    assert.deepEqual(calls, ['ec2:DescribeIamInstanceProfileAssociations 3']);
  });

  test('a registry that refuses names the permission', async () => {
    const { refusals } = await asked(
      (aws) => {
        aws.answer('ecr:GetAuthorizationToken', () => []);
        aws.refuse('ecr:GetAuthorizationToken', 'denied');
      },
      async (ask) => askIdentities(ask, { ...NO_IDENTITY, isRegistryAsked: true }),
    );
    assert.deepEqual(
      refusals.map(({ permission }) => permission),
      ['ecr:GetAuthorizationToken'],
    );
  });
});
