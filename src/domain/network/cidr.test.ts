import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, addressText, cidrOf, cidrText, isInside, sizeOf } from './cidr.ts';

test('an address is a number of 32 bits, and back', () => {
  const numbers: readonly (readonly [string, number])[] = [
    ['0.0.0.0', 0],
    ['10.0.1.2', 167_772_418],
    ['255.255.255.255', 4_294_967_295],
  ];
  for (const [text, number] of numbers) {
    assert.equal(addressOf(text), number);
    assert.equal(addressText(number), text);
  }
});

test('anything but an address is refused', () => {
  for (const text of [
    '',
    '10.0.1',
    '10.0.1.2.3',
    '10.0.1.256',
    '256.0.0.0',
    '10.0.1.x',
    '1000.0.0.1',
    ' 10.0.1.2',
    '10.0.1.2 ',
    'fd00::1',
    '10x0x1x2',
  ])
    assert.equal(addressOf(text), null, text);
});

test('a block has its first address, its length and its size', () => {
  const block = cidrOf('10.0.1.0/24');
  assert.deepEqual(block, { first: 167_772_416, prefixLength: 24 });
  assert.equal(sizeOf({ first: 0, prefixLength: 24 }), 256);
  assert.equal(sizeOf({ first: 0, prefixLength: 0 }), 4_294_967_296);
  assert.deepEqual(cidrOf('0.0.0.0/0'), { first: 0, prefixLength: 0 });
  assert.deepEqual(cidrOf('10.0.1.7/32'), { first: 167_772_423, prefixLength: 32 });
  assert.equal(cidrText({ first: 167_772_416, prefixLength: 24 }), '10.0.1.0/24');
});

test('anything but a block is refused, and a block with bits of the host', () => {
  for (const text of [
    '',
    '10.0.1.0',
    '10.0.1.0/33',
    '10.0.1.0/',
    '10.0.1.0/240',
    '10.0.1.1/24',
    '10.0.256.0/24',
    'x10.0.1.0/24',
    '10.0.1.0/24x',
    '300.0.0.0/8',
  ])
    assert.equal(cidrOf(text), null, text);
});

test('a block holds its first and last address, and no neighbor', () => {
  const block = { first: 256, prefixLength: 24 };
  assert.deepEqual(
    [255, 256, 511, 512].map((address) => isInside(address, block)),
    [false, true, true, false],
  );
});
