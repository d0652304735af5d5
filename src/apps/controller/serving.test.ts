import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identity } from './serving.ts';

test('a holder of a Lease is another one for each start', () => {
  assert.notEqual(identity(''), identity(''));
});

test('a container that is started again in its Pod is the same holder', () => {
  const uid = '0f6b3c1e-6a0e-4c7c-9c3b-2d0f1a5e7b11';
  assert.equal(identity(uid), identity(uid));
  assert.ok(identity(uid).endsWith(uid));
  assert.notEqual(identity(uid), identity('another'));
});

test('text that cannot be a UID is not taken for one', () => {
  for (const uid of ['', 'a b', 'x'.repeat(65)]) assert.notEqual(identity(uid), identity(uid));
});
