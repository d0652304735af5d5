/** The port over the model keeps the contract of every AWS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../../src/adapters/aws/testing.ts';
import { awsPort } from '../../../src/sim/aws/port.ts';
import { awsContract, type AwsSubject } from '../../ports/aws-api.contract.ts';
import { smallAws } from './world.ts';

awsContract({ name: 'simulated', skip: false, open: async () => simulated() });

function simulated(): AwsSubject {
  const { aws, admin, launch } = smallAws();
  return {
    aws: awsPort({ cloud: aws, identity: admin, clock: testClock() }),
    launch: async (count) => Array.from({ length: count }, () => launch()),
    deny: (permission) => {
      aws.controls.deny(permission);
    },
    throttle: (permission, times) => {
      aws.controls.throttle(permission, times);
    },
  };
}

test('a paused world answers at once and plans nothing', async () => {
  const { aws, admin, kernel, launch } = smallAws();
  launch();
  const before = [kernel.nowMs(), kernel.nextAtMs(), kernel.events()];
  const port = awsPort({ cloud: aws, identity: admin, clock: kernel.clock(), pauseMs: 0 });
  aws.controls.throttle('ec2:DescribeInstances', 2);
  const pages = [];
  const call = { service: 'ec2', operation: 'DescribeInstances', input: {} } as const;
  for await (const page of port.pages(call)) pages.push(page);
  assert.equal(pages.length, 1);
  assert.deepEqual([kernel.nowMs(), kernel.nextAtMs(), kernel.events()], before);
});

test('what no diagnosis needs is left out', async () => {
  const { aws, admin, launch, output, pass } = smallAws();
  output('ec2', 'TerminateInstances', { InstanceIds: [launch()] });
  pass(3_600_000);
  const port = awsPort({ cloud: aws, identity: admin, clock: testClock() });
  const texts: string[] = [];
  for (const [service, operation] of [
    ['ecr', 'GetAuthorizationToken'],
    ['cloudtrail', 'LookupEvents'],
  ] as const) {
    for await (const page of port.pages({ service, operation, input: {} }))
      texts.push(JSON.stringify(page));
  }
  assert.match(texts.join('\n'), /"proxyEndpoint"[^]*"EventName":"TerminateInstances"/);
  assert.doesNotMatch(texts.join('\n'), /authorizationToken|CloudTrailEvent/);
});
