import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askKeys } from '../../src/collection/aws-keys.ts';
import { askLaunches } from '../../src/collection/aws-launches.ts';
import { askStacks } from '../../src/collection/aws-stacks.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { FakeAws } from '../ports/fake/aws-api.ts';
import { asked } from './asked.ts';
import type { AutoScalingGroup, ScalingActivity } from '../../src/evidence/aws/groups.ts';
import type { Instance, LaunchTemplateVersion } from '../../src/evidence/aws/instance.ts';
import { awsOf } from '../../src/evidence/testing.ts';

const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/0d1c2b3a-4958-6f7e-8a9b-0c1d2e3f4a5b';
const ERROR = 'Termination Reason: Client.InternalError: Client error on launch';

function activity(StatusMessage: string): ScalingActivity {
  const given = { AutoScalingGroupName: 'workers', StatusCode: 'Cancelled', StatusMessage };
  return awsOf('aws/scaling-activity', given);
}

function template(KmsKeyId: string): LaunchTemplateVersion {
  const BlockDeviceMappings = [{ Ebs: { Encrypted: true, KmsKeyId } }];
  return awsOf('aws/launch-template-version', { LaunchTemplateData: { BlockDeviceMappings } });
}

function answerKeys(aws: FakeAws): void {
  aws.answer('ec2:GetEbsDefaultKmsKeyId', () => [{ KmsKeyId: KEY }]);
  aws.answer('kms:DescribeKey', () => [{ KeyMetadata: { Arn: KEY, KeyState: 'Disabled' } }]);
  aws.answer('kms:GetKeyPolicy', () => [{ Policy: '{}', PolicyName: 'default' }]);
}

const keyCases = [
  {
    title: 'a template names the key, and the failure is a client error',
    launches: { activities: [activity(ERROR)], templates: [template(KEY), template(KEY)] },
    calls: ['kms:DescribeKey 1', 'kms:GetKeyPolicy 1'],
  },
  {
    title: 'nothing names a key, so the default of the region is looked at',
    launches: { activities: [activity(ERROR)], templates: [] },
    calls: ['ec2:GetEbsDefaultKmsKeyId 1', 'kms:DescribeKey 1', 'kms:GetKeyPolicy 1'],
  },
  {
    title: 'a failure that no key explains asks nothing',
    launches: {
      activities: [activity('InsufficientInstanceCapacity')],
      templates: [template(KEY)],
    },
    calls: [],
  },
];

for (const { title, launches, calls } of keyCases) {
  test(`keys: ${title}`, async () => {
    const { activities, templates } = launches;
    const given = { instances: [], activities, templates };
    const told = await asked(answerKeys, async (ask) => askKeys(ask, given));
    assert.deepEqual(told.calls, calls);
  });
}

test('keys: a refusal names the permission', async () => {
  const given = {
    instances: [],
    activities: [activity(ERROR)],
    templates: [template(KEY)],
  };
  const prepare = (aws: FakeAws): void => {
    answerKeys(aws);
    aws.refuse('kms:DescribeKey', 'denied');
  };
  const { refusals } = await asked(prepare, async (ask) => askKeys(ask, given));
  assert.deepEqual(
    refusals.map(({ permission }) => permission),
    ['kms:DescribeKey'],
  );
});

function group(name: string, states: readonly string[]): AutoScalingGroup {
  return awsOf('aws/auto-scaling-group', {
    AutoScalingGroupName: name,
    Instances: states.map((LifecycleState) => ({ LifecycleState })),
    Tags: [{ Key: 'aws:cloudformation:stack-name', Value: `stack-of-${name}` }],
  });
}

test('hooks are read of groups with a machine that waits, spot requests of machines that ended', async () => {
  const spot = (InstanceId: string, Name: string): Instance => {
    return awsOf('aws/instance', { InstanceId, InstanceLifecycle: 'spot', State: { Name } });
  };
  const inputs: JsonObject[] = [];
  const { calls } = await asked(
    (aws) => {
      aws.answer('autoscaling:DescribeScalingActivities', () => [{ Activities: [] }]);
      aws.answer('autoscaling:DescribeLifecycleHooks', () => [{ LifecycleHooks: [] }]);
      aws.answer('ec2:DescribeSpotInstanceRequests', (input) => {
        inputs.push(input);
        return [{ SpotInstanceRequests: [] }];
      });
    },
    async (ask) =>
      askLaunches(
        ask,
        [group('a', ['InService']), group('b', ['InService', 'Pending:Wait'])],
        [
          spot('i-0aaaaaaaaaaaaaaa1', 'running'),
          spot('i-0aaaaaaaaaaaaaaa2', 'terminated'),
          spot('i-0aaaaaaaaaaaaaaa3', 'stopped'),
        ],
        NOW_MS,
      ),
  );
  assert.deepEqual(calls, [
    'autoscaling:DescribeLifecycleHooks 1',
    'autoscaling:DescribeScalingActivities 2',
    'ec2:DescribeSpotInstanceRequests 1',
  ]);
  const ids = ['i-0aaaaaaaaaaaaaaa2', 'i-0aaaaaaaaaaaaaaa3'];
  assert.deepEqual(inputs, [{ Filters: [{ Name: 'instance-id', Values: ids }] }]);
});

const NOW_MS = Date.UTC(2026, 10, 20, 9);

async function stacksAsked(stacks: readonly JsonObject[], groups: readonly AutoScalingGroup[]) {
  const names: unknown[] = [];
  const { calls } = await asked(
    (aws) => {
      aws.answer('cloudformation:ListStacks', () => [{ StackSummaries: [...stacks] }]);
      aws.answer('cloudformation:DescribeStackEvents', ({ StackName }) => {
        names.push(StackName);
        return [{ StackEvents: [] }];
      });
    },
    async (ask) =>
      askStacks(ask, { cluster: 'shop', groups, instances: [], description: [], nowMs: NOW_MS }),
  );
  return { calls, names };
}

test('events are read of stacks of the cluster that changed in the last day', async () => {
  const stack = (StackName: string, CreationTime: string): JsonObject => {
    return { StackName, CreationTime, StackStatus: 'ROLLBACK_COMPLETE' };
  };
  const { names } = await stacksAsked(
    [
      stack('stack-of-a', '2026-11-20T08:00:00.000Z'),
      stack('eksctl-shop-nodegroup-gpu', '2026-11-20T08:30:00.000Z'),
      stack('eksctl-shop-nodegroup-old', '2025-01-01T00:00:00.000Z'),
      stack('somebody-elses', '2026-11-20T08:30:00.000Z'),
    ],
    [group('a', [])],
  );
  assert.deepEqual(names, ['eksctl-shop-nodegroup-gpu', 'stack-of-a']);
});

test('refreshes are read of groups whose machines differ, prices where a launch failed for them', async () => {
  const of = (name: string, versions: readonly string[]): AutoScalingGroup =>
    awsOf('aws/auto-scaling-group', {
      AutoScalingGroupName: name,
      AvailabilityZones: ['eu-west-1a'],
      Instances: versions.map((Version) => ({
        InstanceType: 'm6i.large',
        LifecycleState: 'InService',
        LaunchTemplate: { LaunchTemplateId: 'lt-0a1b2c3d4e5f60718', Version },
      })),
    });
  const inputs: JsonObject[] = [];
  const tell = (status: string) => async (): Promise<readonly string[]> => {
    const { calls } = await asked(
      (aws) => {
        aws.answer('autoscaling:DescribeScalingActivities', ({ AutoScalingGroupName = '' }) => [
          { Activities: [{ AutoScalingGroupName, StatusMessage: status }] },
        ]);
        aws.answer('autoscaling:DescribeInstanceRefreshes', () => [{ InstanceRefreshes: [] }]);
        aws.answer('ec2:DescribeSpotPriceHistory', (input) => {
          inputs.push(input);
          return [{ SpotPriceHistory: [] }];
        });
      },
      async (ask) => askLaunches(ask, [of('a', ['1', '1']), of('b', ['1', '2'])], [], NOW_MS),
    );
    return calls;
  };
  assert.deepEqual(await tell('Success')(), [
    'autoscaling:DescribeInstanceRefreshes 1',
    'autoscaling:DescribeScalingActivities 2',
  ]);
  assert.deepEqual(
    (await tell('SpotMaxPriceTooLow - lower')()).at(-1),
    'ec2:DescribeSpotPriceHistory 1',
  );
  assert.equal(inputs[0]?.['StartTime'], '2026-11-20T08:00:00Z');
});

test('a cluster that no stack made asks CloudFormation nothing', async () => {
  const { calls } = await stacksAsked(
    [],
    [awsOf('aws/auto-scaling-group', { AutoScalingGroupName: 'a', Tags: [] })],
  );
  assert.deepEqual(calls, []);
});
