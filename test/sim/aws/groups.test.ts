import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { smallAws, type SmallAws } from './world.ts';

function withGroup(desiredCapacity: number, more: { readonly isSpot?: boolean } = {}) {
  const world = smallAws({ isThrottled: false });
  const { aws, imageId, profileArn, subnetIds } = world;
  const launchTemplateId = aws.controls.createLaunchTemplate({
    name: 'workers',
    asked: { ImageId: imageId, InstanceType: 'm5.large', IamInstanceProfile: { Arn: profileArn } },
  });
  const name = 'workers';
  aws.controls.createAutoScalingGroup({
    name,
    launchTemplateId,
    subnetIds,
    desiredCapacity,
    ...more,
  });
  return world;
}

function members({ output }: SmallAws): readonly string[] {
  const [group] = listAt(output('autoscaling', 'DescribeAutoScalingGroups'), 'AutoScalingGroups');
  return listAt(group, 'Instances').map(
    (one) => `${textAt(one, 'InstanceId') ?? ''} ${textAt(one, 'LifecycleState') ?? ''}`,
  );
}

function activities({ output }: SmallAws): readonly string[] {
  const answer = output('autoscaling', 'DescribeScalingActivities');
  return listAt(answer, 'Activities').map(
    (one) =>
      `${textAt(one, 'StatusCode') ?? ''}: ${textAt(one, 'Cause') ?? ''} ${textAt(one, 'StatusMessage') ?? ''}`,
  );
}

test('a group launches what it lacks, over its zones, and they get into service', () => {
  const world = withGroup(4);
  assert.deepEqual(members(world), []);
  world.pass(120_000);
  assert.deepEqual(
    members(world).map((one) => one.split(' ')[1]),
    Array.from({ length: 4 }, () => 'InService'),
  );
  const zones = world.aws.instances().map(({ zone }) => zone);
  assert.deepEqual(zones.toSorted(), ['us-west-2a', 'us-west-2a', 'us-west-2b', 'us-west-2b']);
  const [tags] = world.aws.instances().map((one) => one.tags);
  assert.equal(tags?.['aws:autoscaling:groupName'], 'workers');
  assert.ok(activities(world).every((one) => one.startsWith('Successful: At 2026-03-02T09:00:0')));
});

test('replaces a terminated member and records the reason in the activities', () => {
  const world = withGroup(1);
  world.pass(120_000);
  const [before = ''] = members(world);
  world.output('ec2', 'TerminateInstances', { InstanceIds: [before.split(' ')[0] ?? ''] });
  world.pass(600_000);
  const after = members(world);
  assert.equal(after.length, 1);
  assert.notEqual(after[0], before);
  assert.match(activities(world).join('\n'), /EC2 health check indicating it has been terminated/);
});

test('a smaller group ends its surplus', () => {
  const world = withGroup(3);
  world.pass(120_000);
  world.output('autoscaling', 'SetDesiredCapacity', {
    AutoScalingGroupName: 'workers',
    DesiredCapacity: 1,
  });
  world.pass(600_000);
  assert.equal(members(world).length, 1);
  const states = world.aws.instances().map(({ state }) => state);
  assert.deepEqual(states.toSorted(), ['running', 'terminated', 'terminated']);
});

test('sizes outside the limits are refused', () => {
  const { refusal } = withGroup(1);
  const input = { AutoScalingGroupName: 'workers', DesiredCapacity: 11 };
  assert.equal(refusal('autoscaling', 'SetDesiredCapacity', input), 'ValidationError');
  const unknown = { AutoScalingGroupName: 'none', DesiredCapacity: 1 };
  assert.equal(refusal('autoscaling', 'SetDesiredCapacity', unknown), 'ValidationError');
});

test('without capacity the launch fails, says so, and is tried again until there is some', () => {
  const world = withGroup(1);
  for (const zone of ['us-west-2a', 'us-west-2b'])
    world.aws.controls.limitCapacity({ instanceType: 'm5.large', zone, isSpot: false }, 0);
  world.pass(300_000);
  assert.deepEqual(members(world), []);
  const failed = activities(world);
  assert.ok(failed.length >= 2 && failed.length < 8, `${failed.length} tries`);
  assert.match(
    failed[0] ?? '',
    /^Failed: .*InsufficientInstanceCapacity.*Launching EC2 instance failed\.$/,
  );
  world.aws.controls.limitCapacity(
    { instanceType: 'm5.large', zone: 'us-west-2b', isSpot: false },
    5,
  );
  world.pass(900_000);
  assert.equal(members(world).length, 1);
});

test('a spot wave: notices two minutes ahead, then the end, then others in their place', () => {
  const world = withGroup(3, { isSpot: true });
  world.pass(120_000);
  const before = world.aws.instances().map(({ instanceId }) => instanceId);
  for (const id of before) world.aws.controls.interruptSpot(id);
  const [first = ''] = before;
  assert.equal(world.aws.instance(first)?.state, 'running');
  const action = world.aws.metadata.answer(first, {
    method: 'GET',
    path: '/latest/meta-data/spot/instance-action',
    headers: {},
    hops: 0,
  });
  assert.equal(action?.status, 200);
  assert.match(action.body, /"action":"terminate","time":"2026-03-02T09:04:00Z"/);
  world.pass(120_000);
  assert.equal(world.aws.instance(first)?.state, 'shutting-down');
  world.pass(600_000);
  const running = world.aws.instances().filter(({ state }) => state === 'running');
  assert.equal(running.length, 3);
  assert.ok(running.every(({ instanceId }) => !before.includes(instanceId)));
  const requests = listAt(
    world.output('ec2', 'DescribeSpotInstanceRequests'),
    'SpotInstanceRequests',
  );
  const codes = requests.map((one) => textAt(one, 'Status.Code'));
  assert.equal(codes.filter((code) => code === 'instance-terminated-no-capacity').length, 3);
  const notices = world.events.filter((event) => event.startsWith('spot-interruption-notice'));
  assert.equal(notices.length, 3);
});

test('prices of a pool change now and then and repeat unchanged', () => {
  const world = smallAws();
  const ask = () =>
    world.output('ec2', 'DescribeSpotPriceHistory', { InstanceTypes: ['m5.large'] });
  const before = JSON.stringify(listAt(ask(), 'SpotPriceHistory')).slice(1, -1);
  assert.ok(before.length > 1000);
  world.pass(48 * 3_600_000);
  const after = JSON.stringify(ask());
  const oldest = before.split('},{').at(-1)?.slice(0, 80) ?? '';
  assert.ok(!after.startsWith(before));
  assert.match(oldest, /AvailabilityZone/);
  const now = new Date(world.kernel.nowMs()).toISOString();
  const current = world.output('ec2', 'DescribeSpotPriceHistory', {
    InstanceTypes: ['m5.large'],
    AvailabilityZone: 'us-west-2a',
    StartTime: now,
  });
  assert.equal(listAt(current, 'SpotPriceHistory').length, 1);
});

test('a fleet takes what there is and tells of the pools that had nothing', () => {
  const world = smallAws();
  const { aws, imageId, subnetIds } = world;
  const template = aws.controls.createLaunchTemplate({
    name: 'karpenter',
    asked: { ImageId: imageId },
  });
  const specification = { LaunchTemplateId: template, Version: '$Latest' };
  const overrides = ['m5.large', 'm6i.large'].map((InstanceType) => ({
    InstanceType,
    SubnetId: subnetIds[0],
  }));
  for (const isSpot of [true, false])
    aws.controls.limitCapacity({ instanceType: 'm5.large', zone: 'us-west-2a', isSpot }, 0);
  const answer = world.output('ec2', 'CreateFleet', {
    Type: 'instant',
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: specification, Overrides: overrides }],
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
  });
  const [made] = listAt(answer, 'Instances');
  assert.equal(textAt(made, 'InstanceType'), 'm6i.large');
  assert.equal(textAt(listAt(answer, 'Errors')[0], 'ErrorCode'), 'InsufficientInstanceCapacity');
});
