import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../../evidence/json.ts';
import { scalarOf, textOf } from './scalars.ts';
import { double, message, type Part, text, whole } from './testing.ts';
import { WireError, wireFields } from './wire.ts';

/** What a field of a type holds. */
function read(code: string, part: Part): Json | undefined {
  const [field] = wireFields(Uint8Array.from(part));
  assert.ok(field);
  return scalarOf(code, field);
}

function refused(code: string, part: Part): RegExp | null {
  try {
    read(code, part);
    return null;
  } catch (error) {
    return error instanceof WireError ? new RegExp(error.message) : null;
  }
}

test('texts, truths, numbers and bytes are what JSON has for them', () => {
  assert.equal(read('s', text(1, '\uFEFFü')), '\uFEFFü');
  assert.deepEqual([read('b', whole(1, 1n)), read('b', whole(1, 0n))], [true, false]);
  assert.deepEqual([read('i', whole(1, 7n)), read('i', whole(1, -7n))], [7, -7]);
  assert.equal(read('n', double(1, -0.5)), -0.5);
  assert.equal(read('y', message(1, [0xfb, 0xff])), '+/8=');
  assert.equal(read('q', message(1, text(1, '500m'), text(2, 'other'))), '500m');
  assert.deepEqual(read('e', message(1, text(1, 'a'), text(1, 'b'))), ['a', 'b']);
});

test('what JSON does not have is refused', () => {
  assert.throws(() => textOf(Uint8Array.from([0xff])), /^WireError: a text is not valid UTF-8$/);
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.match('a number is not one that JSON has', refused('n', double(1, none)) ?? /^$/);
});

test('a number or text is what its kind says', () => {
  const both = [whole(2, -3n), text(3, 'http')];
  assert.equal(read('x', message(1, whole(1, 0n), ...both)), -3);
  assert.equal(read('x', message(1, whole(1, 1n), ...both)), 'http');
  assert.equal(read('x', message(1, whole(1, 2n), ...both)), -3);
  assert.equal(read('x', message(1, text(3, 'http'), whole(1, 1n))), 'http');
  assert.equal(read('x', message(1)), 0);
  assert.equal(read('x', message(1, whole(1, 1n))), '');
});

test('JSON in bytes is parsed, and nothing is an empty object', () => {
  for (const code of ['f', 'r']) {
    assert.deepEqual(read(code, message(1, text(1, '{"a":[1]}'))), { a: [1] });
    assert.deepEqual(read(code, message(1, text(2, '{"a":[1]}'))), {});
    assert.match('what should be JSON is not', refused(code, message(1, text(1, '{'))) ?? /^$/);
  }
});

describe('a time', () => {
  const moment = BigInt(Date.UTC(2026, 0, 2, 3, 4, 5) / 1000);

  test('is a stamp of seconds, or of microseconds', () => {
    const part = message(1, whole(1, moment), whole(2, 1_234_999n));
    assert.equal(read('t', part), '2026-01-02T03:04:05Z');
    assert.equal(read('u', part), '2026-01-02T03:04:05.001234Z');
    assert.equal(read('u', message(1, whole(1, moment))), '2026-01-02T03:04:05.000000Z');
    assert.equal(read('t', message(1, whole(2, 1n))), '1970-01-01T00:00:00Z');
    assert.equal(read('t', message(1, whole(1, -1n))), '1969-12-31T23:59:59Z');
  });

  test('is absent without bytes', () => {
    assert.equal(read('t', message(1)), undefined);
  });

  test('that no calendar has is refused', () => {
    const last = 8_640_000_000_000n;
    assert.equal(refused('t', message(1, whole(1, last))), null);
    for (const seconds of [last + 1n, -last - 1n])
      assert.match('a time is out of range', refused('t', message(1, whole(1, seconds))) ?? /^$/);
  });
});
