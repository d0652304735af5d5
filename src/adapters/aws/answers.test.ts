import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsCall } from '../../ports/aws-api.ts';
import { shapeOf } from './calls.ts';
import { firstInput, nextTokens, withoutPaging } from './paging.ts';
import { plainAnswer, sdkInput } from './plain.ts';
import { isRegionName, mustBeEnabled, partitionOf } from './region.ts';
import { policies } from './reshape.ts';
import { allPages, type Answer, inTurn, openAt, serve } from './testing.ts';

interface Printed {
  readonly name: string;
  readonly call: AwsCall;
  readonly answer: Answer;
  /** As `aws … --output json` prints it. */
  readonly prints: JsonObject;
}

const POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole' }],
};
const ENCODED = encodeURIComponent(JSON.stringify(POLICY));

const PRINTED: readonly Printed[] = [
  {
    name: 'the trust policy of a role as an object',
    call: { service: 'iam', operation: 'GetRole', input: { RoleName: 'node' } },
    answer: {
      body:
        '<GetRoleResponse><GetRoleResult><Role><RoleName>node</RoleName>' +
        `<AssumeRolePolicyDocument>${ENCODED}</AssumeRolePolicyDocument>` +
        '<CreateDate>2026-01-02T03:04:05Z</CreateDate><MaxSessionDuration>3600</MaxSessionDuration>' +
        '</Role></GetRoleResult></GetRoleResponse>',
    },
    prints: {
      Role: {
        RoleName: 'node',
        AssumeRolePolicyDocument: POLICY,
        CreateDate: '2026-01-02T03:04:05.000Z',
        MaxSessionDuration: 3600,
      },
    },
  },
  {
    name: 'the roles of an instance profile',
    call: { service: 'iam', operation: 'GetInstanceProfile', input: { InstanceProfileName: 'p' } },
    answer: {
      body:
        '<GetInstanceProfileResponse><GetInstanceProfileResult><InstanceProfile><Roles><member>' +
        `<AssumeRolePolicyDocument>${ENCODED}</AssumeRolePolicyDocument></member></Roles>` +
        '</InstanceProfile></GetInstanceProfileResult></GetInstanceProfileResponse>',
    },
    prints: { InstanceProfile: { Roles: [{ AssumeRolePolicyDocument: POLICY }] } },
  },
  {
    name: 'console output as text',
    call: { service: 'ec2', operation: 'GetConsoleOutput', input: { InstanceId: 'i-1' } },
    answer: {
      body:
        '<GetConsoleOutputResponse><instanceId>i-1</instanceId>' +
        `<timestamp>2026-01-02T03:04:05.000Z</timestamp><output>${btoa('boot\nlogin: ')}</output>` +
        '</GetConsoleOutputResponse>',
    },
    prints: {
      InstanceId: 'i-1',
      Timestamp: '2026-01-02T03:04:05.000Z',
      Output: 'boot\nlogin: ',
    },
  },
  {
    name: 'user data in base64, as the command line leaves it',
    call: {
      service: 'ec2',
      operation: 'DescribeInstanceAttribute',
      input: { InstanceId: 'i-1', Attribute: 'userData' },
    },
    answer: {
      body:
        '<DescribeInstanceAttributeResponse><instanceId>i-1</instanceId><userData>' +
        '<value>IyEvYmluL3No</value></userData></DescribeInstanceAttributeResponse>',
    },
    prints: { InstanceId: 'i-1', UserData: { Value: 'IyEvYmluL3No' } },
  },
  {
    name: 'a cluster in camel case, dates as text',
    call: { service: 'eks', operation: 'DescribeCluster', input: { name: 'one' } },
    answer: {
      headers: { 'content-type': 'application/json' },
      body: '{"cluster":{"name":"one","createdAt":1767323045.123,"tags":{"a":"b"},"health":null}}',
    },
    prints: {
      cluster: { name: 'one', createdAt: '2026-01-02T03:04:05.123Z', tags: { a: 'b' } },
    },
  },
  {
    name: 'the last page of records without its tokens',
    call: {
      service: 'route53',
      operation: 'ListResourceRecordSets',
      input: { HostedZoneId: 'Z1' },
    },
    answer: {
      body:
        '<ListResourceRecordSetsResponse><ResourceRecordSets><ResourceRecordSet>' +
        '<Name>a.example.</Name><Type>A</Type><TTL>60</TTL></ResourceRecordSet>' +
        '</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>300</MaxItems>' +
        '</ListResourceRecordSetsResponse>',
    },
    prints: { ResourceRecordSets: [{ Name: 'a.example.', Type: 'A', TTL: 60 }] },
  },
  {
    name: 'a key policy as the text that it is',
    call: { service: 'kms', operation: 'GetKeyPolicy', input: { KeyId: 'k' } },
    answer: {
      headers: { 'content-type': 'application/x-amz-json-1.1' },
      body: JSON.stringify({ Policy: JSON.stringify(POLICY), PolicyName: 'default' }),
    },
    prints: { Policy: JSON.stringify(POLICY), PolicyName: 'default' },
  },
  {
    name: 'that a registry token was granted, without the token',
    call: { service: 'ecr', operation: 'GetAuthorizationToken', input: {} },
    answer: {
      headers: { 'content-type': 'application/x-amz-json-1.1' },
      body: '{"authorizationData":[{"authorizationToken":"c2VjcmV0","expiresAt":1767323045,"proxyEndpoint":"https://1.dkr.ecr"}]}',
    },
    prints: {
      authorizationData: [
        { expiresAt: '2026-01-02T03:04:05.000Z', proxyEndpoint: 'https://1.dkr.ecr' },
      ],
    },
  },
];

for (const { name, call, answer, prints } of PRINTED) {
  test(`a page prints ${name}`, async (t) => {
    assert.deepEqual(await allPages(openAt(await serve(t, inTurn(answer))), call), [prints]);
  });
}

test('keeps a policy that is not JSON as it was sent', () => {
  const answer = { PolicyVersion: { Document: '%7Bhalf' }, Name: '%7B%7D' };
  assert.deepEqual(policies(answer), answer);
});

test('the largest page is asked for, except beside a choice of objects', () => {
  const paging = shapeOf('ec2', 'DescribeInstances')?.paging ?? null;
  assert.deepEqual(firstInput({}, paging), { MaxResults: 1000 });
  assert.deepEqual(firstInput({ MaxResults: 5 }, paging), { MaxResults: 5 });
  const chosen = { InstanceIds: ['i-1'] };
  assert.deepEqual(firstInput(chosen, paging), chosen);
  assert.deepEqual(firstInput({ Filters: [] }, paging), { Filters: [], MaxResults: 1000 });
});

test('paging continues with three tokens and copes with a missing one', () => {
  const paging = shapeOf('route53', 'ListResourceRecordSets')?.paging ?? null;
  const page = { ResourceRecordSets: [], NextRecordName: 'b.', NextRecordType: 'A' };
  assert.deepEqual(nextTokens(page, paging), { StartRecordName: 'b.', StartRecordType: 'A' });
  assert.deepEqual(withoutPaging(page, paging), { ResourceRecordSets: [] });
  assert.equal(nextTokens({ NextRecordName: '' }, paging), null);
});

test('what JSON lacks becomes text, and what was not there stays away', () => {
  const answer = { a: undefined, b: new Date(0), c: new Uint8Array([104, 105]), d: [NaN, null] };
  assert.deepEqual(plainAnswer({ ...answer, $metadata: { requestId: 'r' } }), {
    b: '1970-01-01T00:00:00.000Z',
    c: 'aGk=',
    d: ['NaN', null],
  });
});

test('times of the input become dates, other text does not', () => {
  const input = { StartTime: '2026-01-02T03:04:05Z', AvailabilityZone: '2026-01-02' };
  assert.deepEqual(sdkInput(input, ['StartTime']), {
    StartTime: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
    AvailabilityZone: '2026-01-02',
  });
});

test('a region says its partition and whether it must be enabled', () => {
  const partitions = [
    'eu-west-1',
    'cn-north-1',
    'us-gov-east-1',
    'us-iso-east-1',
    'us-isob-east-1',
    'us-isof-south-1',
    'eu-isoe-west-1',
    'eusc-de-east-1',
  ];
  assert.deepEqual(partitions.map(partitionOf), [
    'aws',
    'aws-cn',
    'aws-us-gov',
    'aws-iso',
    'aws-iso-b',
    'aws-iso-f',
    'aws-iso-e',
    'aws-eusc',
  ]);
  assert.equal(partitionOf(null), 'aws');
  assert.ok(partitions.every(isRegionName));
  assert.equal(mustBeEnabled('eu-central-2'), true);
  assert.equal(mustBeEnabled('eu-central-1'), false);
  assert.equal(mustBeEnabled('cn-north-1'), false);
});
