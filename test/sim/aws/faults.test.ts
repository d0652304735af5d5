/** What goes wrong on AWS, each thing by its lever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { LATE } from '../../../src/sim/aws/options.ts';
import { smallAws, type SmallAws } from './world.ts';

function nameOf({ output }: SmallAws, id: string): string | null {
  const answer = output('ec2', 'DescribeInstances', { InstanceIds: [id] });
  return textAt(listAt(listAt(answer, 'Reservations')[0], 'Instances')[0], 'PrivateDnsName');
}

test('a name may be empty at first, and the machine has it all the same', () => {
  const world = smallAws({ nameDelayMs: 20_000 });
  const id = world.launch();
  assert.equal(nameOf(world, id), '');
  assert.notEqual(world.aws.instance(id)?.privateDnsName, '');
  world.pass(20_000);
  assert.equal(nameOf(world, id), world.aws.instance(id)?.privateDnsName);
  world.aws.controls.hideName(id, 5000);
  assert.equal(nameOf(world, id), '');
});

test('an interface gets stuck while it is detached', () => {
  const world = smallAws();
  const InstanceId = world.launch();
  world.pass(60_000);
  const { NetworkInterface } = world.output('ec2', 'CreateNetworkInterface', {
    SubnetId: world.subnetIds[0],
  });
  const NetworkInterfaceId = textAt(NetworkInterface, 'NetworkInterfaceId') ?? '';
  const attach = { NetworkInterfaceId, InstanceId, DeviceIndex: 1 };
  const { AttachmentId = '' } = world.output('ec2', 'AttachNetworkInterface', attach);
  world.pass(30_000);
  world.aws.controls.stickInterfaces(600_000);
  world.output('ec2', 'DetachNetworkInterface', { AttachmentId });
  const remove = () => world.refusal('ec2', 'DeleteNetworkInterface', { NetworkInterfaceId });
  world.pass(590_000);
  assert.equal(remove(), 'InvalidParameterValue');
  world.pass(20_000);
  assert.equal(remove(), 'none');
});

test('a fragmented subnet has hundreds of addresses and no prefix', () => {
  const world = smallAws();
  world.aws.controls.fragmentSubnet(world.subnetIds[0]);
  const create = (more: object): string =>
    world.refusal('ec2', 'CreateNetworkInterface', { SubnetId: world.subnetIds[0], ...more });
  assert.equal(create({ Ipv4PrefixCount: 1 }), 'InsufficientCidrBlocks');
  assert.equal(create({ SecondaryPrivateIpAddressCount: 100 }), 'none');
});

test('the metadata service fails in three ways, for as long as requested', () => {
  const { aws, launch, pass } = smallAws();
  const id = launch();
  const get = (name: string) =>
    aws.metadata.answer(id, {
      method: 'GET',
      path: `/latest/meta-data/${name}`,
      headers: {},
      hops: 0,
    });
  aws.controls.breakMetadata(id, 'silent', 1000);
  assert.equal(get('instance-id'), null);
  aws.controls.breakMetadata(id, 'unavailable', 1000);
  assert.equal(get('instance-id')?.status, 503);
  aws.controls.breakMetadata(id, 'no-credentials', 1000);
  assert.equal(get('instance-id')?.status, 200);
  assert.equal(get('iam/security-credentials/')?.status, 404);
  pass(1000);
  assert.equal(get('iam/security-credentials/')?.body, 'lab-node');
});

test('of an entry that was just made some calls know nothing yet', () => {
  const world = smallAws({ lag: LATE, isThrottled: false });
  const { aws, roleArn, vpcId, subnetIds } = world;
  aws.controls.createCluster({ name: 'lab', version: '1.34', roleArn, vpcId, subnetIds });
  world.pass(600_000);
  world.output('eks', 'CreateAccessEntry', {
    clusterName: 'lab',
    principalArn: roleArn,
    type: 'EC2_LINUX',
  });
  const ask = () =>
    world.refusal('eks', 'DescribeAccessEntry', { clusterName: 'lab', principalArn: roleArn });
  world.pass(500);
  const codes = new Set(Array.from({ length: 100 }, ask));
  assert.deepEqual(codes, new Set(['none', 'ResourceNotFoundException']));
  world.pass(600_000);
  assert.deepEqual(new Set(Array.from({ length: 100 }, ask)), new Set(['none']));
});

test('a terminated instance may be shown running for a while', () => {
  const world = smallAws({ lag: { medianMs: 60_000, sigma: 0 } });
  const id = world.launch();
  world.pass(300_000);
  world.aws.controls.terminate(id);
  world.pass(59_000);
  const state = () => {
    const answer = world.output('ec2', 'DescribeInstances', { InstanceIds: [id] });
    return textAt(listAt(listAt(answer, 'Reservations')[0], 'Instances')[0], 'State.Name');
  };
  assert.equal(state(), 'running');
  world.pass(2000);
  assert.equal(state(), 'shutting-down');
});

test('the second page of a listing may fail', () => {
  const world = smallAws();
  for (let made = 0; made < 6; made++) world.launch();
  const first = world.output('ec2', 'DescribeInstances', { MaxResults: 5 });
  const internal = {
    code: 'InternalError',
    message: 'An internal error has occurred',
    status: 500,
  };
  world.aws.controls.refuse('ec2:DescribeInstances', internal, 1);
  const next = { MaxResults: 5, NextToken: first['NextToken'] ?? '' };
  assert.equal(world.refusal('ec2', 'DescribeInstances', next), 'InternalError');
  assert.equal(listAt(world.output('ec2', 'DescribeInstances', next), 'Reservations').length, 1);
  const invented = { MaxResults: 5, NextToken: 'invented' };
  assert.equal(world.refusal('ec2', 'DescribeInstances', invented), 'InvalidParameterValue');
});
