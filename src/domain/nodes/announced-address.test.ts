import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seen } from '../../evidence/fact.ts';
import { apartFromOthers, isOfSecondInterface, misannounced } from './announced-address.ts';

const seen = <T>(value: T): Seen<T> =>
  ({ state: 'seen', value, by: 'test', locator: 'test' }) as unknown as Seen<T>;
const node = (internalIp: string | null) =>
  seen({ name: 'worker-1', internalIp, providerId: 'aws:///eu-west-1a/i-0ab12cd34ef56ab78' });
const instance = (PrivateIpAddress: string | null) =>
  seen({ InstanceId: 'i-0ab12cd34ef56ab78', PrivateIpAddress });

function primaryOf(address: string | undefined, internalIp: string | null, own: string | null) {
  const nodes = [node(internalIp)] as unknown as Parameters<typeof misannounced>[1];
  const instances = [instance(own)] as unknown as Parameters<typeof misannounced>[2];
  return misannounced(address, nodes, instances)?.primary ?? null;
}

test('finds the Node whose address is not the primary one of its instance', () => {
  assert.equal(primaryOf('10.0.1.9', '10.0.1.9', '10.0.1.5'), '10.0.1.5');
});

test('finds no Node where the addresses agree, or one of them is unknown', () => {
  assert.equal(primaryOf('10.0.1.5', '10.0.1.5', '10.0.1.5'), null);
  assert.equal(primaryOf('10.0.1.9', '10.0.1.9', null), null);
  assert.equal(primaryOf('10.0.1.9', null, '10.0.1.5'), null);
  assert.equal(primaryOf(undefined, null, '10.0.1.5'), null);
});

test('does not compare an IPv6 address with an IPv4 one', () => {
  assert.equal(primaryOf('2a05:d018::9', '2a05:d018::9', '10.0.1.5'), null);
});

type Nodes = Parameters<typeof apartFromOthers>[1];
const named = (name: string, internalIp: string) => seen({ name, internalIp, providerId: null });
const nodes = [
  named('cp', '172.16.4.2'),
  named('a', '172.16.5.3'),
  named('b', '10.0.0.9'),
] as unknown as Nodes;

test('finds the address that a machine has in the network of all other Nodes', () => {
  const addresses = '10.0.0.9/24 172.16.4.9/20';
  assert.equal(apartFromOthers('10.0.0.9', nodes, addresses)?.primary, '172.16.4.9');
  assert.equal(apartFromOthers('172.16.5.3', nodes, addresses), null);
});

test('finds none in a network in which not all of them are, and where the name tells the address', () => {
  assert.equal(apartFromOthers('10.0.0.9', nodes, '10.0.0.9/24 172.16.4.9/24'), null);
  const own = [...nodes.slice(0, 2), named('ip-10-0-0-9', '10.0.0.9')] as unknown as Nodes;
  assert.equal(apartFromOthers('10.0.0.9', own, '10.0.0.9/24 172.16.4.9/20'), null);
});

test('tells whether an address is of the second interface that people tell of', () => {
  const others = [
    named('a', '10.8.0.10'),
    named('b', '10.8.0.21'),
    named('c', '192.168.77.21'),
    named('d', '10.8.0.30'),
  ] as unknown as Nodes;
  const isOf = (address: string, network?: string): boolean =>
    isOfSecondInterface(address, others, { network });
  assert.ok(isOf('192.168.77.21', '192.168.77.0/24'));
  assert.ok(isOf('192.168.77.21'));
  assert.ok(!isOf('192.168.77.21', '192.168.78.0/24'));
  assert.ok(!isOf('10.8.0.21'));
});
