import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PortFailure } from '../../ports/port-error.ts';
import { reasonOf } from './failure.ts';

const CODES: readonly (readonly [number, PortFailure, RegExp])[] = [
  [3, 'denied', /may not be opened by this user/],
  [5, 'unavailable', /is locked by another program/],
  [6, 'unavailable', /is locked by another program/],
  [8, 'denied', /may only be read by this user/],
  [10, 'unavailable', /by the disk/],
  [11, 'malformed', /is damaged; move it away/],
  [13, 'unavailable', /its disk is full/],
  [14, 'not-found', /its folder is missing or not writable/],
  [26, 'malformed', /is not a flight recorder/],
  [1, 'unavailable', /could not be used as a flight recorder/],
];

for (const [code, failure, words] of CODES) {
  for (const errcode of [code, code + 256, code + 10 * 256]) {
    test(`SQLite’s ${errcode} is ${failure}`, () => {
      const error = Object.assign(new Error('said SQLite'), { errcode, code: 'ERR_SQLITE_ERROR' });
      const named = reasonOf('/var/lib/flight.db', error);
      assert.equal(named.failure, failure);
      assert.match(named.message, /^\/var\/lib\/flight\.db .*\.$/);
      assert.match(named.message, words);
      assert.equal(named.cause, error);
    });
  }
}

test('a recorder that is closed already says so, and anything else only that it is of no use', () => {
  const closed = Object.assign(new Error('not open'), { code: 'ERR_INVALID_STATE' });
  assert.match(reasonOf('x', closed).message, /^x is already closed\.$/);
  const others = [new Error('odd'), { code: 'ERR_INVALID_STATE', errcode: 5 }, 'text'];
  for (const other of others)
    assert.match(reasonOf('x', other).message, /^x could not be used as a flight recorder\.$/);
});
