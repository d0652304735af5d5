import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  byOwner,
  type EniOwner,
  interfaceOf,
  type OwnedInterface,
  withoutPodAddresses,
} from '../../src/domain/network/interfaces.ts';
import { type KnownInstances, leaksOf } from '../../src/capacity/leaks.ts';
import { awsOf } from '../../src/evidence/testing.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const INSTANCE = 'i-0123456789abcdef0';

function item(part: object): OwnedInterface {
  const found = interfaceOf(
    awsOf('aws/network-interface', {
      NetworkInterfaceId: 'eni-01',
      SubnetId: 'subnet-0a',
      ...part,
    }),
  );
  assert.ok(found !== null);
  return found;
}

const OWNERS: readonly (readonly [string, object, EniOwner])[] = [
  ['description of the CNI', { Description: `aws-K8S-${INSTANCE}` }, 'cni'],
  [
    'tag of the CNI',
    { TagSet: [{ Key: 'node.k8s.amazonaws.com/instance_id', Value: INSTANCE }] },
    'cni',
  ],
  ['trunk by description', { Description: 'aws-k8s-trunk-eni' }, 'cni-trunk'],
  ['trunk by type', { InterfaceType: 'trunk' }, 'cni-trunk'],
  ['branch by description', { Description: 'aws-k8s-branch-eni' }, 'cni-branch'],
  ['branch by type', { InterfaceType: 'branch' }, 'cni-branch'],
  ['control plane of EKS', { Description: 'Amazon EKS prod' }, 'cluster'],
  ['classic load balancer', { Description: 'ELB web', RequesterId: 'amazon-elb' }, 'load-balancer'],
  ['network load balancer', { InterfaceType: 'network_load_balancer' }, 'load-balancer'],
  ['load balancer by requester', { RequesterId: 'amazon-elb' }, 'load-balancer'],
  ['NAT gateway', { InterfaceType: 'natGateway' }, 'nat-gateway'],
  ['endpoint', { Description: 'VPC Endpoint Interface vpce-0a' }, 'vpc-endpoint'],
  ['Lambda', { Description: 'AWS Lambda VPC ENI-x', InterfaceType: 'lambda' }, 'lambda'],
  ['EFS', { Description: 'EFS mount target for fs-0a (fsmt-0a)' }, 'efs'],
  ['RDS', { Description: 'RDSNetworkInterface', RequesterId: 'amazon-rds' }, 'rds'],
  ['transit gateway', { InterfaceType: 'transit_gateway' }, 'transit-gateway'],
  ['primary of an instance', { Attachment: { InstanceId: INSTANCE } }, 'instance'],
  ['nobody known', { Description: 'mine', InterfaceType: 'constructor' }, 'other'],
];

for (const [title, part, owner] of OWNERS) {
  test(`owner of an interface: ${title}`, () => {
    assert.equal(item(part).owner, owner);
  });
}

test('an interface holds its addresses and those of its prefixes', () => {
  const found = item({
    PrivateIpAddress: '10.0.1.1',
    PrivateIpAddresses: [{ PrivateIpAddress: '10.0.1.1' }, { PrivateIpAddress: '10.0.1.2' }],
    Ipv4Prefixes: [{ Ipv4Prefix: '10.0.1.16/28' }, { Ipv4Prefix: '10.0.1.32/28' }],
    Ipv6Prefixes: [{ Ipv6Prefix: 'fd00::/80' }],
  });
  assert.deepEqual([found.addresses, found.secondaryAddresses, found.prefixes], [34, 1, 3]);
  assert.equal(interfaceOf(awsOf('aws/network-interface', { Status: 'available' })), null);
});

test('the cluster comes from the tags of the CNI, of EKS, or of Kubernetes', () => {
  for (const [Key, Value] of [
    ['cluster.k8s.amazonaws.com/name', 'prod'],
    ['eks:cluster-name', 'prod'],
    ['kubernetes.io/cluster/prod', 'owned'],
  ])
    assert.equal(item({ TagSet: [{ Key, Value }] }).cluster, 'prod');
  assert.equal(item({}).cluster, null);
});

test('shares come with most addresses first', () => {
  const one = { PrivateIpAddress: '10.0.0.1' };
  const cni = {
    ...one,
    Description: `aws-K8S-${INSTANCE}`,
    Ipv4Prefixes: [{ Ipv4Prefix: '10.0.0.16/28' }],
  };
  assert.deepEqual(byOwner([item(one), item(cni), item(one)]), [
    { owner: 'cni', interfaces: 1, addresses: 17 },
    { owner: 'other', interfaces: 2, addresses: 2 },
  ]);
});

const GONE: KnownInstances = { states: new Map(), isComplete: true };
const LEAK = {
  Status: 'available',
  Description: `aws-K8S-${INSTANCE}`,
  PrivateIpAddresses: [{ PrivateIpAddress: '10.0.1.1' }, { PrivateIpAddress: '10.0.1.2' }],
  TagSet: [{ Key: 'node.k8s.amazonaws.com/createdAt', Value: '2026-11-22T11:00:00Z' }],
};

function stateOf(state: string): KnownInstances {
  return { states: new Map([[INSTANCE, state]]), isComplete: true };
}

test('an interface of a gone instance leaked, and gives its addresses back', () => {
  const { leaked, addresses } = leaksOf([item(LEAK)], GONE, NOW_MS);
  assert.equal(addresses, 2);
  assert.equal(leaked[0]?.verdict, 'leaked');
  assert.equal(leaked[0].because, `its instance ${INSTANCE} is gone; created 60 minutes ago`);
  assert.equal(leaked[0].command, 'aws ec2 delete-network-interface --network-interface-id eni-01');
});

const KEPT: readonly (readonly [string, object, KnownInstances])[] = [
  ['it is in use', { Status: 'in-use' }, GONE],
  ['it is attached', { Attachment: { InstanceId: INSTANCE } }, GONE],
  ['its instance runs', {}, stateOf('running')],
  ['its instance is stopped', {}, stateOf('stopped')],
  ['the CNI did not make it', { Description: 'mine', TagSet: [] }, GONE],
  [
    'it is minutes old',
    { TagSet: [{ Key: 'node.k8s.amazonaws.com/createdAt', Value: '2026-11-22T11:56:00Z' }] },
    GONE,
  ],
  [
    'the CNI is told to leave it alone',
    { TagSet: [{ Key: 'node.k8s.amazonaws.com/no_manage', Value: 'true' }] },
    GONE,
  ],
];

for (const [title, part, instances] of KEPT) {
  test(`no leak: ${title}`, () => {
    assert.deepEqual(leaksOf([item({ ...LEAK, ...part })], instances, NOW_MS), {
      leaked: [],
      addresses: 0,
    });
  });
}

const LIKELY: readonly (readonly [string, object, KnownInstances, RegExp])[] = [
  ['no tag says its age', { TagSet: [] }, GONE, /its age is unknown/],
  [
    'a tag says nonsense',
    { TagSet: [{ Key: 'node.k8s.amazonaws.com/createdAt', Value: 'x' }] },
    GONE,
    /age/,
  ],
  [
    'the resource controller may clean it',
    { Description: 'aws-k8s-branch-eni' },
    GONE,
    /within an hour/,
  ],
  [
    'instances were not listed',
    {},
    { states: new Map(), isComplete: false },
    /unknown whether its instance/,
  ],
];

for (const [title, part, instances, because] of LIKELY) {
  test(`only likely a leak: ${title}`, () => {
    const { leaked, addresses } = leaksOf([item({ ...LEAK, ...part })], instances, NOW_MS);
    assert.equal(leaked[0]?.verdict, 'likely');
    assert.match(leaked[0].because, because);
    assert.equal(addresses, 0);
  });
}

test('a terminated instance counts as gone', () => {
  assert.equal(leaksOf([item(LEAK)], stateOf('terminated'), NOW_MS).addresses, 2);
});

test('a machine whose interfaces hold nothing for pods is named, and no other', () => {
  const attached = { Attachment: { InstanceId: INSTANCE }, PrivateIpAddress: '10.0.0.1' };
  const machines = new Set([INSTANCE]);
  const [found, ...more] = withoutPodAddresses([item(attached)], machines);
  assert.deepEqual([found?.instanceId, found?.interfaces, more.length], [INSTANCE, 1, 0]);
  const fed = item({ ...attached, Ipv4Prefixes: [{ Ipv4Prefix: '10.0.0.16/28' }] });
  assert.deepEqual(withoutPodAddresses([item(attached), fed], machines), []);
  assert.deepEqual(withoutPodAddresses([item(attached)], new Set()), []);
});
