import assert from 'node:assert/strict';
import { test } from 'node:test';
import { double, message, type Part, text, varint, whole } from './testing.ts';
import { WireError, wireFields } from './wire.ts';

function fields(...parts: readonly Part[]): readonly (readonly unknown[])[] {
  const bytes = Uint8Array.from(parts.flat());
  return [...wireFields(bytes)].map(({ number, type, value, bytes: own }) => [
    number,
    type,
    value,
    Buffer.from(own).toString(),
  ]);
}

function refusal(...bytes: readonly number[]): string {
  try {
    fields(bytes);
  } catch (error) {
    assert.ok(error instanceof WireError);
    assert.equal(error.name, 'WireError');
    return error.message;
  }
  return 'read';
}

test('fields come in their order, each by its type', () => {
  const half = [...varint(8n * 5n + 5n), 0x78, 0x56, 0x34, 0x92];
  const parts = [whole(1, 300n), text(2, 'ab'), double(4, 1), half, text(16, '')];
  assert.deepEqual(fields(...parts), [
    [1, 0, 300n, ''],
    [2, 2, 2n, 'ab'],
    [4, 1, 0x3ff0_0000_0000_0000n, ''],
    [5, 5, 0x9234_5678n, ''],
    [16, 2, 0n, ''],
  ]);
  assert.deepEqual(fields(), []);
});

test('a part of a larger array is read from where it begins', () => {
  const all = Uint8Array.from([0xff, 0xff, ...double(1, 1), 0xff]);
  const [field] = wireFields(all.subarray(2, -1));
  assert.equal(field?.value, 0x3ff0_0000_0000_0000n);
});

test('numbers have up to 64 bits', () => {
  for (const value of [0n, 127n, 128n, 16_384n, 2n ** 63n, 2n ** 64n - 1n])
    assert.equal(fields(whole(1, value))[0]?.[2], value);
  const more = [8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
  assert.equal(fields(more)[0]?.[2], 2n ** 64n - 1n);
});

test('a message within a message is read the same way', () => {
  const [outer] = wireFields(Uint8Array.from(message(3, text(1, 'x'))));
  assert.deepEqual(fields([...(outer?.bytes ?? [])]), [[1, 2, 1n, 'x']]);
});

test('bytes that are no message are refused with the reason', () => {
  assert.equal(refusal(0x08), 'a number is cut off');
  assert.equal(refusal(0x08, 0x80), 'a number is cut off');
  assert.equal(refusal(0x08, ...Array.from({ length: 11 }, () => 0x80)), 'a number is too long');
  assert.equal(refusal(0x08, ...Array.from({ length: 10 }, () => 0x80), 1), 'a number is too long');
  assert.equal(refusal(0x0a, 2, 1), 'a field is longer than its message');
  assert.equal(refusal(0x0a, 1, 1), 'read');
  assert.equal(refusal(0x09, 1, 2), 'a field is longer than its message');
  assert.equal(refusal(0x0d, 1, 2, 3), 'a field is longer than its message');
  assert.equal(refusal(0x02, 0), 'a field has no number');
  for (const type of [3, 4, 6, 7])
    assert.equal(refusal(8 + type, 0), `a field is of the unknown wire type ${type}`);
});
