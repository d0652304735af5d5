import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTail } from './tail.ts';

function tailOf(bytesMax: number, ...chunks: readonly string[]): readonly [string, boolean] {
  const tail = createTail(bytesMax);
  for (const chunk of chunks) tail.push(new TextEncoder().encode(chunk));
  const isCut = tail.isCut();
  const text = new TextDecoder().decode(tail.bytes());
  assert.equal(tail.isCut(), isCut, 'the same after the bytes were taken');
  assert.equal(new TextDecoder().decode(tail.bytes()), text, 'the same bytes twice');
  return [text, isCut];
}

test('a tail keeps all bytes while there are few', () => {
  assert.deepEqual(tailOf(5), ['', false]);
  assert.deepEqual(tailOf(5, 'ab', 'cde'), ['abcde', false]);
});

test('a tail keeps the last bytes, and says that it dropped some', () => {
  assert.deepEqual(tailOf(5, 'ab', 'cdef'), ['bcdef', true]);
  assert.deepEqual(tailOf(5, 'abcdefgh'), ['defgh', true]);
  assert.deepEqual(tailOf(3, ...'abcdefghij'.split('')), ['hij', true]);
  assert.deepEqual(tailOf(3, ...'abcdefghij'.split(''), 'x'.repeat(20), 'yz'), ['xyz', true]);
});

test('a tail takes more after its bytes were read', () => {
  const tail = createTail(3);
  tail.push(new TextEncoder().encode('abcd'));
  tail.bytes();
  tail.push(new TextEncoder().encode('e'));
  assert.equal(new TextDecoder().decode(tail.bytes()), 'cde');
  assert.ok(tail.isCut());
});
