import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf } from './quantity.ts';

test('a quantity is a number with a suffix of Kubernetes', () => {
  const amounts = ['16', '1500m', '2.5', '7146Mi', '1Ti', '3k', '0'].map((text) => amountOf(text));
  assert.deepEqual(amounts, [16, 1.5, 2.5, 7146 * 2 ** 20, 2 ** 40, 3000, 0]);
});

test('other texts have no number', () => {
  const none = ['', '-1', '1gb', '${var.cpu}', '1 Gi', 'Mi', '1e3e3', undefined];
  assert.deepEqual(
    none.map((text) => amountOf(text)),
    none.map(() => null),
  );
});
