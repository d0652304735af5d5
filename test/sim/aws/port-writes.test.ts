/** Writes to the model keep the contract of every `AwsWrites`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../../src/adapters/aws/testing.ts';
import { textAt } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { awsPort } from '../../../src/sim/aws/port.ts';
import { type AwsWritesOptions, awsWritesPort } from '../../../src/sim/aws/port-writes.ts';
import { type AwsWritesSubject, awsWritesContract } from '../../ports/aws-writes.contract.ts';
import { smallAws, type SmallAws } from './world.ts';

function interfaceIn({ output, subnetIds }: SmallAws): string {
  const made = output('ec2', 'CreateNetworkInterface', { SubnetId: subnetIds[0] });
  return textAt(made, 'NetworkInterface.NetworkInterfaceId') ?? '';
}

interface Simulated extends AwsWritesSubject {
  readonly world: SmallAws;
}

function simulated(hooks: Pick<AwsWritesOptions, 'loses'> = {}): Simulated {
  const world = smallAws();
  const { aws: cloud, admin: identity } = world;
  const options = { cloud, identity, clock: testClock() };
  return {
    world,
    aws: awsPort(options),
    writes: awsWritesPort({ ...options, ...hooks }),
    createInterface: async () => interfaceIn(world),
    deny: (permission) => {
      cloud.controls.deny(permission);
    },
    throttle: (permission) => {
      cloud.controls.throttle(permission);
    },
  };
}

awsWritesContract({ name: 'simulated', skip: false, open: async () => simulated() });

test('a write whose answer is lost has taken effect', async () => {
  const lost = new PortError({ failure: 'unclear', message: 'lost' });
  const { writes, world, createInterface } = simulated({ loses: () => lost });
  const NetworkInterfaceId = await createInterface();
  const input = { NetworkInterfaceId };
  const call = { service: 'ec2', operation: 'DeleteNetworkInterface', input } as const;
  await assert.rejects(writes.write(call, { isDryRun: false, token: 't' }), lost);
  const ids = { NetworkInterfaceIds: [NetworkInterfaceId] };
  assert.match(world.refusal('ec2', 'DescribeNetworkInterfaces', ids), /NotFound/);
});

test('an interface in use is a conflict', async () => {
  const { writes, world } = simulated();
  const instance = world.launch();
  const shown = JSON.stringify(
    world.output('ec2', 'DescribeInstances', { InstanceIds: [instance] }),
  );
  const NetworkInterfaceId = /"NetworkInterfaceId":"(eni-[0-9a-f]+)"/.exec(shown)?.[1] ?? '';
  const input = { NetworkInterfaceId };
  const call = { service: 'ec2', operation: 'DeleteNetworkInterface', input } as const;
  await assert.rejects(writes.write(call, { isDryRun: false, token: 't' }), {
    failure: 'conflict',
  });
});
