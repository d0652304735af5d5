import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressOf, addressText, cidrOf, cidrText, sizeOf } from '../../src/domain/network/cidr.ts';
import {
  freeBlocksOf,
  subnetOf,
  subnetState,
  type UsedAddresses,
  usableAddresses,
  usedAddresses,
} from '../../src/capacity/subnet.ts';
import { awsOf } from '../../src/evidence/testing.ts';

const ADDRESS = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test('every address is its own text', () => {
  fc.assert(fc.property(ADDRESS, (address) => addressOf(addressText(address)) === address));
});

test('a block of any size is valid text, and one with host bits is not', () => {
  fc.assert(
    fc.property(ADDRESS, fc.integer({ min: 0, max: 31 }), (address, prefixLength) => {
      const size = 2 ** (32 - prefixLength);
      const first = Math.floor(address / size) * size;
      const text = `${addressText(first)}/${prefixLength}`;
      const block = cidrOf(text);
      assert.ok(block !== null);
      assert.equal(cidrText(block), text);
      assert.equal(sizeOf(block), size);
      assert.equal(cidrOf(`${addressText(first + 1)}/${prefixLength}`), null);
    }),
  );
});

test('rejects what is not an address or block', () => {
  for (const text of [
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.1/8',
    '::1',
    '10.0.0.1.2',
    ' 10.0.0.1',
    '1e1.0.0.0',
  ])
    assert.equal(addressOf(text), null, text);
  for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', 'fd00::/80'])
    assert.equal(cidrOf(text), null, text);
});

for (const [cidr, usable] of [
  ['10.0.0.0/28', 11],
  ['10.0.0.0/24', 251],
  ['10.0.0.0/16', 65_531],
] as const) {
  test(`${cidr} has ${usable} usable addresses`, () => {
    assert.equal(usableAddresses(cidrOf(cidr) ?? { first: 0, prefixLength: 0 }), usable);
  });
}

/** Aligned /28 blocks without a used address, by looking at every address of every block. */
function blocksByForce(first: number, prefixLength: number, used: UsedAddresses): number {
  const size = 2 ** (32 - prefixLength);
  const isTaken = (address: number) =>
    address < first + 4 ||
    address === first + size - 1 ||
    used.addresses.includes(address) ||
    used.blocks.some((one) => address >= one.first && address < one.first + sizeOf(one));
  let free = 0;
  for (let block = first; block < first + size; block += 16)
    free += Array.from({ length: 16 }, (_, index) => block + index).some(isTaken) ? 0 : 1;
  return free;
}

const FIRST = addressOf('10.1.0.0') ?? 0;

const USED = fc.record({
  prefixLength: fc.integer({ min: 22, max: 28 }),
  offsets: fc.array(fc.integer({ min: -20, max: 1100 }), { maxLength: 30 }),
  blocks: fc.array(fc.integer({ min: -1, max: 70 }), { maxLength: 12 }),
});

test('free blocks are those that looking at every address finds', () => {
  fc.assert(
    fc.property(USED, ({ prefixLength, offsets, blocks }) => {
      const used = {
        addresses: offsets.map((offset) => FIRST + offset),
        blocks: blocks.map((block) => ({ first: FIRST + block * 16, prefixLength: 28 })),
      };
      const found = freeBlocksOf({ first: FIRST, prefixLength }, used);
      assert.equal(found, blocksByForce(FIRST, prefixLength, used));
    }),
  );
});

test('no count is negative or exceeds the subnet, whatever EC2 claims', () => {
  fc.assert(
    fc.property(USED, fc.option(fc.nat({ max: 2000 })), (given, available) => {
      const cidr = { first: FIRST, prefixLength: given.prefixLength };
      const addresses = given.offsets.map((offset) => FIRST + offset);
      const subnet = { id: 'subnet-0a', zone: null, cidr, available };
      const state = subnetState(subnet, { addresses, blocks: [] });
      assert.ok((state.freeBlocks ?? -1) >= 0);
      assert.ok((state.freeBlocks ?? 0) * 16 <= Math.min(state.usable, state.free ?? 0));
      assert.ok((state.fragmentation ?? -1) >= 0 && (state.fragmentation ?? 2) <= 1);
      assert.ok(state.unexplained >= 0);
    }),
  );
});

const ITEM = {
  SubnetId: 'subnet-0a',
  CidrBlock: '10.0.1.0/24',
  AvailabilityZone: 'eu-west-1a',
  AvailableIpAddressCount: 232,
};

function aSubnet(item: object = {}) {
  const found = subnetOf(awsOf('aws/subnet', { ...ITEM, ...item }));
  assert.ok(found !== null);
  return found;
}

const INTERFACES = [
  {
    SubnetId: 'subnet-0a',
    PrivateIpAddress: '10.0.1.20',
    PrivateIpAddresses: [{ PrivateIpAddress: '10.0.1.20' }, { PrivateIpAddress: '10.0.1.40' }],
    Ipv4Prefixes: [{ Ipv4Prefix: '10.0.1.64/28' }, { Ipv4Prefix: 'broken' }],
  },
  { SubnetId: 'subnet-0b', PrivateIpAddress: '10.0.1.100' },
  { SubnetId: 'subnet-0a', PrivateIpAddress: '10.0.9.1' },
].map((item) => awsOf('aws/network-interface', item));

test('interfaces of the subnet say which addresses and blocks are used', () => {
  const state = subnetState(aSubnet(), usedAddresses(aSubnet(), INTERFACES));
  // 16 blocks less the first and the last, those of .20 and .40, and the prefix itself.
  assert.equal(state.freeBlocks, 11);
  assert.equal(state.free, 232);
  assert.equal(state.unexplained, 256 - 5 - 2 - 16 - 232);
  assert.equal(state.fragmentation, 1 - (11 * 16) / 232);
});

test('without EC2 the list of interfaces counts, without the list only EC2', () => {
  const unasked = aSubnet({ AvailableIpAddressCount: null });
  assert.equal(subnetState(unasked, usedAddresses(unasked, INTERFACES)).free, 256 - 5 - 2 - 16);
  const blind = subnetState(aSubnet(), null);
  assert.deepEqual([blind.free, blind.freeBlocks, blind.fragmentation], [232, null, null]);
  assert.equal(subnetState(unasked, null).free, null);
});

test('addresses can be free without one whole block', () => {
  const every16th = Array.from({ length: 16 }, (_, block) =>
    awsOf('aws/network-interface', {
      SubnetId: 'subnet-0a',
      PrivateIpAddress: `10.0.1.${block * 16 + 7}`,
    }),
  );
  const state = subnetState(
    aSubnet({ AvailableIpAddressCount: 235 }),
    usedAddresses(aSubnet(), every16th),
  );
  assert.deepEqual([state.free, state.freeBlocks, state.fragmentation], [235, 0, 1]);
});

test('rejects what is not a subnet of a VPC', () => {
  for (const item of [
    {},
    { ...ITEM, CidrBlock: '10.0.0.0/8' },
    { ...ITEM, CidrBlock: '10.0.0.0/29' },
    { ...ITEM, CidrBlock: '10.0.0.1/24' },
    { ...ITEM, SubnetId: null },
  ])
    assert.equal(subnetOf(awsOf('aws/subnet', item)), null, JSON.stringify(item));
});

test('a block larger than the subnet leaves nothing of it', () => {
  const huge = [
    awsOf('aws/network-interface', {
      SubnetId: 'subnet-0a',
      Ipv4Prefixes: [{ Ipv4Prefix: '0.0.0.0/0' }],
    }),
  ];
  const state = subnetState(aSubnet({ CidrBlock: '10.0.0.0/16' }), usedAddresses(aSubnet(), huge));
  assert.deepEqual([state.usable, state.freeBlocks], [65_531, 0]);
});
