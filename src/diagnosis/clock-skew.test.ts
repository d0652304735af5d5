import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skewOf } from './clock-skew.ts';

for (const [skewMs, words] of [
  [null, null],
  [60_000, null],
  [-60_000, null],
  [60_001, '1 min ahead of'],
  [-5 * 60_000, '5 min behind'],
] as const)
  test(`a clock ${skewMs ?? 'of nobody'} ms ahead makes ${words ?? 'nothing'} wrong`, () => {
    const told = skewOf(skewMs);
    assert.equal(told.length, words === null ? 0 : 1);
    assert.ok(words === null || told[0]?.message.includes(`The clock here is ${words}`));
  });
