import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { LATE } from '../../../src/sim/aws/options.ts';
import { smallAws, type SmallAws } from './world.ts';

function shown({ output }: SmallAws, instanceId: string): JsonObject {
  const answer = output('ec2', 'DescribeInstances', { InstanceIds: [instanceId] });
  const [instance] = listAt(listAt(answer, 'Reservations')[0], 'Instances');
  return isObject(instance) ? instance : {};
}

test('an instance is pending, runs, shuts down, terminates and disappears from the list', () => {
  const world = smallAws();
  const id = world.launch();
  const states = () => textAt(shown(world, id), 'State.Name');
  assert.equal(states(), 'pending');
  world.pass(60_000);
  assert.equal(states(), 'running');
  world.output('ec2', 'TerminateInstances', { InstanceIds: [id] });
  assert.equal(states(), 'shutting-down');
  world.pass(180_000);
  assert.equal(states(), 'terminated');
  assert.equal(textAt(shown(world, id), 'PrivateDnsName'), '');
  world.pass(3_700_000);
  assert.equal(
    world.refusal('ec2', 'DescribeInstances', { InstanceIds: [id] }),
    'InvalidInstanceID.NotFound',
  );
  assert.deepEqual(world.events, [
    `instance-pending ${id}`,
    `instance-running ${id}`,
    `instance-stopping ${id}`,
    `instance-terminated ${id}`,
  ]);
});

test('an instance that ends gives its address back', () => {
  const world = smallAws();
  const free = () =>
    textAt(listAt(world.output('ec2', 'DescribeSubnets'), 'Subnets')[0], 'AvailableIpAddressCount');
  assert.equal(free(), '251');
  const id = world.launch();
  assert.equal(free(), '250');
  world.aws.controls.terminate(id);
  world.pass(300_000);
  assert.equal(free(), '251');
});

test('status checks pass some minutes after it runs', () => {
  const world = smallAws();
  const id = world.launch();
  world.pass(60_000);
  const check = () => {
    const answer = world.output('ec2', 'DescribeInstanceStatus', { InstanceIds: [id] });
    return textAt(listAt(answer, 'InstanceStatuses')[0], 'InstanceStatus.Status');
  };
  assert.equal(check(), 'initializing');
  world.pass(900_000);
  assert.equal(check(), 'ok');
});

test('a stopped instance keeps its address and its name when it starts again', () => {
  const world = smallAws();
  const id = world.launch();
  world.pass(60_000);
  const before = textAt(shown(world, id), 'PrivateDnsName');
  world.output('ec2', 'StopInstances', { InstanceIds: [id] });
  world.pass(300_000);
  assert.equal(world.aws.instance(id)?.state, 'stopped');
  world.output('ec2', 'StartInstances', { InstanceIds: [id] });
  world.pass(60_000);
  assert.equal(textAt(shown(world, id), 'PrivateDnsName'), before);
  assert.match(before ?? '', /^ip-10-0-0-\d+\.us-west-2\.compute\.internal$/);
});

test('names are those of EC2, whatever domain DHCP has, which the machine sees', () => {
  const { aws, imageId } = smallAws();
  const vpcId = aws.controls.createVpc({ cidr: '10.9.0.0/16', domainName: 'k8s.internal' });
  const subnetId = aws.controls.createSubnet({ vpcId, zone: 'us-west-2a', cidr: '10.9.0.0/28' });
  const id = aws.controls.launch({ instanceType: 'm5.large', imageId, subnetId });
  const host = `ip-${aws.instance(id)?.privateIp.replaceAll('.', '-')}`;
  assert.equal(aws.instance(id)?.privateDnsName, `${host}.us-west-2.compute.internal`);
  const request = { method: 'GET', path: '/latest/meta-data/local-hostname', headers: {}, hops: 0 };
  assert.deepEqual(aws.metadata.answer(id, { ...request, method: 'GET' }), {
    status: 200,
    body: `${host}.k8s.internal`,
  });
});

test('a resource name is the id and is missing without DNS hostnames', () => {
  const { aws, imageId, subnetIds } = smallAws();
  const launch = { instanceType: 'm5.large', imageId, subnetId: subnetIds[0] };
  const named = aws.controls.launch({ ...launch, hostnameType: 'resource-name' });
  assert.equal(aws.instance(named)?.privateDnsName, `${named}.us-west-2.compute.internal`);
  const vpcId = aws.controls.createVpc({ cidr: '10.9.0.0/16', hasHostnames: false });
  const subnetId = aws.controls.createSubnet({ vpcId, zone: 'us-west-2a', cidr: '10.9.0.0/28' });
  assert.equal(aws.instance(aws.controls.launch({ ...launch, subnetId }))?.privateDnsName, '');
});

test('a hidden instance is not found by id and not by name, and is there nevertheless', () => {
  const world = smallAws();
  const id = world.launch();
  const name = world.aws.instance(id)?.privateDnsName ?? '';
  const byName = { Filters: [{ Name: 'private-dns-name', Values: [name] }] };
  const found = () =>
    listAt(world.output('ec2', 'DescribeInstances', byName), 'Reservations').length;
  assert.equal(found(), 1);
  world.aws.controls.hideInstance(id, 30_000);
  assert.equal(found(), 0);
  assert.equal(
    world.refusal('ec2', 'DescribeInstances', { InstanceIds: [id] }),
    'InvalidInstanceID.NotFound',
  );
  world.pass(30_000);
  assert.equal(found(), 1);
});

test('tags may be late while the instance is there', () => {
  const world = smallAws();
  const id = world.launch();
  world.output('ec2', 'CreateTags', { Resources: [id], Tags: [{ Key: 'team', Value: 'a' }] });
  world.aws.controls.hideTags(id, 20_000);
  assert.deepEqual(shown(world, id)['Tags'], []);
  world.pass(20_000);
  assert.deepEqual(shown(world, id)['Tags'], [{ Key: 'team', Value: 'a' }]);
});

test('with a late API some calls miss a new instance, fewer as time passes', () => {
  const world = smallAws({ lag: LATE, isThrottled: false });
  world.pass(600_000);
  const id = world.launch();
  const missedOf = (calls: number): number =>
    Array.from({ length: calls }, () =>
      world.refusal('ec2', 'DescribeInstances', { InstanceIds: [id] }),
    ).filter((code) => code === 'InvalidInstanceID.NotFound').length;
  world.pass(1000);
  const early = missedOf(400);
  world.pass(59_000);
  const late = missedOf(400);
  assert.ok(early > 120 && early < 280, `${early} of 400 after a second`);
  assert.ok(late >= 0 && late < 20, `${late} of 400 after a minute`);
});

test('a launch is refused where a type, an image, a subnet or a profile is not there', () => {
  const { refusal, imageId, subnetIds } = smallAws({ isThrottled: false });
  const good = { ImageId: imageId, InstanceType: 'm5.large', SubnetId: subnetIds[0], MaxCount: 1 };
  const cases: readonly (readonly [JsonObject, string])[] = [
    [good, 'none'],
    [{ ...good, InstanceType: 'm5.huge' }, 'InvalidParameterValue'],
    [{ ...good, ImageId: 'ami-00000000' }, 'InvalidAMIID.NotFound'],
    [{ ...good, SubnetId: 'subnet-00000000' }, 'InvalidSubnetID.NotFound'],
    [{ ...good, IamInstanceProfile: { Name: 'none' } }, 'InvalidParameterValue'],
    [{ ...good, MaxCount: 0 }, 'InvalidParameterValue'],
    [{ ...good, DryRun: true }, 'DryRunOperation'],
  ];
  for (const [input, code] of cases) assert.equal(refusal('ec2', 'RunInstances', input), code);
});

test('the console is what the machine wrote', () => {
  const { aws, launch, output } = smallAws();
  const id = launch();
  aws.appendConsole(id, 'Linux version 6.1\n');
  aws.appendConsole(id, 'cloud-init\n');
  const { Output } = output('ec2', 'GetConsoleOutput', { InstanceId: id });
  assert.equal(Output, 'Linux version 6.1\ncloud-init\n');
});

test('the same seed gives the same cloud, another seed another one', () => {
  const told = (seed: number): string => {
    const world = smallAws({ seed, lag: LATE });
    const ids = [world.launch(), world.launch({ isSpot: true })];
    world.pass(90_000);
    world.aws.controls.terminate(ids[0] ?? '');
    world.pass(300_000);
    return JSON.stringify([world.events, world.output('ec2', 'DescribeInstances')]);
  };
  assert.equal(told(7), told(7));
  assert.notEqual(told(7), told(8));
});
