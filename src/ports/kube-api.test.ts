import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIST_START, placeBehind } from './kube-api.ts';

test('a list begins before its first object, with an unknown number to come', () => {
  assert.deepEqual(LIST_START, { objectsBefore: 0, objectsLeft: null });
});

test('the place behind a page counts its objects and keeps what the server left', () => {
  const page = { metadata: { continue: 'next', remainingItemCount: 340 } };
  const second = placeBehind(LIST_START, page, 500);
  assert.deepEqual(second, { objectsBefore: 500, objectsLeft: 340 });
  assert.deepEqual(placeBehind(second, page, 40), { objectsBefore: 540, objectsLeft: 340 });
});

test('a server that does not count leaves an unknown number', () => {
  for (const metadata of [{}, { remainingItemCount: '340' }, { remainingItemCount: null }])
    assert.equal(placeBehind(LIST_START, { metadata }, 1).objectsLeft, null);
});
