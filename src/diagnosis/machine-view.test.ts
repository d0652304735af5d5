import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plannedGroups } from '../domain/planned/groups.ts';
import { lostRoles, nodeRolesOf } from '../domain/nodes/fleet.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { PlanContents, Planned } from '../evidence/planned.ts';
import type { View } from './cause.ts';
import { machineView } from './machine-view.ts';
import { planView } from './plan-view.ts';

function made<K extends FactKind>(kind: K, address: string, value: object): Planned<K> {
  return {
    kind,
    state: 'seen',
    value: value as FactTypes[K],
    by: 'terraform show',
    locator: `plan.json#${address}`,
    address,
    change: 'create',
  };
}

const CLUSTER = made('aws/cluster', 'aws_eks_cluster.this', { name: 'shop' });
const TEMPLATE = made('aws/launch-template-version', 'aws_launch_template.workers', {
  LaunchTemplateId: 'lt',
  LaunchTemplateData: {
    IamInstanceProfile: { Name: 'workers' },
    ImageId: 'ami',
    InstanceType: 'm6i.large',
    SecurityGroupIds: ['sg-a'],
  },
});
const GROUP = made('aws/auto-scaling-group', 'aws_autoscaling_group.workers', {
  AutoScalingGroupName: 'workers',
  LaunchTemplate: { LaunchTemplateId: 'lt' },
  Tags: [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }],
  VPCZoneIdentifier: 'subnet-a',
});
const PROFILE = made('aws/instance-profile', 'aws_iam_instance_profile.workers', {
  InstanceProfileName: 'workers',
  Roles: [{ RoleName: 'workers' }],
});
const SUBNET = made('aws/subnet', 'aws_subnet.a', { SubnetId: 'subnet-a', VpcId: 'vpc-a' });
const USER_DATA = made('aws/user-data', 'aws_launch_template.workers', { instanceId: 'lt' });

const FACTS = [CLUSTER, TEMPLATE, GROUP, PROFILE, SUBNET, USER_DATA] as readonly Planned[];

function viewOf(more: readonly Planned[] = []): View<FactKind, string> {
  const facts = [...FACTS, ...more];
  const contents: PlanContents = {
    facts,
    doubts: [],
    resourceCount: 1,
    isChanging: true,
    canWriteMaps: true,
  };
  const plan = planView(contents);
  const [group = assert.fail()] = plannedGroups(plan);
  return machineView(plan, group);
}

describe('a group of a plan as a machine', () => {
  test('runs as its template says, and is meant for its cluster', () => {
    const [instance] = viewOf().list('aws/instance');
    const { value } = instance ?? assert.fail();
    assert.deepEqual(
      [value.InstanceId, value.InstanceType, value.SubnetId, value.VpcId],
      ['workers', 'm6i.large', 'subnet-a', 'vpc-a'],
    );
    assert.ok(value.Tags?.some(({ Key: key }) => key === 'kubernetes.io/cluster/shop'));
    assert.deepEqual(
      value.SecurityGroups?.map(({ GroupId: id }) => id),
      ['sg-a'],
    );
  });

  test('has no Node, and no program said anything', () => {
    const view = viewOf();
    assert.equal(view.read('kube/Node').state, 'absent');
    assert.equal(view.shows('machine-without-node'), true);
    assert.equal(view.shows('node-not-ready'), false);
    assert.equal(view.sign('anything'), null);
  });

  test('has the user data of its template', () => {
    const [given] = viewOf().list('aws/user-data');
    assert.equal(given?.value.instanceId, 'workers');
  });

  test('has the role that aws-auth maps by the name that it is going to have', () => {
    const arn = 'arn:aws:iam::111122223333:role/workers';
    const entry = { arn, username: null, groups: [] };
    const value = { roles: [entry], users: [], malformed: null };
    const view = viewOf([made('kube/aws-auth', 'kubernetes_config_map.aws_auth', value)]);
    const roles = lostRoles(nodeRolesOf(view) ?? []);
    assert.deepEqual(
      roles.map((role) => role.arn),
      [arn],
    );
  });

  test('has the security groups that the plan makes, and not those of others', () => {
    const own = made('aws/security-group', 'aws_security_group.a', { GroupId: 'sg-a' });
    const other = made('aws/security-group', 'aws_security_group.b', { GroupId: 'sg-b' });
    const seen = viewOf([own, other]).list('aws/security-group');
    assert.deepEqual(
      seen.map(({ value }) => value.GroupId),
      ['sg-a'],
    );
  });

  test('is quoted in the words of a plan', () => {
    const view = viewOf();
    const quoted = view.quote(GROUP, 'machines workers run with the role r and have no Node');
    assert.equal(quoted.excerpt, 'workers runs with the role r');
    assert.equal(quoted.source, 'terraform');
  });
});
