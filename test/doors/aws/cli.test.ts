/** The AWS command line against the door: what a person at a terminal sees. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../src/evidence/json.ts';
import { missing, partPath } from '../../real/parts.ts';
import { type AwsSiteUnderTest, awsSite } from './site.ts';

const run = promisify(execFile);

const skip = missing('moto');

/** What `aws … --output json` prints. */
async function aws({ env }: AwsSiteUnderTest, ...words: readonly string[]): Promise<JsonObject> {
  // As a module: the script of the command line names the place where it was made.
  const { stdout } = await run(partPath('moto'), ['-m', 'awscli', ...words, '--output', 'json'], {
    env: { ...env, PATH: process.env['PATH'] ?? '' },
  });
  const value = JSON.parse(stdout) as Json;
  return isObject(value) ? value : {};
}

async function errorOf(site: AwsSiteUnderTest, ...words: readonly string[]): Promise<string> {
  return aws(site, ...words).then(
    () => 'it was answered',
    (error: unknown) => String((error as { readonly stderr?: unknown }).stderr).trim(),
  );
}

test('looking around in EC2', { skip }, async (t) => {
  const site = await awsSite(t);
  const id = site.launch();
  site.pass(60_000);
  const found = await aws(site, 'ec2', 'describe-instances', '--instance-ids', id);
  const [instance] = listAt(listAt(found, 'Reservations')[0], 'Instances');
  const { privateDnsName, privateIp } = site.aws.instance(id) ?? {};
  assert.deepEqual(
    ['InstanceId', 'PrivateDnsName', 'PrivateIpAddress', 'State.Name', 'LaunchTime'].map((one) =>
      textAt(instance, one),
    ),
    [id, privateDnsName, privateIp, 'running', '2026-03-02T09:00:00.000Z'],
  );
  const subnets = listAt(await aws(site, 'ec2', 'describe-subnets'), 'Subnets');
  assert.deepEqual(
    subnets.map((one) => [textAt(one, 'CidrBlock'), textAt(one, 'AvailableIpAddressCount')]),
    [
      ['10.0.0.0/24', '250'],
      ['10.0.1.0/24', '251'],
    ],
  );
});

test('terminates an instance, and answers for one that does not exist', { skip }, async (t) => {
  const site = await awsSite(t);
  const id = site.launch();
  site.pass(60_000);
  assert.deepEqual(await aws(site, 'ec2', 'terminate-instances', '--instance-ids', id), {
    TerminatingInstances: [
      {
        InstanceId: id,
        CurrentState: { Code: 32, Name: 'shutting-down' },
        PreviousState: { Code: 16, Name: 'running' },
      },
    ],
  });
  assert.equal(site.events.at(-1), `instance-stopping ${id}`);
  const nobody = 'i-0123456789abcdef0';
  assert.match(
    await errorOf(site, 'ec2', 'terminate-instances', '--instance-ids', nobody),
    /An error occurred \(InvalidInstanceID\.NotFound\) when calling the TerminateInstances operation: The instance ID 'i-0123456789abcdef0' does not exist$/,
  );
});

test('launching with tags, an instance profile and user data', { skip }, async (t) => {
  const site = await awsSite(t);
  const options = {
    'image-id': site.imageId,
    'instance-type': 't3.small',
    'subnet-id': site.subnetIds[1],
    'iam-instance-profile': 'Name=lab-node',
    'user-data': '#!/bin/bash\necho hello',
    'tag-specifications': 'ResourceType=instance,Tags=[{Key=Name,Value=by-hand}]',
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const found = await aws(site, 'ec2', 'run-instances', ...words);
  const id = textAt(listAt(found, 'Instances')[0], 'InstanceId') ?? '';
  const made = site.aws.instance(id);
  assert.equal(made?.userData, '#!/bin/bash\necho hello');
  assert.equal(made.roleArn, site.roleArn);
  assert.deepEqual(made.tags, { Name: 'by-hand' });
});

test('groups, clusters, roles and oneself', { skip }, async (t) => {
  const site = await awsSite(t);
  const { controls } = site.aws;
  const { roleArn, vpcId, subnetIds, imageId } = site;
  controls.createCluster({ name: 'lab', version: '1.34', roleArn, vpcId, subnetIds });
  const asked = { ImageId: imageId, InstanceType: 'm5.large' };
  const launchTemplateId = controls.createLaunchTemplate({ name: 'lab', asked });
  controls.createAutoScalingGroup({ name: 'w', launchTemplateId, subnetIds, desiredCapacity: 2 });
  site.pass(60_000);
  const groups = await aws(site, 'autoscaling', 'describe-auto-scaling-groups');
  const [group] = listAt(groups, 'AutoScalingGroups');
  assert.deepEqual([textAt(group, 'DesiredCapacity'), listAt(group, 'Instances').length], ['2', 2]);
  const cluster = await aws(site, 'eks', 'describe-cluster', '--name', 'lab');
  assert.equal(textAt(cluster, 'cluster.version'), '1.34');
  const role = await aws(site, 'iam', 'get-role', '--role-name', 'lab-node');
  assert.equal(
    textAt(listAt(role, 'Role.AssumeRolePolicyDocument.Statement')[0], 'Principal.Service'),
    'ec2.amazonaws.com',
  );
  assert.deepEqual(await aws(site, 'sts', 'get-caller-identity'), {
    UserId: site.aws.controls.account.keys.get(site.admin.accessKeyId)?.userId,
    Account: '123456789012',
    Arn: 'arn:aws:iam::123456789012:user/lab',
  });
});

test('errors of each protocol are read by the command line', { skip }, async (t) => {
  const site = await awsSite(t);
  const cases: readonly (readonly [string, string])[] = [
    ['eks describe-cluster --name none', 'ResourceNotFoundException'],
    ['iam get-role --role-name none', 'NoSuchEntity'],
    ['kms describe-key --key-id none', 'NotFoundException'],
    ['route53 list-resource-record-sets --hosted-zone-id Z0', 'NoSuchHostedZone'],
    ['cloudformation describe-stack-events --stack-name none', 'ValidationError'],
    ['ec2 describe-addresses', 'InvalidAction'],
  ];
  for (const [words, code] of cases) {
    const said = await errorOf(site, ...words.split(' '));
    assert.ok(said.includes(`An error occurred (${code}) when calling`), said);
  }
});
