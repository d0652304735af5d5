import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNoNewer, isOlder } from './versions.ts';

test('versions are compared as numbers, and others not at all', () => {
  assert.equal(isOlder('9', '10'), true);
  assert.equal(isOlder('10', '9'), false);
  assert.equal(isOlder('12', '13'), true);
  assert.equal(isOlder('13', '13'), false);
  assert.equal(isOlder('0', '1'), true);
  for (const odd of ['x', '', '01', '-1', '1x', 'x1', '1'.repeat(33)]) {
    assert.equal(isOlder(odd, '9'.repeat(31)), false, odd);
    assert.equal(isOlder('1', odd), false, odd);
  }
  assert.equal(isOlder('9'.repeat(30), '1'.repeat(31)), true);
  assert.equal(isNoNewer('x', 'x'), true);
  assert.equal(isNoNewer('9', '10'), true);
  assert.equal(isNoNewer('10', '9'), false);
});
