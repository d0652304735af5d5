/** What moto and the simulated AWS must both do with machines and their interfaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientsOf, codeOf, launch, placeOf, type WireAwsSubjects } from './wire-clients.ts';

/** Declares the tests of one AWS. */
export function machineContract(subjects: WireAwsSubjects): void {
  lifeContract(subjects);
  findContract(subjects);
  interfaceContract(subjects);
}

function lifeContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: an instance is launched, found by its name, and ended`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2, pass } = clients;
    const id = await launch(clients);
    await pass(60_000);
    const { Reservations = [] } = await ec2.describeInstances({ InstanceIds: [id] });
    const [instance] = Reservations[0]?.Instances ?? [];
    assert.deepEqual(instance?.State, { Code: 16, Name: 'running' });
    const host = `ip-${(instance.PrivateIpAddress ?? '').replaceAll('.', '-')}`;
    assert.equal(instance.PrivateDnsName, `${host}.us-west-2.compute.internal`);
    const byName = await ec2.describeInstances({
      Filters: [
        { Name: 'private-dns-name', Values: [instance.PrivateDnsName ?? ''] },
        { Name: 'instance-state-name', Values: ['pending', 'running'] },
      ],
    });
    assert.equal(byName.Reservations?.[0]?.Instances?.[0]?.InstanceId, id);
    const ended = await ec2.terminateInstances({ InstanceIds: [id] });
    const [change] = ended.TerminatingInstances ?? [];
    assert.deepEqual(change?.PreviousState, { Code: 16, Name: 'running' });
    assert.deepEqual(change.CurrentState, { Code: 32, Name: 'shutting-down' });
  });

  test(`${name}: instances stop and start again`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2, pass } = clients;
    const InstanceIds = [await launch(clients)];
    await pass(60_000);
    const stopped = await ec2.stopInstances({ InstanceIds });
    assert.equal(stopped.StoppingInstances?.[0]?.CurrentState?.Name, 'stopping');
    await pass(300_000);
    const started = await ec2.startInstances({ InstanceIds });
    assert.equal(started.StartingInstances?.[0]?.PreviousState?.Name, 'stopped');
    assert.equal(started.StartingInstances[0].CurrentState?.Name, 'pending');
  });
}

function findContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: tags are put on, found by and taken off`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2 } = clients;
    const id = await launch(clients);
    const tag = { Key: 'kubernetes.io/cluster/lab', Value: 'owned' };
    await ec2.createTags({ Resources: [id], Tags: [tag] });
    const ask = async () =>
      ec2.describeTags({ Filters: [{ Name: 'key', Values: ['kubernetes.io/cluster/*'] }] });
    assert.deepEqual((await ask()).Tags, [{ ...tag, ResourceId: id, ResourceType: 'instance' }]);
    const found = await ec2.describeInstances({
      Filters: [{ Name: `tag:${tag.Key}`, Values: ['owned'] }],
    });
    assert.equal(found.Reservations?.[0]?.Instances?.[0]?.InstanceId, id);
    await ec2.deleteTags({ Resources: [id], Tags: [{ Key: tag.Key }] });
    assert.deepEqual((await ask()).Tags, []);
  });

  test(`${name}: what one asks of instances that are not there`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2 } = clients;
    const InstanceIds = ['i-0123456789abcdef0'];
    const place = await placeOf(clients);
    const wanted = { ...place, InstanceType: 'm5.large', MinCount: 1, MaxCount: 1 } as const;
    const codes = await Promise.all([
      codeOf(ec2.describeInstances({ InstanceIds })),
      codeOf(ec2.terminateInstances({ InstanceIds })),
      codeOf(ec2.stopInstances({ InstanceIds })),
      codeOf(ec2.runInstances({ ...wanted, SubnetId: 'subnet-00000000' })),
    ]);
    const missing = 'InvalidInstanceID.NotFound';
    assert.deepEqual(codes, [missing, missing, missing, 'InvalidSubnetID.NotFound']);
  });

  test(`${name}: pages of instances`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    for (let made = 0; made < 6; made++) await launch(clients);
    const first = await clients.ec2.describeInstances({ MaxResults: 5 });
    assert.equal(first.Reservations?.length, 5);
    assert.ok(first.NextToken !== undefined);
    const last = await clients.ec2.describeInstances({ MaxResults: 5, NextToken: first.NextToken });
    assert.deepEqual([last.Reservations?.length, last.NextToken], [1, undefined]);
  });
}

function interfaceContract({ name, skip, open }: WireAwsSubjects): void {
  test(`${name}: an interface from its creation to its end`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2, pass } = clients;
    const InstanceId = await launch(clients);
    await pass(60_000);
    const { SubnetId } = await placeOf(clients);
    const Description = `aws-K8S-${InstanceId}`;
    const made = await ec2.createNetworkInterface({ SubnetId, Description });
    const NetworkInterfaceId = made.NetworkInterface?.NetworkInterfaceId ?? '';
    const status = async (): Promise<string | undefined> => {
      const found = await ec2.describeNetworkInterfaces({
        NetworkInterfaceIds: [NetworkInterfaceId],
      });
      return found.NetworkInterfaces?.[0]?.Status;
    };
    assert.equal(await status(), 'available');
    const { AttachmentId } = await ec2.attachNetworkInterface({
      NetworkInterfaceId,
      InstanceId,
      DeviceIndex: 1,
    });
    assert.match(AttachmentId ?? '', /^eni-attach-/);
    assert.equal(await status(), 'in-use');
    await pass(60_000);
    await ec2.detachNetworkInterface({ AttachmentId });
    await pass(60_000);
    assert.equal(await status(), 'available');
    await ec2.deleteNetworkInterface({ NetworkInterfaceId });
    assert.equal(await codeOf(status()), 'InvalidNetworkInterfaceID.NotFound');
  });

  test(`${name}: addresses are added to an interface`, { skip }, async (t) => {
    const clients = clientsOf(t, await open(t));
    const { ec2 } = clients;
    const { SubnetId } = await placeOf(clients);
    const made = await ec2.createNetworkInterface({ SubnetId });
    const NetworkInterfaceId = made.NetworkInterface?.NetworkInterfaceId ?? '';
    await ec2.assignPrivateIpAddresses({ NetworkInterfaceId, SecondaryPrivateIpAddressCount: 2 });
    const found = await ec2.describeNetworkInterfaces({
      NetworkInterfaceIds: [NetworkInterfaceId],
    });
    const { PrivateIpAddresses = [] } = found.NetworkInterfaces?.[0] ?? {};
    assert.deepEqual(
      PrivateIpAddresses.map(({ Primary }) => Primary),
      [true, false, false],
    );
    const last = PrivateIpAddresses.at(-1)?.PrivateIpAddress ?? '';
    await ec2.unassignPrivateIpAddresses({ NetworkInterfaceId, PrivateIpAddresses: [last] });
    const after = await ec2.describeNetworkInterfaces({
      NetworkInterfaceIds: [NetworkInterfaceId],
    });
    assert.equal(after.NetworkInterfaces?.[0]?.PrivateIpAddresses?.length, 2);
  });
}
