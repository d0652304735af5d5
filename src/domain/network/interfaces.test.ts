import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { awsOf } from '../../evidence/testing.ts';
import { byOwner, interfaceOf, type OwnedInterface, withoutPodAddresses } from './interfaces.ts';

const ID = 'i-0123456789abcdef0';
const ID2 = 'i-0123456789abcdef1';

function owned(body: JsonObject = {}): OwnedInterface {
  const plain = { NetworkInterfaceId: 'eni-1' };
  const found = interfaceOf(awsOf('aws/network-interface', { ...plain, ...body }));
  assert.ok(found !== null);
  return found;
}

function tagged(tags: Readonly<Record<string, string>>): JsonObject {
  return { TagSet: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) };
}

describe('the owner of an interface is known', () => {
  const types: readonly (readonly [string, string])[] = [
    ['trunk', 'cni-trunk'],
    ['branch', 'cni-branch'],
    ['lambda', 'lambda'],
    ['natGateway', 'nat-gateway'],
    ['nat_gateway', 'nat-gateway'],
    ['vpc_endpoint', 'vpc-endpoint'],
    ['gateway_load_balancer_endpoint', 'vpc-endpoint'],
    ['network_load_balancer', 'load-balancer'],
    ['gateway_load_balancer', 'load-balancer'],
    ['load_balancer', 'load-balancer'],
    ['transit_gateway', 'transit-gateway'],
    ['interface', 'other'],
    ['toString', 'other'],
  ];
  for (const [InterfaceType, owner] of types)
    test(`by the type ${InterfaceType}: ${owner}`, () => {
      assert.equal(owned({ InterfaceType }).owner, owner);
    });

  const descriptions: readonly (readonly [string, string])[] = [
    [`aws-K8S-${ID}`, 'cni'],
    ['aws-k8s-trunk-eni', 'cni-trunk'],
    ['aws-k8s-branch-eni', 'cni-branch'],
    ['Amazon EKS prod', 'cluster'],
    ['ELB app/web/0a', 'load-balancer'],
    ['Interface for NAT Gateway nat-1', 'nat-gateway'],
    ['VPC Endpoint Interface vpce-1', 'vpc-endpoint'],
    ['AWS Lambda VPC ENI-x', 'lambda'],
    ['EFS mount target for fs-1', 'efs'],
    ['RDSNetworkInterface', 'rds'],
  ];
  for (const [Description, owner] of descriptions)
    test(`by the description ${Description}: ${owner}`, () => {
      assert.equal(owned({ Description }).owner, owner);
      assert.equal(owned({ Description: `my ${Description}` }).owner, 'other');
    });

  test('by the service that asked for it', () => {
    assert.equal(owned({ RequesterId: 'amazon-elb' }).owner, 'load-balancer');
    assert.equal(owned({ RequesterId: 'amazon-rds' }).owner, 'rds');
    assert.equal(owned({ RequesterId: 'constructor' }).owner, 'other');
  });

  test('by type before description before service', () => {
    const both = { Description: 'ELB app/web', RequesterId: 'amazon-rds' };
    assert.equal(owned({ ...both, InterfaceType: 'lambda' }).owner, 'lambda');
    assert.equal(owned(both).owner, 'load-balancer');
  });

  test('else by the tag of the CNI, else by its instance', () => {
    const Attachment = { InstanceId: ID };
    const tag = tagged({ 'node.k8s.amazonaws.com/instance_id': ID });
    assert.equal(owned({ ...tag, Attachment }).owner, 'cni');
    assert.equal(owned({ Attachment }).owner, 'instance');
    assert.equal(owned({ Attachment: { InstanceId: null } }).owner, 'other');
  });
});

describe('the instance of an interface', () => {
  const tag = tagged({ 'node.k8s.amazonaws.com/instance_id': 'i-tag' });
  const Description = `aws-K8S-${ID2}`;

  test('is the one that it is attached to', () => {
    const { instanceId, isAttached } = owned({
      ...tag,
      Description,
      Attachment: { InstanceId: ID },
    });
    assert.deepEqual([instanceId, isAttached], [ID, true]);
  });

  test('is else the one in its description or tag', () => {
    assert.equal(owned({ ...tag, Description }).instanceId, ID2);
    assert.equal(owned({ ...tag, Description: `${Description} x` }).instanceId, 'i-tag');
    assert.equal(owned(tag).isAttached, false);
    assert.equal(owned().instanceId, null);
  });
});

describe('the cluster of an interface', () => {
  const clusterOf = (tags: Readonly<Record<string, string>>) => owned(tagged(tags)).cluster;

  test('is that of its tags', () => {
    assert.equal(clusterOf({ 'cluster.k8s.amazonaws.com/name': 'a' }), 'a');
    assert.equal(clusterOf({ 'eks:cluster-name': 'b' }), 'b');
    assert.equal(clusterOf({ x: '', 'kubernetes.io/cluster/c': 'owned' }), 'c');
    assert.equal(clusterOf({ 'kubernetes.io/cluster/c': '', 'eks:cluster-name': 'b' }), 'b');
  });

  test('is unknown without them', () => {
    assert.equal(clusterOf({ Name: 'kubernetes.io/cluster/c' }), null);
    assert.equal(owned().cluster, null);
  });
});

describe('an interface takes addresses', () => {
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ PrivateIpAddress: `10.0.0.${index}` }));
  const counts = (body: JsonObject) => {
    const one = owned(body);
    return [one.addresses, one.secondaryAddresses, one.prefixes];
  };

  test('for itself, as secondary ones, and sixteen for each prefix', () => {
    assert.deepEqual(counts({ PrivateIpAddresses: addresses(3) }), [3, 2, 0]);
    assert.deepEqual(counts({ PrivateIpAddress: '10.0.0.1' }), [1, 0, 0]);
    assert.deepEqual(counts({}), [0, 0, 0]);
    const Ipv4Prefixes = [{ Ipv4Prefix: '10.0.0.16/28' }, { Ipv4Prefix: '10.0.0.32/28' }];
    assert.deepEqual(counts({ PrivateIpAddresses: addresses(1), Ipv4Prefixes }), [33, 0, 2]);
    assert.deepEqual(counts({ Ipv4Prefixes: [{ Ipv4Prefix: 'x' }] }), [0, 0, 1]);
    assert.deepEqual(counts({ Ipv6Prefixes: [{ Ipv6Prefix: 'fd00::/80' }] }), [0, 0, 1]);
  });
});

test('an interface has its id, subnet, status, time and the mark of who does not manage it', () => {
  const tags = {
    'node.k8s.amazonaws.com/createdAt': '2026-05-01T12:00:00Z',
    'node.k8s.amazonaws.com/no_manage': 'true',
  };
  const one = owned({ SubnetId: 'subnet-1', Status: 'in-use', ...tagged(tags) });
  assert.deepEqual(
    [one.id, one.subnetId, one.status, one.createdMs, one.isManagedElsewhere],
    ['eni-1', 'subnet-1', 'in-use', Date.UTC(2026, 4, 1, 12), true],
  );
  const bare = owned(tagged({ 'node.k8s.amazonaws.com/no_manage': 'false' }));
  assert.deepEqual(
    [bare.subnetId, bare.status, bare.createdMs, bare.isManagedElsewhere],
    [null, null, null, false],
  );
  assert.equal(interfaceOf(awsOf('aws/network-interface', {})), null);
});

test('who holds the most addresses comes first, then by name', () => {
  const of = (Description: string, count: number) =>
    owned({
      Description,
      PrivateIpAddresses: Array.from({ length: count }, () => ({ PrivateIpAddress: '10.0.0.1' })),
    });
  const shares = byOwner([
    of('ELB a', 1),
    of('RDSNetworkInterface', 4),
    of('ELB b', 2),
    of('EFS mount target ', 3),
  ]);
  assert.deepEqual(shares, [
    { owner: 'rds', interfaces: 1, addresses: 4 },
    { owner: 'efs', interfaces: 1, addresses: 3 },
    { owner: 'load-balancer', interfaces: 2, addresses: 3 },
  ]);
});

test('machines without an address for a pod are those with neither secondary ones nor prefixes', () => {
  const attached = (InstanceId: string, body: JsonObject = {}) =>
    owned({ Attachment: { InstanceId }, PrivateIpAddress: '10.0.0.1', ...body });
  const two = { PrivateIpAddresses: [{ PrivateIpAddress: 'a' }, { PrivateIpAddress: 'b' }] };
  const prefix = { Ipv4Prefixes: [{ Ipv4Prefix: '10.0.0.16/28' }] };
  const found = (...all: readonly OwnedInterface[]) =>
    withoutPodAddresses(all, new Set([ID])).map(({ instanceId, interfaces }) => [
      instanceId,
      interfaces,
    ]);
  assert.deepEqual(found(attached(ID), attached(ID), attached(ID2)), [[ID, 2]]);
  assert.deepEqual(found(attached(ID), attached(ID, two)), []);
  assert.deepEqual(found(attached(ID, prefix)), []);
  assert.deepEqual(found(owned({ Description: `aws-K8S-${ID}` })), []);
});
