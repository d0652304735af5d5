import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import {
  capacityOf,
  familyOf,
  filledGroups,
  groupOfInstance,
  type LaunchFacts,
  launchOf,
  shortGroups,
  sizeOf,
  spotTypes,
  templateUse,
} from './launch.ts';
import { fact, awsOf } from '../../evidence/testing.ts';
import type { AutoScalingGroup } from '../../evidence/aws/groups.ts';

describe('the family of an image', () => {
  for (const [Name, Description, family] of [
    ['bottlerocket-aws-k8s-1.33-x86_64', '', 'bottlerocket'],
    ['Windows_Server-2022-English', '', 'windows'],
    ['amazon-eks-node-al2023-x86_64-standard-1.33', '', 'al2023'],
    ['own', 'built on Amazon Linux 2023', 'al2023'],
    ['own', 'AmazonLinux2023', 'al2023'],
    ['amazon-eks-node-1.31-v20250101', '', 'al2'],
    ['amazon-eks-gpu-node-1.31-v1', '', 'al2'],
    ['amazon-eks-arm64-node-1.31-v1', '', 'al2'],
    ['own', 'Amazon Linux 2 AMI', 'al2'],
    ['amzn2-ami-hvm', '', 'al2'],
    ['ubuntu-24.04', 'Ubuntu', null],
    ['myamzn2x', 'amazon linux 22', null],
    ['nowindows', '', null],
  ] as const)
    test(`of ${Name} ${Description} is ${family}`, () => {
      assert.equal(familyOf(awsOf('aws/image', { Name, Description })), family);
    });

  test('is unknown for an image without name and description', () => {
    assert.equal(familyOf(awsOf('aws/image', {})), null);
  });
});

describe('what an instance was launched with', () => {
  const own = { InstanceId: 'i-1', ImageId: 'ami-1' };
  const image = { ImageId: 'ami-1', Name: 'amazon-eks-node-1.31-v1' };

  function factsWith(change: {
    readonly id?: string | null;
    readonly instances?: readonly Json[];
    readonly images?: readonly Json[];
    readonly isSeen?: boolean;
  }): LaunchFacts {
    const lists: Readonly<Record<string, readonly Json[]>> = {
      'aws/instance': change.instances ?? [{ InstanceId: 'i-0', ImageId: 'ami-0' }, own],
      'aws/image': change.images ?? [{ ImageId: 'ami-0', Name: 'other' }, image],
    };
    const given = change.isSeen === false ? { state: 'absent' } : fact({ instanceId: 'i-1' });
    return {
      instanceId: change.id === undefined ? 'i-1' : change.id,
      read: (kind: string) => (kind === 'aws/user-data' ? given : { state: 'absent' }),
      list: (kind: string) => (lists[kind] ?? []).map(fact),
    } as unknown as LaunchFacts;
  }

  test('is its own instance, image and user data', () => {
    const launch = launchOf(factsWith({}));
    assert.deepEqual(
      [launch?.id, launch?.instance.value, launch?.image.value, launch?.imageName],
      ['i-1', own, image, image.Name],
    );
    assert.deepEqual([launch?.family, launch?.isPublished], ['al2', true]);
  });

  test('recognizes an EKS image by the start of its name', () => {
    const published = (Name: string): boolean | undefined =>
      launchOf(factsWith({ images: [{ ImageId: 'ami-1', Name }] }))?.isPublished;
    assert.equal(published('bottlerocket-aws-k8s-1.33'), true);
    assert.equal(published('my-amazon-eks-node'), false);
    assert.equal(launchOf(factsWith({ images: [{ ImageId: 'ami-1' }] }))?.imageName, '');
  });

  test('is unknown where one of the three is missing', () => {
    for (const change of [
      { id: null },
      { isSeen: false },
      { instances: [] },
      { images: [] },
      { instances: [{ InstanceId: 'i-1' }], images: [{ Name: 'no id' }] },
    ])
      assert.equal(launchOf(factsWith(change)), null, JSON.stringify(change));
  });
});

test('the group of an instance is in the tag of EC2 Auto Scaling', () => {
  const tag = { Key: 'aws:autoscaling:groupName', Value: 'workers' };
  assert.equal(
    groupOfInstance(awsOf('aws/instance', { Tags: [{ Key: 'Name', Value: 'x' }, tag] })),
    'workers',
  );
  assert.equal(
    groupOfInstance(awsOf('aws/instance', { Tags: [{ Key: 'Name', Value: 'x' }] })),
    null,
  );
});

const IN_SERVICE = { LifecycleState: 'InService' };

function group(
  desired: number,
  instances: readonly Json[],
  change: JsonObject = {},
): AutoScalingGroup {
  const name = { AutoScalingGroupName: `group-${desired}` };
  return awsOf('aws/auto-scaling-group', {
    ...name,
    DesiredCapacity: desired,
    Instances: instances,
    ...change,
  });
}

describe('the size of a group', () => {
  test('counts its instances in service, by their weights', () => {
    const entries = [
      IN_SERVICE,
      { ...IN_SERVICE, WeightedCapacity: '3' },
      { LifecycleState: 'Pending' },
    ];
    assert.deepEqual(sizeOf(group(5, entries)), { name: 'group-5', desired: 5, inService: 4 });
    assert.equal(capacityOf(group(5, entries), /Pending/), 1);
    assert.equal(capacityOf(group(5, []), /Pending/), 0);
    assert.equal(sizeOf(group(1, [{ LifecycleState: 'InServiceNot' }]))?.inService, 0);
    assert.equal(sizeOf(group(1, [{ LifecycleState: 'NotInService' }, {}]))?.inService, 0);
  });

  test('is unknown where it counts vCPUs or an unknown unit', () => {
    assert.equal(sizeOf(group(5, [], { DesiredCapacityType: 'vcpu' })), null);
    assert.equal(sizeOf(group(5, [], { DesiredCapacityType: 'subunits' })), null);
    assert.equal(sizeOf(group(5, [], { DesiredCapacityType: 'unitsx' })), null);
    assert.equal(sizeOf(group(5, [], { DesiredCapacityType: 'units' }))?.desired, 5);
    assert.equal(sizeOf(awsOf('aws/auto-scaling-group', { AutoScalingGroupName: 'a' })), null);
    assert.equal(sizeOf(awsOf('aws/auto-scaling-group', { DesiredCapacity: 5 })), null);
  });

  test('is filled when nothing is wanted more, and short when something is', () => {
    const [full, over, short] = [
      group(1, [IN_SERVICE]),
      group(0, [IN_SERVICE]),
      group(2, [IN_SERVICE]),
    ].map(fact);
    const none = fact(awsOf('aws/auto-scaling-group', {}));
    const all = [full, over, short, none].filter((one) => one !== undefined);
    assert.deepEqual([...filledGroups(all)], ['group-1', 'group-0']);
    const [only, ...more] = shortGroups(all, []);
    assert.equal(only?.group, short);
    assert.deepEqual(only?.size, { name: 'group-2', desired: 2, inService: 1 });
    assert.deepEqual([only.template, more], [null, []]);
  });
});

describe('the launch template of a group', () => {
  const own = { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'workers', Version: '3' };
  const mixed = (LaunchTemplateSpecification: Json): JsonObject => ({
    MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification } },
  });

  test('is its own, or that of its mixed instances policy', () => {
    const use = { id: 'lt-1', name: 'workers', version: '3' };
    assert.deepEqual(templateUse(awsOf('aws/auto-scaling-group', { LaunchTemplate: own })), use);
    assert.deepEqual(templateUse(awsOf('aws/auto-scaling-group', mixed(own))), use);
    const bare = { id: 'lt-2', name: '', version: '$Default' };
    assert.deepEqual(
      templateUse(awsOf('aws/auto-scaling-group', mixed({ LaunchTemplateId: 'lt-2' }))),
      bare,
    );
    assert.equal(templateUse(awsOf('aws/auto-scaling-group', {})), null);
  });

  const versions = [
    { LaunchTemplateId: 'lt-0', VersionNumber: 9, DefaultVersion: true },
    { LaunchTemplateId: 'lt-1', VersionNumber: 2, DefaultVersion: false },
    { LaunchTemplateId: 'lt-1', VersionNumber: 10, DefaultVersion: false },
    { LaunchTemplateId: 'lt-1', VersionNumber: 3, DefaultVersion: true },
  ].map((item) => fact(awsOf('aws/launch-template-version', item)));

  for (const [Version, number] of [
    ['$Default', 3],
    ['$Latest', 10],
    ['2', 2],
    ['7', null],
  ] as const)
    test(`${Version} is version ${number}`, () => {
      const LaunchTemplate = { LaunchTemplateId: 'lt-1', Version };
      const [short] = shortGroups([fact(group(1, [], { LaunchTemplate }))], versions);
      assert.equal(short?.template?.value.VersionNumber ?? null, number);
    });
});

test('types are those that a group names and has, each once', () => {
  const Overrides = [{ InstanceType: 'm5.large' }, { InstanceType: 'm6i.large' }, {}];
  const Instances = [{ InstanceType: 'm5.large' }, { InstanceType: 'c5.large' }];
  const given = { MixedInstancesPolicy: { LaunchTemplate: { Overrides } }, Instances };
  assert.deepEqual(spotTypes(awsOf('aws/auto-scaling-group', given)), [
    'm5.large',
    'm6i.large',
    'c5.large',
  ]);
  assert.deepEqual(spotTypes(awsOf('aws/auto-scaling-group', {})), []);
});
