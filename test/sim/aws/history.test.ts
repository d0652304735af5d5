import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from '../../../src/sim/aws/history.ts';

test('a reader who lags behind sees what was', () => {
  const history = new History<string>();
  history.set('a', 'one', 100);
  history.set('a', 'two', 200);
  history.delete('a', 300);
  assert.deepEqual(
    [50, 100, 199, 200, 299, 300].map((ms) => history.at('a', ms)),
    [undefined, 'one', 'one', 'two', 'two', undefined],
  );
  assert.equal(history.get('a'), undefined);
  assert.deepEqual(history.valuesAt(250), ['two']);
  assert.deepEqual(history.values(), []);
});

test('of two changes at one moment the last one counts', () => {
  const history = new History<number>();
  history.set('a', 1, 100);
  history.change('a', 100, (value) => value + 1);
  history.change('b', 100, (value) => value + 1);
  assert.equal(history.at('a', 100), 2);
  assert.deepEqual(history.ids(), ['a']);
});

test('values come in the order in which they were first there', () => {
  const history = new History<string>();
  for (const id of ['c', 'a', 'b']) history.set(id, id, 0);
  history.set('c', 'C', 10);
  assert.deepEqual(history.values(), ['C', 'a', 'b']);
  assert.deepEqual(history.valuesAt(5), ['c', 'a', 'b']);
});

test('forgets old versions that no reader can lag behind to', () => {
  const history = new History<number>();
  const hourMs = 3_600_000;
  for (let made = 0; made < 64; made++) {
    history.set(String(made), made, made * hourMs);
    history.delete(String(made), made * hourMs + 1);
  }
  assert.equal(history.at('0', 0), undefined);
  assert.equal(history.at('63', 63 * hourMs), 63);
  const busy = new History<number>();
  for (let made = 0; made < 100; made++) busy.set('a', made, made * hourMs);
  assert.equal(busy.at('a', 0), undefined);
  assert.equal(busy.at('a', 99 * hourMs - 1), 98);
});
