import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCandidates, findCandidates } from './find-candidates.ts';
import { mergeCandidates } from './find-middles.ts';
import { buildGramIndex } from './gram-index.ts';

const newlineLike = fc.constantFrom(0, 9, 10, 11, 0x8a, 0x8b, 0xff);
const anyByte = fc.nat(255);

test('newlines are counted whatever bytes surround them', () => {
  const index = buildGramIndex([new TextEncoder().encode('Unauthorized')]);
  const texts = fc.array(fc.oneof(newlineLike, anyByte), { minLength: 64, maxLength: 64 });
  fc.assert(
    fc.property(texts, (bytes) => {
      const words = new Int32Array(Uint8Array.from(bytes).buffer);
      const expected = bytes.filter((byte) => byte === 10).length;
      assert.equal(findCandidates(words, 0, 16, index, createCandidates()), expected);
    }),
  );
});

test('merged candidates are all candidates in ascending order', () => {
  const ascending = fc
    .array(fc.nat(400), { maxLength: 20 })
    .map((list) => list.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(ascending, ascending, (one, other) => {
      const [left, right, merged] = [createCandidates(), createCandidates(), createCandidates()];
      for (const [into, from] of [
        [left, one],
        [right, other],
      ] as const) {
        into.offsets.set(from);
        into.count = from.length;
      }
      mergeCandidates(left, right, merged);
      const expected = [...one, ...other].toSorted((a, b) => a - b);
      assert.deepEqual([...merged.offsets.subarray(0, merged.count)], expected);
    }),
  );
});
