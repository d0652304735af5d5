import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testClock } from '../../src/adapters/aws/testing.ts';
import { openAws } from '../../src/adapters/aws/open.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { AwsApi, AwsCall, AwsService } from '../../src/ports/aws-api.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { awsEnvironment, type Moto, startMoto, THROTTLED, unauthorized } from '../real/moto.ts';
import { missing } from '../real/parts.ts';
import { type AwsSubject, awsContract } from './aws-api.contract.ts';
import { fakeAws } from './fake/aws-api.ts';

awsContract({ name: 'in memory', skip: false, open: async () => inMemory() });

function inMemory(): AwsSubject {
  const aws = fakeAws({ clock: testClock() });
  const ids: string[] = [];
  const identity = { Account: '123456789012', Arn: 'arn:aws:sts::1:user/x', UserId: 'AIDA' };
  aws.answer('sts:GetCallerIdentity', () => [identity]);
  aws.table('ec2:DescribeInstances', 'Reservations', (input) => reservations(ids, input));
  return {
    aws,
    launch: async (count) => {
      for (let made = 0; made < count; made++) ids.push(`i-${made.toString(16).padStart(17, '0')}`);
      return ids;
    },
    deny: (permission) => {
      aws.refuse(permission, 'denied');
    },
    throttle: (permission, times) => {
      aws.refuse(permission, 'throttled', times);
    },
  };
}

function reservations(ids: readonly string[], input: JsonObject): readonly JsonObject[] {
  const asked = input['InstanceIds'];
  if (Array.isArray(asked) && asked.some((id) => !ids.includes(String(id)))) {
    throw new PortError({ failure: 'not-found', message: 'The fake has no such instance' });
  }
  const LaunchTime = '2026-01-02T03:04:05.000Z';
  return ids.map((InstanceId) => ({ Instances: [{ InstanceId, LaunchTime }] }));
}

const skip = missing('moto');
let running: Promise<Moto> | null = null;

after(async () => {
  await (await running)?.stop();
});

awsContract({ name: 'moto', skip, open: async () => overHttp(await freshMoto()) });

async function freshMoto(): Promise<Moto> {
  running ??= startMoto();
  const moto = await running;
  await moto.reset();
  return moto;
}

function openMoto(moto: Moto): AwsApi {
  return openAws({
    region: null,
    profile: null,
    env: awsEnvironment(moto.url),
    clock: testClock(),
    random: { next: () => 0.5 },
  });
}

function overHttp(moto: Moto): AwsSubject {
  return {
    aws: openMoto(moto),
    launch: async (count) => {
      const ids: string[] = [];
      for (let made = 0; made < count; made++) ids.push(await launchOne(moto));
      return ids;
    },
    deny: (permission) => {
      const action = actionOf(permission);
      moto.refuse(action, unauthorized(action));
    },
    throttle: (permission, times) => {
      moto.refuse(actionOf(permission), THROTTLED, times);
    },
  };
}

function actionOf(permission: string): string {
  return permission.slice(permission.indexOf(':') + 1);
}

async function launchOne(moto: Moto): Promise<string> {
  const parameters = { ImageId: 'ami-12c6146b', MinCount: '1', MaxCount: '1' };
  const xml = await moto.ec2('RunInstances', parameters);
  return /<instanceId>(i-[0-9a-f]+)</.exec(xml)?.[1] ?? 'none';
}

async function only(aws: AwsApi, call: AwsCall): Promise<JsonObject> {
  for await (const page of aws.pages(call)) return page;
  throw new Error('there was no page');
}

test('moto answers a call that it lacks with a web page, which no one takes for an answer', {
  skip,
}, async () => {
  const aws = openMoto(await freshMoto());
  const input = { PolicySourceArn: 'arn:aws:iam::1:role/x', ActionNames: ['ec2:RunInstances'] };
  await assert.rejects(only(aws, { service: 'iam', operation: 'SimulatePrincipalPolicy', input }), {
    failure: 'unavailable',
  });
});

test('moto grants a token for images, and it is left out', { skip }, async () => {
  const aws = openMoto(await freshMoto());
  const call = { service: 'ecr', operation: 'GetAuthorizationToken', input: {} } as const;
  const text = JSON.stringify(await only(aws, call));
  assert.match(text, /"expiresAt":"\d{4}-/);
  assert.doesNotMatch(text, /authorizationToken/);
});

/** Calls that need no input, and what moto makes of them where AWS would answer. */
const WITHOUT_INPUT: readonly (readonly [AwsService, string, string])[] = [
  ['ec2', 'DescribeDhcpOptions', 'DhcpOptions'],
  ['ec2', 'DescribeInstanceStatus', 'InstanceStatuses'],
  ['ec2', 'DescribeNatGateways', 'NatGateways'],
  ['ec2', 'DescribeNetworkAcls', 'NetworkAcls'],
  ['ec2', 'DescribeNetworkInterfaces', 'NetworkInterfaces'],
  ['ec2', 'DescribeRouteTables', 'RouteTables'],
  ['ec2', 'DescribeSecurityGroups', 'SecurityGroups'],
  ['ec2', 'DescribeSpotInstanceRequests', 'SpotInstanceRequests'],
  ['ec2', 'DescribeSubnets', 'Subnets'],
  ['ec2', 'DescribeVpcEndpoints', 'VpcEndpoints'],
  ['ec2', 'DescribeVpcs', 'Vpcs'],
  ['autoscaling', 'DescribeAutoScalingGroups', 'AutoScalingGroups'],
  ['autoscaling', 'DescribeScalingActivities', 'Activities'],
  ['iam', 'ListOpenIDConnectProviders', 'OpenIDConnectProviderList'],
  ['cloudformation', 'ListStacks', 'StackSummaries'],
  ['cloudtrail', 'LookupEvents', 'unavailable'],
];

async function outcomeOf(
  aws: AwsApi,
  service: AwsService,
  operation: string,
): Promise<string | undefined> {
  try {
    return Object.keys(await only(aws, { service, operation, input: {} }))[0];
  } catch (error) {
    return error instanceof PortError ? error.failure : String(error);
  }
}

test('moto answers lists as AWS does, except the events of CloudTrail', { skip }, async () => {
  const aws = openMoto(await freshMoto());
  for (const [service, operation, expected] of WITHOUT_INPUT) {
    assert.equal(await outcomeOf(aws, service, operation), expected, operation);
  }
});

const VPC_ATTRIBUTE = { VpcId: 'vpc-0123456789abcdef0', Attribute: 'enableDnsSupport' };

const NOTHING_THERE: readonly AwsCall[] = [
  { service: 'eks', operation: 'DescribeCluster', input: { name: 'none' } },
  { service: 'iam', operation: 'GetRole', input: { RoleName: 'none' } },
  { service: 'iam', operation: 'GetInstanceProfile', input: { InstanceProfileName: 'none' } },
  { service: 'cloudformation', operation: 'DescribeStackEvents', input: { StackName: 'none' } },
  { service: 'kms', operation: 'DescribeKey', input: { KeyId: 'none' } },
  { service: 'route53', operation: 'ListResourceRecordSets', input: { HostedZoneId: 'Z0' } },
  { service: 'ec2', operation: 'DescribeVpcAttribute', input: VPC_ATTRIBUTE },
];

test('moto says of nothing that it is not found', { skip }, async () => {
  const aws = openMoto(await freshMoto());
  for (const call of NOTHING_THERE) {
    await assert.rejects(only(aws, call), { failure: 'not-found' }, call.operation);
  }
});

test('moto breaks on the node groups of a cluster that is not there, where AWS finds none', {
  skip,
}, async () => {
  const aws = openMoto(await freshMoto());
  const input = { clusterName: 'none' };
  await assert.rejects(only(aws, { service: 'eks', operation: 'ListNodegroups', input }), {
    failure: 'unavailable',
  });
});
