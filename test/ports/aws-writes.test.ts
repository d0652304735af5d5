/** Writes through the SDK to moto, held to the contract of every `AwsWrites`. */
import { after, type TestContext } from 'node:test';
import { openAws } from '../../src/adapters/aws/open.ts';
import { testClock } from '../../src/adapters/aws/testing.ts';
import { openAwsWrites } from '../../src/adapters/aws/writes.ts';
import { awsEnvironment, type Moto, startMoto, THROTTLED, unauthorized } from '../real/moto.ts';
import { missing } from '../real/parts.ts';
import { type AwsWritesSubject, awsWritesContract } from './aws-writes.contract.ts';

const skip = missing('moto');
let running: Promise<Moto> | null = null;

after(async () => {
  await (await running)?.stop();
});

awsWritesContract({ name: 'moto', skip, open: overHttp });

async function overHttp(t: TestContext): Promise<AwsWritesSubject> {
  running ??= startMoto();
  const moto = await running;
  await moto.reset();
  const options = {
    region: null,
    profile: null,
    env: awsEnvironment(moto.url),
    clock: testClock(),
    random: { next: () => 0.5 },
  };
  const [aws, writes] = [openAws(options), openAwsWrites(options)];
  t.after(() => {
    aws.close();
    writes.close();
  });
  return {
    aws,
    writes,
    createInterface: () => interfaceIn(moto),
    deny: (permission) => {
      moto.refuse(actionOf(permission), unauthorized(actionOf(permission)));
    },
    throttle: (permission) => {
      moto.refuse(actionOf(permission), THROTTLED);
    },
  };
}

function actionOf(permission: string): string {
  return permission.slice(permission.indexOf(':') + 1);
}

async function interfaceIn(moto: Moto): Promise<string> {
  const subnets = await moto.ec2('DescribeSubnets');
  const SubnetId = /<subnetId>(subnet-[0-9a-f]+)</.exec(subnets)?.[1] ?? '';
  const made = await moto.ec2('CreateNetworkInterface', { SubnetId });
  return /<networkInterfaceId>(eni-[0-9a-f]+)</.exec(made)?.[1] ?? 'none';
}
