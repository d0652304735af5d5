/** What a person lays out by calls, and what EKS makes of its groups. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { smallAws, type SmallAws } from './world.ts';

test('a VPC and its subnets are made by calls, and an instance in them', () => {
  const world = smallAws({ isThrottled: false });
  const { output, refusal, imageId } = world;
  const { Vpc } = output('ec2', 'CreateVpc', { CidrBlock: '10.8.0.0/16' });
  const VpcId = textAt(Vpc, 'VpcId') ?? '';
  const subnet = (CidrBlock: string): string =>
    refusal('ec2', 'CreateSubnet', { VpcId, CidrBlock, AvailabilityZone: 'us-west-2c' });
  assert.equal(subnet('10.8.0.0/24'), 'none');
  assert.equal(subnet('10.8.0.128/25'), 'InvalidSubnet.Conflict');
  assert.equal(subnet('10.9.0.0/24'), 'InvalidSubnet.Range');
  assert.equal(subnet('10.8.1.0/29'), 'InvalidSubnet.Range');
  assert.equal(subnet('10.8.1.7/24'), 'InvalidSubnet.Range');
  const made = listAt(
    output('ec2', 'DescribeSubnets', { Filters: [{ Name: 'vpc-id', Values: [VpcId] }] }),
    'Subnets',
  );
  assert.deepEqual(
    made.map((one) => textAt(one, 'AvailableIpAddressCount')),
    ['251'],
  );
  const SubnetId = textAt(made[0], 'SubnetId') ?? '';
  const launched = output('ec2', 'RunInstances', { ImageId: imageId, SubnetId, MaxCount: 1 });
  const [instance] = listAt(launched, 'Instances');
  assert.equal(textAt(instance, 'PrivateDnsName'), '', 'a new VPC has no DNS hostnames');
});

test('another DHCP option set changes what machines learn, not what EC2 calls them', () => {
  const { aws, launch, output, vpcId, refusal } = smallAws();
  const id = launch();
  const hostname = () =>
    aws.metadata.answer(id, {
      method: 'GET',
      path: '/latest/meta-data/hostname',
      headers: {},
      hops: 0,
    })?.body;
  const before = aws.instance(id)?.privateDnsName;
  assert.equal(hostname(), before);
  const { DhcpOptions } = output('ec2', 'CreateDhcpOptions', {
    DhcpConfigurations: [{ Key: 'domain-name', Values: ['corp.example'] }],
  });
  const DhcpOptionsId = textAt(DhcpOptions, 'DhcpOptionsId') ?? '';
  output('ec2', 'AssociateDhcpOptions', { VpcId: vpcId, DhcpOptionsId });
  assert.match(hostname() ?? '', /^ip-10-0-0-\d+\.corp\.example$/);
  assert.equal(aws.instance(id)?.privateDnsName, before);
  const missing = { VpcId: vpcId, DhcpOptionsId: 'dopt-00000000' };
  assert.equal(refusal('ec2', 'AssociateDhcpOptions', missing), 'InvalidDhcpOptionID.NotFound');
});

test('names go away with the DNS hostnames of the VPC', () => {
  const { aws, launch, output, vpcId } = smallAws();
  const id = launch();
  assert.notEqual(aws.instance(id)?.privateDnsName, '');
  output('ec2', 'ModifyVpcAttribute', { VpcId: vpcId, EnableDnsHostnames: { Value: false } });
  assert.equal(aws.instance(id)?.privateDnsName, '');
});

function withNodegroup(): SmallAws {
  const world = smallAws({ isThrottled: false });
  const { aws, imageId, profileArn, roleArn, subnetIds, vpcId } = world;
  aws.controls.createCluster({ name: 'lab', version: '1.34', roleArn, vpcId, subnetIds });
  const asked = { ImageId: imageId, IamInstanceProfile: { Arn: profileArn } };
  aws.controls.createNodegroup({
    cluster: 'lab',
    name: 'workers',
    nodeRole: roleArn,
    subnetIds,
    launchTemplateId: aws.controls.createLaunchTemplate({ name: 'lab', asked }),
    instanceTypes: ['m5.large'],
    desiredSize: 1,
  });
  return world;
}

function nodegroupOf({ output }: SmallAws): readonly (string | null)[] {
  const name = { clusterName: 'lab', nodegroupName: 'workers' };
  const { nodegroup } = output('eks', 'DescribeNodegroup', name);
  const [issue] = listAt(nodegroup, 'health.issues');
  return ['status', 'scalingConfig.desiredSize']
    .map((path) => textAt(nodegroup, path))
    .concat(textAt(issue, 'code'));
}

test('a node group grows by its update and tells why it does not', () => {
  const world = withNodegroup();
  world.pass(120_000);
  assert.deepEqual(nodegroupOf(world), ['ACTIVE', '1', null]);
  for (const subnetId of world.subnetIds) world.aws.controls.exhaustSubnet(subnetId, 0);
  const size = { clusterName: 'lab', nodegroupName: 'workers', scalingConfig: { desiredSize: 2 } };
  const { update } = world.output('eks', 'UpdateNodegroupConfig', size);
  assert.equal(textAt(update, 'status'), 'InProgress');
  world.pass(120_000);
  assert.deepEqual(nodegroupOf(world), ['DEGRADED', '2', 'InsufficientFreeAddresses']);
  const asked = { name: 'lab', nodegroupName: 'workers', updateId: textAt(update, 'id') ?? '' };
  assert.equal(textAt(world.output('eks', 'DescribeUpdate', asked), 'update.status'), 'Successful');
});

test('a new launch template version comes with an instance refresh', () => {
  const world = withNodegroup();
  world.pass(120_000);
  const [before] = world.aws.instances();
  const [group = ''] = world.aws.controls.account.groups.ids();
  const name = { AutoScalingGroupName: group };
  world.output('autoscaling', 'StartInstanceRefresh', name);
  assert.equal(
    world.refusal('autoscaling', 'StartInstanceRefresh', name),
    'InstanceRefreshInProgress',
  );
  world.pass(1_200_000);
  const [refresh] = listAt(
    world.output('autoscaling', 'DescribeInstanceRefreshes', name),
    'InstanceRefreshes',
  );
  assert.equal(textAt(refresh, 'Status'), 'Successful');
  const running = world.aws.instances().filter(({ state }) => state === 'running');
  assert.deepEqual(
    running.map(({ instanceId }) => instanceId === before?.instanceId),
    [false],
  );
});

test('Spot Instances are wanted back some day', () => {
  const world = smallAws({ spotLifeMs: 3_600_000 });
  for (let made = 0; made < 5; made++) world.launch({ isSpot: true });
  world.launch();
  world.pass(24 * 3_600_000);
  const states = world.aws.instances().map(({ state, isSpot }) => `${state} ${String(isSpot)}`);
  assert.deepEqual(states, ['running false']);
  assert.equal(world.events.filter((event) => event.startsWith('spot-')).length, 5);
});

test('what CloudTrail tells comes minutes later, refusals too', () => {
  const world = smallAws();
  const id = world.launch();
  world.output('ec2', 'TerminateInstances', { InstanceIds: [id] });
  world.refusal('ec2', 'TerminateInstances', { InstanceIds: ['i-0123456789abcdef0'] });
  const events = () => {
    const attribute = { AttributeKey: 'EventName', AttributeValue: 'TerminateInstances' };
    return listAt(
      world.output('cloudtrail', 'LookupEvents', { LookupAttributes: [attribute] }),
      'Events',
    );
  };
  assert.equal(events().length, 0);
  world.pass(3_600_000);
  const told = events().map(
    (event) => JSON.parse(textAt(event, 'CloudTrailEvent') ?? '{}') as object,
  );
  assert.equal(told.length, 2);
  assert.match(JSON.stringify(told), /"errorCode":"Client\.InvalidInstanceID\.NotFound"/);
  assert.equal(textAt(listAt(events()[0], 'Resources')[0], 'ResourceType'), 'AWS::EC2::Instance');
});
