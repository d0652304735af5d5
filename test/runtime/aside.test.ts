import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Aside } from '../../src/runtime/aside.ts';
import { virtualClock } from '../ports/fake/clock.ts';

test('what is put aside is done in its order a little later, with one timer for all of it', async () => {
  const clock = virtualClock();
  const done: number[] = [];
  const aside = new Aside(clock);
  aside.add(() => done.push(1));
  await clock.advance(30);
  aside.add(() => done.push(2));
  assert.deepEqual([done, clock.sleeping()], [[], 1]);
  await clock.advance(20);
  assert.deepEqual([done, clock.sleeping()], [[1, 2], 0]);
});

test('at the end nothing is left aside, and nothing is done twice', async () => {
  const clock = virtualClock();
  const done: number[] = [];
  const aside = new Aside(clock);
  aside.add(() => done.push(1));
  aside.finish();
  assert.deepEqual(done, [1]);
  await clock.advance(100);
  aside.finish();
  assert.deepEqual([done, clock.sleeping()], [[1], 0]);
});

test('a task that puts another aside finds it done later', async () => {
  const clock = virtualClock();
  const done: number[] = [];
  const aside = new Aside(clock);
  aside.add(() => {
    done.push(1);
    aside.add(() => done.push(2));
  });
  await clock.advance(50);
  assert.deepEqual(done, [1]);
  await clock.advance(50);
  assert.deepEqual(done, [1, 2]);
});
