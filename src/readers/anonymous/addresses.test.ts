import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutIpv4, withoutIpv6 } from './addresses.ts';
import { withoutIds } from './ids.ts';

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

test('times, versions and hashes do not count as addresses', () => {
  for (const text of ['12:00:01', 'v1.30.4-eks-1', '1.2.3.4.5', '2026-11-22T10:00:00Z'])
    assert.equal(withoutIpv6(withoutIpv4(text)), text);
});

test('an IPv6 address keeps its form, and those of one network stay together', () => {
  const [one = '', other = ''] = withoutIpv6('2600:1f14:a:b::5 2600:1f14:a:b::6').split(' ');
  assert.notEqual(one, '2600:1f14:a:b::5');
  assert.equal(one.slice(0, one.lastIndexOf(':')), other.slice(0, other.lastIndexOf(':')));
  assert.equal(withoutIpv6('fe80::1'), 'fe80::1');
});

test('ids become other ids of the same kind, each always the same one', () => {
  const text = 'i-0123456789abcdef0 subnet-01234567 111122223333 AROAIOSFODNN7EXAMPLE a@b.example';
  const other = withoutIds(text);
  assert.match(
    other,
    /^i-[0-9a-f]{17} subnet-[0-9a-f]{8} \d{12} AROA[0-9A-Z]{16} user-\w{8}@example\.com$/,
  );
  for (const part of text.split(' ')) assert.ok(!other.includes(part), part);
  assert.equal(withoutIds(text), other);
  assert.equal(withoutIds('602401143452.dkr.ecr'), '602401143452.dkr.ecr');
});
