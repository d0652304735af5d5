import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { microStamp, nanoStamp, secondStamp } from '../../../src/sim/machines/logs/stamps.ts';

const ABOUT = Date.UTC(2026, 10, 21, 21, 24, 29);

test('stamps are those of the moment, whichever was written before', () => {
  const moment = fc.double({ min: ABOUT - 5000, max: ABOUT + 5000, noNaN: true });
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 20 }), (moments) => {
      for (const atMs of moments) {
        const iso = new Date(atMs).toISOString();
        assert.equal(secondStamp(atMs), `${iso.slice(0, 19)}Z`);
        assert.equal(microStamp(atMs).slice(0, 23), iso.slice(0, 23));
        assert.match(microStamp(atMs), /^.{23}\d{3}Z$/);
        assert.match(nanoStamp(atMs), /^.{23}\d{6}Z$/);
      }
    }),
  );
});

test('a moment beyond all calendars has no stamp', () => {
  assert.throws(() => secondStamp(Number.MAX_VALUE), RangeError);
  assert.throws(() => secondStamp(Number.NaN), RangeError);
});
