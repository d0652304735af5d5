import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  collectPrivateDnsName,
  dhcpNames,
  ec2Domain,
  firstDomain,
  ipHost,
  ipName,
  privateDnsName,
} from './ec2-names.ts';
import type { NamingInput } from './input.ts';

function inputOf(change: Partial<NamingInput> = {}): NamingInput {
  const plain = { image: null, cloudProvider: null, kubeletVersion: null };
  return { ...plain, privateIp: '10.0.0.1', region: 'eu-west-1', ...change };
}

const NAME = 'ip-10-0-0-1.eu-west-1.compute.internal';

test('the domain of EC2 is that of the region', () => {
  assert.equal(ec2Domain('us-east-1'), 'ec2.internal');
  assert.equal(ec2Domain('cn-north-1'), 'cn-north-1.compute.internal');
});

test('a host part is spelled of an address alone', () => {
  assert.equal(ipHost('10.0.0.1'), 'ip-10-0-0-1');
  assert.equal(ipHost('web-1'), null);
});

test('an IP name needs an address and a region', () => {
  assert.equal(ipName(inputOf()), NAME);
  for (const region of ['us-gov-west-1', 'ap-southeast-2'])
    assert.equal(ipName(inputOf({ region })), `ip-10-0-0-1.${region}.compute.internal`);
  for (const region of ['', 'eu-west', 'eu-west-1a', 'x eu-west-1', 'EU-WEST-1', 'west-1'])
    assert.equal(ipName(inputOf({ region })), null, region);
  const { region: _, ...regionless } = inputOf();
  const { privateIp: __, ...addressless } = inputOf();
  assert.equal(ipName(regionless), null);
  assert.equal(ipName(addressless), null);
});

describe('the private DNS name of EC2', () => {
  const of = (change: Partial<NamingInput>) => privateDnsName(inputOf(change));
  const safe = { hostnameType: 'ip-name', dnsHostnames: true } as const;

  test('is the one that was seen, in lower case', () => {
    assert.deepEqual(of({ privateDnsName: 'IP-10.Example', ...safe }), {
      state: 'known',
      name: 'ip-10.example',
      computed: false,
    });
  });

  test('does not exist where EC2 shows none, or the VPC has no DNS hostnames', () => {
    for (const change of [
      { ...safe, privateDnsName: null },
      { ...safe, privateDnsName: '' },
      { ...safe, dnsHostnames: false },
    ])
      assert.deepEqual(of(change), { state: 'none' });
  });

  test('is computed for an IP name in a VPC with DNS hostnames', () => {
    assert.deepEqual(of(safe), { state: 'known', name: NAME, computed: true });
  });

  test('is else unknown, and may be the IP name', () => {
    const maybe = { state: 'unknown', candidate: NAME };
    assert.deepEqual(of({}), maybe);
    assert.deepEqual(of({ dnsHostnames: true }), maybe);
    assert.deepEqual(of({ hostnameType: 'ip-name' }), maybe);
    assert.deepEqual(of({ ...safe, region: '' }), { state: 'unknown', candidate: null });
  });

  test('is never computed for a resource name', () => {
    assert.deepEqual(of({ ...safe, hostnameType: 'resource-name' }), {
      state: 'unknown',
      candidate: null,
    });
  });
});

test('the call that shows the name asks for the instance', () => {
  const { command } = collectPrivateDnsName(inputOf({ instanceId: 'i-1' }));
  assert.match(command, /^aws ec2 describe-instances --instance-ids i-1 --query '/);
  assert.match(collectPrivateDnsName(inputOf()).command, /--instance-ids INSTANCE_ID /);
});

test('of several domains the first counts, without its last dot', () => {
  const domains: readonly (readonly [string, string])[] = [
    ['a.example', 'a.example'],
    ['  A.Example.   b.example', 'a.example'],
    ['a.example\tb', 'a.example'],
    ['', ''],
  ];
  for (const [text, domain] of domains) assert.equal(firstDomain(text), domain);
});

describe('DHCP can lead to', () => {
  test('the host part with and without its domain', () => {
    assert.deepEqual(dhcpNames(inputOf({ dhcpDomain: 'a.example b' })), [
      'ip-10-0-0-1.a.example',
      'ip-10-0-0-1',
    ]);
    assert.deepEqual(dhcpNames(inputOf({ dhcpDomain: '' })), ['ip-10-0-0-1']);
    assert.deepEqual(dhcpNames(inputOf()), ['ip-10-0-0-1']);
  });

  test('the instance id for resource names', () => {
    const resource = { hostnameType: 'resource-name', dhcpDomain: 'a.example' } as const;
    assert.deepEqual(dhcpNames(inputOf({ ...resource, instanceId: 'i-1' })), [
      'i-1.a.example',
      'i-1',
    ]);
    assert.deepEqual(dhcpNames(inputOf(resource)), []);
  });

  test('nothing without an address', () => {
    const { privateIp: _, ...addressless } = inputOf();
    assert.deepEqual(dhcpNames(addressless), []);
  });
});
