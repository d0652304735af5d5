import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ahead } from './ahead.ts';

test('values come in order, each after the next one was asked for', async () => {
  const told: string[] = [];
  async function* numbers(): AsyncGenerator<number> {
    for (const value of [1, 2, 3]) {
      told.push(`asked ${value}`);
      yield value;
    }
  }
  for await (const value of ahead(numbers())) {
    await new Promise(setImmediate);
    told.push(`used ${value}`);
  }
  assert.deepEqual(told, ['asked 1', 'asked 2', 'used 1', 'asked 3', 'used 2', 'used 3']);
});

test('reports a failure in its turn without affecting earlier results', async () => {
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    throw new Error('gone');
  }
  for await (const value of ahead(broken())) {
    assert.equal(value, 1);
    break;
  }
  await assert.rejects(async () => {
    for await (const value of ahead(broken())) assert.equal(value, 1);
  }, /gone/);
});

test('reads lists as they are', async () => {
  const taken: string[] = [];
  for await (const value of ahead(['a', 'b'])) taken.push(value);
  assert.deepEqual(taken, ['a', 'b']);
});
