import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { AddressBook } from '../../../src/sim/aws/addresses.ts';
import { createKernel } from '../../../src/sim/kernel/kernel.ts';
import { START_MS, smallAws, type SmallAws } from './world.ts';

const random = () => createKernel({ seed: 1, startMs: 0 }).random('test');
const block = (prefixLength: number) => new AddressBook({ first: 0x0a000000, prefixLength });

test('five addresses of a subnet belong to EC2', () => {
  const book = block(28);
  assert.equal(book.free, 11);
  const chance = random();
  const taken = Array.from({ length: 11 }, () => book.takeAny(chance));
  assert.equal(book.takeAny(chance), null);
  assert.deepEqual(
    taken.toSorted((a, b) => Number(a?.split('.')[3]) - Number(b?.split('.')[3])),
    Array.from({ length: 11 }, (_one, index) => `10.0.0.${index + 4}`),
  );
});

test('assigns an address once and again after its release', () => {
  const book = block(24);
  assert.equal(book.take('10.0.0.9'), true);
  assert.equal(book.take('10.0.0.9'), false);
  assert.equal(book.take('10.0.1.9'), false);
  book.release('10.0.0.9');
  assert.equal(book.isFree('10.0.0.9'), true);
  assert.equal(book.free, 251);
});

test('a prefix is sixteen aligned addresses that are all free', () => {
  const book = block(26);
  const chance = random();
  // The first block has the reserved addresses, the last one the broadcast address.
  const prefixes = [book.takePrefix(chance), book.takePrefix(chance), book.takePrefix(chance)];
  assert.deepEqual(new Set(prefixes), new Set(['10.0.0.16/28', '10.0.0.32/28', null]));
  assert.equal(book.free, 64 - 5 - 32);
  book.releasePrefix('10.0.0.16/28');
  assert.equal(book.free, 64 - 5 - 16);
});

test('a subnet with many free addresses may have no prefix', () => {
  const book = block(24);
  for (let address = 8; address < 256; address += 16) book.take(`10.0.0.${address}`);
  assert.equal(book.free, 251 - 16);
  assert.equal(book.takePrefix(random()), null);
});

function create({ output, subnetIds }: SmallAws, more = {}): string {
  const answer = output('ec2', 'CreateNetworkInterface', { SubnetId: subnetIds[0], ...more });
  return textAt(answer, 'NetworkInterface.NetworkInterfaceId') ?? '';
}

function statusOf({ output }: SmallAws, id: string): readonly (string | null)[] {
  const answer = output('ec2', 'DescribeNetworkInterfaces', { NetworkInterfaceIds: [id] });
  const [one] = listAt(answer, 'NetworkInterfaces');
  return [textAt(one, 'Status'), textAt(one, 'Attachment.Status')];
}

test('an interface is created, attached, detached and deleted, each in its time', () => {
  const world = smallAws();
  const instanceId = world.launch();
  world.pass(60_000);
  const id = create(world);
  assert.deepEqual(statusOf(world, id), ['available', null]);
  const attach = { NetworkInterfaceId: id, InstanceId: instanceId, DeviceIndex: 1 };
  const { AttachmentId = '' } = world.output('ec2', 'AttachNetworkInterface', attach);
  assert.deepEqual(statusOf(world, id), ['in-use', 'attaching']);
  assert.equal(
    world.refusal('ec2', 'AttachNetworkInterface', attach),
    'InvalidNetworkInterface.InUse',
  );
  assert.equal(
    world.refusal('ec2', 'DeleteNetworkInterface', { NetworkInterfaceId: id }),
    'InvalidParameterValue',
  );
  world.pass(30_000);
  assert.deepEqual(statusOf(world, id), ['in-use', 'attached']);
  assert.equal(world.aws.instance(instanceId)?.interfaces.length, 2);
  world.output('ec2', 'DetachNetworkInterface', { AttachmentId });
  assert.deepEqual(statusOf(world, id), ['in-use', 'detaching']);
  world.pass(60_000);
  assert.deepEqual(statusOf(world, id), ['available', null]);
  world.output('ec2', 'DeleteNetworkInterface', { NetworkInterfaceId: id });
  assert.equal(
    world.refusal('ec2', 'DescribeNetworkInterfaces', { NetworkInterfaceIds: [id] }),
    'InvalidNetworkInterfaceID.NotFound',
  );
});

test('an instance takes as many interfaces and addresses as its type has', () => {
  const world = smallAws({ isThrottled: false });
  const InstanceId = world.launch({ instanceType: 't3.small' });
  world.pass(60_000);
  const attach = (NetworkInterfaceId: string, DeviceIndex: number): string =>
    world.refusal('ec2', 'AttachNetworkInterface', { NetworkInterfaceId, InstanceId, DeviceIndex });
  const first = create(world);
  assert.equal(attach(first, 1), 'none');
  assert.equal(attach(create(world), 1), 'InvalidParameterValue');
  assert.equal(attach(create(world), 2), 'none');
  assert.equal(attach(create(world), 3), 'AttachmentLimitExceeded');
  const assign = (SecondaryPrivateIpAddressCount: number): string =>
    world.refusal('ec2', 'AssignPrivateIpAddresses', {
      NetworkInterfaceId: first,
      SecondaryPrivateIpAddressCount,
    });
  assert.equal(assign(3), 'none');
  assert.equal(assign(1), 'PrivateIpAddressLimitExceeded');
});

test('an interface of another zone is not attached', () => {
  const world = smallAws();
  const InstanceId = world.launch();
  world.pass(60_000);
  const NetworkInterfaceId = create(world, { SubnetId: world.subnetIds[1] });
  const input = { NetworkInterfaceId, InstanceId, DeviceIndex: 1 };
  assert.equal(
    world.refusal('ec2', 'AttachNetworkInterface', input),
    'InvalidParameterCombination',
  );
});

test('a full subnet launches nothing and gives nothing', () => {
  const world = smallAws({ isThrottled: false });
  const { aws, subnetIds, imageId } = world;
  aws.controls.exhaustSubnet(subnetIds[0], 1);
  const wanted = {
    SubnetId: subnetIds[0],
    ImageId: imageId,
    InstanceType: 'm5.large',
    MaxCount: 1,
  };
  assert.equal(
    world.refusal('ec2', 'CreateNetworkInterface', {
      SubnetId: subnetIds[0],
      SecondaryPrivateIpAddressCount: 1,
    }),
    'InsufficientFreeAddressesInSubnet',
  );
  assert.equal(world.refusal('ec2', 'RunInstances', wanted), 'none');
  assert.equal(world.refusal('ec2', 'RunInstances', wanted), 'InsufficientFreeAddressesInSubnet');
});

test('releases addresses one by one, never the primary one or a foreign one', () => {
  const world = smallAws({ isThrottled: false });
  const id = create(world, { SecondaryPrivateIpAddressCount: 2, Ipv4PrefixCount: 1 });
  const addresses = world.aws.controls.account.interfaces.get(id)?.addresses ?? [];
  const prefixes = world.aws.controls.account.interfaces.get(id)?.prefixes ?? [];
  const unassign = (more: object): string =>
    world.refusal('ec2', 'UnassignPrivateIpAddresses', { NetworkInterfaceId: id, ...more });
  assert.equal(unassign({ PrivateIpAddresses: [addresses[0] ?? ''] }), 'InvalidParameterValue');
  assert.equal(unassign({ PrivateIpAddresses: ['10.0.0.250'] }), 'InvalidParameterValue');
  assert.equal(unassign({ PrivateIpAddresses: addresses.slice(1) }), 'none');
  assert.equal(unassign({ Ipv4Prefixes: prefixes }), 'none');
  const subnets = listAt(world.output('ec2', 'DescribeSubnets'), 'Subnets');
  assert.equal(textAt(subnets[0], 'AvailableIpAddressCount'), '250');
});

test('what a killed CNI leaves behind is available, tagged and dated', () => {
  const world = smallAws();
  const ids = world.aws.controls.leakInterfaces(world.subnetIds[0], 2);
  const answer = world.output('ec2', 'DescribeNetworkInterfaces', {
    Filters: [
      { Name: 'tag-key', Values: ['node.k8s.amazonaws.com/instance_id'] },
      { Name: 'status', Values: ['available'] },
    ],
  });
  const rows = listAt(answer, 'NetworkInterfaces');
  assert.deepEqual(new Set(rows.map((row) => textAt(row, 'NetworkInterfaceId'))), new Set(ids));
  const text = JSON.stringify(rows);
  assert.match(text, /"Description":"aws-K8S-i-[0-9a-f]{17}"/);
  assert.ok(text.includes(new Date(START_MS).toISOString()));
});
