import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Seen } from '../../evidence/fact.ts';
import {
  attachedTogether,
  attachedWithoutNode,
  fadingNodes,
  hasNeverJoined,
  idsOf,
  instancesWithoutNode,
  isConfigMapOnly,
  isTaggedFor,
  isTerminated,
  lostRoles,
  type NodeRole,
  nodeRolesOf,
  roleName,
  shutOutRoles,
  silentSinceMs,
  withoutPath,
} from './fleet.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { ago, conditionOf, fact, nodeOf, NOW_MS, awsOf } from '../../evidence/testing.ts';
import type { Instance, NetworkInterface } from '../../evidence/aws/instance.ts';
import type { InstanceProfile } from '../../evidence/aws/iam.ts';

const TAG = { Key: 'kubernetes.io/cluster/shop', Value: 'owned' };
const PROFILE = 'arn:aws:iam::111122223333:instance-profile/nodes';
const ROLE = 'arn:aws:iam::111122223333:role/path/nodes';

function instance(id: string, change: JsonObject = {}): Instance {
  return awsOf('aws/instance', {
    InstanceId: id,
    State: { Name: 'running' },
    LaunchTime: ago(300),
    IamInstanceProfile: { Arn: PROFILE },
    Tags: [TAG],
    ...change,
  });
}

function silent(seconds: number, reason = 'NodeStatusUnknown'): Partial<KubeNode> {
  const changedMs = NOW_MS - seconds * 1000;
  const ready = conditionOf('Ready', { status: 'Unknown', reason, changedMs });
  return { ready: null, conditions: [conditionOf('DiskPressure'), ready] };
}

interface Scene {
  readonly instances?: readonly Instance[];
  readonly nodes?: readonly KubeNode[] | null;
  readonly profiles?: readonly (Json | InstanceProfile)[];
  readonly clusters?: readonly Json[];
  readonly nowMs?: number | null;
}

const NODE_PROFILE = awsOf('aws/instance-profile', { Arn: PROFILE, Roles: [{ Arn: ROLE }] });

function factsOf(scene: Scene): Parameters<typeof nodeRolesOf>[0] {
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    'aws/instance': scene.instances ?? [],
    'kube/Node': scene.nodes ?? [],
    'aws/instance-profile': scene.profiles ?? [NODE_PROFILE],
    'aws/cluster': scene.clusters ?? [{ name: 'shop' }],
  };
  return {
    nowMs: scene.nowMs === undefined ? NOW_MS : scene.nowMs,
    read: (kind: string) => ({
      state: kind === 'kube/Node' && scene.nodes === null ? 'unknown' : 'absent',
    }),
    list: (kind: string) => (lists[kind] ?? []).map(fact),
  } as unknown as Parameters<typeof nodeRolesOf>[0];
}

function lost(...instances: readonly Instance[]): readonly string[] {
  return idsOf(nodeRolesOf(factsOf({ instances }))?.[0]?.lost ?? []);
}

test('an instance that two answers show is one machine, as the later one shows it', () => {
  const twice = [instance('i-1', { State: { Name: 'pending' } }), instance('i-2'), instance('i-1')];
  assert.deepEqual(lost(...twice).toSorted(), ['i-1', 'i-2']);
  const without = instancesWithoutNode(factsOf({ instances: twice }));
  assert.deepEqual(idsOf(without ?? []).toSorted(), ['i-1', 'i-2']);
  assert.deepEqual(lost(instance('i-1'), instance('i-1', { State: { Name: 'stopped' } })), []);
});

describe('tags of clusters', () => {
  const tagged = (Key: string, Value: string): Json => ({
    Tags: [{ Key: 'Name' }, { Key, Value }],
  });

  test('the cluster is in the key, or is the value', () => {
    assert.equal(
      isTaggedFor(awsOf('aws/instance', tagged('kubernetes.io/cluster/shop', 'owned')), 'shop'),
      true,
    );
    assert.equal(
      isTaggedFor(awsOf('aws/instance', tagged('kubernetes.io/cluster/shop', 'owned')), 'sho'),
      false,
    );
    for (const key of ['eks:cluster-name', 'aws:eks:cluster-name', 'eks:eks-cluster-name']) {
      assert.equal(isTaggedFor(awsOf('aws/instance', tagged(key, 'shop')), 'shop'), true, key);
      assert.equal(isTaggedFor(awsOf('aws/instance', tagged(key, 'other')), 'shop'), false, key);
      assert.equal(isTaggedFor(awsOf('aws/instance', tagged(key, 'other')), null), true, key);
    }
  });

  test('without a cluster that of any will do, but no other tag', () => {
    assert.equal(
      isTaggedFor(awsOf('aws/instance', tagged('kubernetes.io/cluster/x', 'owned')), null),
      true,
    );
    for (const key of ['kubernetes.io/role/x', 'my-eks:cluster-name', 'eks:cluster-name-old'])
      assert.equal(isTaggedFor(awsOf('aws/instance', tagged(key, 'shop')), null), false, key);
    assert.equal(isTaggedFor(awsOf('aws/instance', {}), null), false);
  });
});

test('an instance that shuts down is as good as terminated, one that stops is not', () => {
  const isGone = (Name: string): boolean =>
    isTerminated(awsOf('aws/instance', { State: { Name } }));
  assert.deepEqual(['terminated', 'shutting-down'].map(isGone), [true, true]);
  assert.deepEqual(['stopping', 'running', 'not-terminated'].map(isGone), [false, false, false]);
  assert.equal(isTerminated(awsOf('aws/instance', {})), false);
});

describe('machines of a role', () => {
  test('one without a Node is lost five minutes after its launch, not before', () => {
    const young = instance('i-1', { LaunchTime: ago(299) });
    assert.deepEqual(lost(young, instance('i-2')), ['i-2']);
    assert.deepEqual(lost(instance('i-3', { LaunchTime: 'once' })), []);
  });

  test('only instances that run and are the cluster’s count', () => {
    const stopped = instance('i-1', { State: { Name: 'stopped' } });
    const foreign = instance('i-2', { Tags: [] });
    const roles = nodeRolesOf(factsOf({ instances: [stopped, foreign] }));
    assert.deepEqual(
      roles?.map((role) => [role.lost, role.ready]),
      [[[], []]],
    );
  });

  test('a Node is found by id, private name or address', () => {
    const machines = [
      instance('i-0123456789abcdef0'),
      instance('i-2', { PrivateDnsName: 'ip-10-0-0-2.ec2.internal' }),
      instance('i-3', { PrivateIpAddress: '10.0.0.3' }),
      instance('i-4', { PrivateDnsName: 'ip-10-0-0-4.ec2.internal' }),
    ];
    const nodes = [
      nodeOf('a', { providerId: 'aws:///eu-west-1a/i-0123456789abcdef0' }),
      nodeOf('b', { internalDns: 'ip-10-0-0-2.ec2.internal' }),
      nodeOf('c', { internalIp: '10.0.0.3' }),
      nodeOf('ip-10-0-0-4.ec2.internal'),
    ];
    const [role] = nodeRolesOf(factsOf({ instances: machines, nodes })) ?? [];
    assert.equal(role?.ready.length, 4);
    assert.equal(role.isAdmitted, true);
    assert.deepEqual(role.lost, []);
  });

  test('a name that neither side has finds nothing', () => {
    const nodes = [nodeOf('a', { internalDns: '', internalIp: '' })];
    const [role] = nodeRolesOf(factsOf({ instances: [{ ...instance('') }], nodes })) ?? [];
    assert.deepEqual([role?.ready.length, role?.lost.length], [0, 1]);
  });
});

describe('what became of the machines of a role', () => {
  test('one whose Node fell silent is lost, one whose Node is only not Ready is not', () => {
    const machine = instance('i-1', { PrivateIpAddress: '10.0.0.1' });
    const roleWith = (change: Partial<KubeNode>): NodeRole | undefined => {
      const nodes = [nodeOf('a', { internalIp: '10.0.0.1', ...change })];
      return nodeRolesOf(factsOf({ instances: [machine], nodes }))?.[0];
    };
    const gone = roleWith(silent(60));
    assert.deepEqual([gone?.lost.length, gone?.ready.length, gone?.isAdmitted], [1, 0, false]);
    const notReady = { ready: false, conditions: [conditionOf('Ready', { status: 'False' })] };
    assert.deepEqual(roleWith(notReady)?.lost, []);
    assert.deepEqual(roleWith(notReady)?.ready, []);
    assert.deepEqual(roleWith({ ready: null })?.lost, []);
  });

  test('a role fades while its machines fell silent within fifteen minutes', () => {
    const fades = (change: Partial<KubeNode>): boolean | undefined => {
      const machine = instance('i-1', { PrivateIpAddress: '10.0.0.1' });
      const nodes = [nodeOf('a', { internalIp: '10.0.0.1', ...change })];
      return nodeRolesOf(factsOf({ instances: [instance('i-2'), machine], nodes }))?.[0]?.isFading;
    };
    assert.equal(fades(silent(900)), true);
    assert.equal(fades(silent(901)), false);
    assert.equal(fades(silent(60, 'KubeletNotReady')), false);
    assert.equal(fades({}), false);
  });

  test('the role is that of the profile which the instances carry', () => {
    const instances = [instance('i-1')];
    const other = { Arn: 'other', Roles: [{ Arn: 'none of it' }] };
    const roles = nodeRolesOf(factsOf({ instances, profiles: [other, NODE_PROFILE] }));
    assert.deepEqual(
      roles?.map(({ arn, profile }) => [arn, profile.value]),
      [[ROLE, NODE_PROFILE]],
    );
    assert.deepEqual(nodeRolesOf(factsOf({ instances, profiles: [{ Arn: PROFILE }] })), []);
    const bare = instance('i-1', { IamInstanceProfile: {} });
    assert.deepEqual(nodeRolesOf(factsOf({ instances: [bare], profiles: [{ Roles: [] }] })), []);
  });

  test('is unknown for evidence of others or without the Nodes', () => {
    const instances = [instance('i-1')];
    assert.equal(nodeRolesOf(factsOf({ instances, nowMs: null })), null);
    assert.equal(nodeRolesOf(factsOf({ instances, nodes: null })), null);
    assert.equal(instancesWithoutNode(factsOf({ instances, nowMs: null })), null);
    assert.equal(instancesWithoutNode(factsOf({ instances, nodes: null })), null);
  });

  test('where no cluster is known, the tag of any counts', () => {
    assert.equal(nodeRolesOf(factsOf({ instances: [instance('i-1')], clusters: [] }))?.length, 1);
  });
});

test('instances without a Node are the cluster’s that had time enough to register', () => {
  const instances = [
    instance('i-1'),
    instance('i-2', { LaunchTime: ago(10) }),
    instance('i-3', { Tags: [] }),
    instance('i-4', { PrivateIpAddress: '10.0.0.4' }),
  ];
  const nodes = [nodeOf('d', { internalIp: '10.0.0.4', ...silent(60) })];
  assert.deepEqual(idsOf(instancesWithoutNode(factsOf({ instances, nodes })) ?? []), ['i-1']);
});

test('a Node is silent when the control plane gave it up, and fades for fifteen minutes', () => {
  const [now, old] = [nodeOf('a', silent(900)), nodeOf('b', silent(901))];
  assert.equal(silentSinceMs(now), NOW_MS - 900_000);
  assert.equal(silentSinceMs(nodeOf('c', silent(5, 'KubeletNotReady'))), null);
  const ready = conditionOf('Ready', { reason: 'NodeStatusUnknown', changedMs: 5 });
  assert.equal(silentSinceMs(nodeOf('c', { conditions: [ready] })), null);
  assert.equal(silentSinceMs(nodeOf('c')), null);
  const names = fadingNodes(factsOf({ nodes: [now, old, nodeOf('c')] })).map(
    ({ value }) => value.name,
  );
  assert.deepEqual(names, ['a']);
  assert.deepEqual(fadingNodes(factsOf({ nodes: [now], nowMs: null })), []);
});

function attached(id: string | null, groups: readonly string[], ip = ''): Seen<NetworkInterface> {
  const Groups = groups.map((GroupId) => ({ GroupId }));
  const attachment = id === null ? {} : { Attachment: { InstanceId: id } };
  return fact(awsOf('aws/network-interface', { PrivateIpAddress: ip, Groups, ...attachment }));
}

describe('instances that only interfaces show', () => {
  const nodes = [fact(nodeOf('a', { internalIp: '10.0.0.1' }))];
  const joined = attached('i-1', ['sg-1'], '10.0.0.1');

  test('they share a security group with a machine that has a Node', () => {
    const interfaces = [joined, attached('i-2', ['sg-9', 'sg-1']), attached('i-3', ['sg-9'])];
    assert.deepEqual(attachedWithoutNode(interfaces, [], nodes), ['i-2']);
    assert.deepEqual(attachedWithoutNode(interfaces, [fact(instance('i-2'))], nodes), []);
    assert.deepEqual(attachedWithoutNode(interfaces.slice(1), [], nodes), []);
  });

  test('any of its interfaces, or its id, shows that one has a Node', () => {
    const second = [attached('i-2', ['sg-1'], '10.0.0.9'), attached('i-2', ['sg-1'], '10.0.0.1')];
    assert.deepEqual(attachedWithoutNode([joined, ...second], [], nodes), []);
    const byId = [fact(nodeOf('b', { providerId: 'aws:///z/i-0123456789abcdef0' })), ...nodes];
    const own = attached('i-0123456789abcdef0', ['sg-1']);
    assert.deepEqual(attachedWithoutNode([joined, own], [], byId), []);
  });

  test('an interface without an owner does not make a machine', () => {
    assert.deepEqual(attachedWithoutNode([joined, attached(null, ['sg-1'])], [], nodes), []);
  });

  test('a cluster has as many as the group has that most of them share', () => {
    const interfaces = [
      attached('i-1', ['sg-1', 'sg-2']),
      attached('i-1', ['sg-1']),
      attached('i-2', ['sg-1']),
      attached('i-3', ['sg-2', 'sg-1']),
      attached(null, ['sg-1']),
    ];
    assert.equal(attachedTogether(interfaces), 3);
    assert.equal(attachedTogether([]), 0);
  });
});

test('a machine younger than the events has never joined', () => {
  const never = (seconds: number, nowMs: number | null = NOW_MS): boolean =>
    hasNeverJoined(awsOf('aws/instance', { LaunchTime: ago(seconds) }), nowMs);
  assert.deepEqual([never(3600), never(3601), never(5, null)], [true, false, false]);
  assert.equal(hasNeverJoined(awsOf('aws/instance', {}), NOW_MS), false);
});

test('roles are lost together, and shut out also while some may only fade', () => {
  const role = (isLost: boolean, isAdmitted: boolean, isFading: boolean): NodeRole => ({
    arn: ROLE,
    profile: fact(NODE_PROFILE),
    lost: isLost ? [fact(instance('i-1'))] : [],
    ready: [],
    isAdmitted,
    isFading,
  });
  const [shut, mixed, fading, fine] = [
    role(true, false, false),
    role(true, true, false),
    role(true, true, true),
    role(false, false, true),
  ];
  assert.deepEqual(lostRoles([shut, mixed, fading, fine]), [shut]);
  assert.deepEqual(shutOutRoles([shut, mixed, fading, fine]), [shut, fading]);
});

test('aws-auth alone lets in where every cluster seen says so', () => {
  const only = (...modes: readonly string[]): boolean =>
    isConfigMapOnly(
      factsOf({ clusters: modes.map((mode) => ({ accessConfig: { authenticationMode: mode } })) }),
    );
  assert.equal(only('CONFIG_MAP'), true);
  assert.equal(only('CONFIG_MAP', 'API'), false);
  assert.equal(only('API_AND_CONFIG_MAP'), false);
  assert.equal(only(), false);
});

test('a role is called by the last part of its ARN, and known without its path', () => {
  assert.equal(roleName(ROLE), 'nodes');
  assert.equal(roleName('nodes'), 'nodes');
  assert.equal(withoutPath(ROLE), 'arn:aws:iam::111122223333:role/nodes');
  assert.equal(withoutPath('arn:aws:iam::1:role/a/b/nodes'), 'arn:aws:iam::1:role/nodes');
  assert.equal(withoutPath('arn:aws:iam::1:role/nodes'), 'arn:aws:iam::1:role/nodes');
  assert.equal(withoutPath(PROFILE), PROFILE);
});

test('ids are listed in order, and an instance without one has none', () => {
  assert.deepEqual(idsOf([fact(instance('i-2')), fact(awsOf('aws/instance', {}))]), ['i-2', '']);
});
