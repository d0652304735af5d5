import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnWrites } from '../../../src/controllers/gate/own-writes.ts';
import { virtualClock } from '../../ports/fake/clock.ts';

test('a write of ours is awaited until the cache shows another version, or for a minute', async () => {
  const clock = virtualClock();
  const own = new OwnWrites(clock);
  const node = { name: 'n', resourceVersion: '1' };
  own.written(node, '2');
  assert.equal(own.isAwaited(node), true);
  assert.equal(own.isAwaited({ ...node, resourceVersion: '2' }), false);
  own.written(node, '2');
  await clock.advance(60_000);
  assert.equal(own.isAwaited(node), false);
  own.written(node, '1');
  assert.equal(own.isAwaited(node), false);
});

test('what the cache has not shown within a minute is overdue once', async () => {
  const clock = virtualClock();
  const own = new OwnWrites(clock);
  own.written({ name: 'a', resourceVersion: '1' }, '2');
  await clock.advance(30_000);
  own.written({ name: 'b', resourceVersion: '1' }, '2');
  assert.deepEqual(own.takeOverdue(), []);
  await clock.advance(30_000);
  assert.deepEqual(own.takeOverdue(), ['a']);
  assert.deepEqual(own.takeOverdue(), []);
  assert.equal(own.isAwaited({ name: 'b', resourceVersion: '1' }), true);
});
