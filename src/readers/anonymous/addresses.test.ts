import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withoutIpv4, withoutIpv6 } from './addresses.ts';

const octet = fc.nat(255);
const address = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));

function bitsOf(text: string): string {
  return text
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
}

/** How many bits two addresses begin with alike. */
function common(one: string, other: string): number {
  const [a, b] = [bitsOf(one), bitsOf(other)];
  let bits = 0;
  while (bits < 32 && a[bits] === b[bits]) bits++;
  return bits;
}

const privateAddress = fc
  .tuple(octet, octet, octet)
  .map((octets) => `10.${octets.join('.')}`)
  .filter((text) => !/^10\.(?:9[6-9]|10\d|11[01])\./.test(text));

test('addresses of one range stay together: what two have in common, the other two have', () => {
  fc.assert(
    fc.property(privateAddress, privateAddress, (one, other) => {
      const [first, second] = [withoutIpv4(one), withoutIpv4(other)];
      assert.equal(common(first, second), common(one, other), `${first} ${second}`);
    }),
  );
});

test('private stays private, public stays public, and what everybody has stays as it is', () => {
  const isPrivate = (text: string): boolean =>
    /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(text);
  fc.assert(
    fc.property(address, (one) => assert.equal(isPrivate(withoutIpv4(one)), isPrivate(one))),
  );
  for (const kept of ['169.254.169.254', '127.0.0.1', '10.100.0.10', '172.20.0.1', '0.0.0.0/0'])
    assert.equal(withoutIpv4(kept), kept);
});

test('a range stays a range, and a name spells the address of its machine', () => {
  const range = withoutIpv4('10.7.0.0/16');
  assert.match(range, /^10\.\d+\.0\.0\/16$/);
  const spelled = withoutIpv4('ip-10-7-3-9.ec2.internal 10.7.3.9');
  const [, a, b] = /^ip-10-(\d+)-(\d+)-9\.ec2\.internal/.exec(spelled) ?? [];
  assert.ok(spelled.endsWith(` 10.${a}.${b}.9`), spelled);
  assert.ok(range.startsWith(`10.${a}.`), `${range} ${spelled}`);
});

const KEPT_IPV4 = [
  '0.1.2.3',
  '127.0.1.1',
  '224.0.0.251',
  '255.255.255.0',
  '169.254.170.23',
  '172.17.0.1',
  '172.20.5.1',
  '10.96.0.1',
  '10.100.7.10',
  '10.111.255.1',
  '192.0.2.7',
  '198.51.100.7',
  '203.0.113.123',
  '10.7.3.256',
  '300.1.2.3',
  'ip-10-7-3-256',
  'ip-10-7-3-9-8',
  'ship-10-7-3-9',
  'ip-10-107-133-209',
  '100.64.0.0/10',
  '10.7.3.9876',
];

const OTHER_IPV4 = [
  ['10.95.3.9', /^10\.(?:8\d|9[0-5])\.\d+\.9$/],
  ['10.112.3.9', /^10\.1(?:1[2-9]|2[0-7])\.\d+\.9$/],
  ['10.7.3.9', /^10\.(?:\d|1[0-5])\.\d+\.9$/],
  ['172.16.3.9', /^172\.16\.\d+\.9$/],
  ['172.31.3.9', /^172\.31\.\d+\.9$/],
  ['192.168.3.9', /^192\.168\.\d+\.9$/],
  ['100.64.3.9', /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.9$/],
  ['100.127.3.9', /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.9$/],
  ['100.63.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['100.128.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['172.15.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['172.32.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['192.167.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['191.168.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['223.17.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['126.254.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['169.253.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['11.100.3.9', /^(?:198|199|20[0-2])\.\d+\.\d+\.9$/],
  ['IP-10-7-3-9', /^IP-10-\d+-\d+-9$/],
  ['ip-10-117-133-209', /^ip-10-1[12]\d-\d+-209$/],
  ['10.7.0.0/16', /^10\.\d+\.0\.0\/16$/],
  ['10.7.3.0/24', /^10\.\d+\.\d+\.0\/24$/],
  ['10.7.3.9/16', /^10\.\d+\.\d+\.9\/16$/],
  ['10.7.3.9/32', /^10\.\d+\.\d+\.9\/32$/],
  ['10.7.3.9x', /^10\.\d+\.\d+\.9x$/],
  ['10.7.3.9.', /^10\.\d+\.\d+\.9\.$/],
] as const;

describe('IPv4 addresses', () => {
  for (const kept of KEPT_IPV4)
    test(`${kept} says nothing of anybody and stays`, () => assert.equal(withoutIpv4(kept), kept));

  for (const [given, form] of OTHER_IPV4)
    test(`${given} becomes one of the same kind`, () => {
      assert.match(withoutIpv4(given), form);
      assert.notEqual(withoutIpv4(given), given);
    });

  test('of many addresses of a kind hardly any stays, nor are many alike', () => {
    for (const start of ['10.7', '10.112', '172.31', '192.168', '100.70', '8.8']) {
      const many = Array.from({ length: 200 }, (_, index) => `${start}.${index}.9`);
      const others = many.map(withoutIpv4);
      assert.equal(new Set(others).size, many.length, start);
      assert.ok(others.filter((other, index) => other === many[index]).length < 20, start);
    }
    const seconds = Array.from({ length: 16 }, (_, index) => withoutIpv4(`10.${index}.7.9`));
    assert.equal(new Set(seconds.map((other) => other.split('.')[1])).size, 16);
    assert.ok(new Set(seconds.map((other) => other.split('.')[2])).size > 4);
    const halves = Array.from({ length: 16 }, (_, index) => withoutIpv4(`10.${index * 16}.7.9`));
    assert.ok(halves.some((other) => (Number(other.split('.')[1]) & 8) > 0));
    const firsts = Array.from({ length: 80 }, (_, index) => withoutIpv4(`${index + 11}.7.7.9`));
    assert.equal(new Set(firsts.map((other) => other.split('.')[0])).size, 5);
  });
});

test('times, versions and hashes are no addresses', () => {
  for (const text of ['12:00:01', 'v1.30.4-eks-1', '1.2.3.4.5', '2026-11-22T10:00:00Z'])
    assert.equal(withoutIpv6(withoutIpv4(text)), text);
});

test('an IPv6 address keeps its form, and those of one network stay together', () => {
  const [one = '', other = ''] = withoutIpv6('2600:1f14:a:b::5 2600:1f14:a:b::6').split(' ');
  assert.notEqual(one, '2600:1f14:a:b::5');
  assert.equal(one.slice(0, one.lastIndexOf(':')), other.slice(0, other.lastIndexOf(':')));
  assert.equal(withoutIpv6('fe80::1'), 'fe80::1');
});

describe('IPv6 addresses', () => {
  for (const kept of [
    'fe80::1',
    'fd00:ec2::254',
    '::1',
    'ff02::2',
    'FE80::A',
    '10:00:01',
    '1:2:3:4:5:6:7',
    '0a:1b:2c:3d:4e:5f',
    'x2600:1f14:a:b::5',
    '2600:1f14:a:b::5x',
  ])
    test(`${kept} stays`, () => assert.equal(withoutIpv6(kept), kept));

  for (const [given, form] of [
    ['2600:1f14:a:b:1:22:333:4444', /^2600:\w{4}:\w:\w:\w:\w\w:\w{3}:\w{4}$/],
    ['2600:1f14:a:b::5', /^2600:\w{4}:\w:\w::\w$/],
    ['2600:1F14:A:B::5', /^2600:\w{4}:\w:\w::\w$/],
    ['2600:1f14:a:b00::/56', /^2600:\w{4}:\w:\w{3}::\/56$/],
    ['2600:1f14:a:b::5/128', /^2600:\w{4}:\w:\w::\w\/128$/],
    ['2600:1f14:a00::fe80:5', /^2600:\w{4}:\w{3}::\w{4}:\w$/],
    ['2600:1f14::/32', /^2600:\w{4}::\/32$/],
    ['2600:1f14:abcd:b123:c456:d789::', /^2600(?::\w{4}){5}::$/],
    ['2600:1f14:abcd:b123:c456:d789:eeee:ffff', /^2600(?::\w{4}){7}$/],
    ['2600:1f14::1234:5678:9abc', /^2600:\w{4}::\w{4}:\w{4}:\w{4}$/],
    ['fd12::3456', /^fd12::\w{4}$/],
  ] as const)
    test(`${given} becomes another of its form`, () => {
      const other = withoutIpv6(given);
      assert.match(other, form);
      assert.equal(withoutIpv6(given), other);
      const [shown, hidden] = [other, given].map((one) => one.toLowerCase().replace(/\/.*/, ''));
      assert.notEqual(shown, hidden);
    });

  test('groups depend on those before them', () => {
    const groups = ['a', 'b', 'c', 'd'].map((third) =>
      withoutIpv6(`2600:1f14:${third}000:7777::5`).split(':'),
    );
    assert.equal(new Set(groups.map(([, second]) => second)).size, 1);
    for (const place of [2, 3]) assert.equal(new Set(groups.map((one) => one[place])).size, 4);
  });

  test('groups keep their length', () => {
    const long = Array.from({ length: 200 }, (_, index) => withoutIpv6(`2600::${1000 + index}`));
    for (const other of long) assert.match(other, /^2600::\w{4}$/);
    const many = Array.from({ length: 16 }, (_, index) => `2600:1f14:a:b::${index.toString(16)}`);
    for (const other of many.map(withoutIpv6)) assert.match(other, /::[0-9a-f]$/);
  });
});
